/**
 * What an input's first bytes say about the whole: which encoding its text has, or that it is no text that this
 * program reads. A byte order mark, the zero bytes of UTF-16 and strict UTF-8 are proof; anything else is a guess,
 * and a guess must be declared (`--encoding`) or agreed to before anything is sent.
 */
import { isUtf8 } from 'node:buffer';
import { cut } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { type Encoding, encodingNamed, encodingTitle, UTF_8, UTF_16BE, UTF_16LE } from './encoding-labels.ts';
import type { EncodingGuess, Head } from './format.ts';
import { createTranscoder } from './transcode.ts';
import { firstBadByte } from './utf8-text.ts';
import { describeZip } from './zip.ts';

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const LITTLE_BOM = Buffer.from([0xff, 0xfe]);
const BIG_BOM = Buffer.from([0xfe, 0xff]);

/** To be looked for first: the mark of UTF-32 in little-endian order begins with that of UTF-16. */
const UTF32_BOMS: readonly Buffer[] = [Buffer.from([0xff, 0xfe, 0, 0]), Buffer.from([0, 0, 0xfe, 0xff])];

const UNPACK = 'Unpack it first, and upload what is in it.';
const EXPORT = 'Open it in the program that made it, save it as CSV UTF-8, and upload that file.';

const BINARIES: readonly { readonly magic: Buffer; readonly name: string; readonly hint: string }[] = [
  { magic: Buffer.from([0x1f, 0x8b]), name: 'compressed twice', hint: UNPACK },
  { magic: Buffer.from('PK\x05\x06'), name: 'an empty zip archive', hint: EXPORT },
  { magic: Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), name: 'an old Excel workbook (.xls)', hint: EXPORT },
  { magic: Buffer.from('BZh'), name: 'compressed with bzip2', hint: UNPACK },
  { magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), name: 'compressed with xz', hint: UNPACK },
  { magic: Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]), name: 'a 7-Zip archive', hint: UNPACK },
  {
    magic: Buffer.from('PAR1'),
    name: 'a Parquet file',
    hint: 'Export it as CSV or NDJSON, and upload that file.',
  },
  { magic: Buffer.from('%PDF-'), name: 'a PDF document', hint: EXPORT },
];

/** How much of the head is searched for the zero bytes of UTF-16. */
const SAMPLE_BYTES = 4096;

/** The beginning of an NDJSON rejects file of this program, which is UTF-8 whatever its input was. */
const OWN_REJECTS = /^\{"_line":\d+,"_reason":"/;

/** How many cells show what a guess makes of the text, and how long each may be. */
const GUESS_CELLS = 3;
const GUESS_CHARACTERS = 40;

/**
 * The input's beginning as UTF-8, without its byte order mark, which is no data. `declared` is what the user
 * says; only a mark in the input itself says it better.
 *
 * @throws ProblemError `input.encoding`, `input.binary`, `input.empty` (nothing but white space),
 * `option.encoding`.
 */
export function readHead(
  input: { readonly name: string; readonly head: Buffer; readonly headIsWhole: boolean },
  declared?: string,
): Head {
  const { name, head, headIsWhole } = input;
  refuseBinary(name, head);
  const { encoding, title: said, guessed, alsoUtf8 } = encodingOf(name, head, headIsWhole, declared);
  const offset = encoding.kind === 'utf-8' && startsWith(head, UTF8_BOM) ? UTF8_BOM.length : 0;
  const bytes = encoding.kind === 'utf-8' ? head.subarray(offset) : decodedHead(head, headIsWhole, encoding);
  if (headIsWhole && bytes.every(isWhite)) {
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
    offset,
    whole: headIsWhole,
    encoding: said,
    encodingName: encoding.name,
    ...(guessed ? { guessed: { encoding: encoding.name, cells: foreignCells(bytes) } } : {}),
    ...(alsoUtf8 ? { alsoUtf8 } : {}),
  };
}

/** What to do about a guess that nobody has agreed to. */
export function guessProblem(name: string, { encoding, cells }: EncodingGuess): ProblemError {
  const shown = cells.map((cell) => `"${cell}"`).join(', ');
  return new ProblemError({
    code: 'input.encoding',
    message: `'${name}' is not UTF-8. It is probably ${encodingTitle(encoding)}, and then reads ${shown}; expected to be told.`,
    where: name,
    hint: `If that reads right, run the command again with \`--encoding ${encoding}\`; if not, name the right one (windows-1250, windows-1251, macintosh, shift_jis, gbk, …), or save the file as CSV UTF-8.`,
  });
}

interface EncodingFinding {
  readonly encoding: Encoding;
  /** As it is told to the user. */
  readonly title: string;
  readonly guessed?: boolean;
  readonly alsoUtf8?: true;
}

function encodingOf(
  name: string,
  head: Buffer,
  whole: boolean,
  declared: string | undefined,
): EncodingFinding {
  const asked = declared === undefined ? undefined : encodingNamed(declared);
  if (UTF32_BOMS.some((mark) => startsWith(head, mark))) throw utf32(name);
  if (startsWith(head, UTF8_BOM)) return { encoding: UTF_8, title: 'UTF-8 with BOM' };
  if (startsWith(head, LITTLE_BOM)) return { encoding: UTF_16LE, title: 'UTF-16LE with BOM' };
  if (startsWith(head, BIG_BOM)) return { encoding: UTF_16BE, title: 'UTF-16BE with BOM' };
  if (OWN_REJECTS.test(head.toString('latin1', 0, 200))) return found(UTF_8);
  const zeros = zeroPattern(head);
  if (asked !== undefined) {
    // UTF-16 without its order means the order that the zero bytes show.
    if (asked.kind === 'utf-16' && zeros !== undefined && zeros !== 'utf-32') return found(zeros);
    const both = asked.kind !== 'utf-8' && asked.kind !== 'utf-16' && readsAsUtf8(head, whole);
    return both
      ? {
          encoding: asked,
          title: `${encodingTitle(asked.name)} (as declared, although it reads as UTF-8)`,
          alsoUtf8: true,
        }
      : found(asked);
  }
  if (zeros === 'utf-32') throw utf32(name);
  if (zeros !== undefined) return found(zeros);
  if (isMostlyUtf8(head, whole)) return found(UTF_8);
  const guess = encodingNamed('windows-1252');
  const text = decodedHead(head, whole, guess);
  if (firstBadByte(text) >= 0) throw unknown(name);
  return { ...found(guess), guessed: true };
}

function found(encoding: Encoding): EncodingFinding {
  return { encoding, title: encodingTitle(encoding.name) };
}

function decodedHead(head: Buffer, whole: boolean, encoding: Encoding): Buffer {
  const through = createTranscoder(encoding);
  const bytes = through.push(head);
  return whole ? Buffer.concat([bytes, through.end()]) : bytes;
}

/**
 * UTF-8, or UTF-8 with some bytes that are not: where characters of several bytes are well-formed, and outnumber
 * the bytes that are not, the rest is damage. Text in another encoding hardly ever has one.
 */
function isMostlyUtf8(head: Buffer, whole: boolean): boolean {
  if (isUtf8Throughout(head, whole)) return true;
  const { characters, bad } = countUtf8(head, whole);
  return bad === 0 || characters > bad;
}

/** Quick, for what most inputs are: UTF-8, but for a character that the head's end may cut. */
function isUtf8Throughout(head: Buffer, whole: boolean): boolean {
  if (isUtf8(head)) return true;
  const bad = whole
    ? -1
    : firstBadByte(
        head,
        Math.max(
          0,
          head.findLastIndex((byte) => byte >= 0xc2),
        ),
      );
  return bad > head.length - 4 && (head[bad] ?? 0) >= 0xc2 && isUtf8(head.subarray(0, bad));
}

/** Strict UTF-8 with at least one character beyond ASCII. */
function readsAsUtf8(head: Buffer, whole: boolean): boolean {
  const { characters, bad } = countUtf8(head, whole);
  return characters > 0 && bad === 0;
}

/** Characters of several bytes, and stretches of bytes that belong to none. */
function countUtf8(head: Buffer, whole: boolean): { characters: number; bad: number } {
  let characters = 0;
  let bad = 0;
  let behind = -1;
  for (let start = 0; start < head.length; ) {
    const index = firstBadByte(head, start);
    const end = index < 0 ? head.length : index;
    for (let at = start; at < end; at += 1) if ((head[at] ?? 0) >= 0xc2) characters += 1;
    // The head's end may cut a character.
    if (index < 0 || (!whole && head.length - index < 4 && (head[index] ?? 0) >= 0xc2)) break;
    if (index !== behind) bad += 1;
    start = index + 1;
    behind = start;
  }
  return { characters, bad };
}

/** The first different cells that hold a character beyond ASCII, in any format. */
function foreignCells(text: Buffer): readonly string[] {
  const cells = new Set<string>();
  for (const piece of text.toString('utf8').split(/[,;|^\t\r\n"{}[\]]+/)) {
    const cell = piece.trim();
    if (/[^\0-\x7f]/.test(cell)) cells.add(cut(cell, GUESS_CHARACTERS));
    if (cells.size === GUESS_CELLS) break;
  }
  return [...cells];
}

function refuseBinary(name: string, head: Buffer): void {
  const binary = describeZip(head) ?? BINARIES.find(({ magic }) => startsWith(head, magic));
  if (binary === undefined) return;
  throw new ProblemError({
    code: 'input.binary',
    message: `'${name}' is ${binary.name}; expected CSV, NDJSON or JSON text.`,
    where: name,
    hint: binary.hint,
  });
}

function utf32(name: string): ProblemError {
  return new ProblemError({
    code: 'input.encoding',
    message: `'${name}' is text in UTF-32, which this program does not read; expected UTF-8.`,
    where: name,
    hint: 'Save it as CSV UTF-8 (in Excel: Save As, "CSV UTF-8 (Comma delimited)").',
  });
}

function unknown(name: string): ProblemError {
  return new ProblemError({
    code: 'input.encoding',
    message: `'${name}' is neither UTF-8 nor Windows-1252 text; expected to be told its encoding.`,
    where: name,
    hint: 'Name it with `--encoding` (windows-1251, macintosh, shift_jis, gbk, big5, euc-kr, …), or save the file as CSV UTF-8.',
  });
}

/** Space, tab, and the bytes of line ends. */
export function isWhite(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.subarray(0, prefix.length).equals(prefix);
}

/**
 * UTF-16 and UTF-32 without a mark: of Latin letters, digits, delimiters and line ends, one byte of two or three
 * of four are zero. A zero byte here and there is data, and so is one that stands now at an odd place and now at
 * an even one.
 */
function zeroPattern(head: Buffer): Encoding | 'utf-32' | undefined {
  const sample = head.subarray(0, SAMPLE_BYTES);
  if (!sample.includes(0)) return undefined;
  const zeros = [0, 0, 0, 0];
  for (const [index, byte] of sample.entries()) {
    if (byte === 0) zeros[index % 4] = (zeros[index % 4] ?? 0) + 1;
  }
  if (zeros.filter((number) => number > sample.length / 8).length === 3) return 'utf-32';
  const [a = 0, b = 0, c = 0, d = 0] = zeros;
  const even = a + c;
  const odd = b + d;
  if (Math.max(even, odd) <= sample.length / 16 || 8 * Math.min(even, odd) > Math.max(even, odd)) {
    return undefined;
  }
  return odd > even ? UTF_16LE : UTF_16BE;
}
