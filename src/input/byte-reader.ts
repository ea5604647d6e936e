/** The bytes of a file or a stream, compressed or not: each once, and none before the caller asks. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../lib/text.ts';
import type { PackedTable } from '../model/input-format.ts';
import { ProblemError } from '../model/problem.ts';

const CHUNK_BYTES = 256 * 1024;

export interface ByteReader {
  /** The path as given, a file of a given folder as `folder/file`, or `stdin`; then `:` and the file in an archive or the sheet. */
  readonly name: string;
  readonly path?: string | undefined;
  /** Size of the file in bytes, compressed or not, when it was opened. Absent for a pipe. */
  readonly size?: number | undefined;
  /** Present if the bytes are the text of a table that is no text in the file, such as a sheet. */
  readonly table?: PackedTable | undefined;
  /** The path in an archive, whose file `path` and `size` describe. */
  readonly member?: string | undefined;
  /** Other files in the archive, which are not read. Only the first input of an archive has them. */
  readonly unread?: readonly string[] | undefined;
  readonly handle?: FileHandle | undefined;
  /** Each chunk is valid until the next one is requested. */
  readonly bytes: AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

export function regularFile(name: string, handle: FileHandle, size: number): ByteReader {
  return { name, path: name, size, handle, bytes: readFile(handle, size), close: () => handle.close() };
}

/** At most `size` bytes. After the head, it reads the next chunk while the caller processes the last one. */
async function* readFile(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  let left = size;
  const read = async (memory: Buffer): Promise<Buffer> => {
    const { bytesRead } = await handle.read(memory, 0, Math.min(memory.length, left), null);
    left -= bytesRead;
    return memory.subarray(0, bytesRead);
  };
  let free = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, size));
  yield await read(free);
  let busy = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, left));
  for (let ahead = read(busy); ; ) {
    const chunk = await ahead;
    if (chunk.length === 0) return;
    ahead = read(free);
    // The next turn reports the error. If there is none, it must not be an unhandled rejection.
    ahead.catch(() => undefined);
    [busy, free] = [free, busy];
    yield chunk;
  }
}

export function stream(name: string, readable: Readable): ByteReader {
  const bytes = readStream(readable);
  return {
    name,
    bytes,
    async close() {
      readable.destroy();
      await bytes.return(undefined);
    },
  };
}

async function* readStream(readable: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of readable) yield asBuffer(chunk);
}

/** Copies chunks until they have at least `size` bytes or the source ends. */
export async function take(
  source: AsyncGenerator<Buffer>,
  size: number,
): Promise<{ readonly chunks: readonly Buffer[]; readonly atEnd: boolean }> {
  const chunks: Buffer[] = [];
  for (let length = 0; length < size; ) {
    const next = await source.next();
    if (next.done === true) return { chunks, atEnd: true };
    chunks.push(Buffer.from(next.value));
    length += next.value.length;
  }
  return { chunks, atEnd: false };
}

export async function* concat(first: readonly Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  yield* rest;
}

/** @throws InputChangedError if the file no longer has its size */
export async function checkSize({ path: file, handle, size }: ByteReader): Promise<void> {
  if (file === undefined || handle === undefined || size === undefined) return;
  const stats = await handle.stat();
  if (stats.size !== size) throw new InputChangedError(file, size, stats.size);
}

function asBuffer(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return Buffer.from(chunk);
  throw new TypeError('an input stream must give bytes or text');
}

export class InputChangedError extends ProblemError {
  readonly input: string;
  readonly sizeNow: number;

  constructor(input: string, size: number, sizeNow: number) {
    super({
      code: 'input.changed',
      message: `'${input}' was changed while it was read: it had ${size} bytes when it was opened, and now has ${sizeNow}.`,
      where: input,
      hint: 'Wait until the program that writes it has finished, or upload a copy.',
    });
    this.input = input;
    this.sizeNow = sizeNow;
  }
}

/**
 * Copies a stream to a file that only this process can see: it has no name, and ends with the process.
 *
 * @throws ProblemError `input.temporary`, and what `bytes` throws
 */
export async function copyToTemporaryFile(bytes: AsyncIterable<Buffer>): Promise<FileHandle> {
  const name = path.join(tmpdir(), `signals-${randomBytes(12).toString('hex')}`);
  const failed = (error: unknown): never => {
    throw new ProblemError({
      code: 'input.temporary',
      message: `Cannot write a temporary file in ${tmpdir()}: ${messageOf(error)}.`,
      hint: 'Free some disk space, or name another folder in the environment variable TMPDIR (TEMP on Windows).',
    });
  };
  const file = await open(name, 'wx+', 0o600).catch(failed);
  try {
    await unlink(name).catch(failed);
    for await (const chunk of bytes) await file.appendFile(chunk).catch(failed);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

export const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);

/** All members. Reads also padding after the last one, so that the digest is that of the file. Rejects with `input.failed`. */
export async function* gunzip(name: string, packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let offset = 0;
  // Has no `return`, so that the padding can be read after the stream has ended. Copies: zlib keeps chunks.
  const next = async (): Promise<IteratorResult<Buffer>> => {
    const chunk = await packed.next();
    return chunk.done === true ? chunk : { value: Buffer.from(chunk.value) };
  };
  const source = Readable.from({ [Symbol.asyncIterator]: () => ({ next }) });
  let failure: unknown;
  const unpacked = pipeline(source, createGunzip(), (error) => {
    failure = error;
  });
  try {
    for await (const chunk of unpacked) {
      offset += chunk.length;
      yield chunk;
    }
    for await (const _padding of packed);
  } catch (error) {
    const cause = failure ?? error;
    if (cause instanceof ProblemError) throw cause;
    throw new ProblemError({
      code: 'input.failed',
      message: `Decompressing '${name}' failed at byte ${offset} of its content: ${messageOf(cause)}.`,
      where: name,
      hint: 'The file is truncated or damaged: copy or export it again. Nothing after that byte was read.',
    });
  }
}
