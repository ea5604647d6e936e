/**
 * Converts bytes of any encoding to UTF-8, as a stream. The output does not depend on where the chunks are cut. UTF-8
 * passes unchanged and is not copied.
 *
 * Memory: a character that is cut; for encodings of several bytes per character (Shift_JIS, GBK, …) an unfinished line,
 * of at most 1 MiB.
 */
import { TextDecoder } from 'node:util';
import type { Encoding } from './encoding-labels.ts';
import { PLACEHOLDER_BYTES, placeholderOf } from './undecodable-bytes.ts';

export interface Transcoder {
  push(chunk: Uint8Array): Buffer;
  /** The remaining bytes. Call once, after the last push. */
  end(): Buffer;
}

const EMPTY = Buffer.alloc(0);
const LINE_LIMIT = 1024 * 1024;

export function createTranscoder(encoding: Encoding): Transcoder {
  switch (encoding.kind) {
    case 'utf-8':
      return {
        push: (chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length),
        end: () => EMPTY,
      };
    case 'utf-16':
      return utf16Transcoder(encoding.bigEndian);
    case 'single':
      return singleByteTranscoder(encoding.table);
    case 'multi':
      return multiByteTranscoder(encoding.name);
  }
}

/** Converts all chunks. */
export async function* transcodeAll(chunks: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<Uint8Array> {
  const transcoder = createTranscoder(encoding);
  for await (const chunk of chunks) yield transcoder.push(chunk);
  yield transcoder.end();
}

/** `table`: the UTF-8 of each byte from 0x80; undefined if the encoding has no character for it. */
function singleByteTranscoder(table: readonly (Buffer | undefined)[]): Transcoder {
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
    end: () => EMPTY,
  };
}

/** Surrogates that are not part of a pair. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const LONE_SURROGATES = /[\ud800-\udfff]/gu;

function utf16Transcoder(bigEndian: boolean): Transcoder {
  let rest: Buffer = EMPTY;
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
        placeholdersOf(units.subarray(2 * index, 2 * index + 2), 2 * index),
      );
      good = index + 1;
    }
    return Buffer.concat([...parts, Buffer.from(text.slice(good))]);
  }

  function placeholdersOf(bytes: Uint8Array, at: number): Buffer {
    return Buffer.concat([...bytes].map((byte, index) => placeholderOf({ byte, offset: offset + at + index })));
  }

  function take(bytes: Buffer, length: number): Buffer {
    const out = decode(bytes.subarray(0, length));
    // A copy: the chunk's memory may be reused.
    rest = Buffer.from(bytes.subarray(length));
    offset += length;
    return out;
  }

  return {
    push(chunk) {
      const bytes = Buffer.concat([rest, chunk]);
      const whole = bytes.length - (bytes.length % 2);
      const last = bytes[bigEndian ? whole - 2 : whole - 1] ?? 0;
      // A high surrogate waits for the low one.
      const endsInPair = whole >= 2 && last >= 0xd8 && last < 0xdc;
      return take(bytes, endsInPair ? whole - 2 : whole);
    },
    end() {
      const out = take(rest, rest.length - (rest.length % 2));
      return rest.length === 0 ? out : Buffer.concat([out, placeholdersOf(rest, 0)]);
    },
  };
}

/** In each of these encodings the byte 0x0a is always a line feed, so lines can be decoded one by one. */
function multiByteTranscoder(name: string): Transcoder {
  let rest: Buffer = EMPTY;
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
  const whole = tryDecode(bytes, name);
  if (whole !== undefined) return whole;
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed < 0 ? bytes.length : feed + 1;
    const line = bytes.subarray(start, end);
    parts.push(tryDecode(line, name) ?? decodeByteByByte(line, offset + start, name));
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
function decodeByteByByte(line: Buffer, offset: number, name: string): Buffer {
  const parts: Buffer[] = [];
  let decoder = strictDecoder(name);
  /** Where the current character begins. */
  let start = 0;
  const addPlaceholder = (): void => {
    parts.push(placeholderOf({ byte: line[start] ?? 0, offset: offset + start }));
    start += 1;
    decoder = strictDecoder(name);
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
      addPlaceholder();
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
