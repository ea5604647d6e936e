/** `signals runs find`: the position and the outcome of rows, in all runs of the runs folder or in one. */
import path from 'node:path';
import { type LocatedRow, type LocatedRows, locateLine, locateReject, locateText } from '../app/find-rows.ts';
import { commonOptions, findRunFolder, runsRoot } from '../app/find-run.ts';
import { contextOf, type OtherRuns } from '../app/run-context.ts';
import type { LoadedRun } from '../journal/read-journal.ts';
import { readRunFile } from '../journal/run-file.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import { once } from '../lib/resources.ts';
import { plural } from '../lib/units.ts';
import { type Problem, ProblemError, problemsOf } from '../model/problem.ts';
import { isInRejects } from '../model/rejects-file.ts';
import type { RowPlace } from '../model/row.ts';
import { usageError } from '../options/option-spec.ts';
import { factsOf, listRuns, type RunIdentity, readCatalogue, rootOf } from '../stored-runs/catalogue.ts';
import { findRows, ROW_STATES } from '../stored-runs/run-rows.ts';
import { type Context, defineCommand } from './command.ts';

export const command = defineCommand({
  options: commonOptions,
  more: [
    'Searches all runs of the runs folder. Before the text, a RUN searches only that run. Case and accents are ignored.',
    'The exit code is 1 if nothing is found.',
    '',
    'Examples:',
    '  signals runs find Northwind',
    '  signals runs find "Northwind Traders"',
    '  signals runs find last export.csv:812',
  ],
  async run(context, words, options) {
    const [first = '', second, ...others] = words;
    const what = second ?? first;
    if (what === '') throw usageError('Pass FILE:LINE or a text to find.');
    if (others.length > 0) {
      const quoted = context.suggest('runs', 'find', words.join(' '));
      throw usageError('Pass one text to find, or a run and one text.', `To find these words: \`${quoted}\`.`);
    }
    const named = second === undefined ? undefined : await findRunFolder(context, options, first);
    const root = await runsRoot(context, options);
    const problems: Problem[] = [];
    const given =
      named === undefined
        ? await readableRuns(root, problems)
        : [{ folder: named, file: await readRunFile(named.path) }];
    const found = await searchRuns(context, what, given, problems);
    if (named !== undefined && problems.length > 0) throw new ProblemError(problems);
    const { unread } = found;
    if (options.json) {
      const runs = found.runs.map(({ self, rows, more }) => {
        return { run: self.file.run, sandbox: self.file.sandbox, rows, more };
      });
      context.streams.json({ what, runs, unread, problems });
    } else {
      const where = named === undefined ? ` in ${plural(found.searched, 'run')} of ${printable(root)}` : undefined;
      printFound(context, found, what, where);
      for (const file of unread) context.streams.print(`Not searched: ${printable(file)} is missing or has changed.\n`);
      for (const { message } of problems) context.streams.print(`Not searched: ${printable(message, 300)}\n`);
    }
    // As grep does.
    return found.runs.length === 0 ? 1 : 0;
  },
});

interface RunMatches extends Pick<LocatedRows, 'rows' | 'more'> {
  readonly self: LoadedRun;
}

interface AllMatches {
  /** Those that have something, oldest first. */
  readonly runs: readonly RunMatches[];
  /** Why there may be no row, if the text is a line of an input. */
  readonly causes: ReadonlySet<string> | undefined;
  readonly searched: number;
  /** Inputs that are missing or have changed. */
  readonly unread: readonly string[];
}

/** @param where in which runs; undefined if the user named one */
function printFound({ streams }: Context, { runs, causes }: AllMatches, what: string, where?: string): void {
  for (const one of runs) {
    if (where !== undefined) streams.print(`${printable(one.self.file.run)}\n`);
    for (const line of foundLines(one)) streams.print(`${where === undefined ? '' : '  '}${line}\n`);
  }
  if (runs.length === 0) streams.print(nothingFound(what, causes, where ?? ''));
}

async function readableRuns(root: string, problems: Problem[]) {
  const all = await readCatalogue(root);
  problems.push(...all.flatMap((run) => ('problem' in run ? run.problem.problems : [])));
  return all.flatMap((run) => ('problem' in run || run.journal.bytes === 0 ? [] : [run]));
}

/** For a line, searches the runs that have read a file of that name. @param problems receives those of unreadable runs */
async function searchRuns(
  context: Context,
  what: string,
  given: readonly { readonly folder: RunFolder; readonly file: RunIdentity }[],
  problems: Problem[],
): Promise<AllMatches> {
  const ofPlace = given.filter(({ file }) => placesIn(file, what).length > 0);
  const isPlace = ofPlace.length > 0;
  const chosen = isPlace ? ofPlace : given;
  const others = once(() => listRuns(rootOf(given[0]?.folder.path ?? '')));
  const runs: RunMatches[] = [];
  const unread = new Set<string>();
  const causes = new Set<string>();
  for (const { folder, file } of chosen) {
    try {
      const { rows: known, run: self } = await findRows(folder, new Set(ROW_STATES));
      const found: LocatedRows[] = [];
      for (const place of isPlace ? placesIn(file, what) : []) {
        found.push(await locateLine(self, known, place));
        for (const cause of causesOfNone(self, place)) causes.add(cause);
      }
      if (!isPlace) found.push(await locateText(self, known, what));
      const located = found.flatMap((one) => one.rows);
      const rows = await withUploads(context, self, located, others);
      if (rows.length > 0) runs.push({ self, rows, more: found.reduce((total, { more }) => total + more, 0) });
      for (const name of found.flatMap((one) => one.unread)) unread.add(name);
    } catch (error) {
      problems.push(...problemsOf(error));
    }
  }
  return { runs, causes: isPlace ? causes : undefined, searched: chosen.length, unread: [...unread] };
}

const TO_CORRECT: ReadonlySet<string> = new Set(['invalid', 'rejected', 'refused']);

/** Rows of rejects files, with the run that has delivered them since. @param others the runs that may have uploaded the files */
async function withUploads(
  context: Context,
  self: LoadedRun,
  rows: readonly LocatedRow[],
  others: OtherRuns,
): Promise<readonly LocatedRow[]> {
  const toCorrect = rows.filter(({ state }) => TO_CORRECT.has(state));
  if (toCorrect.length === 0) return rows;
  const parts = { ...self, suggest: context.suggest, name: [], others };
  const { rejects } = await contextOf(factsOf(self.runState), parts);
  const delivered = new Map<LocatedRow, string | undefined>();
  for (const { source: of, path: file, upload } of rejects) {
    const mine = toCorrect.filter((row) => row.source === self.file.inputs[of]?.source);
    const reader = (await others()).find(({ file: one }) => one?.run === upload?.run);
    if (upload === undefined || reader === undefined || mine.length === 0) continue;
    const { rows: known, run } = await findRows(reader.folder, new Set(ROW_STATES));
    const source = run.file.inputs.findIndex((input) => input.path === path.resolve(file));
    for (const row of mine) {
      const same = await locateReject(run, known, { source, line: row.line });
      const [end] = await withUploads(context, run, same, others);
      delivered.set(row, end?.state === 'delivered' ? upload.run : end?.deliveredBy);
    }
  }
  return rows.map((row) => (delivered.has(row) ? { ...row, deliveredBy: delivered.get(row) } : row));
}

/** Why a line may have no row in the run. */
function causesOfNone({ file, runState }: LoadedRun, { source, line }: RowPlace): readonly string[] {
  const { ended, cursor } = runState.sources[source] ?? {};
  if (ended !== true && line >= (cursor?.line ?? 0)) return ['was not read'];
  if (cursor !== undefined && line >= cursor.line) return ['is after the last row'];
  return ['is blank or the header', ...(file.shard === undefined ? [] : ['belongs to another shard'])];
}

function nothingFound(what: string, causes: AllMatches['causes'], where: string): string {
  if (causes === undefined) return `Not found: "${printable(what, 80)}" (as whole words)${where}.\n`;
  const why = causes.size === 0 ? '' : `: the line ${[...causes].join(', or ')}`;
  return `There is no row at ${printable(what, 160)}${where}${why}.\n`;
}

function foundLines({ self, rows, more }: RunMatches): readonly string[] {
  const lines = rows.map(({ where, source, line, state, reason, text, deliveredBy }) => {
    const later = deliveredBy === undefined ? '' : `; then delivered by ${printable(deliveredBy)}`;
    const to = state === 'delivered' && self.file.sandbox ? ' to the sandbox' : '';
    const outcome = `${state}${to}, ${printable(reason, 300)}${later}`;
    const content = text === undefined ? '' : `  "${printable(text, 160)}"`;
    // Where it was found, unless in the input.
    const place = where === 'input' ? '' : `  [${where}]`;
    return `${printable(`${source}:${line}`, 160)}  ${outcome}${content}${place}`;
  });
  return more > 0 ? [...lines, `and ${plural(more, 'more row')}`] : lines;
}

/** `FILE:LINE` of inputs of the run, by their name or by the end of it. `a.csv:7` is no line of the rejects file `rejects/a.csv`. */
function placesIn({ inputs }: RunIdentity, what: string): readonly RowPlace[] {
  const [, name = '', line] = /^(.*):(\d+)$/s.exec(what) ?? [];
  if (line === undefined || name === '') return [];
  const names = inputs.map(({ source }) => source);
  const exact = names.indexOf(name);
  const isPath = path.basename(name) !== name;
  const alike = names.flatMap((one, source) =>
    path.basename(one) === path.basename(name) && (isPath || !isInRejects(one)) ? [source] : [],
  );
  return (exact >= 0 ? [exact] : alike).map((source) => ({ source, line: Number(line) }));
}
