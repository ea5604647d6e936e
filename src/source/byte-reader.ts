/** Where the bytes of an input come from: a file, or a stream. Each is read from the first byte to the last. */
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { PackedTable } from '../model/input-format.ts';
import { InputChangedError } from './input-problems.ts';

/** Large, because each read is one task of the thread pool. */
const CHUNK_BYTES = 256 * 1024;

/** A source of bytes, read one chunk at a time. */
export interface ByteReader {
  readonly name: string;
  /** Absent for a pipe. */
  readonly path?: string | undefined;
  /** Of the file. */
  readonly size?: number | undefined;
  /** Present if the bytes are the text of a table that is no text in the file. */
  readonly table?: PackedTable;
  /** The path in an archive, if the bytes are those of a file in it. */
  readonly member?: string | undefined;
  /** Other files in the archive, which are not read. */
  readonly unread?: readonly string[] | undefined;
  /** The next bytes; undefined at the end. A chunk may be empty. */
  read(): Promise<Buffer | undefined>;
  /** From now on each read may overwrite the memory of the chunk before. */
  reuseMemory?(): void;
  /** Rejects if the file no longer has its size. */
  checkSize?(): Promise<void>;
  close(): Promise<void>;
}

/** After the head, it reads the next chunk while the caller processes the last one. */
export function regularFile(name: string, handle: FileHandle, size: number): ByteReader {
  let offset = 0;
  let ahead: Promise<Buffer | undefined> | undefined;
  let reuses = false;
  let last: Buffer | undefined;
  /** Memory for the next chunk. */
  let spare: Buffer | undefined;

  const next = async (): Promise<Buffer | undefined> => {
    const wanted = Math.min(CHUNK_BYTES, size - offset);
    if (wanted === 0) return undefined;
    const memory = spare ?? Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, size));
    spare = undefined;
    const { buffer, bytesRead } = await handle.read(memory, 0, wanted, null);
    if (bytesRead === 0) throw new InputChangedError(name, size, offset);
    offset += bytesRead;
    return buffer.subarray(0, bytesRead);
  };

  return {
    name,
    path: name,
    size,
    async read() {
      const isHead = offset === 0;
      if (reuses && last !== undefined) spare = Buffer.from(last.buffer);
      const chunk = await (ahead ?? next());
      last = chunk;
      ahead = isHead || chunk === undefined ? undefined : next();
      // The next read reports the error. If there is none, it must not be an unhandled rejection.
      ahead?.catch(() => undefined);
      return chunk;
    },
    reuseMemory() {
      reuses = true;
      last = undefined;
    },
    checkSize: () => checkSize(name, handle, size),
    close: () => handle.close(),
  };
}

export function stream(name: string, readable: Readable): ByteReader {
  const iterator: AsyncIterator<unknown> = readable[Symbol.asyncIterator]();
  return {
    name,
    async read() {
      const next = await iterator.next();
      return next.done === true ? undefined : bytesOf(next.value);
    },
    async close() {
      readable.destroy();
      await iterator.return?.();
    },
  };
}

/** @throws InputChangedError if the file no longer has its size */
export async function checkSize(name: string, handle: FileHandle, size: number): Promise<void> {
  const stats = await handle.stat();
  if (stats.size !== size) throw new InputChangedError(name, size, stats.size);
}

function bytesOf(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk);
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw new TypeError('an input stream must give bytes or text');
}
