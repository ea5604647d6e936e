/**
 * Reads a Parquet file as text: one JSON object per row and line, so that a row's line is its number. Reads one range of
 * rows after the other. Memory: the compressed bytes of a row group, and a range of its rows.
 */
import type { FileHandle } from 'node:fs/promises';
import type { AsyncBuffer, FileMetaData, SchemaElement, SchemaTree } from 'hyparquet';
import { messageOf } from '../../lib/text.ts';
import { ProblemError } from '../../model/problem.ts';
import { readProblem } from '../input-problems.ts';
import { loadParquetLibrary, type ParquetLibrary } from './library.ts';
import { createWriter, type WriteValue } from './values.ts';

/** Values of a range. Each range searches the columns for its pages again. */
const RANGE_VALUES = 200_000;
const MIN_RANGE_ROWS = 1000;

const CHUNK_CHARACTERS = 256 * 1024;

/**
 * The rows as NDJSON.
 *
 * @param file must stay open while rows are read; the caller closes it
 * @throws ProblemError `input.parquet_reader`, `input.failed` if the file is damaged, `input.empty` if it has no rows
 */
export async function openParquet(name: string, file: FileHandle, size: number): Promise<AsyncGenerator<string>> {
  const library = await loadParquetLibrary(name);
  const source = readerOf(name, file, size);
  try {
    const metadata = await library.parquetMetadataAsync(source);
    const table = describeTable(library, metadata);
    if (metadata.row_groups.every(({ num_rows: rows }) => rows <= 0n)) throw noRows(name);
    return textOf(name, library, source, table);
  } catch (error) {
    throw damaged(name, 0, error);
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

function describeTable({ parquetSchema }: ParquetLibrary, metadata: FileMetaData): Table {
  const asStored = new Set<SchemaElement>();
  const tree = parquetSchema(metadata);
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

async function* textOf(
  name: string,
  library: ParquetLibrary,
  source: ReturnType<typeof readerOf>,
  table: Table,
): AsyncGenerator<string> {
  const { writers, hasRanges, metadata } = table;
  const rangeRows = Math.max(MIN_RANGE_ROWS, Math.floor(RANGE_VALUES / Math.max(1, writers.length)));
  let row = 0;
  let text = '';
  try {
    for (const { num_rows: count } of metadata.row_groups) {
      const end = row + Number(count);
      while (row < end) {
        const to = hasRanges ? Math.min(end, row + rangeRows) : end;
        for (const values of await readRows(library, source, metadata, row, to)) {
          text += `{${writers.map((write, column) => write(values[column])).join(',')}}\n`;
          if (text.length < CHUNK_CHARACTERS) continue;
          yield text;
          text = '';
        }
        row = to;
      }
      source.forget();
    }
  } catch (error) {
    throw damaged(name, row, error);
  }
  yield text;
}

function readRows(
  { parquetRead, compressors }: ParquetLibrary,
  file: AsyncBuffer,
  metadata: FileMetaData,
  rowStart: number,
  rowEnd: number,
): Promise<readonly (readonly unknown[])[]> {
  return new Promise((resolve, reject) => {
    parquetRead({
      file,
      metadata,
      compressors,
      rowStart,
      rowEnd,
      utf8: false,
      parsers: { timestampFromNanoseconds: (nanoseconds) => nanoseconds },
      onComplete: (rows: unknown[][]) => resolve(rows),
    }).catch(reject);
  });
}

/** Reads parts of the file, and keeps them until they are forgotten: each range of rows needs the same columns. */
function readerOf(name: string, file: FileHandle, size: number): AsyncBuffer & { forget(): void } {
  const parts = new Map<string, Promise<ArrayBuffer>>();
  const read = async (start: number, end: number): Promise<ArrayBuffer> => {
    if (!(start >= 0 && start <= end && end <= size))
      throw new Error(`it refers to bytes ${start} to ${end} of ${size}`);
    const memory = new ArrayBuffer(end - start);
    for (let at = 0; at < memory.byteLength; ) {
      const { bytesRead } = await file
        .read(new Uint8Array(memory, at), 0, memory.byteLength - at, start + at)
        .catch((error: unknown) => {
          throw readProblem(name, start + at, error);
        });
      if (bytesRead === 0) throw new Error('it became shorter while it was read');
      at += bytesRead;
    }
    return memory;
  };
  return {
    byteLength: size,
    slice(start, end = size) {
      const key = `${start}-${end}`;
      const part = parts.get(key) ?? read(start, end);
      // hyparquet requests parts before it needs them, and may fail before it awaits them.
      part.catch(() => undefined);
      parts.set(key, part);
      return part;
    },
    forget: () => parts.clear(),
  };
}

function damaged(name: string, row: number, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError({
    code: 'input.failed',
    message: `Reading '${name}' as Parquet failed after row ${row}: ${messageOf(error).replace(/\.$/, '')}.`,
    where: name,
    hint: 'The file is damaged or encrypted, or has a type that cannot be read: export it again, or as CSV. No later row was read.',
  });
}

function noRows(name: string): ProblemError {
  return new ProblemError({
    code: 'input.empty',
    message: `The Parquet file '${name}' has no rows.`,
    where: name,
    hint: 'Check that the export has finished.',
  });
}
