/** `signals fix`: proposes mapping rules that repair the invalid rows of a run, one for each cause. Sends nothing. */
import path from 'node:path';
import { readExplained } from '../../journal/explain-log.ts';
import { inspectRun } from '../../journal/inspect-run.ts';
import { lineageOf, replayedBatches } from '../../journal/lineage.ts';
import { lockHolder } from '../../journal/lock.ts';
import { type RunFile, readRunFile } from '../../journal/run-file.ts';
import { assertPlainFiles, type RunFolder } from '../../journal/run-folder.ts';
import { printable } from '../../lib/printable.ts';
import type { Suggest } from '../../lib/shell.ts';
import { plural } from '../../lib/units.ts';
import { renderMapping } from '../../map/index.ts';
import { ProblemError } from '../../model/problem.ts';
import { FixProposer } from '../../plan/fix/fix-proposer.ts';
import { readRejects } from '../../plan/fix/rejected-rows.ts';
import type { ProposedFix, Rule } from '../../plan/fix/rule.ts';
import type { PlanRequest } from '../../plan/plan-types.ts';
import { createReasons, type ReasonGroup } from '../../report/failure-reasons.ts';
import {
  describeCause,
  type FixResult,
  fixIntroduction,
  fixJson,
  fixSummary,
  ruleLines,
} from '../../report/fix-text.ts';
import { replayedSentence } from '../../report/next-steps.ts';
import type { RejectsCount } from '../../report/summary.ts';
import type { Style } from '../../report/text-layout.ts';
import { createPrompts } from '../../terminal/prompts.ts';
import { type Context, defineCommand } from '../shared/command.ts';
import { suggestAbout } from '../shared/foreign-run.ts';
import { flag, text } from '../shared/option.ts';
import { JSON_OPTION, OUT, PROFILE } from '../shared/options.ts';
import { planRequestOf } from '../shared/plan-request.ts';
import { rejectsOf } from '../shared/run-summary.ts';
import { assertNew, saveMapping } from '../shared/save-mapping.ts';
import { requestedRun } from '../shared/stored-runs.ts';
import { createSuggest } from '../shared/suggest.ts';
import { askRule } from './ask-rule.ts';

const fixOptions = {
  accept: flag('--accept', 'save every rule that needs no answer, without prompting'),
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
    'that uploads the rejected rows with it. Without a terminal, the rules are only printed, unless you pass --accept.',
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
    const rejects = await readRejects(rejectsRequest(rejected, suggest), streams.stdin);
    const proposer = new FixProposer(rejects);
    print(fixIntroduction(folder.id, files, countsOf(proposer), rejects.isCut));
    for (const line of replayedSentence(rejected.rejects)) print(line);
    const isAsked = streams.interactive && !options.accept && !json;
    const target = options.output ?? path.join(folder.path, 'mapping.fixed.yaml');
    if (isAsked && !options.overwrite) assertNew(target);
    const decide = isAsked ? askForRule(context, proposer) : proposeRule(proposer, print);
    const decisions = await decideAll(proposer, names, print, decide);

    const repairs = proposer.valid > 0;
    const isSaved = isAsked ? decisions.accepted.length > 0 : options.accept === true && repairs;
    if (isSaved) await saveMapping(target, renderMapping(proposer.document), options.overwrite, 0o600);
    const result: FixResult = {
      run: folder.id,
      names,
      counts: countsOf(proposer),
      ...decisions,
      junk: proposer.junk,
      left: leftGroups(rejected, proposer),
      saved: isSaved ? target : undefined,
      next:
        isSaved || !repairs
          ? suggest('upload', ...files, '-m', isSaved ? target : path.join(folder.path, 'mapping.yaml'))
          : suggest('fix', folder.path, '--accept'),
    };
    const exitCode = repairs ? 0 : 3;
    for (const line of fixSummary(result)) print(line);
    if (json) streams.json({ ...fixJson(result), mapping: proposer.document, exitCode });
    return exitCode;
  },
});

/** What was decided about each cause. */
interface Decisions {
  readonly accepted: { readonly fix: ProposedFix; readonly rule: Rule }[];
  /** Causes without a rule: skipped, or only the user knows the answer. */
  readonly open: ProposedFix[];
}

/** Shows rules of a cause, and chooses one. Undefined: its rows are left. */
type Decide = (fix: ProposedFix, show: (rules: readonly Rule[], style?: Style) => void) => Promise<Rule | undefined>;

async function decideAll(
  proposer: FixProposer,
  names: readonly string[],
  print: (line: string) => void,
  decide: Decide,
): Promise<Decisions> {
  const decisions: Decisions = { accepted: [], open: [] };
  for (let fix = proposer.next(); fix !== undefined; fix = proposer.next()) {
    const { cause } = fix;
    print(`\n${describeCause(cause, names)}`);
    const rule = await decide(fix, (rules, style) => {
      for (const line of rules.flatMap((each) => ruleLines(each, cause.rows, names, style))) print(line);
    });
    if (rule === undefined) decisions.open.push(fix);
    else {
      decisions.accepted.push({ fix, rule });
      proposer.accept(rule);
    }
  }
  return decisions;
}

/** Every rule that needs no answer. */
function proposeRule(proposer: FixProposer, print: (line: string) => void): Decide {
  return async (fix, show) => {
    const [rule] = fix.rules;
    const isOpen = rule === undefined || fix.needsAnswer;
    show(isOpen ? fix.rules : [rule]);
    if (!isOpen) return rule;
    print(`  Needs your answer: ${rule === undefined ? 'no column has the value' : 'several readings are possible'}.`);
    proposer.leaveOpen(fix);
    return undefined;
  };
}

/** One question for each cause, until the user accepts all further rules. */
function askForRule(context: Context, proposer: FixProposer): Decide {
  const prompts = createPrompts(context);
  let isAll = false;
  return async (fix, show) => {
    const [first] = fix.rules;
    show(fix.rules.slice(0, fix.needsAnswer ? 2 : 1), context.streams.style.out);
    if (isAll && !fix.needsAnswer && first !== undefined) return first;
    const answer = await askRule(prompts, proposer, fix);
    isAll ||= answer === 'all';
    const rule = answer === 'all' ? first : answer === 'skip' ? undefined : answer;
    if (rule === undefined) proposer.skip(fix);
    return rule;
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
  const all = rejectsOf(folder.path, runFile, inspected, explained, replayed);
  const rejects = all.filter(({ rows }) => rows > 0);
  const refused = [...inspected.batches.values()].filter(
    ({ batch, state }) => state === 'refused' && !replayed.has(batch),
  );
  return {
    folder,
    runFile,
    rejects,
    replayed: all.length > rejects.length,
    refused: refused.reduce((sum, { records }) => sum + records, 0),
    files: rejects.map((file) => file.path),
    names: rejects.map(({ source, path: file }) => runFile.inputs[source]?.source ?? file),
    reasons: reasons.invalid(),
  };
}

function nothingToFix({ folder: { id }, replayed, refused }: RejectedRun, suggest: Suggest): readonly string[] {
  const why = replayed
    ? 'replays have sent the rows of its rejects file again'
    : `${printable(id)} has no rejects file`;
  const show = suggest('runs', 'show', id);
  return [
    `Nothing to fix: ${why}.`,
    ...(refused === 0 ? [] : [`The service refused ${plural(refused, 'row')}. For what to do: ${show}`]),
  ];
}

/** Reads the rejects files with the mapping of the run. */
function rejectsRequest({ folder, runFile, files }: RejectedRun, suggest: Suggest): PlanRequest {
  const { maxRowBytes, ragged } = runFile.decode;
  // A rejects file is UTF-8 with a header, whatever its input was.
  return { ...planRequestOf(folder.path, runFile, files, suggest), decode: { maxRowBytes, ragged } };
}
