/** `signals fix`: proposes mapping rules that repair the invalid rows of a run, one for each cause. Sends nothing. */
import path from 'node:path';
import type { Field } from '../../contract/index.ts';
import { readExplained } from '../../journal/explain-log.ts';
import { inspectRun } from '../../journal/inspect-run.ts';
import { lineageOf, replayedBatches } from '../../journal/lineage.ts';
import { lockHolder } from '../../journal/lock.ts';
import { type RunFile, readRunFile } from '../../journal/run-file.ts';
import { assertPlainFiles, type RunFolder } from '../../journal/run-folder.ts';
import { printable } from '../../lib/printable.ts';
import type { Suggest } from '../../lib/shell.ts';
import { count, plural } from '../../lib/units.ts';
import { type FieldMapping, renderMapping } from '../../map/index.ts';
import { ProblemError } from '../../model/problem.ts';
import { flag, repeated, text, usageError } from '../../options/option-spec.ts';
import { JSON_OPTION, OUT, PROFILE } from '../../options/option-table.ts';
import { createSuggest } from '../../options/suggest.ts';
import { FixProposer } from '../../plan/fix/fix-proposer.ts';
import { readRejects } from '../../plan/fix/rejected-rows.ts';
import type { ProposedFix, Rule } from '../../plan/fix/rule.ts';
import type { PlanRequest } from '../../plan/plan-types.ts';
import { BACK } from '../../questions/question.ts';
import { createReasons, type ReasonGroup } from '../../report/failure-reasons.ts';
import {
  describeCause,
  type FixResult,
  fixIntroduction,
  fixJson,
  fixSummary,
  ruleLines,
} from '../../report/fix-text.ts';
import { rejectsStep, replayedSentence, stepText } from '../../report/next-steps.ts';
import type { RejectsCount, RejectsUpload } from '../../report/summary.ts';
import type { Style } from '../../report/text-layout.ts';
import { Cancelled, createPrompts } from '../../terminal/prompts.ts';
import { type Context, defineCommand } from '../shared/command.ts';
import { suggestAbout } from '../shared/foreign-run.ts';
import { planRequestOf } from '../shared/plan-request.ts';
import { withUploads } from '../shared/rejects-uploads.ts';
import { rejectsOf } from '../shared/run-summary.ts';
import { assertNew, saveMapping } from '../shared/save-mapping.ts';
import { requestedRun } from '../shared/stored-runs.ts';
import { askRule, ruleParser } from './ask-rule.ts';

const fixOptions = {
  accept: flag('--accept', 'save every rule that needs no answer, without prompting'),
  rule: repeated('--rule <line>', 'use this rule, a line of a mapping file; repeatable'),
  output: text('-o, --output <file>', 'save the mapping to this file (default: mapping.fixed.yaml in the run folder)'),
  overwrite: flag('--overwrite', 'replace an existing file'),
  json: JSON_OPTION,
  out: OUT,
  profile: PROFILE,
};

export const command = defineCommand({
  options: fixOptions,
  more: [
    'RUN is an id, an unambiguous part of an id, a folder, or "last". Each rule is tried on the rejected rows before it is',
    'offered, and shown with up to three rows before and after. The accepted rules are saved as a mapping, with the command',
    'that uploads the rejected rows with it. Without a terminal, the rules are only printed, unless you pass --accept. A rule',
    'that needs an answer, such as how a date is read, is then chosen with --rule.',
    '',
    'Examples:',
    '  signals fix last',
    '  signals fix last --accept',
  ],
  async run(context, args, options) {
    const { streams } = context;
    const { json } = options;
    const print = (line: string): void => (json ? streams.err(`${line}\n`) : streams.print(`${line}\n`));
    const folder = await requestedRun(context, options, 'fix', args);
    const rejected = await openRejectedRun(folder, createSuggest(context, options));
    const { names, files } = rejected;
    const suggest = await suggestAbout(context, options, folder, rejected.runFile);
    if (files.length === 0) {
      for (const line of nothingToFix(rejected, suggest)) print(line);
      if (json) streams.json({ run: folder.id, rows: { rejected: 0 }, rules: [], exitCode: 0 });
      return 0;
    }
    if (rejected.runFile.parent !== undefined) {
      for (const line of replayLines(rejected, suggest)) print(line);
      if (json) streams.json({ run: folder.id, rows: { rejected: rejected.refused }, rules: [], exitCode: 3 });
      return 3;
    }
    const rejects = await readRejects(rejectsRequest(rejected, suggest), streams.stdin);
    const proposer = new FixProposer(rejects);
    print(fixIntroduction(folder.id, files, countsOf(proposer), rejects.isCut));
    for (const line of replayedSentence(rejected.rejects)) print(line);
    const isAsked = streams.interactive && !options.accept && !json;
    const target = options.output ?? path.join(folder.path, 'mapping.fixed.yaml');
    if (isAsked && !options.overwrite) assertNew(target);
    const given = await Promise.all(options.rule.map((line) => parseRule(line, proposer)));
    const accept = (...lines: readonly string[]): string =>
      suggest('fix', folder.path, '--accept', ...[...options.rule, ...lines].flatMap((line) => ['--rule', line]));
    const decide = isAsked ? askForRule(context, proposer) : proposeRule(proposer, print, accept);
    const decisions = await decideAll(proposer, names, print, withGiven(proposer, given, decide));

    const repairs = proposer.valid > 0;
    const isSaved = isAsked ? decisions.accepted.length > 0 : options.accept === true && repairs;
    if (isSaved) await saveMapping(target, renderMapping(proposer.document), options.overwrite, 0o600);
    const encoding = rejects.encoding === undefined ? [] : ['--encoding', rejects.encoding];
    const isOpen = !isAsked && !repairs && decisions.open.some(({ rules }) => rules.length > 0);
    const result: FixResult = {
      run: folder.id,
      names,
      counts: countsOf(proposer),
      ...decisions,
      junk: proposer.junk,
      left: leftGroups(rejected, proposer),
      saved: isSaved ? target : undefined,
      isOpen,
      next: isOpen
        ? suggest('fix', folder.path)
        : isSaved || !repairs
          ? suggest('upload', ...files, '-m', isSaved ? target : path.join(folder.path, 'mapping.yaml'), ...encoding)
          : accept(),
    };
    const exitCode = repairs ? 0 : 3;
    for (const line of fixSummary(result)) print(line);
    if (json) streams.json({ ...fixJson(result), mapping: proposer.document, exitCode });
    return exitCode;
  },
});

/** What was decided about each cause. */
interface Decisions {
  readonly accepted: readonly { readonly fix: ProposedFix; readonly rule: Rule }[];
  /** Causes without a rule: skipped, or only the user knows the answer. */
  readonly open: readonly ProposedFix[];
}

/** Without a rule, the rows of the cause are left. */
interface Decision {
  readonly rule: Rule | undefined;
  /** Whether the user was asked, so that a later question can go back to this one. */
  readonly isAsked: boolean;
}

/** `stop`: the user ends the questions, and keeps the rules so far. */
type Decide = (
  fix: ProposedFix,
  show: (rules: readonly Rule[], style?: Style) => void,
  before: { readonly accepted: number; readonly canGoBack: boolean },
) => Promise<Decision | typeof BACK | 'stop'>;

async function decideAll(
  proposer: FixProposer,
  names: readonly string[],
  print: (line: string) => void,
  decide: Decide,
): Promise<Decisions> {
  const decided: (Decision & { readonly fix: ProposedFix; readonly undo: () => void })[] = [];
  const open = (): readonly ProposedFix[] => decided.flatMap(({ fix, rule }) => (rule === undefined ? [fix] : []));
  const accepted = () => decided.flatMap(({ fix, rule }) => (rule === undefined ? [] : [{ fix, rule }]));
  for (let fix = proposer.next(); fix !== undefined; fix = proposer.next()) {
    const { cause } = fix;
    print(`\n${describeCause(cause, names)}`);
    const show = (rules: readonly Rule[], style?: Style): void => {
      for (const line of rules.flatMap((each) => ruleLines(each, cause.rows, names, style))) print(line);
    };
    const undo = proposer.mark();
    const canGoBack = decided.some(({ isAsked }) => isAsked);
    const decision = await decide(fix, show, { accepted: accepted().length, canGoBack });
    if (decision === 'stop') return { accepted: accepted(), open: [...open(), fix] };
    if (decision === BACK) {
      // Rules that needed no question follow from the answer before them.
      const asked = decided.findLastIndex(({ isAsked }) => isAsked);
      for (const last of decided.splice(Math.max(0, asked)).toReversed()) last.undo();
      continue;
    }
    decided.push({ fix, undo, ...decision });
    if (decision.rule !== undefined) proposer.accept(decision.rule);
  }
  return { accepted: accepted(), open: open() };
}

/** A rule of `--rule`. */
interface GivenRule {
  readonly field: Field;
  readonly mapping: FieldMapping;
}

/** @throws ProblemError if it is not one valid line of a mapping file */
async function parseRule(line: string, { rejects: { contract } }: FixProposer): Promise<GivenRule> {
  const parse = await ruleParser('--rule');
  const [[name, mapping] = [], ...others] = Object.entries(parse(line));
  const field = contract.field(name ?? '');
  if (field === undefined || mapping === undefined || others.length > 0) {
    throw usageError(
      `--rule is "${line}": expected a line such as "detected_at: { column: Date, as: date, format: d/M/yyyy }".`,
    );
  }
  return { field, mapping };
}

/** Uses the rule of `--rule` for a cause, if it repairs rows. */
function withGiven(proposer: FixProposer, given: readonly GivenRule[], decide: Decide): Decide {
  return async (fix, show, before) => {
    const mapping = given.findLast(({ field }) => field.name === fix.cause.field)?.mapping;
    const rule = mapping && proposer.ruleFor(fix.cause, mapping, 'as in --rule');
    if (rule === undefined) return decide(fix, show, before);
    show([rule]);
    return { rule, isAsked: false };
  };
}

/** Every rule that needs no answer. @param command uses a rule */
function proposeRule(
  proposer: FixProposer,
  print: (line: string) => void,
  command: (...lines: readonly string[]) => string,
): Decide {
  return async (fix, show) => {
    const [rule] = fix.rules;
    const isOpen = rule === undefined || fix.needsAnswer;
    show(isOpen ? fix.rules : [rule]);
    if (!isOpen) return { rule, isAsked: false };
    if (rule === undefined) print('  Needs your answer: no column has the value.');
    else {
      print('  Needs your answer: several readings are possible. To save one of them:');
      for (const { line } of fix.rules) print(`    ${command(line)}`);
    }
    proposer.leaveOpen(fix);
    return { rule: undefined, isAsked: false };
  };
}

/** One question for each cause, until the user accepts all further rules. */
function askForRule(context: Context, proposer: FixProposer): Decide {
  const prompts = createPrompts(context);
  let isAll = false;
  return async (fix, show, { accepted, canGoBack }) => {
    const [first] = fix.rules;
    show(fix.rules.slice(0, fix.needsAnswer ? 2 : 1), context.streams.style.out);
    if (isAll && !fix.needsAnswer && first !== undefined) return { rule: first, isAsked: false };
    const answer = await askRule(prompts, proposer, fix, canGoBack).catch(async (error: unknown): Promise<'stop'> => {
      if (!(error instanceof Cancelled) || accepted === 0 || context.signal.aborted) throw error;
      if (await prompts.confirm(`Save the ${plural(accepted, 'rule')} accepted so far?`)) return 'stop';
      throw error;
    });
    if (answer === 'stop') return answer;
    isAll = answer === 'all' || (isAll && answer !== BACK);
    if (answer === BACK) return BACK;
    const rule = answer === 'all' ? first : answer === 'skip' ? undefined : answer;
    if (rule === undefined) proposer.skip(fix);
    return { rule, isAsked: true };
  };
}

function countsOf({ rejects: { rows, broken }, rows: invalid, junk, valid }: FixProposer): FixResult['counts'] {
  return {
    rejected: rows.length + broken,
    refused: rows.length - invalid.length - junk.length,
    invalid: invalid.length + junk.length + broken,
    repaired: valid,
  };
}

/** Rows that are left: those that cannot be parsed, and those that no accepted rule repairs. */
function leftGroups({ reasons }: RejectedRun, { rejects, left }: FixProposer): readonly Readonly<ReasonGroup>[] {
  const unrepaired = createReasons();
  for (const { rejected, issues } of left) unrepaired.add(rejected, issues);
  // Only the journal knows why a row could not be parsed.
  const unparsed = reasons.filter(({ field, code }) => field === undefined && code !== 'constants');
  return [...(rejects.broken === 0 ? [] : unparsed), ...unrepaired.invalid()];
}

interface RejectedRun {
  readonly folder: RunFolder;
  readonly runFile: RunFile;
  readonly rejects: readonly RejectsCount[];
  /** Whether replays have sent all rows of a rejects file again. */
  readonly replayed: boolean;
  /** Runs that uploaded rejects files: the rows are theirs. */
  readonly uploads: readonly RejectsUpload[];
  /** Refused rows that no replay has sent again. */
  readonly refused: number;
  /** The rejects files with rows. */
  readonly files: readonly string[];
  /** The inputs that they are from. */
  readonly names: readonly string[];
  /** Why rows are invalid, from the journal. */
  readonly reasons: readonly Readonly<ReasonGroup>[];
}

/** @throws ProblemError `fix.running`, `fix.transform` */
async function openRejectedRun(folder: RunFolder, suggest: Suggest): Promise<RejectedRun> {
  assertPlainFiles(folder.path);
  if (lockHolder(folder.path) !== undefined) {
    throw new ProblemError({
      code: 'fix.running',
      message: `A process is working on ${folder.id}, so its rejected rows are not complete.`,
      hint: 'Fix it when the run has ended.',
    });
  }
  const runFile = await readRunFile(folder.path);
  if (runFile.transform !== undefined) {
    throw new ProblemError({
      code: 'fix.transform',
      message: `${folder.id} used --transform ${runFile.transform.path}. Rules of a mapping cannot repair rows that a module changes.`,
      hint: `Correct the module or the rejects files. For the reasons: \`${suggest('runs', 'show', runFile.run)}\`.`,
    });
  }
  const reasons = createReasons();
  const inspected = await inspectRun(folder.path, false, { onEvent: reasons.on });
  const replayed = replayedBatches(await lineageOf(folder), runFile.run);
  const { rows: explained } = await readExplained(folder.path);
  const all = await withUploads(folder, runFile, rejectsOf(folder.path, runFile, inspected, explained, replayed));
  const rejects = all.filter(({ rows, upload }) => rows > 0 && upload === undefined);
  const refused = [...inspected.batches.values()].filter(
    ({ batch, state }) => state === 'refused' && !replayed.has(batch),
  );
  return {
    folder,
    runFile,
    rejects,
    replayed: all.some(({ rows }) => rows === 0),
    uploads: all.flatMap(({ upload }) => upload ?? []),
    refused: refused.reduce((sum, { records }) => sum + records, 0),
    files: rejects.map((file) => file.path),
    names: rejects.map(({ source, path: file }) => runFile.inputs[source]?.source ?? file),
    reasons: reasons.invalid(),
  };
}

function nothingToFix(rejected: RejectedRun, suggest: Suggest): readonly string[] {
  const {
    folder: { id },
    replayed,
    refused,
    uploads: [upload],
  } = rejected;
  if (upload !== undefined) {
    const { run, delivered, read, isDone } = upload;
    const what = `${printable(run)} uploaded the rejects file, and delivered ${count(delivered)} of ${plural(read, 'row')}`;
    return [`Nothing to fix: ${what}.`, ...(isDone ? [] : [`For the others: ${suggest('runs', 'show', run)}`])];
  }
  const why = replayed
    ? 'replays have sent the rows of its rejects file again'
    : `${printable(id)} has no rejects file`;
  const show = suggest('runs', 'show', id);
  return [
    `Nothing to fix: ${why}.`,
    ...(refused === 0 ? [] : [`The service refused ${plural(refused, 'row')}. For what to do: ${show}`]),
  ];
}

/** A replay has sent records: its mapping is the one of their inputs, so no rule is about them. */
function replayLines({ folder, runFile, rejects }: RejectedRun, suggest: Suggest): readonly string[] {
  const step = rejectsStep(runFile, { files: { folder: folder.path, rejects }, suggest });
  return [
    `No rule repairs the rejects of ${printable(folder.id)}: it is a replay, and the service refused these records.`,
    stepText(step ?? []),
  ];
}

/** Reads the rejects files with the mapping of the run. */
function rejectsRequest({ folder, runFile, files }: RejectedRun, suggest: Suggest): PlanRequest {
  const { maxRowBytes, ragged } = runFile.decode;
  // A rejects file is UTF-8 with a header, whatever its input was.
  return { ...planRequestOf(folder.path, runFile, files, suggest), decode: { maxRowBytes, ragged } };
}
