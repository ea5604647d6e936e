/**
 * Where rows of a run are: on a line of an input, or wherever a text stands. Looks through the inputs, and where
 * these are gone or unreadable through the rejects files and the batches that were not delivered.
 */
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { detectInput, textOf } from '../decode/index.ts';
import { type Line, linesIn, linesOf } from '../journal/file-lines.ts';
import type { LineageRun } from '../journal/lineage.ts';
import { decodeOptionsOf, type RunFile } from '../journal/run-file.ts';
import type { FoundRows } from '../journal/run-rows.ts';
import { type Search, searchLines } from '../journal/search-lines.ts';
import { spoolName } from '../journal/spool-names.ts';
import { readUndelivered } from '../journal/undelivered.ts';
import { ProblemError } from '../model/problem.ts';
import { invalidReason } from '../report/runs-text.ts';
import { place } from '../report/text-layout.ts';
import { openInputs } from '../source/index.ts';
import { rejectsInputsOf } from './replay-run.ts';
import { rejectsFileNames } from './run-files.ts';

/** Hits of a text that are shown of one file. */
const HITS_SHOWN = 20;

/** Where one row is. */
export interface LocatedRow {
  /** What was looked through: the input itself, the rejects file, or the batches that were not delivered. */
  readonly where: 'input' | 'rejects' | 'undelivered';
  readonly source: string;
  readonly line: number;
  readonly row?: number;
  readonly state: string;
  readonly batch?: string;
  /** The run that says so: this one, or a replay that took the batch since. */
  readonly by: string;
  readonly reason: string;
}

export interface LocatedRows {
  readonly rows: readonly LocatedRow[];
  /** Why there is no row on the line that was asked for. */
  readonly none?: NoRowReason;
  /** Hits that are not shown. */
  readonly more: number;
  /** Files that could not be looked through. */
  readonly unread: readonly string[];
}

/**
 * - `before`: it stands in front of the first row, where the header is.
 * - `blank`: it is a line between two rows, or behind the last one, with nothing on it.
 * - `end`: the input has no such line, or no row behind it.
 * - `unread`: the run did not come so far, or not yet.
 * - `other`: of a replay, which has not all rows.
 */
export type NoRowReason = 'before' | 'blank' | 'end' | 'unread' | 'other';

/** The row on a line that somebody has named, or why there is none. */
export async function locateLine(
  members: readonly LineageRun[],
  known: readonly FoundRows[],
  place: { readonly source: number; readonly line: number },
): Promise<LocatedRows> {
  const none = (why: NoRowReason, unread: readonly string[] = []): LocatedRows => ({
    rows: [],
    none: why,
    more: 0,
    unread,
  });
  const [self] = members;
  const own = known.filter(({ source }) => source === place.source);
  const at = own.findLastIndex(({ span }) => span[1] <= place.line);
  const stretch = own[at];
  if (self === undefined) return none('other');
  const cursor = self.inspected.cursors.get(place.source);
  const isReplay = self.file.parent !== undefined;
  if (!isReplay && place.line >= (cursor?.line ?? 1)) {
    // In front of the first row an input that was not begun has lines too, but the journal does not know them.
    return none(self.inspected.ledger.sources[place.source]?.ended === true ? 'end' : 'unread');
  }
  if (stretch === undefined) return none(isReplay ? 'other' : 'before');
  const found = (unread: readonly string[] = []): LocatedRows => ({
    rows: atLine(members, known, place, 'input'),
    more: 0,
    unread,
  });
  // A row starts there; or it was passed over together with others, and nobody has looked where these start.
  if (place.line <= Math.max(stretch.span[1] + stretch.span[2] - 1, stretch.skipped?.lastLine ?? 0))
    return found();
  if (isReplay) return none('other');
  const next = own[at + 1]?.span[1] ?? cursor?.line ?? place.line + 1;
  const { source = '' } = self.file.inputs[place.source] ?? {};
  const isFilled = await anyFilled(inputOf(self, place.source), self.file, [place.line, next]);
  // The row in front may go on there, and the line may be blank: nobody can tell any more.
  if (isFilled === undefined) return found([source]);
  return isFilled ? found() : none('blank');
}

/** The row on a line: the last one that starts there or before, because rows may have several lines. */
function atLine(
  members: readonly LineageRun[],
  known: readonly FoundRows[],
  { source, line }: { readonly source: number; readonly line: number },
  where: LocatedRow['where'],
): readonly LocatedRow[] {
  const [self] = members;
  const stretch = known.findLast((rows) => rows.source === source && rows.span[1] <= line);
  const accounted = self?.inspected.ledger.sources[source];
  if (self === undefined || stretch === undefined || accounted === undefined) return [];
  const [row, first, rows] = stretch.span;
  const number = Math.min(row + line - first, row + rows - 1);
  // Rows that were passed over together may have several lines each: which of them it is, nobody has looked.
  const isCounted = stretch.skipped === undefined || stretch.skipped.lastLine - first + 1 === rows;
  // Behind the last row that is accounted for there may be rows that nobody has read yet.
  if (number === accounted.rows && line > first + rows - 1 && !accounted.ended) return [];
  const owner = ownerOf(members, stretch);
  return [
    {
      where,
      source: self.file.inputs[source]?.source ?? '',
      ...(isCounted ? { line: first + (number - row), row: number } : { line }),
      state: owner.state,
      ...(stretch.batch === undefined ? {} : { batch: stretch.batch.batch }),
      by: owner.by,
      reason: owner.reason,
    },
  ];
}

/** What the last run that took a batch says of it. A batch that a replay has delivered is in none of its lists. */
function ownerOf(
  members: readonly LineageRun[],
  stretch: FoundRows,
): { readonly state: string; readonly by: string; readonly reason: string } {
  const [self] = members;
  const run = self?.file.run ?? '';
  const names = self?.file.inputs.map(({ source }) => source) ?? [];
  const own = { state: stretch.state, by: run, reason: rowReason(stretch, names) };
  const id = stretch.batch?.batch;
  if (id === undefined) return own;
  const taker = members.findLast(({ file }) => file.takes !== undefined && takenAnywhere(file.takes, id));
  if (taker === undefined) return own;
  const left = taker.inspected.batches.get(id);
  const parts = [...taker.inspected.batches.values()].filter(({ batch }) => batch.startsWith(`${id}.`));
  if (left !== undefined) return { state: left.state, by: taker.file.run, reason: `batch ${id}` };
  if (parts.length > 0) return { state: 'split', by: taker.file.run, reason: `parts of batch ${id}` };
  return { state: 'delivered', by: taker.file.run, reason: `batch ${id}` };
}

function takenAnywhere(takes: Readonly<Record<string, readonly string[]>>, id: string): boolean {
  return Object.values(takes).some((ids) => ids.includes(id));
}

/** Looks for a text in the inputs, the rejects files and the batches that were not delivered. */
export async function locateText(
  members: readonly LineageRun[],
  known: readonly FoundRows[],
  what: string,
): Promise<LocatedRows> {
  const [self] = members;
  if (self === undefined) return { rows: [], more: 0, unread: [] };
  const rows: LocatedRow[] = [];
  const unread: string[] = [];
  let more = 0;
  const { folder, file } = self;
  const rejects = rejectsFileNames(rejectsInputsOf(file));

  for (const [source, input] of file.inputs.entries()) {
    const inInput =
      file.parent === undefined
        ? await readInput(inputOf(self, source), file, (lines) => searchLines(lines, what, HITS_SHOWN))
        : undefined;
    if (inInput !== undefined) {
      const seen = new Set<number>();
      for (const { line } of inInput.hits) {
        // Two lines of one row are one hit.
        for (const row of atLine(members, known, { source, line }, 'input')) {
          if (!seen.has(row.line)) rows.push(row);
          seen.add(row.line);
        }
      }
      more += inInput.more;
      continue;
    }
    if (file.parent === undefined) unread.push(input.source);
    const inRejects = await searchRejects(path.join(folder.path, 'rejects', rejects[source] ?? ''), what);
    for (const { text: line } of inRejects.hits) {
      const number = /^(?:\{"_line":|\ufeff?)(\d+)/.exec(line)?.[1];
      if (number !== undefined)
        rows.push(...atLine(members, known, { source, line: Number(number) }, 'rejects'));
    }
    more += inRejects.more;
  }
  if (unread.length === 0 && file.parent === undefined) return { rows, more, unread };

  for await (const batch of readUndelivered(path.join(folder.path, 'undelivered.ndjson'))) {
    for (const [index, { position }] of batch.rows.entries()) {
      const [from = 0, to = 0] = batch.offsets.slice(index, index + 2);
      const record = Buffer.from(batch.payload).toString('utf8', from, to - 1);
      if (!record.toLowerCase().includes(what.toLowerCase())) continue;
      if (rows.length < 2 * HITS_SHOWN) rows.push(...atLine(members, known, position, 'undelivered'));
      else more += 1;
    }
  }
  return { rows, more, unread };
}

/** Where the bytes of an input are: those of a pipe in the run folder. */
function inputOf({ folder, file }: LineageRun, source: number): string {
  const input = file.inputs[source];
  return input?.path ?? path.join(folder.path, spoolName(input?.source ?? '', source));
}

/**
 * Whether anything stands on the lines from `from` up to `to`, which is exclusive: then they belong to the row in front.
 * Undefined where the input cannot be read.
 */
function anyFilled(
  whole: string,
  runFile: RunFile,
  [from, to]: readonly [from: number, to: number],
): Promise<boolean | undefined> {
  return readInput(whole, runFile, async (lines) => {
    let line = 0;
    for await (const { text } of lines) {
      line += 1;
      if (line >= to) return false;
      // What closes an array of JSON, or parts its elements, is no row.
      if (line >= from && /[^\s,[\]]/.test(text)) return true;
    }
    return false;
  });
}

/**
 * Reads the lines of an input as the run has read it: unpacked, and in its encoding. Undefined where it is gone or
 * cannot be read so any more.
 */
async function readInput<T>(
  whole: string,
  runFile: RunFile,
  read: (lines: AsyncIterable<Line>) => Promise<T>,
): Promise<T | undefined> {
  // A pipe has nothing to give a second time, and whoever opens one may wait for ever.
  const isFile = await stat(whole).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (!isFile) return undefined;
  try {
    const [input] = await openInputs([whole], Readable.from([]));
    if (input === undefined) return undefined;
    try {
      const detected = detectInput(input, decodeOptionsOf(runFile));
      const end = detected.lineEnd === '\r' ? 0x0d : 0x0a;
      return await read(linesIn(textOf(input.chunks(), detected), end));
    } finally {
      await input.close();
    }
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** In UTF-8, because this program has written it. */
async function searchRejects(file: string, what: string): Promise<Search> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  return isThere ? searchLines(linesOf(file), what, HITS_SHOWN) : { hits: [], more: 0 };
}

/** Why a row is where it is, in a clause. */
export function rowReason(
  { batch, issues, skipped, of, state }: FoundRows,
  names: readonly string[],
): string {
  if (issues !== undefined) return invalidReason({ issues });
  if (of !== undefined) return `the same record as ${place(names, of)}`;
  if (skipped !== undefined) return skippedReason(skipped);
  if (batch === undefined) return state;
  const { error, batchId } = batch;
  const more =
    state === 'delivered'
      ? ` as ${batchId}`
      : error === undefined
        ? state === 'pending'
          ? ', not delivered before the run ended'
          : ''
        : `: ${error}`;
  return `batch ${batch.batch}${more}`;
}

function skippedReason({ why, by = '' }: NonNullable<FoundRows['skipped']>): string {
  if (why === 'delivered') return `delivered before, by ${by}`;
  if (why === 'unknown') return `sent before by ${by}, and nobody knows whether it arrived`;
  return `passed over by --${why}`;
}
