/**
 * Parquet becomes NDJSON, so a row's line is its number. Reads one range of rows after the other, in a worker thread: hyparquet may
 * never return for a damaged file. Memory: the compressed bytes of a row group, and a range of its rows.
 */
import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FileMetaData, SchemaElement, SchemaTree, TimeUnit } from 'hyparquet';
import { cut, hasCode, messageOf } from '../lib/text.ts';
import { installCommand } from '../lib/version.ts';
import { ProblemError } from '../model/problem.ts';
import type { Format } from './decode-types.ts';
import { ndjson } from './ndjson.ts';
import { nextMessage } from './worker-message.ts';

/** The text of a file. The copy of a pipe has no table, only that. */
export const parquet: Format = { ...ndjson, recognises: () => false };

/** Values of a range. Each range searches the columns for its pages again. */
const RANGE_VALUES = 200_000;
const MIN_RANGE_ROWS = 1000;

const CHUNK_CHARACTERS = 256 * 1024;

/** Optional peer dependencies: few users need them. parquet-thread.js imports them. */
const PACKAGES = ['hyparquet', 'hyparquet-compressors'];

export interface ParquetText {
  readonly text: AsyncGenerator<string>;
  readonly columns: readonly string[] | undefined;
  close(): Promise<void>;
}

/**
 * @param file must stay open until the text is closed; the caller closes it then
 * @throws ProblemError `input.parquet_reader`, `input.failed` if the file is damaged, `input.header` if two columns have one name
 */
export async function openParquet(name: string, file: FileHandle): Promise<ParquetText> {
  const reader = new ParquetReader(file.fd, (await file.stat()).size);
  const close = () => reader.close();
  try {
    const { metadata, schema } = await reader.schema();
    const columns = leavesOf(schema);
    checkColumns(metadata, columns);
    const twice = columns.find((column, index) => columns.indexOf(column) !== index);
    if (twice !== undefined) {
      throw new ProblemError({
        code: 'input.header',
        message: `Two columns of '${name}' have the name "${twice}".`,
        where: name,
        hint: 'Rename one of them in the program that writes the file.',
      });
    }
    const isEmpty = metadata.row_groups.every(({ num_rows: rows }) => rows <= 0n);
    return { text: textOf(name, reader, metadata, schema), columns: isEmpty ? columns : undefined, close };
  } catch (error) {
    await close();
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw damaged(name, 0, error);
    throw new ProblemError({
      code: 'input.parquet_reader',
      message: `'${name}' is a Parquet file, and the packages that read Parquet are not installed.`,
      where: name,
      hint: `Install them: \`${installCommand(fileURLToPath(import.meta.url), PACKAGES, existsSync)}\`. Or export the table as CSV or NDJSON.`,
    });
  }
}

function columnWriter(column: SchemaTree): WriteValue {
  const { name } = column.element;
  const key = `${JSON.stringify(name)}:`;
  const write = createWriter(column);
  const isComplete = !isFlat(column);
  return (value) => {
    // hyparquet has null for a missing value, and nothing where a column ends early.
    if (value === undefined && !isComplete) throw new Error(`the column ${name} ends early`);
    return key + write(value);
  };
}

function leavesOf({ path, children }: SchemaTree): readonly string[] {
  return children.length === 0 ? [path.join('.')] : children.flatMap(leavesOf);
}

/** hyparquet does not await columns that the schema does not have: their errors would end the process. */
function checkColumns({ row_groups: groups }: FileMetaData, leaves: readonly string[]): void {
  for (const { columns } of groups) {
    const paths = columns.map((column) => column.meta_data?.path_in_schema.join('.'));
    if (paths.join('\n') !== leaves.join('\n')) throw new Error('its row groups do not have the columns of its schema');
    const unknown = columns.find(({ meta_data: { codec } = {} }) => codec === undefined);
    if (unknown !== undefined) throw new Error('a column has an unknown compression');
  }
}

function isFlat({ children, element }: SchemaTree): boolean {
  return children.length === 0 && element.repetition_type !== 'REPEATED';
}

async function* textOf(
  name: string,
  reader: ParquetReader,
  metadata: FileMetaData,
  { children }: SchemaTree,
): AsyncGenerator<string> {
  const writers = children.map(columnWriter);
  // A range of rows of a nested column cannot be read without the rows before it.
  const hasRanges = children.every(isFlat);
  const rangeRows = Math.max(MIN_RANGE_ROWS, Math.floor(RANGE_VALUES / Math.max(1, writers.length)));
  let row = 0;
  let text = '';
  try {
    for (const [group, { num_rows: count }] of metadata.row_groups.entries()) {
      const end = row + Number(count);
      while (row < end) {
        const to = hasRanges ? Math.min(end, row + rangeRows) : end;
        for (const values of await reader.rows(group, row, to)) {
          text += `{${writers.map((write, column) => write(values[column])).join(',')}}\n`;
          if (text.length < CHUNK_CHARACTERS) continue;
          yield text;
          text = '';
        }
        row = to;
      }
    }
  } catch (error) {
    throw damaged(name, row, error);
  }
  yield text;
}

function damaged(name: string, row: number, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError({
    code: 'input.failed',
    message: `Reading '${name}' as Parquet failed ${row === 0 ? 'before its first row' : `after row ${row}`}: ${messageOf(error).replace(/\.$/, '')}.`,
    where: name,
    hint: 'The file is damaged or encrypted, or has a type that cannot be read: export it again, or as CSV. No later row was read.',
  });
}

const TIME_LIMIT_MS = 60_000;

const THREAD = new URL('./parquet-thread.js', import.meta.url);

type Answer = { readonly value: unknown } | { readonly error: unknown };

export class ParquetReader {
  readonly #worker: Worker;

  /** @param fd must stay open until {@link close} */
  constructor(fd: number, size: number) {
    this.#worker = new Worker(THREAD, { workerData: { fd, size } });
    this.#worker.unref();
  }

  /** Call it before {@link rows}. @throws `ERR_MODULE_NOT_FOUND` if a package is not installed */
  schema(): Promise<{ readonly metadata: FileMetaData; readonly schema: SchemaTree }> {
    return this.#ask(undefined, TIME_LIMIT_MS);
  }

  /** The values of rows of a row group, in the order of its columns. */
  rows(
    group: number,
    rowStart: number,
    rowEnd: number,
    limitMs = TIME_LIMIT_MS,
  ): Promise<readonly (readonly unknown[])[]> {
    return this.#ask({ group, rowStart, rowEnd }, limitMs);
  }

  async #ask<T>(question: unknown, limitMs: number): Promise<T> {
    this.#worker.ref();
    this.#worker.postMessage(question);
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      void this.#worker.terminate();
    }, limitMs);
    try {
      const answer = await nextMessage<Answer>(this.#worker);
      if (isSlow) throw new Error(`a part of it could not be read within ${limitMs / 1000} seconds`);
      if (answer === undefined) throw new Error('its reader ended');
      if ('error' in answer) throw answer.error;
      return answer.value as T;
    } finally {
      clearTimeout(timer);
      this.#worker.unref();
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

type WriteValue = (value: unknown) => string;

const SAFE_DIGITS = 15;

/** In hexadecimal. */
const SHOWN_BYTES = 32;

const DIGITS: Readonly<Record<TimeUnit, number>> = { MILLIS: 3, MICROS: 6, NANOS: 9 };
const DAY_SECONDS = 86_400n;

/**
 * The writer of a column or of a part of it. It writes values as JSON, exactly: hyparquet gives decimals, dates and times as they are
 * stored, and the types of the schema (Apache Parquet, "LogicalTypes") are applied here. A number that JSON.parse would round
 * becomes text.
 */
function createWriter({ element, children }: SchemaTree): WriteValue {
  if (element.logical_type?.type === 'VARIANT') return writeValue;
  const [child, ...others] = children;
  if (child === undefined) return repeatable(leafWriter(element));
  const inner = child.children;
  const isAlone = others.length === 0;
  if (element.converted_type === 'LIST' && isAlone) return createWriter((inner.length === 1 && inner[0]) || child);
  const ofMap = element.converted_type === 'MAP' && isAlone && inner[1] !== undefined && createWriter(inner[1]);
  const writers = new Map(children.map((each) => [each.element.name, createWriter(each)]));
  return repeatable((value) => writeObject(value, (name) => ofMap || (writers.get(name) ?? writeValue)));
}

/** Every part of a schema may be missing, or be repeated: its values then come as an array. */
function repeatable(write: WriteValue): WriteValue {
  const writeAny: WriteValue = (value) => {
    if (value === null || value === undefined) return 'null';
    return Array.isArray(value) ? `[${value.map(writeAny).join(',')}]` : write(value);
  };
  return writeAny;
}

function writeObject(value: unknown, writer: (name: string) => WriteValue): string {
  const entries = Object.entries(Object(value));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${writer(name)(each)}`).join(',')}}`;
}

const writeValue = repeatable((value) => {
  if (typeof value === 'bigint') return writeInteger(value);
  if (typeof value === 'number') return writeDouble(value);
  if (value instanceof Uint8Array) return writeBytes(value);
  if (typeof value !== 'object' || value instanceof Date) return JSON.stringify(value);
  return writeObject(value, () => writeValue);
});

function leafWriter(element: SchemaElement): WriteValue {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    const scale = element.scale ?? (logical?.type === 'DECIMAL' ? logical.scale : 0);
    return (value) => writeDecimal(unscaled(value), scale);
  }
  if (converted === 'DATE' || logical?.type === 'DATE') {
    return (value) => writeTime(toBigInt(value) * DAY_SECONDS, { kind: 'date', digits: 0 });
  }
  const time = timeOf(element);
  if (time !== undefined) return (value) => writeTime(toBigInt(value), time);
  return type === 'FLOAT' ? (value) => writeDouble(shortest(Number(value))) : writeValue;
}

interface TimeType {
  readonly kind: 'date' | 'time' | 'timestamp';
  readonly digits: number;
  /** Whether it is in UTC. Otherwise the file does not say which zone it is in. */
  readonly isUtc?: boolean;
}

function timeOf({ type, converted_type: converted, logical_type: logical }: SchemaElement): TimeType | undefined {
  if (logical?.type === 'TIMESTAMP' || logical?.type === 'TIME') {
    const kind = logical.type === 'TIME' ? 'time' : 'timestamp';
    return { kind, digits: DIGITS[logical.unit], isUtc: logical.isAdjustedToUTC };
  }
  if (type === 'INT96') return { kind: 'timestamp', digits: 9 };
  const [, kind, unit] = /^(TIMESTAMP|TIME)_(MILLIS|MICROS)$/.exec(converted ?? '') ?? [];
  if (kind === undefined) return undefined;
  return { kind: kind === 'TIME' ? 'time' : 'timestamp', digits: unit === 'MILLIS' ? 3 : 6, isUtc: true };
}

function writeTime(value: bigint, { kind, digits, isUtc = false }: TimeType): string {
  const unit = 10n ** BigInt(digits);
  const fraction = ((value % unit) + unit) % unit;
  const date = new Date(Number((value - fraction) / unit) * 1000);
  if (Number.isNaN(date.getTime())) return JSON.stringify(String(value));
  const decimals = String(fraction).padStart(digits, '0').replace(/0+$/, '');
  const [day, time = ''] = date.toISOString().slice(0, -'.000Z'.length).split('T');
  const exact = `${time}${decimals === '' ? '' : `.${decimals}`}`;
  if (kind !== 'timestamp') return JSON.stringify(kind === 'date' ? day : exact);
  return JSON.stringify(`${day}T${exact}${isUtc ? 'Z' : ''}`);
}

function writeInteger(value: bigint): string {
  const text = String(value);
  return Number.isSafeInteger(Number(value)) ? text : JSON.stringify(text);
}

/** A number that is not a number means a missing value: pandas writes it so. */
function writeDouble(value: number): string {
  if (Number.isNaN(value)) return 'null';
  return Number.isFinite(value) ? String(value) : JSON.stringify(String(value));
}

/** The shortest decimal of a number of 32 bits: 0.1, not 0.10000000149011612. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

function writeDecimal(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const text = `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
  return (whole + fraction).replace(/^0+/, '').length <= SAFE_DIGITS ? text : JSON.stringify(text);
}

/** The integer of a decimal. Bytes are big-endian, in two's complement. */
function unscaled(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return toBigInt(value);
  if (value.length === 0) return 0n;
  return BigInt.asIntN(8 * value.length, BigInt(`0x${Buffer.from(value).toString('hex')}`));
}

/** @throws RangeError if a damaged column has a value of another type than its schema says */
function toBigInt(value: unknown): bigint {
  return typeof value === 'bigint' ? value : BigInt(Number(value));
}

/** Bytes that are not UTF-8 become an object, which no field accepts: only rows that use them are invalid. */
function writeBytes(value: Uint8Array): string {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (isUtf8(bytes)) return JSON.stringify(bytes.toString());
  const shown = cut(bytes.toString('hex', 0, SHOWN_BYTES), 2 * SHOWN_BYTES);
  return JSON.stringify({ binary: `${shown} (${bytes.length} bytes)` });
}
