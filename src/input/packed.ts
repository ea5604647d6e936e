/**
 * Inputs that are packed: a sheet of a workbook, the rows of Parquet, the files in a zip archive. Reads them as text. Nothing is
 * written under the names in an archive.
 */
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { formatList } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import {
  type ByteReader,
  checkSize,
  concat,
  openTemporaryFile,
  stream,
  take,
  temporaryFileProblem,
} from './byte-reader.ts';
import { isHidden, isSupported, SUPPORTED_EXTENSIONS } from './input-paths.ts';
import { openParquet } from './parquet.ts';
import type { ZipArchive, ZipMember } from './zip.ts';

const ZIP = Buffer.from('PK\x03\x04');
const PARQUET = Buffer.from('PAR1');
const COMPOUND_FILE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
const MAGIC_BYTES = 4;

/** What to read of a packed file. */
export interface PackedRequest {
  readonly sheet: string | undefined;
  /** The file to read of an archive, or the sheet of a workbook. Default: all that are inputs. */
  readonly member?: string | undefined;
}

/** A file whose bytes can be read at any place. */
interface PackedFile {
  readonly name: string;
  readonly handle: FileHandle;
  /** Absent for the copy of a stream. */
  readonly size: number | undefined;
}

/**
 * The inputs in a file. Undefined if it is text. The readers close the file.
 *
 * @throws ProblemError as openWorkbook, openZip, openParquet and openArchive
 */
export async function openPacked(
  name: string,
  handle: FileHandle,
  size: number,
  request: PackedRequest,
): Promise<readonly ByteReader[] | undefined> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAGIC_BYTES), 0, MAGIC_BYTES, 0);
  return unpack({ name, handle, size }, buffer.subarray(0, bytesRead), request, true);
}

/** @param opensArchive whether an archive that is no workbook is opened: not if it is in an archive */
async function unpack(
  file: PackedFile,
  first: Buffer,
  request: PackedRequest,
  opensArchive: boolean,
): Promise<readonly ByteReader[] | undefined> {
  const { name, handle } = file;
  if (first.equals(COMPOUND_FILE)) {
    throw await (await import('./open-workbook.ts')).compoundFileProblem(name, handle);
  }
  if (first.equals(PARQUET)) return [await openParquetRows(file)];
  if (!first.equals(ZIP)) return undefined;
  const { openZip } = await import('./zip.ts');
  const zip = await openZip(name, handle);
  const sheet = await openSheet(file, zip, request);
  if (sheet !== undefined) return [sheet];
  return opensArchive ? openArchive(file, zip, request) : undefined;
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
  return {
    ...ofFile(file),
    name: `${file.name}:${table.sheet}`,
    member,
    table,
    bytes: notEmpty(encode(text), file.name, table.sheet),
  };
}

async function openParquetRows(file: PackedFile): Promise<ByteReader> {
  const { name, handle, size } = file;
  const { text, columns, close } = await openParquet(name, handle, size ?? (await handle.stat()).size);
  return {
    ...ofFile(file),
    bytes: encode(text),
    table: { format: 'parquet', columns },
    async close() {
      await close();
      await handle.close();
    },
  };
}

async function* encode(text: AsyncGenerator<string>): AsyncGenerator<Buffer> {
  for await (const piece of text) yield Buffer.from(piece);
}

/** What the readers of a file have in common. */
function ofFile({ name, handle, size }: PackedFile) {
  return {
    name,
    path: size === undefined ? undefined : name,
    size,
    checkSize: async () => (size === undefined ? undefined : checkSize(name, handle, size)),
    close: () => handle.close(),
  };
}

/**
 * The inputs in a stream of bytes, as {@link openPacked}. They are read in places, so that the stream is copied to a
 * temporary file first. If it is text, one reader of the same bytes.
 */
export async function unpackStream(
  reader: ByteReader,
  request: Pick<PackedRequest, 'sheet'>,
  opensArchive = true,
): Promise<readonly ByteReader[]> {
  try {
    const start = (await take(reader.bytes, MAGIC_BYTES)).chunks;
    const first = Buffer.concat(start).subarray(0, MAGIC_BYTES);
    const bytes = concat(start, reader.bytes);
    if (![ZIP, PARQUET, COMPOUND_FILE].some((magic) => first.equals(magic))) return [{ ...reader, bytes }];
    const handle = await openTemporaryFile();
    try {
      for await (const chunk of bytes) {
        await handle.appendFile(chunk).catch((error: unknown) => {
          throw temporaryFileProblem(error);
        });
      }
      const packed = await unpack({ name: reader.name, handle, size: undefined }, first, request, opensArchive);
      return packed ?? [stream(reader.name, handle.createReadStream({ start: 0 }))];
    } catch (error) {
      await handle.close();
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

/** Each input has a head in memory. */
const MAX_INPUTS = 1000;

/** Names in a message. */
const MEMBERS_SHOWN = 10;

/** Documents that are zip archives, by one of their files. */
const DOCUMENTS: readonly { readonly file: RegExp; readonly name: string }[] = [
  { file: /^mimetype$/, name: 'an OpenDocument file' },
  { file: /^word\//, name: 'a Word document (.docx)' },
  { file: /^ppt\//, name: 'a PowerPoint presentation (.pptx)' },
  { file: /^Index\/.*\.iwa$/, name: 'an Apple Numbers or Pages document' },
];

/**
 * A reader for each file in the archive that is an input: those that would be read of a folder, in any of its folders. The
 * last one that is closed closes the archive.
 *
 * @throws ProblemError `input.binary`, `input.folder`, `input.missing`, `input.container`
 */
async function openArchive(
  file: PackedFile,
  zip: ZipArchive,
  { sheet, member }: PackedRequest,
): Promise<readonly ByteReader[]> {
  const { name, handle } = file;
  const outer = ofFile(file);
  const { inputs, unread } = member === undefined ? listInputs(name, zip) : findMember(name, zip, member);
  let openReaders = inputs.length;
  const readers: ByteReader[] = [];
  for (const input of inputs) {
    const reader = await openMember(name, zip, input, sheet);
    readers.push({
      ...reader,
      path: outer.path,
      size: outer.size,
      checkSize: outer.checkSize,
      member: input.path,
      unread: readers.length === 0 ? unread : [],
      async close() {
        await reader.close();
        openReaders -= 1;
        if (openReaders === 0) await handle.close();
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
  const name = `${archive}:${member.path}`;
  const bytes = zip.read(member);
  const reader: ByteReader = {
    name,
    bytes,
    async close() {
      await bytes.return(undefined);
    },
  };
  try {
    const [unpacked = reader] = await unpackStream(reader, { sheet }, false);
    return unpacked;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { ...reader, bytes: failing(error) };
  }
}

async function* failing(error: ProblemError): AsyncGenerator<Buffer> {
  yield await Promise.reject(error);
}

interface Selection {
  readonly inputs: readonly ZipMember[];
  /** With the archive's name. */
  readonly unread: readonly string[];
}

function listInputs(name: string, { members }: ZipArchive): Selection {
  const document = DOCUMENTS.find(({ file }) => members.some((member) => file.test(member.path)));
  if (document !== undefined) {
    throw new ProblemError({
      code: 'input.binary',
      message: `'${name}' is ${document.name}, which cannot be read.`,
      where: name,
      hint: 'Save its table as CSV UTF-8 (in LibreOffice: File, Save As, "Text CSV"; in Numbers: File, Export To, CSV), and upload that file.',
    });
  }
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
