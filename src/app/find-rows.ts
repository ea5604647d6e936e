/**
 * Finds rows of a run by line or by text, for `signals runs find`. If an input is gone, its rejects file and the undelivered
 * batches are searched: an archive has no inputs.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { decode, detectInput, isBroken } from '../input/decode.ts';
import { openInputs } from '../input/open-inputs.ts';
import { linesIfExists } from '../journal/lines.ts';
import type { LoadedRun } from '../journal/read-journal.ts';
import type { StoredRun } from '../journal/run-file.ts';
import { readUndelivered } from '../journal/undelivered.ts';
import { printable } from '../lib/printable.ts';
import { briefAnswer, wordMatcher } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import { isCells, type Position, type RowPlace } from '../model/row.ts';
import { describeReason } from '../report/problem-text.ts';
import { lineOfReject, rawText } from '../report/results-and-rejects.ts';
import { place } from '../report/text-layout.ts';
import { rejectsFileNames } from '../run/rejects-folder.ts';
import type { FoundRows } from '../stored-runs/run-rows.ts';
import { storedInput, withMember } from './run-source.ts';

const MATCHES_SHOWN = 20;

export interface LocatedRow {
  readonly where: 'input' | 'rejects' | 'undelivered';
  readonly source: string;
  readonly line: number;
  readonly row?: number | undefined;
  readonly state: string;
  readonly batch?: string | undefined;
  readonly reason: string;
  /** The run that uploaded the rejects file with the row, and delivered it. */
  readonly deliveredBy?: string | undefined;
  /** Its cells or its JSON; absent if its file is missing or has changed. */
  readonly text?: string | undefined;
}

export interface LocatedRows {
  readonly rows: readonly LocatedRow[];
  readonly more: number;
  readonly unread: readonly string[];
}

/** The row on a line, if there is one. @param known all rows of the run, in the order of the inputs */
export async function locateLine(
  run: LoadedRun,
  known: readonly FoundRows[],
  { source, line }: RowPlace,
): Promise<LocatedRows> {
  const rows: LocatedRow[] = [];
  const isRead = await readRows(run, source, (row) => {
    const { position } = row;
    if (position.line <= line && line < position.nextLine) rows.push(...locateRow(run, known, row));
    return position.nextLine > line;
  });
  if (isRead) return { rows, more: 0, unread: [] };
  const before = known.findLast((one) => one.source === source && one.span[1] <= line);
  const isAccounted = line < (run.runState.sources[source]?.cursor?.line ?? 1);
  // Without the input, the line may also be blank, belong to the row before it, or to another shard.
  // As far as it is known: rows that were sent may have several lines.
  const lastLine = before && Math.max(before.span[1] + before.span[2] - 1, before.skipped?.lastLine ?? 0);
  const isOnRow = lastLine !== undefined && line <= lastLine;
  const isListed = isAccounted && (isOnRow || run.file.shard === undefined);
  return {
    rows: isListed ? locateByLine(run, known, { source, line }, 'input') : [],
    more: 0,
    unread: isOnRow ? [] : [run.file.inputs[source]?.source ?? ''],
  };
}

/** The row of a run that has read a rejects file, by the line that the row had in the input of the run before. */
export async function locateReject(
  run: LoadedRun,
  known: readonly FoundRows[],
  { source, line }: RowPlace,
): Promise<readonly LocatedRow[]> {
  const rows: LocatedRow[] = [];
  await readRows(run, source, (row) => {
    if (lineOfReject(row.text) === line) rows.push(...locateRow(run, known, row));
    return rows.length > 0;
  });
  return rows;
}

/** A row of an input with its outcome. None if another shard has it, or the run has not accounted for it. */
function locateRow(
  run: LoadedRun,
  known: readonly FoundRows[],
  { position: { source, row, line }, text }: InputRow,
): readonly LocatedRow[] {
  const rows = known.find((one) => one.source === source && one.span[0] <= row && row < one.span[0] + one.span[2]);
  return rows === undefined ? [] : [{ where: 'input', line, row, text, ...outcomeOf(run, rows) }];
}

/** The last row that starts on a line or before it, as the journal tells it. */
function locateByLine(
  run: LoadedRun,
  known: readonly FoundRows[],
  { source, line }: RowPlace,
  where: LocatedRow['where'],
): readonly LocatedRow[] {
  const rows = known.findLast((one) => one.source === source && one.span[1] <= line);
  if (rows === undefined) return [];
  const [firstRow, firstLine, count] = rows.span;
  const index = Math.min(line - firstLine, count - 1);
  // Rows that were skipped together may have several lines each; then the row is not known.
  const isKnown = rows.skipped === undefined || rows.skipped.lastLine - firstLine + 1 === count;
  const at = isKnown ? { line: firstLine + index, row: firstRow + index } : { line };
  return [{ where, ...at, ...outcomeOf(run, rows) }];
}

function outcomeOf({ file }: StoredRun, rows: FoundRows): Pick<LocatedRow, 'source' | 'state' | 'batch' | 'reason'> {
  const names = file.inputs.map(({ source }) => source);
  const { source, state, batch } = rows;
  return { source: names[source] ?? '', state, batch: batch?.batch, reason: rowReason(rows, names) };
}

/** A row in the output; rows that were skipped together are one, if their lines are not known. */
interface ListedRow {
  readonly source: string;
  readonly batch?: string | undefined;
  readonly reason: string;
  readonly row: number;
  readonly line: number;
  readonly lastLine?: number;
  readonly rows?: number;
}

export function* oneByOne(found: FoundRows, names: readonly string[]): Generator<ListedRow> {
  const { source, span, batch, skipped } = found;
  const [row, line, rows] = span;
  const facts = { source: names[source] ?? '', batch: batch?.batch, reason: rowReason(found, names) };
  if (skipped !== undefined && skipped.lastLine - line + 1 !== rows) {
    yield { ...facts, row, line, lastLine: skipped.lastLine, rows };
    return;
  }
  for (let n = 0; n < rows; n += 1) yield { ...facts, row: row + n, line: line + n };
}

export function rowText({ source, line, lastLine, rows = 1, reason }: ListedRow): string {
  const lines = `${place([source], { source: 0, line })}${lastLine === undefined ? '' : ` to ${lastLine}`}`;
  return `${lines}  ${lastLine === undefined ? '' : `${plural(rows, 'row')}, `}${printable(reason, 400)}`;
}

/** Why a row has its state, as a clause. @param names the names of the inputs */
function rowReason({ batch, issues, skipped, of, state, rejected = 0 }: FoundRows, names: readonly string[]): string {
  if (issues !== undefined) return issues.map(describeReason).join('; ');
  if (of !== undefined) return `the same record as ${place(names, of)}`;
  if (skipped !== undefined) return skippedReason(skipped);
  if (batch === undefined) return state;
  const { batch: id, error, batchId, records } = batch;
  const doubt = rejected > 0 ? `; the service rejected ${rejected} of its ${records} records` : '';
  if (batchId !== undefined) return `batch ${id} as ${batchId}${doubt}`;
  if (error !== undefined) return `batch ${id}: ${briefAnswer(error)}`;
  return state === 'pending' ? `batch ${id}, not delivered before the run ended` : `batch ${id}`;
}

function skippedReason({ why, by = '' }: NonNullable<FoundRows['skipped']>): string {
  if (why === 'delivered') return `already delivered by ${by}`;
  if (why === 'unknown') return `already sent by ${by}, outcome unknown`;
  return `left out by --${why}`;
}

/** The rows that contain a text as whole words, ignoring case. */
export async function locateText(run: LoadedRun, known: readonly FoundRows[], wanted: string): Promise<LocatedRows> {
  const { file, folder } = run;
  const matches = wordMatcher(wanted);
  const rejects = rejectsFileNames(file);
  const rows: LocatedRow[] = [];
  const unread = new Map<number, string>();
  let more = 0;
  const add = (found: readonly LocatedRow[]): void => {
    for (const row of found) {
      if (rows.length < MATCHES_SHOWN) rows.push(row);
      else more += 1;
    }
  };
  for (const [source, input] of file.inputs.entries()) {
    const before = { rows: rows.length, more };
    const isRead = await readRows(run, source, (row) => {
      if (matches(row.text)) add(locateRow(run, known, row));
      return false;
    });
    if (isRead) continue;
    // Its rejects file lists rows again that were found before the input failed.
    rows.length = before.rows;
    more = before.more;
    unread.set(source, input.source);
    for await (const { text } of linesIfExists(path.join(folder.path, 'rejects', rejects[source] ?? ''))) {
      const line = matches(text) ? lineOfReject(text) : undefined;
      if (line === undefined) continue;
      add(locateByLine(run, known, { source, line }, 'rejects').map((row) => ({ ...row, text: text.trimEnd() })));
    }
  }
  if (unread.size === 0) return { rows, more, unread: [] };
  for await (const { position, text } of undeliveredRecords(run)) {
    if (!unread.has(position.source) || !matches(text)) continue;
    // A refused row is in the rejects file too.
    const found = locateByLine(run, known, position, 'undelivered').filter(
      ({ source, line }) => !rows.some((row) => row.source === source && row.line === line),
    );
    add(found.map((row) => ({ ...row, text })));
  }
  return { rows, more, unread: [...unread.values()] };
}

async function* undeliveredRecords({ folder }: StoredRun): AsyncGenerator<{
  readonly position: RowPlace;
  readonly text: string;
}> {
  for await (const { payload, rows, offsets } of readUndelivered(path.join(folder.path, 'undelivered.ndjson'))) {
    for (const [index, { position }] of rows.entries()) {
      yield { position, text: Buffer.from(payload).toString('utf8', offsets[index], (offsets[index + 1] ?? 0) - 1) };
    }
  }
}

interface InputRow {
  readonly position: Position;
  readonly text: string;
}

/**
 * Reads the rows of an input until one is the last that is wanted.
 *
 * @returns whether the input could be read: it exists, and has not changed
 */
async function readRows(run: StoredRun, source: number, isLast: (row: InputRow) => boolean): Promise<boolean> {
  const { file } = run;
  const input = file.inputs[source];
  const inputPath = await storedInput(run, source);
  const stats = await stat(inputPath).catch(() => undefined);
  // Opening a pipe may wait for ever. In a file that has changed, the lines of the run have other rows.
  if (stats?.isFile() !== true || (input?.bytes ?? stats.size) !== stats.size) return false;
  try {
    const { sheet } = file.decode;
    const [opened] = await openInputs([withMember(inputPath, input)], Readable.from([]), { sheet });
    if (opened === undefined) return false;
    try {
      const detected = detectInput(opened, file.decode);
      if (input?.path !== undefined && opened.headDigest() !== input.head) return false;
      for await (const { rows } of decode({ source, chunks: opened.chunks(), detected }, file.decode)) {
        for (const row of rows) {
          const content = isBroken(row) ? row.raw : row.content;
          const text = isCells(content) ? content.filter(Boolean).join(', ') : rawText(content);
          if (isLast({ position: row.position, text })) return true;
        }
      }
      return true;
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof ProblemError) return false;
    throw error;
  }
}
