/**
 * Names of encodings (WHATWG Encoding), conversion to UTF-8, and text of bytes that are not UTF-8 for messages. The output does not depend on how the input is split into chunks.
 *
 * An undecodable byte becomes an invalid UTF-8 sequence, so that the row fails like a row of damaged UTF-8. A replacement
 * character could be sent as data.
 *
 * Memory: a character that is cut; for encodings of several bytes per character (Shift_JIS, GBK, …) an unfinished line,
 * of at most 1 MiB.
 */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { cut, FOUND_LIMIT } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { type Issue, RAW_LIMIT } from '../model/row.ts';

export interface Transcoder {
  push(chunk: Uint8Array): Buffer;
  /** The remaining bytes. Call once, after the last push. */
  end(): Buffer;
}

/** Encodings of several bytes per character; decoded by the platform. */
const MULTI_BYTE: readonly string[] = ['big5', 'euc-jp', 'euc-kr', 'gb18030', 'gbk', 'iso-2022-jp', 'shift_jis'];

const EMPTY = Buffer.alloc(0);
const LINE_LIMIT = 1024 * 1024;

/** Converts all chunks. @param encoding a WHATWG name other than `utf-8` */
export async function* transcode(chunks: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<Uint8Array> {
  const transcoder = createTranscoder(encoding);
  for await (const chunk of chunks) yield transcoder.push(chunk);
  yield transcoder.end();
}

/** @param encoding as of {@link transcode} */
export function createTranscoder(encoding: string): Transcoder {
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return utf16Transcoder(encoding === 'utf-16be');
  if (!MULTI_BYTE.includes(encoding)) return singleByteTranscoder(tableOf(encoding));
  return bufferedTranscoder(
    (bytes) => {
      // In each of these encodings the byte 0x0a is always a line feed, so lines can be decoded one by one.
      const lines = Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d)) + 1;
      return lines === 0 && bytes.length > LINE_LIMIT ? bytes.length : lines;
    },
    (bytes) => decodeLines(bytes, encoding),
  );
}

/** Decodes `decodable(bytes)` bytes of each chunk. The rest is decoded with the next chunk. */
function bufferedTranscoder(decodable: (bytes: Buffer) => number, decode: (bytes: Buffer) => Buffer): Transcoder {
  let rest: Buffer = EMPTY;
  return {
    push(chunk) {
      const bytes = Buffer.concat([rest, chunk]);
      const length = decodable(bytes);
      // A copy: the chunk's memory may be reused.
      rest = Buffer.from(bytes.subarray(length));
      return decode(bytes.subarray(0, length));
    },
    end: () => decode(rest),
  };
}

/** A byte that never occurs in UTF-8 (RFC 3629), then two bytes with four bits of `byte` each. None ends a row or a cell. */
function placeholderOf(byte: number): Buffer {
  return Buffer.from([0xff, 0x80 | (byte >> 4), 0x80 | (byte & 0x0f)]);
}

/** No character of an encoding of one byte per character has more. */
const PLACEHOLDER_BYTES = 3;

/** The byte of the placeholder at an index. Undefined if there is none. */
function undecodableByteAt(bytes: Uint8Array, index: number): number | undefined {
  const [first, high = 0, low = 0] = bytes.subarray(index, index + PLACEHOLDER_BYTES);
  return first === 0xff && high >> 4 === 0x8 && low >> 4 === 0x8 ? ((high & 0x0f) << 4) | (low & 0x0f) : undefined;
}

function singleByteTranscoder(table: readonly (Buffer | undefined)[]): Transcoder {
  const characters = Array.from({ length: 128 }, (_, index) => table[index] ?? placeholderOf(0x80 + index));
  return {
    push(chunk) {
      const out = Buffer.allocUnsafe(PLACEHOLDER_BYTES * chunk.length);
      let at = 0;
      for (let index = 0; index < chunk.length; index += 1) {
        const byte = chunk[index] ?? 0;
        if (byte < 0x80) {
          out[at] = byte;
          at += 1;
        } else {
          const character = characters[byte - 0x80] ?? EMPTY;
          out.set(character, at);
          at += character.length;
        }
      }
      return out.subarray(0, at);
    },
    end: () => EMPTY,
  };
}

/** An unpaired surrogate. What it splits has every second part. */
const LONE_SURROGATE = /([\ud800-\udfff])/u;

function utf16Transcoder(isBigEndian: boolean): Transcoder {
  let isStart = true;

  function decode(bytes: Buffer): Buffer {
    const units = bytes.subarray(0, bytes.length - (bytes.length % 2));
    let text = (isBigEndian ? Buffer.from(units).swap16() : units).toString('utf16le');
    if (isStart && text !== '') {
      isStart = false;
      if (text.startsWith('\ufeff')) text = text.slice(1);
    }
    const parts = text
      .split(LONE_SURROGATE)
      .map((part, index) => (index % 2 === 0 ? Buffer.from(part) : placeholders(Buffer.from(part, 'utf16le'))));
    // A unit is incomplete only at the end of the input.
    return Buffer.concat([...parts, ...Array.from(bytes.subarray(units.length), placeholderOf)]);
  }

  function placeholders(unit: Buffer): Buffer {
    return Buffer.concat(Array.from(isBigEndian ? unit.swap16() : unit, placeholderOf));
  }

  return bufferedTranscoder((bytes) => {
    const whole = bytes.length - (bytes.length % 2);
    const last = bytes[isBigEndian ? whole - 2 : whole - 1] ?? 0;
    // A high surrogate waits for the low one.
    return last >= 0xd8 && last < 0xdc ? whole - 2 : whole;
  }, decode);
}

function decodeLines(bytes: Buffer, name: string): Buffer {
  const whole = tryDecode(bytes, name);
  if (whole !== undefined) return whole;
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start) + 1 || bytes.length;
    const line = bytes.subarray(start, end);
    parts.push(tryDecode(line, name) ?? decodeByteByByte(line, name));
    start = end;
  }
  return Buffer.concat(parts);
}

function tryDecode(bytes: Buffer, name: string): Buffer | undefined {
  try {
    return Buffer.from(strictDecoder(name).decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Decodes a line with undecodable bytes. Byte by byte, because the decoder does not report where it failed. */
function decodeByteByByte(line: Buffer, name: string): Buffer {
  const parts: Buffer[] = [];
  let decoder = strictDecoder(name);
  /** Where the current character begins. */
  let start = 0;
  const next = (bytes: Uint8Array): string | undefined => {
    try {
      return decoder.decode(bytes, { stream: bytes.length > 0 });
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  };
  for (let at = 0; start < line.length; ) {
    const text = next(line.subarray(at, at + 1));
    if (text === undefined || (text === '' && at >= line.length)) {
      parts.push(placeholderOf(line[start] ?? 0));
      start += 1;
      decoder = strictDecoder(name);
      at = start;
      continue;
    }
    at += 1;
    if (text === '') continue;
    parts.push(Buffer.from(text));
    start = Math.min(at, line.length);
  }
  return Buffer.concat(parts);
}

function strictDecoder(name: string): TextDecoder {
  return new TextDecoder(name, { fatal: true, ignoreBOM: true });
}

/** Common names that the standard does not have. */
const ALIASES: Readonly<Record<string, string>> = {
  ansi: 'windows-1252',
  'latin-1': 'windows-1252',
  utf16: 'utf-16le',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
};

/**
 * The bytes 0x80 to 0x9F of Windows-1252. Some versions of Node decode them as ISO 8859-1. The standard decodes the five
 * bytes without a character as control characters; here they stay undefined, because they show that the guess is wrong.
 */
const WINDOWS_1252 = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';

/** The WHATWG name of an encoding. @throws ProblemError `option.encoding` if none has that label */
export function encodingNamed(label: string): string {
  // Also accepts "ISO 8859-2".
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

/** The UTF-8 of each byte from 0x80 in an encoding of one byte per character; undefined if the byte has no character. */
export function tableOf(name: string): readonly (Buffer | undefined)[] {
  return Array.from({ length: 128 }, (_, index) => {
    const character = characterOf(name, 0x80 + index);
    return character === undefined ? undefined : Buffer.from(character);
  });
}

function characterOf(name: string, byte: number): string | undefined {
  if (name === 'windows-1252') {
    const character = byte < 0xa0 ? WINDOWS_1252.charAt(byte - 0x80) : String.fromCharCode(byte);
    return character === '\0' ? undefined : character;
  }
  try {
    return new TextDecoder(name, { fatal: true }).decode(Uint8Array.of(byte));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Bytes of an excerpt for {@link RAW_LIMIT} characters: a UTF-16 unit has at most three bytes in UTF-8. */
export const EXCERPT_BYTES = 3 * RAW_LIMIT;

/** Index, from `from` on, of the first byte that is not part of a UTF-8 character (RFC 3629), or -1. */
export function firstBadByte(bytes: Buffer, from = 0): number {
  let index = from;
  for (;;) {
    const lead = bytes[index];
    if (lead === undefined) return -1;
    if (lead < 0x80) {
      index += 1;
      continue;
    }
    const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length === 0 || !isUtf8(bytes.subarray(index, index + length))) return index;
    index += length;
  }
}

/** The bytes without an incomplete last character. */
export function withoutCutCharacter(bytes: Buffer): Buffer {
  const last = bytes.subarray(-3);
  const lead = last.findLastIndex((byte) => byte >= 0xc0);
  return lead < 0 || isUtf8(last.subarray(lead)) ? bytes : bytes.subarray(0, lead - last.length);
}

/** The issue of a row with undecodable bytes. `encoding`: a WHATWG name. */
export function undecodableIssue(row: Buffer, encoding: string): Issue {
  const index = firstBadByte(row);
  const isForeign = encoding !== 'utf-8';
  const byte = (isForeign ? undecodableByteAt(row, index) : undefined) ?? row[index] ?? 0;
  const hex = byte.toString(16).toUpperCase().padStart(2, '0');
  return {
    code: 'encoding',
    found: `byte 0x${hex} at character ${row.toString('utf8', 0, index).length + 1}`,
    expected: `${encodingTitle(encoding)} text`,
    hint: isForeign
      ? 'If the file has another encoding, pass it with `--encoding`.'
      : 'This row is probably in Windows-1252. If the whole file is, use `--encoding windows-1252`.',
  };
}

/**
 * A broken row as in the input, without its line end, cut at RAW_LIMIT characters. A byte that is not UTF-8 becomes the
 * character of the same number (ISO 8859-1): every byte of a UTF-8 input, only the undecodable ones of another.
 */
export function rawText(row: Buffer): string {
  return cut(decodeFirst(row, EXCERPT_BYTES), RAW_LIMIT, '');
}

/** A short excerpt for an issue, cut at FOUND_LIMIT characters with `…`. */
export function excerptOfBytes(bytes: Buffer): string {
  return cut(decodeFirst(bytes, 4 * FOUND_LIMIT), FOUND_LIMIT);
}

/** The text of the first `limit` bytes, without the line end. */
function decodeFirst(row: Buffer, limit: number): string {
  const lineFeed = row.at(-1) === 0x0a ? 1 : 0;
  const carriageReturn = row[row.length - lineFeed - 1] === 0x0d ? 1 : 0;
  const line = row.subarray(0, row.length - lineFeed - carriageReturn);
  const bytes = line.length < limit ? line : withoutCutCharacter(line.subarray(0, limit));
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let start = 0; ; start += PLACEHOLDER_BYTES) {
    const bad = firstBadByte(bytes, start);
    if (bad < 0) return text + bytes.toString('utf8', start);
    const byte = undecodableByteAt(bytes, bad);
    if (byte === undefined) return bytes.toString('latin1');
    text += bytes.toString('utf8', start, bad) + String.fromCharCode(byte);
    start = bad;
  }
}
