/**
 * Writes a tar archive of regular files as a stream (POSIX.1-2017, pax, "ustar Interchange Format"). Names and sizes
 * that do not fit into a ustar header go into a pax header before it.
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
