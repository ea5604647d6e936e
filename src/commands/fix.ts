/** `signals fix`: proposes mapping rules that repair the invalid rows of a run, one for each cause. Sends nothing. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { existsProblem, saveMapping } from '../app/ask-mapping.ts';
import { findRunFolder } from '../app/find-run.ts';
import { rejectsRequestOf } from '../app/plan-request.ts';
import { type RunView, viewRun } from '../app/run-context.ts';
import { decideRules, parseGivenRule, type RuleDecisions } from '../fix/decide-rules.ts';
import { type FixResult, fixIntroduction, fixJson, fixSummary } from '../fix/fix-text.ts';
import { beginRepair, type Repair, unrepaired } from '../fix/propose-fix.ts';
import { readRejects } from '../fix/rows-to-fix.ts';
import { assertPlainFiles } from '../journal/run-folder.ts';
import { RunReasons } from '../journal/run-reasons.ts';
import { printable } from '../lib/printable.ts';
import { attempt } from '../lib/text.ts';
import { count, plural } from '../lib/units.ts';
import { renderMapping } from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import type { ReasonGroup } from '../model/run-state.ts';
import { flag, repeated, text } from '../options/option-spec.ts';
import { sharedOptions } from '../options/option-table.ts';
import { createAsk } from '../questions/question.ts';
import { listedRefusals } from '../report/next-step.ts';
import { plain } from '../report/text-layout.ts';
import { defineCommand } from './command.ts';

const fixOptions = {
  accept: flag('save every rule that needs no answer, without prompting'),
  rule: repeated('line', 'use this rule, a line of a mapping file; repeatable'),
  output: text('file', 'save the mapping to this file', {
    short: 'o',
    defaultText: 'mapping.fixed.yaml in the run folder',
  }),
  overwrite: flag('replace an existing file'),
  ...sharedOptions('fix'),
};

export const command = defineCommand({
  options: fixOptions,
  more: [
    'RUN is an id, an unambiguous part of an id, a folder, or "last". Each rule is tried on the rows before it is',
    'offered, and shown with up to three rows before and after. The accepted rules are saved as a mapping, with the command',
    'that uploads the rows with it. Without a terminal, the rules are only printed, unless you pass --accept. A rule',
    'that needs an answer, such as how a date is read, is then chosen with --rule.',
    '',
    'Examples:',
    '  signals fix last',
    '  signals fix last --accept',
  ],
  async run(context, [wanted = 'last'], options) {
    const { streams } = context;
    const { json } = options;
    const print = (line: string): void => (json ? streams.err(`${line}\n`) : streams.print(`${line}\n`));
    const folder = await findRunFolder(context, options, wanted);
    assertPlainFiles(folder.path);
    const view = await viewRun(context, options, folder);
    assertFixable(view);
    const files = openRejects(view);
    if (files.length === 0) {
      for (const line of nothingToFix(view)) print(line);
      if (json) streams.json({ run: folder.id, rows: { listed: 0 }, rules: [], exitCode: 0 });
      return 0;
    }
    const paths = files.map((file) => file.path);
    const request = rejectsRequestOf(folder.path, view.file, paths, view.context.suggest);
    const prompts = options.accept || json ? undefined : context.prompts;
    const target = options.output ?? path.join(folder.path, 'mapping.fixed.yaml');
    // Before questions, whose answers would be lost.
    if ((prompts !== undefined || options.accept) && !options.overwrite && existsSync(target)) {
      throw existsProblem(target);
    }
    const rejects = await readRejects(request, streams.stdin);
    const repair = beginRepair(rejects);
    print(fixIntroduction(paths, countsOf(repair, view), rejects.isCut));
    const replace = existsSync(target) || options.accept ? ['--overwrite'] : [];
    const accept = (...lines: readonly string[]): string => {
      const rules = [...options.rule, ...lines].flatMap((line) => ['--rule', line]);
      return view.context.suggest('fix', ...view.context.name, '--accept', ...rules, ...replace);
    };
    const decided = await decideRules({
      repair,
      names: files.map(({ name }) => name),
      print,
      given: options.rule.map((line) => parseGivenRule(line, rejects)),
      ask: prompts && createAsk(prompts),
      style: prompts === undefined ? plain : streams.style.out,
      command: accept,
    });
    const { document } = decided.repair;
    const yaml = renderMapping(document);
    const isList = prompts === undefined && !options.accept;
    // Of `fix --accept`.
    const earlier = isList && options.output === undefined ? attempt(() => readFileSync(target)) : undefined;
    const isSaved = earlier?.equals(Buffer.from(yaml)) === true;
    const mode = prompts !== undefined ? 'asked' : options.accept || isSaved ? 'accept' : 'list';
    const replaced = earlier === undefined || isSaved ? undefined : target;
    const result: FixResult = { ...resultOf(view, files, decided, { mode, target, accept }), replaced };
    if (result.saved !== undefined && !isSaved) await saveMapping(target, yaml, options.overwrite, 0o600);
    const exitCode = result.counts.repaired > 0 ? 0 : 3;
    for (const line of fixSummary(result)) print(line);
    if (json) streams.json({ ...fixJson(result), mapping: document, exitCode });
    return exitCode;
  },
});

/** The rows of files that a later run has uploaded are its rows. */
function openRejects({ file: { inputs }, context }: RunView) {
  return context.rejects
    .filter(({ upload }) => upload === undefined)
    .map(({ source, path: file }) => ({ path: file, name: inputs[source]?.source ?? file }));
}

function resultOf(
  view: RunView,
  files: ReturnType<typeof openRejects>,
  { repair, accepted, open }: RuleDecisions,
  // Whether the user was asked about each rule, has accepted all, or sees a list.
  { mode, target, accept }: { mode: 'asked' | 'accept' | 'list'; target: string; accept: () => string },
): Omit<FixResult, 'replaced'> {
  const { folder, runState, context } = view;
  const { encoding } = repair.rejects;
  const counts = countsOf(repair, view);
  const repairs = counts.repaired > 0;
  const isSaved = mode === 'asked' ? accepted.length > 0 : mode === 'accept' && repairs;
  const isOpen = mode !== 'asked' && !repairs && open.some((cause) => cause.rules.length > 0);
  // Once the user has corrected what else is wrong with the rows, the rules make them valid.
  const needsFix = mode !== 'asked' && !repairs && accepted.length > 0;
  const read = encoding === undefined ? [] : ['--encoding', encoding];
  const paths = files.map((file) => file.path);
  const upload = (mapping: string): string => context.suggest('upload', ...paths, '-m', mapping, ...read);
  const unsaved = repairs ? accept() : upload(path.join(folder.path, 'mapping.yaml'));
  return {
    run: folder.id,
    type: runState.type,
    variant: runState.variant,
    names: files.map(({ name }) => name),
    counts,
    accepted,
    open,
    junk: repair.junk,
    left: leftGroups(repair),
    saved: isSaved ? target : undefined,
    isOpen,
    next: isOpen || needsFix ? context.suggest('fix', ...context.name) : isSaved ? upload(target) : unsaved,
  };
}

function countsOf(repair: Repair, { runState, context }: RunView): FixResult['counts'] {
  const { rejects, tried, junk } = repair;
  const { rows, broken } = rejects;
  const valid = rows.length - tried.length - junk.length;
  return {
    listed: rows.length + broken,
    valid,
    refused: Math.min(valid, listedRefusals(runState, context.rejects)),
    invalid: tried.length + junk.length + broken,
    unreadable: broken,
    repaired: tried.length - unrepaired(repair).length,
  };
}

/** Rows that no accepted rule repairs, without those that cannot be parsed. */
function leftGroups(repair: Repair): readonly Readonly<ReasonGroup>[] {
  const reasons = new RunReasons();
  for (const { listed, issues } of unrepaired(repair)) reasons.add(listed, issues);
  return reasons.invalid;
}

/** @throws ProblemError `fix.running`, `fix.transform` */
function assertFixable({ folder: { id }, file: { run, transform }, isRunning, context: { suggest } }: RunView): void {
  if (isRunning) {
    throw new ProblemError({
      code: 'fix.running',
      message: `A process is working on ${id}, so its rejects files are not complete.`,
      hint: 'Fix it when the run has ended.',
    });
  }
  if (transform === undefined) return;
  throw new ProblemError({
    code: 'fix.transform',
    message: `${id} used \`--transform ${transform.path}\`. Rules of a mapping cannot repair rows that a module changes.`,
    hint: `Correct the module or the rejects files. For the reasons: \`${suggest('runs', 'show', run)}\`.`,
  });
}

function nothingToFix({ folder: { id }, runState, context }: RunView): readonly string[] {
  const { suggest, rejects } = context;
  const { refused } = runState.rows;
  const { rejected } = runState.service;
  const [upload] = rejects.flatMap((file) => file.upload ?? []);
  if (upload !== undefined) {
    const { run, delivered, read, isDone } = upload;
    const what = `${printable(run)} uploaded the rejects file, and delivered ${count(delivered)} of ${plural(read, 'row')}`;
    return [`Nothing to fix: ${what}.`, ...(isDone ? [] : [`For the others: ${suggest('runs', 'show', run)}`])];
  }
  const show = suggest('runs', 'show', id);
  const open = [
    ...(refused === 0 ? [] : [`The service refused ${plural(refused, 'row')}.`]),
    ...(rejected === 0 ? [] : [`The service rejected ${plural(rejected, 'row')}.`]),
    ...(runState.state === 'complete' ? [] : ['The run is unfinished.']),
  ];
  return [
    `Nothing to fix: ${printable(id)} has no rejects file.`,
    ...(open.length === 0 ? [] : [`${open.join(' ')} For what to do: ${show}`]),
  ];
}
