/**
 * Where rows of a run are: on a line of an input, or wherever a text stands. Looks through the inputs, and where
 * these are gone or unreadable through the rejects files and the batches that were not delivered.
 */
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { recognise, textOf } from '../../decode/index.ts';
import type { Member } from '../../journal/family.ts';
import { linesIn, linesOf } from '../../journal/lines.ts';
import type { FoundRows } from '../../journal/rows.ts';
import { decodeOf, type RunFile } from '../../journal/run.ts';
import { type Search, searchLines } from '../../journal/search.ts';
import { spoolName } from '../../journal/spools.ts';
import { readKept } from '../../journal/undelivered.ts';
import { rejectsNames } from '../../keep.ts';
import { ProblemError } from '../../model/problem.ts';
import { keptInputsOf } from '../../replay.ts';
import { openInputs } from '../../source/index.ts';
import { rowReason } from './common.ts';

/** Hits of a text that are shown of one file. */
const HITS_SHOWN = 20;

/** Where one row is. */
export interface FoundRow {
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

export interface Found {
  readonly rows: readonly FoundRow[];
  /** Hits that are not shown. */
  readonly more: number;
  /** Files that could not be looked through. */
  readonly unread: readonly string[];
}

/** The row on a line: the last one that starts there or before, because rows may have several lines. */
export function atLine(
  members: readonly Member[],
  known: readonly FoundRows[],
  { source, line }: { readonly source: number; readonly line: number },
  where: FoundRow['where'],
): readonly FoundRow[] {
  const [self] = members;
  const stretch = known.findLast((rows) => rows.source === source && rows.span[1] <= line);
  const accounted = self?.visited.ledger.sources[source];
  if (self === undefined || stretch === undefined || accounted === undefined) return [];
  const [row, first, rows] = stretch.span;
  const number = Math.min(row + line - first, row + rows - 1);
  // Behind the last row that is accounted for there may be rows that nobody has read yet.
  if (number === accounted.rows && line > first + rows - 1 && !accounted.ended) return [];
  const owner = ownerOf(members, stretch);
  return [
    {
      where,
      source: self.file.inputs[source]?.source ?? '',
      line: first + (number - row),
      row: number,
      state: owner.state,
      ...(stretch.batch === undefined ? {} : { batch: stretch.batch.batch }),
      by: owner.by,
      reason: owner.reason,
    },
  ];
}

/** What the last run that took a batch says of it. A batch that a replay has delivered is in none of its lists. */
function ownerOf(
  members: readonly Member[],
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
  const left = taker.visited.batches.get(id);
  const parts = [...taker.visited.batches.values()].filter(({ batch }) => batch.startsWith(`${id}.`));
  if (left !== undefined) return { state: left.state, by: taker.file.run, reason: `batch ${id}` };
  if (parts.length > 0) return { state: 'split', by: taker.file.run, reason: `parts of batch ${id}` };
  return { state: 'delivered', by: taker.file.run, reason: `batch ${id}` };
}

function takenAnywhere(takes: Readonly<Record<string, readonly string[]>>, id: string): boolean {
  return Object.values(takes).some((ids) => ids.includes(id));
}

/** Looks for a text in the inputs, the rejects files and the batches that were not delivered. */
export async function searched(
  members: readonly Member[],
  known: readonly FoundRows[],
  what: string,
): Promise<Found> {
  const [self] = members;
  if (self === undefined) return { rows: [], more: 0, unread: [] };
  const rows: FoundRow[] = [];
  const unread: string[] = [];
  let more = 0;
  const { folder, file } = self;
  const rejects = rejectsNames(keptInputsOf(file));

  for (const [source, input] of file.inputs.entries()) {
    const whole = input.path ?? path.join(folder.path, spoolName(input.source, source));
    const inInput = file.parent === undefined ? await searchInput(whole, file, what) : undefined;
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

  for await (const batch of readKept(path.join(folder.path, 'undelivered.ndjson'))) {
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

/**
 * Reads an input as the run has read it: unpacked, and in its encoding. Undefined where it is gone or cannot be read so
 * any more.
 */
async function searchInput(whole: string, runFile: RunFile, what: string): Promise<Search | undefined> {
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
      const recognised = recognise(input, decodeOf(runFile));
      const end = recognised.lineEnd === '\r' ? 0x0d : 0x0a;
      return await searchLines(linesIn(textOf(input.chunks(), recognised), end), what, HITS_SHOWN);
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
