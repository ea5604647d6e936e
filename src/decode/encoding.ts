/**
 * What an input's first bytes say about the whole: text in UTF-8, or something that this program does not read.
 * Other encodings are refused with what to do; they belong to the issue about recognising inputs.
 */
import { ProblemError } from '../model/problem.ts';
import type { Head } from './format.ts';

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** In this order: the mark of UTF-32 in little-endian order begins with that of UTF-16. */
const FOREIGN_MARKS: readonly { readonly mark: Buffer; readonly name: string }[] = [
  { mark: Buffer.from([0xff, 0xfe, 0, 0]), name: 'UTF-32' },
  { mark: Buffer.from([0, 0, 0xfe, 0xff]), name: 'UTF-32' },
  { mark: Buffer.from([0xff, 0xfe]), name: 'UTF-16' },
  { mark: Buffer.from([0xfe, 0xff]), name: 'UTF-16' },
];

const UNPACK = 'Unpack it first, or pipe it in: `gunzip -c FILE.gz | signals upload -`.';
const EXPORT = 'Open it in the program that made it, save it as CSV UTF-8, and upload that file.';

const BINARIES: readonly { readonly magic: Buffer; readonly name: string; readonly hint: string }[] = [
  { magic: Buffer.from([0x1f, 0x8b]), name: 'compressed with gzip', hint: UNPACK },
  { magic: Buffer.from('PK\x03\x04'), name: 'a zip archive or an Excel workbook (.xlsx)', hint: EXPORT },
  { magic: Buffer.from('PK\x05\x06'), name: 'an empty zip archive', hint: EXPORT },
  { magic: Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), name: 'an old Excel workbook (.xls)', hint: EXPORT },
  { magic: Buffer.from('%PDF-'), name: 'a PDF document', hint: EXPORT },
];

/** How much of the head is searched for the zero bytes of UTF-16. */
const SAMPLE_BYTES = 4096;

/**
 * Takes off the byte order mark of UTF-8, which is no data.
 *
 * @throws ProblemError `input.encoding`, `input.binary`, `input.empty` (nothing but white space).
 */
export function readHead(input: { name: string; head: Buffer; headIsAll: boolean }): Head {
  const { name, head } = input;
  const binary = BINARIES.find(({ magic }) => startsWith(head, magic));
  if (binary !== undefined) {
    throw new ProblemError({
      code: 'input.binary',
      message: `'${name}' is ${binary.name}; expected CSV or NDJSON text.`,
      where: name,
      hint: binary.hint,
    });
  }
  const foreign = FOREIGN_MARKS.find(({ mark }) => startsWith(head, mark))?.name ?? zeroPattern(head);
  if (foreign !== undefined) {
    throw new ProblemError({
      code: 'input.encoding',
      message: `'${name}' is text in ${foreign}; expected UTF-8.`,
      where: name,
      hint: 'Save it as CSV UTF-8 (in Excel: Save As, "CSV UTF-8 (Comma delimited)").',
    });
  }
  const marked = startsWith(head, UTF8_BOM);
  const bytes = marked ? head.subarray(UTF8_BOM.length) : head;
  if (input.headIsAll && bytes.every(isWhite)) {
    throw new ProblemError({
      code: 'input.empty',
      message: `'${name}' has nothing in it but ${bytes.length > 0 ? 'blank lines' : 'a byte order mark'}.`,
      where: name,
      hint: 'Check that the export that made it has finished.',
    });
  }
  return {
    name,
    bytes,
    offset: head.length - bytes.length,
    whole: input.headIsAll,
    encoding: marked ? 'UTF-8 with BOM' : 'UTF-8',
  };
}

/** Space, tab, and the bytes of line ends. */
export function isWhite(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.subarray(0, prefix.length).equals(prefix);
}

/** UTF-16 and UTF-32 without a mark: of Latin letters, every second byte or three of four are zero. */
function zeroPattern(head: Buffer): string | undefined {
  const sample = head.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0, 0, 0];
  for (const [index, byte] of sample.entries()) {
    if (byte === 0) zeros[index % 4] = (zeros[index % 4] ?? 0) + 1;
  }
  const often = zeros.filter((number) => number > sample.length / 8).length;
  if (often === 3) return 'UTF-32';
  return often === 2 ? 'UTF-16' : undefined;
}
