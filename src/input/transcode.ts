/**
 * Converts a stream from any other encoding to UTF-8. The output does not depend on how the input is split into chunks.
 *
 * An undecodable byte becomes an invalid UTF-8 sequence, so that the row fails like a row of damaged UTF-8. A replacement
 * character could be sent as data.
 *
 * Memory: a character that is cut; for encodings of several bytes per character (Shift_JIS, GBK, …) an unfinished line,
 * of at most 1 MiB.
 */
import { TextDecoder } from 'node:util';
import { tableOf } from './encoding-labels.ts';

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

export const PLACEHOLDER_BYTES = 3;

/** The byte of the placeholder at an index. Undefined if there is none. */
export function undecodableByteAt(bytes: Uint8Array, index: number): number | undefined {
  const [first, high = 0, low = 0] = bytes.subarray(index, index + PLACEHOLDER_BYTES);
  return first === 0xff && high >> 4 === 0x8 && low >> 4 === 0x8 ? ((high & 0x0f) << 4) | (low & 0x0f) : undefined;
}

function singleByteTranscoder(table: readonly (Buffer | undefined)[]): Transcoder {
  const characters = Array.from({ length: 128 }, (_, index) => table[index] ?? placeholderOf(0x80 + index));
  const lengths = Uint8Array.from({ length: 256 }, (_, byte) => characters[byte - 0x80]?.length ?? 1);
  return {
    push(chunk) {
      let length = 0;
      for (let index = 0; index < chunk.length; index += 1) length += lengths[chunk[index] ?? 0] ?? 0;
      const out = Buffer.allocUnsafe(length);
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
      return out;
    },
    end: () => EMPTY,
  };
}

/** An unpaired surrogate. */
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
    const parts = LONE_SURROGATE.test(text) ? text.split(LONE_SURROGATE).map(decodePart) : [Buffer.from(text)];
    // A unit is incomplete only at the end of the input.
    return Buffer.concat([...parts, ...Array.from(bytes.subarray(units.length), placeholderOf)]);
  }

  function decodePart(part: string): Buffer {
    if (!LONE_SURROGATE.test(part)) return Buffer.from(part);
    const unit = Buffer.from(part, 'utf16le');
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
