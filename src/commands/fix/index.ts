/** `signals fix`: proposes mapping rules that repair the invalid rows of a run, one for each cause. Sends nothing. */
import path from 'node:path';
import { printable } from '../../lib/printable.ts';
import { renderMapping } from '../../map/index.ts';
import { FixProposer } from '../../plan/fix/fix-proposer.ts';
import { readRejects } from '../../plan/fix/rejected-rows.ts';
import type { ProposedFix, Rule } from '../../plan/fix/rule.ts';
import { createReasons, type ReasonGroup } from '../../report/failure-reasons.ts';
import {
  describeCause,
  type FixResult,
  fixIntroduction,
  fixJson,
  fixSummary,
  ruleLines,
} from '../../report/fix-text.ts';
import { createPrompts } from '../../terminal/prompts.ts';
import { type Context, defineCommand } from '../shared/command.ts';
import { flag, type OptionValues, text } from '../shared/option.ts';
import { JSON_OPTION, OUT, PROFILE } from '../shared/options.ts';
import { requestedRun } from '../shared/run-argument.ts';
import { saveMapping } from '../shared/save-mapping.ts';
import { createSuggest, destinationOptions } from '../shared/suggest.ts';
import { askRule } from './ask-rule.ts';
import { openRejectedRun, type RejectedRun, rejectsRequest } from './rejected-run.ts';

const fixOptions = {
  accept: flag('--accept', 'save every rule that needs no answer, without prompting'),
  output: text('-o, --output <file>', 'save the mapping to this file (default: mapping.fixed.yaml in the run folder)'),
  overwrite: flag('--overwrite', 'replace an existing file'),
  json: JSON_OPTION,
  out: OUT,
  profile: PROFILE,
};

type FixOptions = OptionValues<typeof fixOptions>;

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
    const suggest = createSuggest(context, options);
    const rejected = await openRejectedRun(await requestedRun(context, options, 'fix', args), suggest);
    const { folder, names, files } = rejected;
    if (files.length === 0) {
      print(`Nothing to fix: ${printable(folder.id)} has no rejects file.`);
      if (json) streams.json({ run: folder.id, rows: { rejected: 0 }, rules: [], exitCode: 0 });
      return 0;
    }
    const rejects = await readRejects(rejectsRequest(rejected, suggest), streams.stdin);
    const proposer = new FixProposer(rejects);
    print(fixIntroduction(folder.id, files, countsOf(proposer), rejects.isCut));
    const isAsked = streams.interactive && !options.accept && !json;
    const decisions = isAsked ? await askAll(context, proposer, names, print) : proposeAll(proposer, names, print);

    const isSaved = decisions.accepted.length > 0 && (isAsked || options.accept);
    const target = options.output ?? path.join(folder.path, 'mapping.fixed.yaml');
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
        isSaved || decisions.accepted.length === 0
          ? uploadCommand(context, options, rejected, isSaved ? target : path.join(folder.path, 'mapping.yaml'))
          : suggest('fix', folder.path, '--accept'),
    };
    const exitCode = decisions.accepted.length === 0 ? 3 : 0;
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

/** Every rule that needs no answer. */
function proposeAll(proposer: FixProposer, names: readonly string[], print: (line: string) => void): Decisions {
  const decisions: Decisions = { accepted: [], open: [] };
  for (let fix = proposer.next(); fix !== undefined; fix = proposer.next()) {
    const [rule] = fix.rules;
    const isOpen = rule === undefined || fix.needsAnswer;
    print(`\n${describeCause(fix.cause, names)}`);
    for (const each of isOpen ? fix.rules : [rule])
      for (const line of ruleLines(each, fix.cause.rows, names)) print(line);
    if (isOpen) {
      print(
        `  Needs your answer: ${rule === undefined ? 'no column has the value' : 'several readings are possible'}.`,
      );
      decisions.open.push(fix);
      proposer.leaveOpen(fix);
    } else {
      decisions.accepted.push({ fix, rule });
      proposer.accept(rule);
    }
  }
  return decisions;
}

/** One question for each cause, until the user accepts all further rules. */
async function askAll(
  context: Context,
  proposer: FixProposer,
  names: readonly string[],
  print: (line: string) => void,
): Promise<Decisions> {
  const { streams } = context;
  const prompts = createPrompts(context);
  const decisions: Decisions = { accepted: [], open: [] };
  let isAll = false;
  for (let fix = proposer.next(); fix !== undefined; fix = proposer.next()) {
    const [first] = fix.rules;
    print(`\n${describeCause(fix.cause, names)}`);
    for (const each of fix.rules.slice(0, fix.needsAnswer ? 2 : 1)) {
      for (const line of ruleLines(each, fix.cause.rows, names, streams.style.out)) print(line);
    }
    const answer: Rule | 'all' | 'skip' =
      isAll && !fix.needsAnswer && first !== undefined ? first : await askRule(prompts, proposer, fix);
    isAll ||= answer === 'all';
    const rule = answer === 'all' ? first : answer;
    if (rule === undefined || rule === 'skip') {
      decisions.open.push(fix);
      proposer.skip(fix);
    } else {
      decisions.accepted.push({ fix, rule });
      proposer.accept(rule);
    }
  }
  return decisions;
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
  // Only the journal knows why a row could not be parsed: in the rejects file, it is one cell of text.
  const unparsed = reasons.filter(({ field, code }) => field === undefined && code !== 'constants');
  return [...(rejects.broken === 0 ? [] : unparsed), ...unrepaired.invalid()];
}

function uploadCommand(
  context: Context,
  options: FixOptions,
  { runFile, files }: RejectedRun,
  mapping: string,
): string {
  const profile = options.profile ?? runFile.profile;
  const suggest = createSuggest(context, { ...options, profile }, destinationOptions(runFile));
  return suggest('upload', ...files, '-m', mapping);
}
