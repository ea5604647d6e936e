/**
 * Writes and reads tar archives of regular files as streams (POSIX.1-2017, pax, "ustar Interchange Format"). Names and
 * sizes that do not fit into a ustar header are in a pax header before it.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

const BLOCK = 512;
const USTAR_NAME = 100;
const USTAR_SIZE = 8 ** 11;

export interface TarEntry {
  /** Path in the archive, with slashes. */
  readonly name: string;
  /** A file on disk, or the bytes themselves. */
  readonly from: { readonly file: string } | { readonly bytes: Buffer };
}

/** @throws Error if a file becomes shorter while it is read */
export async function* tar(entries: readonly TarEntry[]): AsyncGenerator<Buffer> {
  for (const { name, from } of entries) {
    const stats = 'file' in from ? await stat(from.file) : undefined;
    const size = stats?.size ?? ('bytes' in from ? from.bytes.length : 0);
    const seconds = Math.floor((stats?.mtimeMs ?? Date.now()) / 1000);
    const long = paxRecords(name, size);
    if (long.length > 0) {
      yield header('pax', long.length, seconds, 'x');
      yield padded(long);
    }
    yield header(name, size >= USTAR_SIZE ? 0 : size, seconds, '0');
    if ('bytes' in from) yield padded(from.bytes);
    else if (size > 0) {
      let read = 0;
      for await (const chunk of createReadStream(from.file, { end: size - 1 })) {
        read += chunk.length;
        yield chunk;
      }
      if (read !== size) throw new Error(`${from.file} became shorter while it was packed`);
      yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
    }
  }
  yield Buffer.alloc(2 * BLOCK);
}

function header(name: string, size: number, seconds: number, kind: '0' | 'x'): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  block.write(Buffer.from(name).subarray(0, USTAR_NAME).toString('latin1'), 0, 'latin1');
  block.write(`${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, 'latin1');
  block.write(`${octal(size, 11)}\0${octal(seconds, 11)}\0`, 124, 'latin1');
  // The checksum is computed with spaces in its own field.
  block.write(`        ${kind}`, 148, 'latin1');
  block.write('ustar\u000000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return block;
}

function paxRecords(name: string, size: number): Buffer {
  const isPlain = /^[\x20-\x7e]*$/.test(name) && name.length <= USTAR_NAME;
  return Buffer.concat([
    ...(isPlain ? [] : [paxRecord('path', name)]),
    ...(size < USTAR_SIZE ? [] : [paxRecord('size', String(size))]),
  ]);
}

/** `27 path=…\n`: the length includes its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  if (String(length).length > String(bytes).length) length = bytes + String(length).length;
  return Buffer.from(`${length}${rest}`);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

export interface ReadEntry {
  /** As in the archive: it can be hostile. */
  readonly name: string;
  /** `0`: a regular file. */
  readonly kind: string;
  readonly size: number;
  /** Must be read to its end before the next entry. */
  readonly content: AsyncIterable<Buffer>;
}

/** A name and a size need far less. */
const MAX_PAX = 64 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** @throws Error if the archive is damaged or cut off, or has a format that {@link tar} does not write */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadEntry> {
  const bytes = new ByteQueue(chunks);
  let pax = new Map<string, string>();
  for (;;) {
    const block = await bytes.read(BLOCK);
    if (block.every((byte) => byte === 0)) {
      // The checksum of the compressed file comes after its last byte.
      await bytes.drain();
      return;
    }
    assertHeader(block);
    const kind = text(block, 156, 1) || '0';
    const size = pax.has('size') ? Number(pax.get('size')) : Number.parseInt(text(block, 124, 12), 8);
    if (!Number.isSafeInteger(size) || size < 0) throw new Error('a size is damaged');
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (kind === 'x') {
      if (size > MAX_PAX) throw new Error('a header is too large');
      pax = parsePax(await bytes.read(size));
    } else {
      const prefix = text(block, 345, 155);
      const name = pax.get('path') ?? `${prefix === '' ? '' : `${prefix}/`}${text(block, 0, USTAR_NAME)}`;
      pax = new Map();
      yield { name, kind, size, content: bytes.stream(size) };
    }
    await bytes.read(padding);
  }
}

function assertHeader(block: Buffer): void {
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (text(block, 257, 5) !== 'ustar' || Number.parseInt(text(block, 148, 8), 8) !== sum) {
    throw new Error('a header is damaged');
  }
}

/** A field of a header, up to its first zero byte. */
function text(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

function parsePax(records: Buffer): Map<string, string> {
  const values = new Map<string, string>();
  for (let at = 0; at < records.length; ) {
    const [, length = '', key = ''] = /^(\d{1,6}) ([^=]{1,100})=/.exec(records.toString('utf8', at, at + 110)) ?? [];
    const end = at + Number(length);
    if (length === '' || end > records.length || end <= at) throw new Error('a header is damaged');
    values.set(key, records.toString('utf8', at + length.length + 1 + key.length + 1, end - 1));
    at = end;
  }
  return values;
}

/** Reads bytes in pieces of a given length. */
class ByteQueue {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** @throws Error if the bytes end before */
  async read(length: number): Promise<Buffer> {
    while (this.#rest.length < length) {
      const next = await this.#chunks.next();
      if (next.done === true) throw new Error('it is cut off');
      this.#rest = Buffer.concat([this.#rest, next.value]);
    }
    const read = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return read;
  }

  async drain(): Promise<void> {
    while ((await this.#chunks.next()).done !== true);
  }

  async *stream(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      const chunk = await this.read(Math.min(left, CHUNK_BYTES));
      left -= chunk.length;
      yield chunk;
    }
  }
}
