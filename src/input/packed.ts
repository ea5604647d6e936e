/** Packed inputs as text. Nothing is written under the names in an archive. */
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { formatList } from '../lib/text.ts';
import type { PackedFormat } from '../model/input-format.ts';
import { ProblemError } from '../model/problem.ts';
import { type ByteReader, concat, copyToTemporaryFile, take } from './byte-reader.ts';
import { binaryProblem, refuseBinary } from './encoding.ts';
import { isHidden, isSupported, SUPPORTED_EXTENSIONS } from './input-paths.ts';
import { openParquet } from './parquet.ts';
import type { ZipArchive, ZipMember } from './zip.ts';

/** The first bytes of a file. Each zip archive may be a workbook. */
const MAGIC: Readonly<Record<PackedFormat, string>> = { xlsx: 'PK\x03\x04', parquet: 'PAR1' };
const MAGIC_BYTES = 4;

export interface PackedRequest {
  readonly sheet: string | undefined;
  /** The file to read of an archive, or the sheet of a workbook. Default: all that are inputs. */
  readonly member?: string | undefined;
}

type PackedFile = ByteReader & { readonly handle: FileHandle };

/**
 * The inputs in what a reader reads; if that is text, a reader of the same bytes. A packed stream is copied to a temporary file first.
 * Closes the reader if that fails.
 *
 * @param isInArchive whether an archive that is no workbook is refused
 * @throws ProblemError as openWorkbook, openZip, openParquet and openArchive; `input.missing` if a text has no member
 */
export async function unpack(
  reader: ByteReader,
  request: PackedRequest,
  isInArchive = false,
): Promise<readonly ByteReader[]> {
  const { name } = reader;
  try {
    const start = (await take(reader.bytes, MAGIC_BYTES)).chunks;
    const first = Buffer.concat(start).toString('latin1', 0, MAGIC_BYTES);
    const bytes = concat(start, reader.bytes);
    if (!Object.values(MAGIC).includes(first)) {
      if (request.member !== undefined) throw notArchive(name, request.member);
      return [{ ...reader, bytes }];
    }
    const { handle } = reader;
    if (handle !== undefined) return await openPacked({ ...reader, handle }, first, request, isInArchive);
    const copy = await copyToTemporaryFile(bytes);
    const file = { name, handle: copy, bytes, close: () => copy.close() };
    return await openPacked(file, first, request, isInArchive).catch(async (error: unknown) => {
      await copy.close();
      throw error;
    });
  } catch (error) {
    await reader.close();
    throw error;
  }
}

async function openPacked(
  file: PackedFile,
  first: string,
  request: PackedRequest,
  isInArchive: boolean,
): Promise<readonly ByteReader[]> {
  const { name, handle } = file;
  if (first === MAGIC.parquet) return [await openParquetRows(file)];
  const { openZip } = await import('./zip.ts');
  const zip = await openZip(name, handle);
  const sheet = await openSheet(file, zip, request);
  if (sheet !== undefined) return [sheet];
  if (isInArchive) refuseBinary(name, Buffer.from(first, 'latin1'));
  return openArchive(file, zip, request);
}

async function openSheet(
  file: PackedFile,
  zip: ZipArchive,
  { sheet, member }: PackedRequest,
): Promise<ByteReader | undefined> {
  const { openWorkbook } = await import('./open-workbook.ts');
  // `in.xlsx:Deals` is how messages name a sheet.
  const opened = await openWorkbook(file.name, zip, member ?? sheet);
  if (opened === undefined) return undefined;
  const { table, text } = opened;
  const name = `${file.name}:${table.sheet}`;
  return { ...file, name, member, table, bytes: encode(text) };
}

async function openParquetRows(file: PackedFile): Promise<ByteReader> {
  const { name, handle } = file;
  const { text, columns, close } = await openParquet(name, handle);
  return {
    ...file,
    bytes: encode(text),
    table: { format: 'parquet', columns },
    async close() {
      await close();
      await file.close();
    },
  };
}

async function* encode(text: AsyncGenerator<string>): AsyncGenerator<Buffer> {
  for await (const piece of text) yield Buffer.from(piece);
}

const MAX_INPUTS = 1000;

const MEMBERS_SHOWN = 10;

/**
 * A reader for each file in the archive that is an input: those that would be read of a folder, in any of its folders. The
 * last one that is closed closes the archive.
 *
 * @throws ProblemError `input.folder`, `input.missing`, `input.container`, `input.binary`
 */
async function openArchive(
  file: PackedFile,
  zip: ZipArchive,
  { sheet, member }: PackedRequest,
): Promise<readonly ByteReader[]> {
  const { name, path: filePath, size, handle } = file;
  const { inputs, unread } = member === undefined ? listInputs(name, zip) : findMember(name, zip, member);
  let openReaders = inputs.length;
  const readers: ByteReader[] = [];
  for (const input of inputs) {
    const reader = await openMember(name, zip, input, sheet);
    readers.push({
      ...reader,
      path: filePath,
      size,
      handle,
      member: input.path,
      unread: readers.length === 0 ? unread : [],
      async close() {
        await reader.close();
        openReaders -= 1;
        if (openReaders === 0) await file.close();
      },
    });
  }
  return readers;
}

/** If it cannot be opened, reading fails: so that the problems of all files are reported together. */
async function openMember(
  archive: string,
  zip: ZipArchive,
  member: ZipMember,
  sheet: string | undefined,
): Promise<ByteReader> {
  const bytes = zip.read(member);
  const reader: ByteReader = {
    name: `${archive}:${member.path}`,
    bytes,
    async close() {
      await bytes.return(undefined);
    },
  };
  const [unpacked = reader] = await unpack(reader, { sheet }, true).catch((error: unknown) => [
    { ...reader, bytes: failing(error) },
  ]);
  return unpacked;
}

async function* failing(error: unknown): AsyncGenerator<Buffer> {
  yield await Promise.reject(error);
}

function notArchive(file: string, member: string): ProblemError {
  return new ProblemError({
    code: 'input.missing',
    message: `File '${file}:${member}' does not exist, and '${file}' is no zip archive that could contain '${member}'.`,
    where: `${file}:${member}`,
    hint: 'Check the spelling. To upload the whole file, omit the colon and what follows.',
  });
}

/** Of Office, OpenDocument and Numbers. A workbook in a document is not its table. */
const DOCUMENT_PART = /^(?:\[Content_Types\]\.xml|mimetype|Index\/Document\.iwa)$/i;
const DOCUMENT = {
  name: 'a document, such as .docx, .ods or .numbers',
  hint: 'Open it, save its table as CSV UTF-8, and upload that file.',
};

interface Selection {
  readonly inputs: readonly ZipMember[];
  readonly unread: readonly string[];
}

function listInputs(name: string, { members }: ZipArchive): Selection {
  if (members.some((member) => DOCUMENT_PART.test(member.path))) throw binaryProblem(name, DOCUMENT);
  const visible = members.filter(
    (member) => !member.path.split('/').some((part) => isHidden(part) || part === '__MACOSX'),
  );
  const isInput = (member: ZipMember): boolean => !member.isLink && isSupported(path.posix.basename(member.path));
  const inputs = visible.filter(isInput);
  const unread = visible.filter((member) => !isInput(member)).map((member) => `${name}:${member.path}`);
  const repeated = inputs.find((member, index) => inputs.findIndex((other) => other.path === member.path) < index);
  if (repeated !== undefined || inputs.length > MAX_INPUTS) {
    throw new ProblemError({
      code: 'input.container',
      message:
        repeated === undefined
          ? `'${name}' contains ${inputs.length} files to read; at most ${MAX_INPUTS} are read.`
          : `'${name}' contains two files named '${repeated.path}'.`,
      where: name,
      hint: 'Unpack it, and upload the files in it.',
    });
  }
  if (inputs.length > 0) return { inputs, unread };
  throw new ProblemError({
    code: 'input.folder',
    message: `The archive '${name}' holds no supported file (${SUPPORTED_EXTENSIONS.join(', ')}).`,
    where: name,
    hint:
      unread[0] === undefined
        ? 'Check that the export has finished.'
        : `If it contains another archive, unpack it. To upload a file with another extension, name it: '${unread[0]}'.`,
  });
}

function findMember(name: string, { members }: ZipArchive, wanted: string): Selection {
  const found = members.filter(({ path: member }) => member === wanted);
  const paths = members.map((member) => member.path);
  if (found.length === 1) return { inputs: found, unread: [] };
  throw new ProblemError({
    code: 'input.missing',
    message:
      found.length > 1 ? `'${name}' contains two files named '${wanted}'.` : `'${name}' contains no file '${wanted}'.`,
    where: `${name}:${wanted}`,
    hint: `Its files are ${formatList(paths, "'", MEMBERS_SHOWN)}.`,
  });
}
