/** `signals runs find`: the position and the outcome of rows, in all runs of the runs folder or in one. */
import path from 'node:path';
import { type LocatedRow, type LocatedRows, locateLine, locateOrigin, locateText } from '../app/find-rows.ts';
import { commonOptions, findRunFolder, runsRoot } from '../app/find-run.ts';
import { contextOf, rejectsReaders } from '../app/run-context.ts';
import { contracts } from '../contract/index.ts';
import type { LoadedRun } from '../journal/read-journal.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import { once } from '../lib/resources.ts';
import { plural } from '../lib/units.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { type Candidate, type RecordType, recordType } from '../model/record.ts';
import { type OptionValues, text, unknownWord, usageError } from '../options/option-spec.ts';
import { lineOfReject, originOfReject } from '../report/results-and-rejects.ts';
import { nameList } from '../report/text-layout.ts';
import {
  type CataloguedRun,
  type FoundRun,
  factsOf,
  type RunIdentity,
  readCatalogue,
} from '../stored-runs/catalogue.ts';
import { type FoundRows, findRows, ROW_STATES } from '../stored-runs/run-rows.ts';
import { type Context, defineCommand } from './command.ts';

/** Exit code, as of grep. */
const NOT_FOUND = 1;

const findOptions = {
  field: text('field', 'search only this field of the records: company_domain'),
  ...commonOptions,
};

type FindOptions = OptionValues<typeof findOptions>;

export const command = defineCommand({
  options: findOptions,
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
    if (second === undefined) return findInAll(context, options, what);
    return findInOne(context, options, { folder: await findRunFolder(context, options, first), what });
  },
});

/** What one run has of the text. */
interface RunMatches extends Pick<LocatedRows, 'rows' | 'more'> {
  readonly self: LoadedRun;
}

async function findInOne(
  context: Context,
  options: FindOptions,
  { folder, what }: { readonly folder: RunFolder; readonly what: string },
): Promise<number> {
  const { streams } = context;
  const { rows: known, run: self } = await findRows(folder, new Set(ROW_STATES));
  const { type } = self.file;
  const field = options.field === undefined ? undefined : knownField([type], options.field);
  // A field can contain a text such as `example.com:443`.
  const places = field === undefined ? placesIn(self.file, what) : [];
  assertOnePlace(self.file, places);
  const [place] = places;
  const located = place === undefined ? await locateText(self, known, what, field) : await locate(self, known, place);
  const readers = once(() => rejectsReaders(path.dirname(path.resolve(folder.path))));
  const found = { ...located, rows: await withUploads(context, self, located.rows, readers) };
  const exitCode = found.rows.length === 0 ? NOT_FOUND : 0;
  if (options.json) {
    streams.json({ run: self.file.run, sandbox: self.file.sandbox, what, ...found });
    return exitCode;
  }
  for (const line of foundLines({ self, ...found })) streams.print(`${line}\n`);
  if (found.rows.length === 0) {
    const { none, why } = found;
    streams.print(nothingFound(what, why !== undefined, '', why));
    if (why === undefined) {
      if (/:\d+$/.test(what)) {
        const names = nameList(self.file.inputs.map(({ source }) => source));
        streams.print(`No input of this run has that name, so it was searched for as text. Inputs: ${names}.\n`);
      }
    } else if (none === 'unread' && !self.isRunning) {
      streams.print(`To resume it: ${context.suggest('resume', self.file.run)}\n`);
    }
  }
  for (const file of found.unread) {
    streams.print(`Not searched: ${printable(file)} is missing or has changed.\n`);
  }
  return exitCode;
}

/** What all runs have of the text. */
interface AllMatches {
  /** Oldest first. */
  readonly runs: readonly RunMatches[];
  /** Whether the text is a line of an input. */
  readonly isPlace: boolean;
  /** Number of runs that were searched. */
  readonly searched: number;
  /** Of the last run that has no row on the line. */
  readonly why?: string | undefined;
  /** Inputs that are missing or have changed. */
  readonly unread: readonly string[];
  /** Of runs that cannot be read. */
  readonly problems: readonly Problem[];
}

async function findInAll(context: Context, options: FindOptions, what: string): Promise<number> {
  const { streams } = context;
  const root = await runsRoot(context, options);
  const { runs, isPlace, searched, why, unread, problems } = await searchAll(context, options, root, what);
  const exitCode = runs.length === 0 ? NOT_FOUND : 0;
  if (options.json) {
    const found = runs.map(({ self, rows, more }) => ({
      run: self.file.run,
      sandbox: self.file.sandbox,
      rows,
      more,
    }));
    streams.json({ what, runs: found, unread, problems });
    return exitCode;
  }
  for (const one of runs) {
    streams.print(`${printable(one.self.file.run)}\n`);
    for (const line of foundLines(one)) streams.print(`  ${line}\n`);
  }
  if (runs.length === 0) {
    streams.print(nothingFound(what, isPlace, ` in ${plural(searched, 'run')} of ${printable(root)}`, why));
  }
  if (unread.length > 0) {
    streams.print(
      `Searched only for invalid and undelivered rows, because the input is missing or has changed: ${nameList(unread)}.\n`,
    );
  }
  for (const { message } of problems) streams.print(`Not searched: ${printable(message, 300)}\n`);
  return exitCode;
}

/** Searches the runs of a folder: for a line, those that have read a file of that name. */
async function searchAll(context: Context, options: FindOptions, root: string, what: string): Promise<AllMatches> {
  const field = options.field === undefined ? undefined : knownField(recordType.options, options.field);
  const all = await readCatalogue(root);
  const problems = all.flatMap((run) => ('problem' in run ? run.problem.problems : []));
  const readable = all.flatMap((run) => ('problem' in run || run.journal.bytes === 0 ? [] : [run]));
  const ofPlace = field === undefined ? readable.filter(({ file }) => placesIn(file, what).length > 0) : [];
  const isPlace = ofPlace.length > 0;
  const hasField = ({ file }: CataloguedRun): boolean =>
    field === undefined || contracts[file.type].field(field) !== undefined;
  const chosen = isPlace ? ofPlace : readable.filter(hasField);
  const runs: RunMatches[] = [];
  const unread = new Set<string>();
  const readers = once(() => rejectsReaders(root));
  let why: string | undefined;
  for (const { folder, file } of chosen) {
    try {
      const { rows: known, run: self } = await findRows(folder, new Set(ROW_STATES));
      const found: LocatedRows[] = [];
      for (const place of isPlace ? placesIn(file, what) : []) found.push(await locate(self, known, place));
      if (!isPlace) found.push(await locateText(self, known, what, field));
      const located = found.flatMap((one) => one.rows);
      const rows = await withUploads(context, self, located, readers);
      if (rows.length > 0) runs.push({ self, rows, more: found.reduce((total, { more }) => total + more, 0) });
      else why = found.at(-1)?.why;
      for (const name of found.flatMap((one) => one.unread)) unread.add(name);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      problems.push(...error.problems);
    }
  }
  return { runs, isPlace, searched: chosen.length, why, unread: [...unread], problems };
}

const REJECTED: ReadonlySet<string> = new Set(['invalid', 'rejected', 'refused']);

/** Rows of rejects files, with the run that has delivered them since. @param readers the runs that may have uploaded the files */
async function withUploads(
  context: Context,
  self: LoadedRun,
  rows: readonly LocatedRow[],
  readers: () => Promise<readonly FoundRun[]>,
): Promise<readonly LocatedRow[]> {
  const rejected = rows.filter(({ state }) => REJECTED.has(state));
  if (rejected.length === 0) return rows;
  const parts = { ...self, suggest: context.suggest, name: [], readers: await readers() };
  const { rejects } = await contextOf(factsOf(self.runState), parts);
  const delivered = new Map<LocatedRow, string | undefined>();
  for (const { source: of, path: file, upload } of rejects) {
    const mine = rejected.filter((row) => row.source === self.file.inputs[of]?.source);
    const reader = parts.readers.find(({ file: one }) => one?.run === upload?.run);
    if (upload === undefined || reader === undefined || mine.length === 0) continue;
    const { rows: known, run } = await findRows(reader.folder, new Set(ROW_STATES));
    const source = run.file.inputs.findIndex((input) => input.path === path.resolve(file));
    for (const row of mine) {
      const isOrigin = (text: string): boolean => lineOfReject(text) === row.line;
      const { rows: same } = await locateOrigin(run, known, source, isOrigin);
      const [end] = await withUploads(context, run, same, readers);
      delivered.set(row, end?.state === 'delivered' ? upload.run : end?.deliveredBy);
    }
  }
  return rows.map((row) => (delivered.has(row) ? { ...row, deliveredBy: delivered.get(row) } : row));
}

/** @param where empty, or the runs that were searched */
function nothingFound(what: string, isPlace: boolean, where: string, why?: string): string {
  return isPlace
    ? `There is no row at ${printable(what, 160)}${where}${why === undefined ? '' : `: ${why}`}.\n`
    : `Not found: "${printable(what, 80)}" (as whole words)${where}.\n`;
}

interface Place {
  readonly source: number;
  readonly line: number;
  /** As typed. */
  readonly what: string;
}

/** `a.csv:7` is a line of the first input, also if the run has read its rejects file, `…/rejects/a.csv`. */
function locate(self: LoadedRun, known: readonly FoundRows[], place: Place): Promise<LocatedRows> {
  return isOfRejects(self, place)
    ? locateOrigin(self, known, place.source, (text, input) => originOfReject(text, input) === place.what)
    : locateLine(self, known, place);
}

function foundLines({ self, rows, more }: RunMatches): readonly string[] {
  const { sandbox, type } = self.file;
  const lines = rows.map(({ where, source, line, state, reason, record, deliveredBy }) => {
    const later = deliveredBy === undefined ? '' : `; then delivered by ${printable(deliveredBy)}`;
    const outcome = `${state}${state === 'delivered' && sandbox ? ' to the sandbox' : ''}, ${printable(reason, 300)}${later}`;
    // Where it was found, unless in the input.
    const place = where === 'input' ? '' : `[${where}]`;
    return `${printable(`${source}:${line}`, 160)}  ${outcome}  ${describeRecord(type, record)}${place}`.trimEnd();
  });
  return more > 0 ? [...lines, `and ${plural(more, 'line')} more`] : lines;
}

function isOfRejects({ file }: LoadedRun, { source, what }: Place): boolean {
  const { source: name = '', columns = [] } = file.inputs[source] ?? {};
  const isPath = what.startsWith(`${name}:`) || /[/\\]/.test(what);
  return !isPath && columns.includes('_line') && columns.includes('_reason');
}

/** @throws ProblemError `usage` */
function knownField(types: readonly RecordType[], name: string): string {
  for (const type of types) {
    const field = contracts[type].field(name);
    if (field !== undefined) return field.name;
  }
  const names = types.flatMap((type) => contracts[type].fields.map((one) => one.name));
  throw unknownWord(`--field is "${name}": ${types.join(' and ')} have no such field.`, name, names);
}

/** Who and what, as in the record. Empty if it is not known. */
function describeRecord(type: RecordType, record: Candidate | undefined): string {
  const values = contracts[type].telling.flatMap((field) => record?.[field] ?? []);
  return values.length === 0 ? '' : `"${printable(values.join(': '), 160)}"  `;
}

/** `FILE:LINE` of inputs of the run, by their name or by the end of it. */
function placesIn({ inputs }: RunIdentity, what: string): readonly Place[] {
  const [, name = '', line] = /^(.*):(\d+)$/s.exec(what) ?? [];
  if (line === undefined || name === '') return [];
  const names = inputs.map(({ source }) => source);
  const exact = names.indexOf(name);
  const alike = names.flatMap((one, source) => (path.basename(one) === path.basename(name) ? [source] : []));
  return (exact >= 0 ? [exact] : alike).map((source) => ({ source, line: Number(line), what }));
}

/** @throws ProblemError `usage` if several inputs match */
function assertOnePlace({ inputs }: RunIdentity, places: readonly Place[]): void {
  const [first, ...others] = places.map(({ source }) => inputs[source]?.source ?? '');
  if (first === undefined || others.length === 0) return;
  throw usageError(
    `Several inputs of the run are named ${path.basename(first)}: ${nameList([first, ...others])}.`,
    `Pass one of these names, followed by :${places[0]?.line}.`,
  );
}
