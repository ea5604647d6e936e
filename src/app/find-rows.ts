/**
 * Finds rows of a run by line or by text, for `signals runs find`. Searches the inputs; if one is gone or unreadable, the
 * rejects files and the undelivered batches instead.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { contracts } from '../contract/index.ts';
import { decode, decodedText, detectInput, isBroken } from '../input/decode.ts';
import { type OpenInput, openInputs } from '../input/open-inputs.ts';
import type { DetectedInput, RowBlock } from '../input/row-format.ts';
import { exists, readTextFile } from '../journal/file-system.ts';
import { type Line, linesIn, linesOf } from '../journal/lines.ts';
import type { LoadedRun } from '../journal/read-journal.ts';
import type { StoredRun } from '../journal/run-file.ts';
import { readUndelivered } from '../journal/undelivered.ts';
import { printable } from '../lib/printable.ts';
import { wordMatcher } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import { type CompiledMapping, compileMapping } from '../map/compile-mapping.ts';
import { ProblemError } from '../model/problem.ts';
import type { Candidate } from '../model/record.ts';
import { rowFormOf } from '../plan/detect-inputs.ts';
import { briefAnswer } from '../report/ending-text.ts';
import { describeReason } from '../report/problem-text.ts';
import { lineOfReject } from '../report/results-and-rejects.ts';
import { place } from '../report/text-layout.ts';
import { rejectsFileNames, rejectsInputsOf } from '../run/rejects-folder.ts';
import type { FoundRows } from '../stored-runs/run-rows.ts';
import { storedInput, withMember } from './run-source.ts';

/** Maximum matches shown of one file. */
const MATCHES_SHOWN = 20;

export interface LocatedRow {
  /** Where the row was found. */
  readonly where: 'input' | 'rejects' | 'undelivered';
  readonly source: string;
  readonly line: number;
  readonly row?: number | undefined;
  readonly state: string;
  readonly batch?: string | undefined;
  readonly reason: string;
  /** The run that uploaded the rejects file with the row, and delivered it. */
  readonly deliveredBy?: string | undefined;
  /** Its record under the canonical names, valid or not, if the input or the payload is there. */
  readonly record?: Candidate | undefined;
}

export interface LocatedRows extends Partial<NoRow> {
  readonly rows: readonly LocatedRow[];
  /** Number of matches that are not listed. */
  readonly more: number;
  /** Inputs that could not be searched. */
  readonly unread: readonly string[];
}

/** Why no row is on a line: of the rows of the run, none begins before it, it is blank, and so on. */
interface NoRow {
  readonly none: 'before' | 'blank' | 'end' | 'unread' | 'origin' | 'other';
  /** In a clause. */
  readonly why: string;
}

interface LinePosition {
  readonly source: number;
  readonly line: number;
}

/**
 * The row on a line, or why there is none.
 * @param known all rows of the run, in the order of the inputs
 */
export async function locateLine(
  run: LoadedRun,
  known: readonly FoundRows[],
  position: LinePosition,
): Promise<LocatedRows> {
  const { source, line } = position;
  const { cursor } = run.runState.sources[source] ?? {};
  const isPart = run.file.shard !== undefined;
  const cursorLine = cursor?.line;
  const ofSource = known.filter((rows) => rows.source === source);
  if (line >= (cursorLine ?? 1)) return afterRows(run, source, ofSource);
  const index = ofSource.findLastIndex(({ span }) => span[1] <= line);
  const rows = ofSource[index];
  if (rows === undefined)
    return isPart ? OTHER : noRow('before', `the first row begins on line ${ofSource[0]?.span[1]}`);
  const at = rowsAt(run, known, position, 'input');
  const found = { rows: await withRecords(run, source, at), more: 0, unread: [] };
  // A row starts on this line, or several rows were skipped together and their lines are not known.
  const [, firstLine, count] = rows.span;
  if (line <= Math.max(firstLine + count - 1, rows.skipped?.lastLine ?? 0)) return found;
  if (isPart) return OTHER;
  const nextRowLine = ofSource[index + 1]?.span[1] ?? cursorLine ?? line + 1;
  const hasText = await hasTextBetween(run, source, line, nextRowLine);
  // Without the input, the line may be blank or belong to the row before it.
  if (hasText === undefined) return { ...found, unread: [run.file.inputs[source]?.source ?? ''] };
  return hasText ? found : noRow('blank', 'the line is blank');
}

function afterRows({ runState, isRunning }: LoadedRun, source: number, known: readonly FoundRows[]): LocatedRows {
  const { rows = 0, cursor, ended = false } = runState.sources[source] ?? {};
  if (!ended) {
    const upTo = rows === 0 ? 'none of the file' : `the file up to line ${(cursor?.line ?? 1) - 1}`;
    return noRow('unread', `the run ${isRunning ? 'has read' : 'is unfinished and has read'} ${upTo}`);
  }
  const last = known.at(-1);
  const lastLine = last && Math.max(last.span[1] + last.span[2] - 1, last.skipped?.lastLine ?? 0);
  const end = `the last of its ${plural(rows, 'row')} is on line ${lastLine}`;
  return noRow('end', rows === 0 ? 'the file has no rows' : end);
}

/**
 * The same for a row of an earlier run, if the input is a rejects file of it.
 *
 * @param isOrigin whether a line of the file is that of the row; `input` is the name of the file
 */
export async function locateOrigin(
  run: LoadedRun,
  known: readonly FoundRows[],
  source: number,
  isOrigin: (text: string, input: string) => boolean,
): Promise<LocatedRows> {
  const input = run.file.inputs[source]?.source ?? '';
  const found = await readInputLines(run, source, (lines) =>
    search(numbered(lines), ({ text }) => isOrigin(text, path.basename(input))),
  );
  if (found === undefined) return { rows: [], more: 0, unread: [input] };
  const [hit] = found.hits;
  if (hit !== undefined) return locateLine(run, known, { source, line: hit.line });
  return noRow('origin', `the rejects file ${printable(input, 160)} has no row from there`);
}

function noRow(none: NoRow['none'], why: string): LocatedRows {
  return { rows: [], none, why, more: 0, unread: [] };
}

const OTHER = noRow('other', 'this shard of the input has only some of its rows');

/** Whether there is text on the lines from `from` up to, but not including, `to`: it belongs to the row before. */
function hasTextBetween(run: LoadedRun, source: number, from: number, to: number): Promise<boolean | undefined> {
  return readInputLines(run, source, async (lines) => {
    for await (const { text, line } of numbered(lines)) {
      if (line >= to) return false;
      // The end of a JSON array and the commas between its elements are no row.
      if (line >= from && /[^\s,[\]]/.test(text)) return true;
    }
    return false;
  });
}

/** The last row that starts on a line or before it: rows may have several lines. */
function rowsAt(
  run: LoadedRun,
  known: readonly FoundRows[],
  { source, line }: LinePosition,
  where: LocatedRow['where'],
): readonly LocatedRow[] {
  const rows = known.findLast((one) => one.source === source && one.span[1] <= line);
  const accounted = run.runState.sources[source];
  if (rows === undefined || accounted === undefined) return [];
  const [firstRow, firstLine, count] = rows.span;
  const row = Math.min(firstRow + line - firstLine, firstRow + count - 1);
  // The next lines may belong to another shard.
  const lastLine = Math.max(firstLine + count - 1, rows.skipped?.lastLine ?? 0);
  if (run.file.shard !== undefined && line > lastLine) return [];
  // After the last row that is accounted for there may be rows that were not read.
  if (row === accounted.rows && line > firstLine + count - 1 && !accounted.ended) return [];
  // Rows that were skipped together may have several lines each; then the row is not known.
  const isRowKnown = rows.skipped === undefined || rows.skipped.lastLine - firstLine + 1 === count;
  return [
    {
      where,
      source: run.file.inputs[source]?.source ?? '',
      line: isRowKnown ? firstLine + (row - firstRow) : line,
      row: isRowKnown ? row : undefined,
      batch: rows.batch?.batch,
      state: rows.state,
      reason: rowReason(
        rows,
        run.file.inputs.map((input) => input.source),
      ),
    },
  ];
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

/** `in.csv:12  the reason`. */
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

/**
 * The rows that contain a text as whole words, ignoring case.
 *
 * @param field searches only this field of the records
 */
export async function locateText(
  run: LoadedRun,
  known: readonly FoundRows[],
  wanted: string,
  field?: string,
): Promise<LocatedRows> {
  const { file, folder } = run;
  const matches = wordMatcher(wanted);
  const rejects = rejectsFileNames(rejectsInputsOf(file));
  const rows: LocatedRow[] = [];
  const unread = new Map<number, string>();
  let more = 0;

  for (const [source, input] of file.inputs.entries()) {
    const inInput = await searchInput(run, source, matches, field);
    if (inInput !== undefined) {
      const found = inInput.hits.flatMap(({ line }) => rowsAt(run, known, { source, line }, 'input'));
      // Two lines of one row are one match.
      const unique = [...new Map(found.map((row) => [row.line, row])).values()];
      rows.push(...(await withRecords(run, source, unique)));
      more += inInput.more;
      continue;
    }
    unread.set(source, input.source);
    // A rejects file has the columns of the input and not the fields of the record.
    const rejectsFile = path.join(folder.path, 'rejects', rejects[source] ?? '');
    if (field !== undefined || !(await exists(rejectsFile))) continue;
    const inRejects = await search(linesOf(rejectsFile), ({ text }) => matches(text));
    for (const { text } of inRejects.hits) {
      const line = lineOfReject(text);
      if (line !== undefined) rows.push(...rowsAt(run, known, { source, line }, 'rejects'));
    }
    more += inRejects.more;
  }
  if (unread.size === 0) return { rows, more, unread: [] };

  const undelivered = await search(
    undeliveredRecords(run),
    ({ position, text, record }) =>
      unread.has(position.source) && matches(field === undefined ? text : String(record[field] ?? '')),
  );
  for (const { position, record } of undelivered.hits) {
    rows.push(...rowsAt(run, known, position, 'undelivered').map((row) => ({ ...row, record })));
  }
  // A refused row is in the rejects file and undelivered.
  const unique = new Map(rows.map((row) => [`${row.source}:${row.line}`, row]));
  return { rows: [...unique.values()], more: more + undelivered.more, unread: [...unread.values()] };
}

interface Matches<T> {
  readonly hits: readonly T[];
  /** Number of hits beyond {@link MATCHES_SHOWN}. */
  readonly more: number;
}

async function search<T>(items: AsyncIterable<T>, isWanted: (item: T) => boolean): Promise<Matches<T>> {
  const hits: T[] = [];
  let more = 0;
  for await (const item of items) {
    if (!isWanted(item)) continue;
    if (hits.length < MATCHES_SHOWN) hits.push(item);
    else more += 1;
  }
  return { hits, more };
}

/** Lines with their numbers, from 1. */
async function* numbered(lines: AsyncIterable<Line>): AsyncGenerator<Pick<Line, 'text'> & { readonly line: number }> {
  let line = 0;
  for await (const { text } of lines) {
    line += 1;
    yield { line, text };
  }
}

/** The lines of an input that match, or on which a row starts whose record matches. Undefined if it cannot be read. */
function searchInput(
  run: LoadedRun,
  source: number,
  matches: (text: string) => boolean,
  field: string | undefined,
): Promise<Matches<{ readonly line: number }> | undefined> {
  if (field === undefined) {
    return readInputLines(run, source, (lines) => search(numbered(lines), ({ text }) => matches(text)));
  }
  return readInputRecords(run, source, (records) =>
    search(records, ({ candidate }) => matches(String(candidate[field] ?? ''))),
  );
}

/** The rows of an input with their records. Without them if the input or the mapping cannot be read. */
async function withRecords(
  run: LoadedRun,
  source: number,
  rows: readonly LocatedRow[],
): Promise<readonly LocatedRow[]> {
  const last = Math.max(...rows.map(({ line }) => line));
  if (rows.length === 0) return rows;
  const found = await readInputRecords(run, source, async (records) => {
    const byLine = new Map<number, Candidate>();
    for await (const { line, candidate } of records) {
      if (line > last) break;
      if (rows.some((row) => row.line === line)) byLine.set(line, candidate);
    }
    return byLine;
  });
  return rows.map((row) => ({ ...row, record: found?.get(row.line) }));
}

/** The undelivered records, as their JSON and as their fields under the canonical names. */
async function* undeliveredRecords({ folder, file }: LoadedRun): AsyncGenerator<{
  readonly position: LinePosition;
  readonly text: string;
  readonly record: Candidate;
}> {
  const contract = contracts[file.type];
  for await (const { payload, rows, offsets } of readUndelivered(path.join(folder.path, 'undelivered.ndjson'))) {
    for (const [index, { position }] of rows.entries()) {
      const [from = 0, to = 0] = offsets.slice(index, index + 2);
      const text = Buffer.from(payload).toString('utf8', from, to - 1);
      const fields = Object.entries(JSON.parse(text) as Candidate);
      const record = Object.fromEntries(fields.map(([name, value]) => [contract.field(name)?.name ?? name, value]));
      yield { position, text, record };
    }
  }
}

/** Resolves to what `read` makes of the lines. Undefined if the input is gone or can no longer be read. */
function readInputLines<T>(
  run: StoredRun,
  source: number,
  read: (lines: AsyncIterable<Line>) => Promise<T>,
): Promise<T | undefined> {
  return readInput(run, source, (opened, detected) => read(linesIn(decodedText(opened.chunks(), detected))));
}

/** A row as its mapping makes a record of it, valid or not. */
export interface InputRecord {
  /** On which the row starts. */
  readonly line: number;
  readonly candidate: Candidate;
}

/**
 * The same for the records of the rows. Undefined also for a run with a transform, which is code of the user who began it, and
 * without a readable mapping.
 */
async function readInputRecords<T>(
  run: StoredRun,
  source: number,
  read: (records: AsyncIterable<InputRecord>) => Promise<T>,
): Promise<T | undefined> {
  const { folder, file } = run;
  const mappingFile = path.join(folder.path, 'mapping.yaml');
  const text = readTextFile(mappingFile);
  if (text === undefined || file.transform !== undefined) return undefined;
  const { parseMapping } = await import('../map/parse-document.ts');
  return readInput(run, source, async (opened, detected) => {
    const document = parseMapping(text, mappingFile);
    const columns = file.inputs[source]?.columns ?? [];
    const mapping = compileMapping(document, {
      contract: contracts[file.type],
      variant: file.variant,
      columns,
      rowForm: rowFormOf({ detected }),
      inputName: opened.name,
    });
    const blocks = decode({ source, chunks: opened.chunks(), detected }, file.decode);
    return read(recordsOf(blocks, mapping));
  });
}

async function* recordsOf(blocks: AsyncIterable<RowBlock>, mapping: CompiledMapping): AsyncGenerator<InputRecord> {
  for await (const { rows } of blocks) {
    for (const row of rows) {
      if (!isBroken(row)) yield { line: row.position.line, candidate: mapping.applyAll(row).candidate };
    }
  }
}

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
