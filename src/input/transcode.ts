/**
 * Names of encodings (WHATWG Encoding), conversion to UTF-8, and text of bytes that are not UTF-8 for messages. An undecodable byte
 * becomes an invalid UTF-8 sequence, so that the row fails: a replacement character could be sent as data.
 */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { cut, FOUND_LIMIT, LINE_FEED } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import { type BrokenRow, type Issue, RAW_LIMIT } from '../model/row.ts';
import type { RowBounds } from './decode-types.ts';

export interface Transcoder {
  push(chunk: Uint8Array): Buffer;
  /** The remaining bytes. Call once, after the last push. */
  end(): Buffer;
}

/** In streams, Node throws for some bytes of encodings of several bytes per character: they are decoded by lines. */
const MULTI_BYTE: readonly string[] = ['big5', 'euc-jp', 'euc-kr', 'gb18030', 'gbk', 'iso-2022-jp', 'shift_jis'];

const EMPTY: Buffer = Buffer.alloc(0);
const LINE_LIMIT = 1024 * 1024;

/** @param encoding a WHATWG name other than `utf-8` */
export async function* transcode(chunks: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<Uint8Array> {
  const transcoder = createTranscoder(encoding);
  for await (const chunk of chunks) yield transcoder.push(chunk);
  yield transcoder.end();
}

export function createTranscoder(encoding: string): Transcoder {
  if (encoding === 'windows-1252') return { push: (chunk) => encode(windows1252(chunk)), end: () => EMPTY };
  const decoder = new TextDecoder(encoding);
  if (!MULTI_BYTE.includes(encoding)) {
    return { push: (chunk) => encode(decoder.decode(chunk, { stream: true })), end: () => encode(decoder.decode()) };
  }
  let rest = EMPTY;
  return {
    push(chunk) {
      const bytes = Buffer.concat([rest, chunk]);
      // In each of these encodings the byte 0x0a is always a line feed.
      const lines = Math.max(bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(0x0d)) + 1;
      const length = lines === 0 && bytes.length > LINE_LIMIT ? bytes.length : lines;
      // A copy: the chunk's memory may be reused.
      rest = Buffer.from(bytes.subarray(length));
      return encode(decodeLines(bytes.subarray(0, length), decoder));
    },
    end: () => encode(decodeLines(rest, decoder)),
  };
}

/** As UTF-8; and the invalid sequence that takes its place. */
const REPLACEMENT = Buffer.from('\ufffd');
const UNDECODABLE = Buffer.from([0xff, ...REPLACEMENT.subarray(1)]);

function encode(text: string): Buffer {
  return replaced(Buffer.from(text), REPLACEMENT, UNDECODABLE);
}

function replaced(bytes: Buffer, sequence: Buffer, by: Buffer): Buffer {
  for (let at = bytes.indexOf(sequence); at >= 0; at = bytes.indexOf(sequence, at + by.length)) by.copy(bytes, at);
  return bytes;
}

function decodeLines(bytes: Buffer, decoder: InstanceType<typeof TextDecoder>): string {
  const text = decoder.decode(bytes);
  if (!text.includes('\ufffd')) return text;
  // The end of a damaged line could be taken for a part of its last character. Blocks end at the same places.
  const parts = bytes.toString('latin1').split(/([\r\n])/);
  return parts.map((part) => decoder.decode(Buffer.from(part, 'latin1'))).join('');
}

/**
 * The characters of 0x80 to 0x9F in Windows-1252. Some versions of Node decode them as ISO 8859-1. The standard decodes the five
 * bytes without a character as control characters; here they are undecodable, because they show that the guess is wrong.
 */
const WINDOWS_1252 = '€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ';

function windows1252(chunk: Uint8Array): string {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (byte) => WINDOWS_1252.charAt(byte.charCodeAt(0) - 0x80));
}

const ALIASES: Readonly<Record<string, string>> = {
  ansi: 'windows-1252',
  'latin-1': 'windows-1252',
  utf16: 'utf-16le',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
};

/** The WHATWG name of an encoding. @throws ProblemError `option.encoding` if none has that label */
export function encodingNamed(label: string): string {
  const plain = label.trim().toLowerCase().replace(/\s+/g, '-');
  try {
    return new TextDecoder(ALIASES[plain] ?? plain).encoding;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ProblemError({
      code: 'option.encoding',
      message: `The encoding '${label.slice(0, 80)}' is not supported.`,
      hint: 'Common encodings are utf-8, utf-16le, windows-1252, iso-8859-2, windows-1251, shift_jis, gbk, big5, euc-kr. Convert others, such as cp437 or cp850, first: `iconv -f cp850 -t utf-8 FILE > NEW-FILE`.',
    });
  }
}

/** The usual name: `UTF-8`, `Windows-1252`, `ISO-8859-2`, `Mac OS Roman`, `shift_jis`. */
export function encodingTitle(name: string): string {
  if (/^(utf|iso|euc)-/.test(name)) return name.toUpperCase();
  if (name === 'macintosh') return 'Mac OS Roman';
  return name.replace(/^windows/, 'Windows');
}

/** Bytes of an excerpt for {@link RAW_LIMIT} characters: a UTF-16 unit has at most three bytes in UTF-8. */
export const EXCERPT_BYTES = 3 * RAW_LIMIT;

export function withoutCutCharacter(bytes: Buffer): Buffer {
  const last = bytes.subarray(-3);
  const lead = last.findLastIndex((byte) => byte >= 0xc0);
  return lead < 0 || isUtf8(last.subarray(lead)) ? bytes : bytes.subarray(0, lead - last.length);
}

/** The issue of a row with undecodable bytes. `encoding`: a WHATWG name. */
export function undecodableIssue(row: Buffer, encoding: string): Issue {
  return {
    code: 'encoding',
    found: `an undecodable byte at character ${row.toString().search(/\ufffd/) + 1}`,
    expected: `${encodingTitle(encoding)} text`,
    hint: 'If the file has another encoding, pass it, such as `--encoding windows-1252`.',
  };
}

export function boundsIssue(bytes: Buffer, { start, problem }: RowBounds, maxRowBytes: number): Issue {
  if (problem?.kind === 'size') {
    const limit = plural(maxRowBytes, 'byte');
    const hint = '`max_row_bytes` allows longer rows, and `max_bytes` longer records.';
    return { code: 'size', found: `a row of more than ${limit}`, expected: `at most ${limit}`, hint };
  }
  const from = bytes.subarray(Math.max(0, (problem?.at ?? start) - start));
  const found = cut(decodeFirst(from, 4 * FOUND_LIMIT), FOUND_LIMIT);
  if (problem?.kind === 'open') {
    const hint = 'Close the quote. If it is text, quote the cell and double it: "5"" disk".';
    return { code: 'quote', found, expected: 'a closing quote', hint };
  }
  const hint = 'Double a quote that is text inside a quoted cell: "the ""big"" one".';
  return { code: 'quote', found, expected: 'the delimiter or the end of the line after a closing quote', hint };
}

/**
 * A broken row as in the input, without its line end, cut at RAW_LIMIT characters: the issue says so. If it is not UTF-8, each byte
 * becomes the character of the same number (ISO 8859-1). What did not decode in another encoding becomes a replacement character.
 */
export function rawRow(row: Buffer, { start, end }: RowBounds, issue: Issue): Pick<BrokenRow, 'issue' | 'raw'> {
  const text = decodeFirst(row, EXCERPT_BYTES);
  const raw = cut(text, RAW_LIMIT, '');
  if (raw.length === text.length && row.length === end - start && row.length <= EXCERPT_BYTES) return { issue, raw };
  const mark = `The rejects file has only the first ${plural(raw.length, 'character')} of this row.`;
  return { issue: { ...issue, hint: issue.hint === undefined ? mark : `${issue.hint} ${mark}` }, raw };
}

function decodeFirst(row: Buffer, limit: number): string {
  const lineFeed = row.at(-1) === LINE_FEED ? 1 : 0;
  const carriageReturn = row[row.length - lineFeed - 1] === 0x0d ? 1 : 0;
  const line = row.subarray(0, row.length - lineFeed - carriageReturn);
  const bytes = line.length < limit ? line : withoutCutCharacter(line.subarray(0, limit));
  if (isUtf8(bytes)) return bytes.toString();
  const decoded = replaced(Buffer.from(bytes), UNDECODABLE, REPLACEMENT);
  return decoded.toString(isUtf8(decoded) ? 'utf8' : 'latin1');
}
