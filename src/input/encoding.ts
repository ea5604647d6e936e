/**
 * Detects the encoding of an input from its first bytes, and refuses inputs that are not text. A byte order mark, the zero bytes of
 * UTF-16 and strict UTF-8 are proof; the user must declare or confirm anything else before anything is sent.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { cut } from '../lib/text.ts';
import { count } from '../lib/units.ts';
import { formatNames } from '../model/input-format.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { rejectsFormat } from '../model/rejects-file.ts';
import type { EncodingGuess, Head } from './decode-types.ts';
import { createTranscoder, encodingNamed, encodingTitle, withoutCutCharacter } from './transcode.ts';

const MARKS: readonly { readonly bytes: Buffer; readonly encoding: string }[] = [
  { bytes: Buffer.from([0xef, 0xbb, 0xbf]), encoding: 'utf-8' },
  { bytes: Buffer.from([0xff, 0xfe]), encoding: 'utf-16le' },
  { bytes: Buffer.from([0xfe, 0xff]), encoding: 'utf-16be' },
];

const UNPACK = 'Unpack it, and upload the files in it.';
const EXPORT = 'Open it in the program that made it, save it as CSV UTF-8, and upload that file.';
const SAVE_AS_XLSX =
  'Open it in Excel or LibreOffice, save it as an Excel workbook (.xlsx) without a password, and upload that file.';

const BINARIES: readonly { magic: Buffer; at?: number; name: string; hint: string }[] = [
  { magic: Buffer.from([0x1f, 0x8b]), name: 'compressed twice', hint: UNPACK },
  { magic: Buffer.from('PK\x03\x04'), name: 'a zip archive in another file', hint: UNPACK },
  { magic: Buffer.from('PK\x05\x06'), name: 'an empty zip archive', hint: EXPORT },
  {
    magic: Buffer.from([0xd0, 0xcf, 0x11, 0xe0]),
    name: 'an old Excel workbook (.xls), or protected by a password',
    hint: SAVE_AS_XLSX,
  },
  { magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), name: 'compressed with Zstandard', hint: UNPACK },
  { magic: Buffer.from('BZh'), name: 'compressed with bzip2', hint: UNPACK },
  { magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), name: 'compressed with xz', hint: UNPACK },
  { magic: Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]), name: 'a 7-Zip archive', hint: UNPACK },
  { magic: Buffer.from('PAR1'), name: 'a compressed Parquet file', hint: UNPACK },
  { magic: Buffer.from('PARE'), name: 'an encrypted Parquet file', hint: EXPORT },
  { magic: Buffer.from('%PDF-'), name: 'a PDF document', hint: EXPORT },
  { magic: Buffer.from('ustar'), at: 257, name: 'a tar archive', hint: UNPACK },
];

/** Many programs write HTML or XML, name it .xls, and leave it to Excel to open it. */
const MARKUP = /^\s*<(?:!doctype\s+html|html|head|body|table|meta|style)\b|^\s*<\?xml\b/iu;

/**
 * The input's beginning as UTF-8, without its byte order mark. A byte order mark overrides the `declared` encoding.
 *
 * @throws ProblemError `input.encoding`, `input.binary`, `input.empty` (only white space), `option.encoding`.
 */
export function readHead(
  input: { readonly name: string; readonly head: Buffer; readonly headIsWhole: boolean },
  declared?: string,
): Head {
  const { name, head, headIsWhole } = input;
  refuseBinary(name, head);
  const { encoding, title, guessed, alsoUtf8 } = detectEncoding(name, head, headIsWhole, declared);
  const bytes = decodedHead(head, headIsWhole, encoding);
  const isMarkup = MARKUP.test(bytes.toString('latin1', 0, 200));
  if (isMarkup) throw binaryProblem(name, { name: 'an HTML or XML document', hint: EXPORT });
  refuseZeros(name, bytes, title);
  if (headIsWhole && bytes.every(isWhite)) {
    throw new ProblemError({
      code: 'input.empty',
      message: `'${name}' contains only ${bytes.length > 0 ? 'blank lines' : 'a byte order mark'}.`,
      where: name,
      hint: 'Check that the export that made it has finished.',
    });
  }
  return {
    name,
    bytes,
    offset: encoding === 'utf-8' ? head.length - bytes.length : 0,
    whole: headIsWhole,
    encoding: title,
    encodingName: encoding,
    guessed: guessed ? { encoding, cells: nonAsciiCells(bytes) } : undefined,
    alsoUtf8,
  };
}

interface EncodingFinding {
  readonly encoding: string;
  readonly title: string;
  readonly guessed?: boolean;
  readonly alsoUtf8?: true;
}

function detectEncoding(name: string, head: Buffer, whole: boolean, declared: string | undefined): EncodingFinding {
  const requested = declared === undefined ? undefined : encodingNamed(declared);
  const marked = MARKS.find(({ bytes }) => startsWith(head, bytes))?.encoding;
  if (marked !== undefined) return { encoding: marked, title: `${encodingTitle(marked)} with BOM` };
  // Those of a spreadsheet may have been saved in another encoding since.
  if (rejectsFormat(head.toString('latin1', 0, 200)) === 'ndjson') return found('utf-8');
  const zeros = zeroPattern(head);
  const text = whole ? head : withoutCutCharacter(head);
  if (requested !== undefined) {
    // The zero bytes show the byte order of UTF-16 if the declared name does not.
    if (requested.startsWith('utf-16')) return found(zeros ?? requested);
    if (requested === 'utf-8' || !isUtf8(text) || isAscii(text)) return found(requested);
    const title = `${encodingTitle(requested)} (as declared, although it is valid UTF-8)`;
    return { encoding: requested, title, alsoUtf8: true };
  }
  if (zeros !== undefined) return found(zeros);
  if (isMostlyUtf8(text)) return found('utf-8');
  const guess = 'windows-1252';
  if (!isUtf8(decodedHead(head, whole, guess))) {
    throw new ProblemError({
      code: 'input.encoding',
      message: `'${name}' is neither UTF-8 nor Windows-1252 text.`,
      where: name,
      hint: 'Pass its encoding with `--encoding` (windows-1251, macintosh, shift_jis, gbk, big5, euc-kr, …), or save the file as CSV UTF-8.',
    });
  }
  return { ...found(guess), guessed: true };
}

function found(encoding: string): EncodingFinding {
  return { encoding, title: encodingTitle(encoding) };
}

function decodedHead(head: Buffer, whole: boolean, encoding: string): Buffer {
  if (encoding === 'utf-8') return head.subarray(startsWith(head, Buffer.from('\ufeff')) ? 3 : 0);
  const transcoder = createTranscoder(encoding);
  const bytes = transcoder.push(head);
  return whole ? Buffer.concat([bytes, transcoder.end()]) : bytes;
}

export function refuseBinary(name: string, head: Buffer): void {
  const binary = BINARIES.find(({ magic, at = 0 }) => startsWith(head.subarray(at), magic));
  if (binary !== undefined) throw binaryProblem(name, binary);
}

export function binaryProblem(name: string, found: { readonly name: string; readonly hint: string }): ProblemError {
  return new ProblemError({
    code: 'input.binary',
    message: `'${name}' is ${found.name}; expected a table as ${formatNames('or')}.`,
    where: name,
    hint: found.hint,
  });
}

export function isWhite(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.subarray(0, prefix.length).equals(prefix);
}

const SAMPLE_BYTES = 4096;

/** UTF-16 without a byte order mark: of Latin letters, one byte of two is zero. Zeros at both odd and even offsets are data. */
function zeroPattern(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const sample = head.subarray(0, SAMPLE_BYTES);
  const even = sample.filter((byte, index) => byte === 0 && index % 2 === 0).length;
  const odd = sample.filter((byte, index) => byte === 0 && index % 2 === 1).length;
  const most = Math.max(even, odd);
  if (most <= sample.length / 4 || 8 * Math.min(even, odd) > most) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

const MIN_ZEROS = 8;

/** Share of zeros from which on a text is not what it was taken for. Half of the bytes of misread UTF-16 are zero. */
const MAX_SHARE = 0.1;

/** Refuses text in which many characters are U+0000: it is in another encoding, padded, or not text. A few are data. */
function refuseZeros(name: string, text: Buffer, title: string): void {
  if (!text.includes(0)) return;
  const zeros = text.filter((byte) => byte === 0).length;
  if (zeros < MIN_ZEROS || zeros < MAX_SHARE * text.length) return;
  throw new ProblemError({
    code: 'input.encoding',
    message: `'${name}' does not read as ${title}: ${count(zeros)} of its first ${count(text.length)} bytes are zero, and text has hardly any.`,
    where: name,
    hint: "It is in another encoding, such as UTF-16 (`--encoding utf-16le`) or UTF-32, or not text. Save it again as CSV UTF-8. If the zeros only pad its cells, remove them: `tr -d '\\000' < FILE > NEW-FILE`.",
  });
}

const GUESS_CELLS = 3;
const GUESS_CHARACTERS = 40;

/** @param hasCommands whether commands with the guess follow */
export function guessProblem(name: string, { encoding, cells }: EncodingGuess, hasCommands = false): Problem {
  const ifRight = hasCommands ? 'use the commands below' : `run the command again with \`--encoding ${encoding}\``;
  const shown = cells.map((cell) => `"${cell}"`).join(', ');
  return {
    code: 'input.encoding',
    message: `'${name}' is not UTF-8. It is probably ${encodingTitle(encoding)}, in which it contains ${shown}; expected UTF-8 or \`--encoding\`.`,
    where: name,
    hint: `If that reads right, ${ifRight}. If not, pass the right encoding (windows-1250, windows-1251, macintosh, shift_jis, gbk, …), or save the file as CSV UTF-8.`,
  };
}

/** Possibly damaged: text in another encoding hardly ever contains a well-formed multi-byte character. */
function isMostlyUtf8(text: Buffer): boolean {
  if (isUtf8(text)) return true;
  const decoded = text.toString();
  const bad = decoded.match(/\ufffd+/g)?.length ?? 0;
  return (decoded.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0) > bad;
}

function nonAsciiCells(text: Buffer): readonly string[] {
  const cells = new Set<string>();
  for (const piece of text.toString('utf8').split(/[,;|^\t\r\n"{}[\]]+/)) {
    const cell = piece.trim();
    if (/[^\0-\x7f]/.test(cell)) cells.add(cut(cell, GUESS_CHARACTERS));
    if (cells.size === GUESS_CELLS) break;
  }
  return [...cells];
}
