/**
 * Finds rows of a run by line or by text, for `signals runs find`. If an input is gone, its rejects file and the undelivered
 * batches are searched: an archive has no inputs.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { decode, decodedText, detectInput, isBroken } from '../input/decode.ts';
import type { DetectedInput } from '../input/decode-types.ts';
import { type OpenInput, openInputs } from '../input/open-inputs.ts';
import { type Line, linesIfExists, linesIn } from '../journal/lines.ts';
import type { LoadedRun } from '../journal/read-journal.ts';
import type { StoredRun } from '../journal/run-file.ts';
import { readUndelivered } from '../journal/undelivered.ts';
import { printable } from '../lib/printable.ts';
import { wordMatcher } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import { type Content, isCells, type Position } from '../model/row.ts';
import { briefAnswer } from '../report/ending-text.ts';
import { describeReason } from '../report/problem-text.ts';
import { lineOfReject } from '../report/results-and-rejects.ts';
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
  /** Inputs that are missing or have changed. */
  readonly unread: readonly string[];
}

interface LinePosition {
  readonly source: number;
  readonly line: number;
}

/** The row on a line, if there is one. @param known all rows of the run, in the order of the inputs */
export async function locateLine(
  run: LoadedRun,
  known: readonly FoundRows[],
  { source, line }: LinePosition,
): Promise<LocatedRows> {
  const found = await readInputRows(run, source, [line]);
  if (found !== undefined) return { rows: found.flatMap((row) => locateRow(run, known, row)), more: 0, unread: [] };
  const rows = known.findLast((one) => one.source === source && one.span[1] <= line);
  const isRead = line < (run.runState.sources[source]?.cursor?.line ?? 1);
  // Without the input, the line may also be blank, belong to the row before it, or to another shard.
  const isOnRow = rows !== undefined && line <= lastLineOf(rows);
  const isListed = isRead && (isOnRow || run.file.shard === undefined);
  return {
    rows: isListed ? locateByLine(run, known, { source, line }, 'input') : [],
    more: 0,
    unread: isOnRow ? [] : [run.file.inputs[source]?.source ?? ''],
  };
}

/** As far as it is known: rows that were sent may have several lines. */
function lastLineOf({ span: [, line, rows], skipped }: FoundRows): number {
  return Math.max(line + rows - 1, skipped?.lastLine ?? 0);
}

/** The row of a run that has read a rejects file, by the line that the row had in the input of the run before. */
export async function locateReject(
  run: LoadedRun,
  known: readonly FoundRows[],
  { source, line }: LinePosition,
): Promise<readonly LocatedRow[]> {
  const found = await searchLines(run, source, (text) => lineOfReject(text) === line);
  const [hit] = found?.hits ?? [];
  return hit === undefined ? [] : (await locateLine(run, known, { source, line: hit.line })).rows;
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
  { source, line }: LinePosition,
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

/** @param names the names of the inputs */
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
  return `skipped by --${why}`;
}

/** The rows that contain a text as whole words, ignoring case. */
export async function locateText(run: LoadedRun, known: readonly FoundRows[], wanted: string): Promise<LocatedRows> {
  const { file, folder } = run;
  const matches = wordMatcher(wanted);
  const rejects = rejectsFileNames(file);
  const rows: LocatedRow[] = [];
  const unread = new Map<number, string>();
  let more = 0;
  for (const [source, input] of file.inputs.entries()) {
    const inInput = await searchLines(run, source, matches);
    if (inInput !== undefined) {
      const lines = inInput.hits.map(({ line }) => line);
      const found = lines.length === 0 ? [] : await readInputRows(run, source, lines);
      rows.push(...(found ?? []).flatMap((row) => locateRow(run, known, row)));
      more += inInput.more;
      continue;
    }
    unread.set(source, input.source);
    const inRejects = await search(linesIfExists(path.join(folder.path, 'rejects', rejects[source] ?? '')), matches);
    for (const { text } of inRejects.hits) {
      const line = lineOfReject(text);
      if (line === undefined) continue;
      rows.push(...locateByLine(run, known, { source, line }, 'rejects').map((row) => ({ ...row, text })));
    }
    more += inRejects.more;
  }
  if (unread.size === 0) return { rows, more, unread: [] };
  for await (const { position, text } of undeliveredRecords(run)) {
    if (!unread.has(position.source) || !matches(text)) continue;
    // A refused row is in the rejects file too.
    const found = locateByLine(run, known, position, 'undelivered').filter(
      ({ source, line }) => !rows.some((row) => row.source === source && row.line === line),
    );
    if (rows.length < MATCHES_SHOWN) rows.push(...found.map((row) => ({ ...row, text })));
    else more += found.length;
  }
  return { rows, more, unread: [...unread.values()] };
}

/** The undelivered records, as JSON. */
async function* undeliveredRecords({ folder }: StoredRun): AsyncGenerator<{
  readonly position: LinePosition;
  readonly text: string;
}> {
  for await (const { payload, rows, offsets } of readUndelivered(path.join(folder.path, 'undelivered.ndjson'))) {
    for (const [index, { position }] of rows.entries()) {
      yield { position, text: Buffer.from(payload).toString('utf8', offsets[index], (offsets[index + 1] ?? 0) - 1) };
    }
  }
}

interface Matches {
  /** Lines that match, with their numbers from 1. */
  readonly hits: readonly { readonly line: number; readonly text: string }[];
  readonly more: number;
}

async function search(lines: AsyncIterable<Line>, matches: (text: string) => boolean): Promise<Matches> {
  const hits: Matches['hits'][number][] = [];
  let [line, more] = [0, 0];
  for await (const { text } of lines) {
    line += 1;
    if (!matches(text)) continue;
    if (hits.length < MATCHES_SHOWN) hits.push({ line, text });
    else more += 1;
  }
  return { hits, more };
}

/** The lines of an input that match. Undefined if it is gone or can no longer be read. */
function searchLines(run: StoredRun, source: number, matches: (text: string) => boolean): Promise<Matches | undefined> {
  return readInput(run, source, (opened, detected) => search(linesIn(decodedText(opened.chunks(), detected)), matches));
}

interface InputRow {
  readonly position: Position;
  readonly text: string;
}

/** The rows of an input that are on some of these lines, which are in ascending order. Undefined if it cannot be read. */
function readInputRows(
  run: StoredRun,
  source: number,
  lines: readonly number[],
): Promise<readonly InputRow[] | undefined> {
  const last = lines.at(-1) ?? 0;
  return readInput(run, source, async (opened, detected) => {
    const found: InputRow[] = [];
    for await (const { rows } of decode({ source, chunks: opened.chunks(), detected }, run.file.decode)) {
      for (const row of rows) {
        const { position } = row;
        if (position.line > last) return found;
        if (!lines.some((line) => position.line <= line && line < position.nextLine)) continue;
        const content = isBroken(row) ? row.raw : row.content;
        found.push({ position, text: textOf(content) });
      }
    }
    return found;
  });
}

function textOf(content: Content | string): string {
  if (typeof content === 'string') return content;
  return isCells(content) ? content.filter(Boolean).join(', ') : JSON.stringify(content);
}

/** Resolves to what `read` makes of an input. Undefined if it is gone or can no longer be read. */
async function readInput<T>(
  run: StoredRun,
  source: number,
  read: (opened: OpenInput, detected: DetectedInput) => Promise<T>,
): Promise<T | undefined> {
  const { file } = run;
  const input = file.inputs[source];
  const inputPath = await storedInput(run, source);
  const stats = await stat(inputPath).catch(() => undefined);
  // Opening a pipe may wait for ever. In a file that has changed, the lines of the run have other rows.
  if (stats?.isFile() !== true || (input?.bytes ?? stats.size) !== stats.size) return undefined;
  try {
    const { sheet } = file.decode;
    const [opened] = await openInputs([withMember(inputPath, input)], Readable.from([]), { sheet });
    if (opened === undefined) return undefined;
    try {
      const detected = detectInput(opened, file.decode);
      const isSame = input?.path === undefined || opened.headDigest() === input.head;
      return isSame ? await read(opened, detected) : undefined;
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
