/**
 * The options of the library: those of the table that name `library`, under the names of the command line in camel case, so
 * that a value is valid here if it is valid there.
 */
import { Readable } from 'node:stream';
import type { FieldMapping, WrittenMapping } from '../map/document-schema.ts';
import type { RunEvent } from '../model/event.ts';
import {
  type OptionTable,
  type OptionValues,
  parseOptions,
  type RawValue,
  type TypedOptions,
  typedOptions,
  unknownWord,
  usageError,
} from '../options/option-spec.ts';
import type { Options } from '../options/option-table.ts';
import type { Parser } from '../options/parse-values.ts';

/**
 * Paths of files, folders and archives, as on the command line; or the rows or the bytes of one input. Rows and bytes are
 * copied to the run folder while they are read, so that a run that was stopped can be resumed.
 */
export type Input =
  | string
  | readonly string[]
  | Uint8Array
  | Iterable<SourceRow>
  | AsyncIterable<SourceRow | Uint8Array>;

/** How a program gives the value of an option. Counts and sizes may be numbers, which are told by their placeholders. */
type LibraryValue<S> = S extends { readonly list: true } | { readonly parse: Parser<readonly string[]> }
  ? readonly string[]
  : S extends { readonly choices: readonly (infer C)[] }
    ? C
    : S extends { readonly parse: Parser<boolean> }
      ? boolean
      : S extends { readonly value: 'n' | 'n|n%' | 'size' }
        ? number | string
        : S extends { readonly value: string }
          ? string
          : boolean;

/** The options of the table that `upload` alone has, or `check` too. */
export type TableOptions<F extends 'upload' | 'both'> = {
  readonly [N in keyof Options as Options[N] extends { readonly library: F } ? N : never]?:
    | LibraryValue<Options[N]>
    | undefined;
};

export interface CheckOptions extends TableOptions<'both'> {
  readonly input: Input;
  /** The name of rows or bytes in messages and files. Default: `rows`. */
  readonly name?: string | undefined;
  /** A mapping file, or what it holds. Default: columns are matched with fields as `signals upload` does. */
  readonly mapping?: string | Mapping | undefined;
  /** Folder of the digests of sent records. Default: `.state` in `out`. The program has its own, per user. */
  readonly state?: string | undefined;
  /** Ends the run in order: no new request starts, and requests in flight have the time of `grace`. */
  readonly signal?: AbortSignal | undefined;
  /** Receives each event after it was journalled. If it throws, the run ends and the error is thrown. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

export interface UploadOptions extends CheckOptions, TableOptions<'upload'> {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface SandboxOptions {
  /** The key that it accepts. Default: random. */
  readonly key?: string | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** Faults to inject, as in `signals sandbox --fault`: `status=503,rate=0.1`. */
  readonly faults?: readonly string[] | undefined;
  /** Decides which batches get a fault. Default: 1. */
  readonly seed?: number | undefined;
}

type LibraryTable<T> = {
  [N in keyof T as T[N] extends { readonly library: string } ? N : never]: T[N];
};

function libraryOptions<T extends OptionTable>(table: T): LibraryTable<T> & OptionTable {
  const entries = Object.entries(table).filter(([, { library }]) => library !== undefined);
  return Object.fromEntries(entries) as LibraryTable<T> & OptionTable;
}

/** @throws ProblemError `usage`, `settings.value` */
export function readOptions<const T extends OptionTable>(
  given: object,
  table: T,
): { readonly given: OptionValues<LibraryTable<T>>; readonly typed: TypedOptions } {
  const known = libraryOptions(table);
  const raw = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, rawValue(known, name, value)]));
  return { given: parseOptions<LibraryTable<T> & OptionTable>(known, raw), typed: typedOptions(known, raw) };
}

function rawValue(table: OptionTable, name: string, value: unknown): RawValue {
  const spec = table[name];
  if (spec === undefined) {
    throw unknownWord(`There is no option "${name}".`, name, Object.keys(table));
  }
  const { choices, list, setting } = spec;
  if (value === undefined || (typeof value === 'boolean' && setting === undefined)) return value;
  if (Array.isArray(value)) return list ? value.map(String) : value.join();
  const text = String(value);
  if (choices !== undefined && !choices.includes(text)) {
    throw usageError(`${name} is "${text}": expected ${choices.join(', ')}.`);
  }
  return text;
}

/** One row, by column: values as in JSON. A `Date` becomes ISO 8601 text. */
export type SourceRow = Readonly<Record<string, unknown>>;
/** Bytes of rows in one chunk: a chunk of its own for each row would take longer than the row. */
const CHUNK_LENGTH = 64 * 1024;

export function streamOf(rows: Iterable<unknown> | AsyncIterable<unknown>): Readable {
  return Readable.from(chunksOf(rows), { objectMode: false, highWaterMark: CHUNK_LENGTH });
}

/** Bytes unchanged, and each row as a line of JSON. */
async function* chunksOf(rows: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let lines = '';
  for await (const row of rows) {
    const isBytes = row instanceof Uint8Array;
    if (!isBytes) lines += `${JSON.stringify(row)}\n`;
    if (lines !== '' && (isBytes || lines.length >= CHUNK_LENGTH)) {
      yield Buffer.from(lines);
      lines = '';
    }
    if (isBytes) yield Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  }
  if (lines !== '') yield Buffer.from(lines);
}

/** A mapping document: by the name of a field, a column, a text made of columns, or how the field is made. */
export interface Mapping extends Omit<WrittenMapping, 'fields'> {
  readonly fields: Readonly<Record<string, string | FieldMapping>>;
}
