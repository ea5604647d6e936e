/** Refuses compound files ([MS-CFB]): old workbooks, and workbooks that are encrypted with a password. */
import type { FileHandle } from 'node:fs/promises';
import { ProblemError } from '../../model/problem.ts';

/** In the header: the size of a sector as a power of two, and the first sector of the directory. */
const SECTOR_SHIFT_AT = 30;
const DIRECTORY_AT = 48;
const HEADER_BYTES = 512;

/** The directory of a workbook has about ten entries of 128 bytes. */
const DIRECTORY_BYTES = 16 * 1024;

const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');
const WORD = Buffer.from('WordDocument', 'utf16le');

/** Why the compound file cannot be read, and what to do. */
export async function compoundFileProblem(name: string, file: FileHandle): Promise<ProblemError> {
  const header = Buffer.alloc(HEADER_BYTES);
  await file.read(header, 0, HEADER_BYTES, 0);
  const sector = 2 ** Math.min(header.readUInt16LE(SECTOR_SHIFT_AT), 16);
  const directory = Buffer.alloc(DIRECTORY_BYTES);
  await file.read(directory, 0, DIRECTORY_BYTES, (header.readUInt32LE(DIRECTORY_AT) + 1) * sector);
  if (directory.includes(ENCRYPTED)) {
    return new ProblemError({
      code: 'input.protected',
      message: `'${name}' is protected by a password, so it cannot be read.`,
      where: name,
      hint: 'Open it in Excel, choose File, Info, Protect Workbook, Encrypt with Password, delete the password, and save it. In LibreOffice: File, Save As, without "Save with password".',
    });
  }
  const isWord = directory.includes(WORD);
  return new ProblemError({
    code: 'input.binary',
    message: `'${name}' is ${isWord ? 'an old Word document (.doc)' : 'an old Excel workbook (.xls)'}, which cannot be read.`,
    where: name,
    hint: isWord
      ? 'Save the table in it as a CSV file and upload that.'
      : 'Open it in Excel or LibreOffice, save it as an Excel workbook (.xlsx), and upload that file.',
  });
}
