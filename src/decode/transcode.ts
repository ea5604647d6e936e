/**
 * Bytes of any encoding to bytes of UTF-8, in a stream: the stage in front of bounds.ts. What comes out does not
 * depend on where the chunks are cut. UTF-8 itself passes untouched and uncopied.
 *
 * Limits: held back is a character that is cut, and for the encodings of several bytes a character (Shift_JIS,
 * GBK, …) an unfinished line, of which the first mebibyte is decoded where it is longer.
 */
import { TextDecoder } from 'node:util';
import type { Encoding } from './encoding-labels.ts';
import { PLACEHOLDER_BYTES, placeholderOf } from './undecodable-bytes.ts';

export interface Transcoder {
  push(chunk: Uint8Array): Buffer;
  /** What was held back. To be called once, behind the last push. */
  end(): Buffer;
}

const NOTHING = Buffer.alloc(0);
const LINE_LIMIT = 1024 * 1024;

export function createTranscoder(encoding: Encoding): Transcoder {
  switch (encoding.kind) {
    case 'utf-8':
      return {
        push: (chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length),
        end: () => NOTHING,
      };
    case 'utf-16':
      return ofUtf16(encoding.bigEndian);
    case 'single':
      return ofSingleBytes(encoding.table);
    case 'multi':
      return ofLines(encoding.name);
  }
}

/** All chunks through a transcoder. */
export async function* transcodeAll(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<Uint8Array> {
  const through = createTranscoder(encoding);
  for await (const chunk of chunks) yield through.push(chunk);
  yield through.end();
}

/** `table`: the UTF-8 of each byte from 0x80 on; nothing where the encoding has no character for it. */
function ofSingleBytes(table: readonly (Buffer | undefined)[]): Transcoder {
  const lengths = Uint8Array.from({ length: 256 }, (_, byte) =>
    byte < 0x80 ? 1 : (table[byte - 0x80]?.length ?? PLACEHOLDER_BYTES),
  );
  let offset = 0;
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
          const character = table[byte - 0x80] ?? placeholderOf({ byte, offset: offset + index });
          out.set(character, at);
          at += character.length;
        }
      }
      offset += chunk.length;
      return out;
    },
    end: () => NOTHING,
  };
}

/** Halves of surrogate pairs that stand alone. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const LONE_SURROGATES = /[\ud800-\udfff]/gu;

function ofUtf16(bigEndian: boolean): Transcoder {
  let rest: Buffer = NOTHING;
  /** Offset of `rest` in the input. */
  let offset = 0;

  function decode(units: Buffer): Buffer {
    const text = (bigEndian ? Buffer.from(units).swap16() : units).toString('utf16le');
    const from = offset === 0 && text.startsWith('\ufeff') ? 1 : 0;
    if (!LONE_SURROGATE.test(text)) return Buffer.from(from === 0 ? text : text.slice(from));
    const parts: Buffer[] = [];
    let good = from;
    for (const { index } of text.matchAll(LONE_SURROGATES)) {
      parts.push(
        Buffer.from(text.slice(good, index)),
        marksOf(units.subarray(2 * index, 2 * index + 2), 2 * index),
      );
      good = index + 1;
    }
    return Buffer.concat([...parts, Buffer.from(text.slice(good))]);
  }

  function marksOf(bytes: Uint8Array, at: number): Buffer {
    return Buffer.concat(
      [...bytes].map((byte, index) => placeholderOf({ byte, offset: offset + at + index })),
    );
  }

  function take(bytes: Buffer, length: number): Buffer {
    const out = decode(bytes.subarray(0, length));
    // A copy: the chunk's memory may be used again.
    rest = Buffer.from(bytes.subarray(length));
    offset += length;
    return out;
  }

  return {
    push(chunk) {
      const bytes = Buffer.concat([rest, chunk]);
      const whole = bytes.length - (bytes.length % 2);
      const last = bytes[bigEndian ? whole - 2 : whole - 1] ?? 0;
      // The first half of a surrogate pair waits for the second.
      const halved = whole >= 2 && last >= 0xd8 && last < 0xdc;
      return take(bytes, halved ? whole - 2 : whole);
    },
    end() {
      const out = take(rest, rest.length - (rest.length % 2));
      return rest.length === 0 ? out : Buffer.concat([out, marksOf(rest, 0)]);
    },
  };
}

/** In each of these encodings, a line feed is a line feed: lines can be decoded one by one. */
function ofLines(name: string): Transcoder {
  let rest: Buffer = NOTHING;
  let offset = 0;

  function take(bytes: Buffer, length: number): Buffer {
    const out = decodeLines(bytes.subarray(0, length), offset, name);
    rest = Buffer.from(bytes.subarray(length));
    offset += length;
    return out;
  }

  return {
    push(chunk) {
      const bytes = Buffer.concat([rest, chunk]);
      const lines = Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d)) + 1;
      return take(bytes, lines === 0 && bytes.length > LINE_LIMIT ? bytes.length : lines);
    },
    end: () => take(rest, rest.length),
  };
}

function decodeLines(bytes: Buffer, offset: number, name: string): Buffer {
  const whole = attempt(bytes, name);
  if (whole !== undefined) return whole;
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed < 0 ? bytes.length : feed + 1;
    const line = bytes.subarray(start, end);
    parts.push(attempt(line, name) ?? salvage(line, offset + start, name));
    start = end;
  }
  return Buffer.concat(parts);
}

function attempt(bytes: Buffer, name: string): Buffer | undefined {
  try {
    return Buffer.from(strict(name).decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** A line with bytes that do not decode, byte by byte: the decoder does not say where it failed. */
function salvage(line: Buffer, offset: number, name: string): Buffer {
  const parts: Buffer[] = [];
  let decoder = strict(name);
  /** Where the character in hand begins. */
  let start = 0;
  const giveUp = (): void => {
    parts.push(placeholderOf({ byte: line[start] ?? 0, offset: offset + start }));
    start += 1;
    decoder = strict(name);
  };
  const next = (bytes: Uint8Array | undefined): string | undefined => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  };
  for (let at = 0; start < line.length; ) {
    const text = next(at < line.length ? line.subarray(at, at + 1) : undefined);
    if (text === undefined || (text === '' && at >= line.length)) {
      giveUp();
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

function strict(name: string): TextDecoder {
  return new TextDecoder(name, { fatal: true, ignoreBOM: true });
}
