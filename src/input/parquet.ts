/**
 * Parquet. A file becomes text, one JSON object per row and line, so that a row's line is its number, and the rows are those of
 * NDJSON. Reads one range of rows after the other, in a worker thread: hyparquet may never return for a damaged file, and Ctrl-C
 * works meanwhile. Memory: the compressed bytes of a row group, and a range of its rows.
 */
import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FileMetaData, SchemaElement, SchemaTree } from 'hyparquet';
import { messageOf } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import { installCommand, isMissingPackage } from '../lib/version.ts';
import { ProblemError } from '../model/problem.ts';
import type { DetectedInput, Format } from './format.ts';
import { headerLineProblem, ndjson } from './ndjson.ts';
import { createWriter, type WriteValue } from './parquet-values.ts';
import { nextMessage } from './worker-message.ts';

export const parquet: Format = {
  ...ndjson,

  recognises: () => false,

  detect(head, options) {
    if (options.headerLine !== undefined) throw headerLineProblem(head.name, 'Parquet');
    // The copy of a pipe has no table, only its text.
    if (!head.bytes.toString('latin1', 0, 1).startsWith('{')) {
      throw new ProblemError({
        code: 'input.format',
        message: `'${head.name}' is not a Parquet file.`,
        where: head.name,
        hint: 'Omit --format: the format is detected.',
      });
    }
    const found = ndjson.detect(head, options);
    return { ...found, format: 'parquet', description: describeColumns(found.columns) };
  },
};

/** A file without rows. */
export function parquetColumns(name: string, columns: readonly string[]): DetectedInput {
  const body = { byte: 0, line: 1 };
  return { name, format: 'parquet', encoding: 'utf-8', columns, body, description: describeColumns(columns) };
}

function describeColumns(columns: readonly string[]): readonly string[] {
  return ['Parquet', plural(columns.length, 'column')];
}

/** Values of a range. Each range searches the columns for its pages again. */
const RANGE_VALUES = 200_000;
const MIN_RANGE_ROWS = 1000;

const CHUNK_CHARACTERS = 256 * 1024;

/** Optional peer dependencies: few users need them. parquet-thread.js imports them. */
const PACKAGES = ['hyparquet', 'hyparquet-compressors'];

export interface ParquetText {
  /** The rows as NDJSON. */
  readonly text: AsyncGenerator<string>;
  /** If there are no rows, the columns of the schema. */
  readonly columns: readonly string[] | undefined;
  close(): Promise<void>;
}

/**
 * @param file must stay open until the text is closed; the caller closes it then
 * @throws ProblemError `input.parquet_reader`, `input.failed` if the file is damaged, `input.header` if two columns have one name
 */
export async function openParquet(name: string, file: FileHandle, size: number): Promise<ParquetText> {
  const reader = new ParquetReader(file.fd, size);
  const close = () => reader.close();
  try {
    const { metadata, schema } = await reader.schema();
    const table = describeTable(metadata, schema);
    const columns = leavesOf(schema);
    const twice = columns.find((column, index) => columns.indexOf(column) !== index);
    if (twice !== undefined) throw repeatedColumn(name, twice);
    const isEmpty = metadata.row_groups.every(({ num_rows: rows }) => rows <= 0n);
    reader.useMetadata(table.metadata);
    return { text: textOf(name, reader, table), columns: isEmpty ? columns : undefined, close };
  } catch (error) {
    await close();
    throw isMissingPackage(error) ? missingPackages(name) : damaged(name, 0, error);
  }
}

interface Table {
  /** Without the types of columns whose values must arrive as they are stored. */
  readonly metadata: FileMetaData;
  /** Writes a row's value of each column, with its name. */
  readonly writers: readonly WriteValue[];
  /** Whether a range of rows can be read without the rows before it. */
  readonly hasRanges: boolean;
}

function describeTable(metadata: FileMetaData, tree: SchemaTree): Table {
  const asStored = new Set<SchemaElement>();
  checkColumns(metadata, leavesOf(tree));
  const { children } = tree;
  const writers = children.map((column) => {
    const name = `${JSON.stringify(column.element.name)}:`;
    const write = createWriter(column, asStored);
    const isComplete = !isFlat(column);
    return (value: unknown) => {
      // hyparquet has null for a missing value, and nothing where a column ends early.
      if (value === undefined && !isComplete) throw new Error(`the column ${column.element.name} ends early`);
      return name + write(value);
    };
  });
  const schema = metadata.schema.map((element) => (asStored.has(element) ? withoutType(element) : element));
  return { metadata: { ...metadata, schema }, writers, hasRanges: children.every(isFlat) };
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

function withoutType(element: SchemaElement): SchemaElement {
  const stored = { ...element };
  delete stored.converted_type;
  delete stored.logical_type;
  return stored;
}

function isFlat({ children, element }: SchemaTree): boolean {
  return children.length === 0 && element.repetition_type !== 'REPEATED';
}

async function* textOf(name: string, reader: ParquetReader, table: Table): AsyncGenerator<string> {
  const { writers, hasRanges, metadata } = table;
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

function repeatedColumn(name: string, column: string): ProblemError {
  return new ProblemError({
    code: 'input.header',
    message: `Two columns of '${name}' have the name "${column}".`,
    where: name,
    hint: 'Rename one of them in the program that writes the file.',
  });
}

function missingPackages(name: string): ProblemError {
  return new ProblemError({
    code: 'input.parquet_reader',
    message: `'${name}' is a Parquet file, and the packages that read Parquet are not installed.`,
    where: name,
    hint: `Install them: \`${installCommand(fileURLToPath(import.meta.url), PACKAGES, existsSync)}\`. Or export the table as CSV or NDJSON.`,
  });
}

/** The longest a range of rows takes is about a second. */
const TIME_LIMIT_MS = 60_000;

const THREAD = new URL('./parquet-thread.js', import.meta.url);

type Answer = { readonly value: unknown } | { readonly error: unknown };

export class ParquetReader {
  readonly #worker: Worker;
  readonly #limitMs: number;

  /** @param fd must stay open until {@link close} */
  constructor(fd: number, size: number, limitMs = TIME_LIMIT_MS) {
    this.#limitMs = limitMs;
    this.#worker = new Worker(THREAD, { workerData: { fd, size } });
    this.#worker.unref();
  }

  /**
   * What the end of the file describes. The elements of the tree are those of `metadata.schema`.
   *
   * @throws Error of hyparquet or of the file system; `ERR_MODULE_NOT_FOUND` if a package is not installed
   */
  schema(): Promise<{ readonly metadata: FileMetaData; readonly schema: SchemaTree }> {
    return this.#ask(undefined);
  }

  /** The schema by which rows are read. Call it before {@link rows}. */
  useMetadata(metadata: FileMetaData): void {
    this.#worker.postMessage(metadata);
  }

  /**
   * The values of rows of a row group, in the order of its columns.
   *
   * @throws as {@link schema}
   */
  rows(group: number, rowStart: number, rowEnd: number): Promise<readonly (readonly unknown[])[]> {
    return this.#ask({ group, rowStart, rowEnd });
  }

  async #ask<T>(question: unknown): Promise<T> {
    this.#worker.ref();
    this.#worker.postMessage(question);
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      void this.#worker.terminate();
    }, this.#limitMs);
    try {
      const answer = await nextMessage<Answer>(this.#worker);
      if (isSlow) throw new Error(`a part of it could not be read within ${this.#limitMs / 1000} seconds`);
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
