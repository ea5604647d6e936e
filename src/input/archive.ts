/** The files in a zip archive as inputs. Nothing is written under their names. */
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { ProblemError } from '../model/problem.ts';
import { type ByteReader, checkSize } from './byte-reader.ts';
import { isHidden, isSupported, SUPPORTED_EXTENSIONS } from './input-paths.ts';
import { type PackedRequest, unpackStream } from './packed.ts';
import type { ZipArchive, ZipMember } from './zip.ts';

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
export async function openArchive(
  name: string,
  file: FileHandle,
  zip: ZipArchive,
  { size, sheet, member }: PackedRequest,
): Promise<readonly ByteReader[]> {
  const { inputs, unread } = member === undefined ? listInputs(name, zip) : findMember(name, zip, member);
  let openReaders = inputs.length;
  const readers: ByteReader[] = [];
  for (const input of inputs) {
    const reader = await openMember(name, zip, input, sheet);
    readers.push({
      ...reader,
      path: size === undefined ? undefined : name,
      size,
      member: input.path,
      unread: readers.length === 0 ? unread : [],
      checkSize: async () => (size === undefined ? undefined : checkSize(name, file, size)),
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
  name: string,
  zip: ZipArchive,
  member: ZipMember,
  sheet: string | undefined,
): Promise<ByteReader> {
  const reader = memberReader(name, zip, member);
  try {
    const [unpacked = reader] = await unpackStream(reader, { sheet });
    return unpacked;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { ...reader, bytes: failing(error) };
  }
}

async function* failing(error: ProblemError): AsyncGenerator<Buffer> {
  yield await Promise.reject(error);
}

function memberReader(name: string, zip: ZipArchive, member: ZipMember): ByteReader {
  const bytes = zip.read(member);
  return {
    name: `${name}:${member.path}`,
    bytes,
    async close() {
      await bytes.return(undefined);
    },
  };
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
  if (found.length === 1) return { inputs: found, unread: [] };
  throw new ProblemError({
    code: 'input.missing',
    message:
      found.length > 1 ? `'${name}' contains two files named '${wanted}'.` : `'${name}' contains no file '${wanted}'.`,
    where: `${name}:${wanted}`,
    hint: `Its files are ${members
      .slice(0, MEMBERS_SHOWN)
      .map((each) => `'${each.path}'`)
      .join(', ')}${members.length > MEMBERS_SHOWN ? ', …' : ''}.`,
  });
}
