/** Inputs that are packed: a sheet of a workbook, the rows of Parquet, the files in an archive. Reads them as text. */
import type { FileHandle } from 'node:fs/promises';
import { grown, type Memory } from '../lib/growing-buffer.ts';
import { ProblemError } from '../model/problem.ts';
import { type ByteReader, checkSize, concat, stream, take } from './byte-reader.ts';
import { openTemporaryFile, temporaryFileProblem } from './temporary-file.ts';
import type { ZipArchive } from './zip.ts';

const ZIP = Buffer.from('PK\x03\x04');
const PARQUET = Buffer.from('PAR1');
const COMPOUND_FILE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
const MAGIC_BYTES = 4;

/** Of a UTF-16 unit. */
const MAX_UTF8_BYTES = 3;

export interface PackedRequest {
  /** Absent for the copy of a pipe. */
  readonly size?: number | undefined;
  readonly sheet: string | undefined;
  /** The file to read of an archive, or the sheet of a workbook. Default: all that are inputs. */
  readonly member?: string | undefined;
  /** Opens an archive that is no workbook. Absent for a file in an archive: archives in archives are not opened. */
  readonly openArchive?: OpenArchive | undefined;
}

type OpenArchive = (
  name: string,
  file: FileHandle,
  zip: ZipArchive,
  request: PackedRequest,
) => Promise<readonly ByteReader[]>;

function isPacked(first: Buffer): boolean {
  return first.equals(ZIP) || first.equals(PARQUET) || first.equals(COMPOUND_FILE);
}

/**
 * The tables in a file. Undefined if it is text, or an archive in an archive. The readers close the file.
 *
 * @param first the first {@link MAGIC_BYTES} of the file
 * @throws ProblemError as openWorkbook, openZip, openParquet and openArchive
 */
export async function openPacked(
  first: Buffer,
  name: string,
  file: FileHandle,
  request: PackedRequest,
): Promise<readonly ByteReader[] | undefined> {
  if (first.equals(COMPOUND_FILE)) {
    throw await (await import('./workbook/compound-file.ts')).compoundFileProblem(name, file);
  }
  if (first.equals(PARQUET)) return [await openParquetRows(name, file, request)];
  if (!first.equals(ZIP)) return undefined;
  const { openZip } = await import('./zip.ts');
  const zip = await openZip(name, file);
  const sheet = await openSheet(name, file, zip, request);
  if (sheet !== undefined) return [sheet];
  return request.openArchive?.(name, file, zip, request);
}

async function openSheet(
  name: string,
  file: FileHandle,
  zip: ZipArchive,
  { size, sheet, member }: PackedRequest,
): Promise<ByteReader | undefined> {
  const { openWorkbook } = await import('./workbook/index.ts');
  // `in.xlsx:Deals` is how messages name a sheet.
  const opened = await openWorkbook(name, zip, member ?? sheet);
  if (opened === undefined) return undefined;
  const { table, text } = opened;
  const { bytes, reuseMemory } = readText(text);
  return {
    ...ofFile(name, file, size),
    name: `${name}:${table.sheet}`,
    member,
    table,
    bytes: notEmpty(bytes, name, table.sheet),
    reuseMemory,
    async close() {
      await opened.close();
      await file.close();
    },
  };
}

async function openParquetRows(name: string, file: FileHandle, { size }: PackedRequest): Promise<ByteReader> {
  const { openParquet } = await import('./parquet/index.ts');
  const { text, columns, close } = await openParquet(name, file, size ?? (await file.stat()).size);
  return {
    ...ofFile(name, file, size),
    ...readText(text),
    table: { format: 'parquet', columns },
    async close() {
      await close();
      await file.close();
    },
  };
}

/** The text as bytes. */
function readText(text: AsyncGenerator<string>): Required<Pick<ByteReader, 'bytes' | 'reuseMemory'>> {
  let memory: Memory | undefined;
  const encode = (piece: string): Buffer => {
    if (memory === undefined) return Buffer.from(piece);
    memory = grown(memory, 0, MAX_UTF8_BYTES * piece.length);
    return memory.subarray(0, memory.write(piece));
  };
  return {
    bytes: (async function* () {
      for await (const piece of text) yield encode(piece);
    })(),
    reuseMemory() {
      memory = Buffer.alloc(0);
    },
  };
}

/** What the readers of a file have in common. */
function ofFile(name: string, file: FileHandle, size: number | undefined) {
  return {
    name,
    path: size === undefined ? undefined : name,
    size,
    checkSize: async () => (size === undefined ? undefined : checkSize(name, file, size)),
    close: () => file.close(),
  };
}

/**
 * The tables that a stream of bytes has, as {@link openPacked}. They are read in places, so that the stream is copied to a
 * temporary file first. If it is text, one reader of the same bytes.
 */
export async function unpackStream(
  reader: ByteReader,
  request: Omit<PackedRequest, 'size' | 'member'>,
): Promise<readonly ByteReader[]> {
  try {
    const start = (await take(reader.bytes, MAGIC_BYTES)).chunks;
    const first = Buffer.concat(start).subarray(0, MAGIC_BYTES);
    const bytes = concat(start, reader.bytes);
    if (!isPacked(first)) return [{ ...reader, bytes }];
    const file = await openTemporaryFile();
    try {
      for await (const chunk of bytes) {
        await file.appendFile(chunk).catch((error: unknown) => {
          throw temporaryFileProblem(error);
        });
      }
      const packed = await openPacked(first, reader.name, file, request);
      return packed ?? [stream(reader.name, file.createReadStream({ start: 0 }))];
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    await reader.close();
    throw error;
  }
}

async function* notEmpty(bytes: AsyncGenerator<Buffer>, name: string, sheet: string): AsyncGenerator<Buffer> {
  let isEmpty = true;
  for await (const chunk of bytes) {
    isEmpty = false;
    yield chunk;
  }
  if (!isEmpty) return;
  throw new ProblemError({
    code: 'input.empty',
    message: `The sheet "${sheet}" of '${name}' has no rows.`,
    where: `${name}:${sheet}`,
    hint: 'Name another sheet with --sheet.',
  });
}
