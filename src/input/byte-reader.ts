/**
 * Where the bytes of an input come from: a file, or a stream, compressed or not. Each is read from the first byte to the last,
 * and nothing before the caller asks for it, so that memory is bounded.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline, Readable, Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { once } from '../lib/once.ts';
import { messageOf } from '../lib/text.ts';
import type { PackedTable } from '../model/input-format.ts';
import { ProblemError } from '../model/problem.ts';

/** Large, because each read is one task of the thread pool. */
const CHUNK_BYTES = 256 * 1024;

/** A source of bytes, and what an input has of it. */
export interface ByteReader {
  /** The path as given, a file of a given folder as `folder/file`, or `stdin`; then `:` and the file in an archive or the sheet. */
  readonly name: string;
  /** The path of the file. Absent for a pipe. */
  readonly path?: string | undefined;
  /** Size of the file in bytes, compressed or not, when it was opened. Absent for a pipe. */
  readonly size?: number | undefined;
  /** Present if the bytes are the text of a table that is no text in the file, such as a sheet. */
  readonly table?: PackedTable | undefined;
  /** The path in an archive, whose file `path` and `size` describe. */
  readonly member?: string | undefined;
  /** Other files in the archive, which are not read. Only the first input of an archive has them. */
  readonly unread?: readonly string[] | undefined;
  readonly bytes: AsyncGenerator<Buffer>;
  /** From now on each chunk may overwrite the memory of the one before. */
  reuseMemory?(): void;
  /** Rejects if the file no longer has its size. */
  checkSize?(): Promise<void>;
  close(): Promise<void>;
}

export function regularFile(name: string, handle: FileHandle, size: number): ByteReader {
  let reuses = false;
  return {
    name,
    path: name,
    size,
    bytes: readFile(name, handle, size, () => reuses),
    reuseMemory() {
      reuses = true;
    },
    checkSize: () => checkSize(name, handle, size),
    close: () => handle.close(),
  };
}

/** After the head, it reads the next chunk while the caller processes the last one. */
async function* readFile(
  name: string,
  handle: FileHandle,
  size: number,
  mayReuse: () => boolean,
): AsyncGenerator<Buffer> {
  let offset = 0;
  const read = async (spare?: Buffer): Promise<Buffer | undefined> => {
    const wanted = Math.min(CHUNK_BYTES, size - offset);
    if (wanted === 0) return undefined;
    const memory = spare ?? Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, size));
    const { buffer, bytesRead } = await handle.read(memory, 0, wanted, null);
    if (bytesRead === 0) throw new InputChangedError(name, size, offset);
    offset += bytesRead;
    return buffer.subarray(0, bytesRead);
  };
  let last = await read();
  if (last !== undefined) yield last;
  for (let ahead = read(); ; ) {
    const chunk = await ahead;
    if (chunk === undefined) return;
    ahead = read(mayReuse() && last !== undefined ? Buffer.from(last.buffer) : undefined);
    // The next turn reports the error. If there is none, it must not be an unhandled rejection.
    ahead.catch(() => undefined);
    last = chunk;
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

/** Reads chunks until they have at least `size` bytes or the source ends. */
export async function take(
  source: AsyncGenerator<Buffer>,
  size: number,
): Promise<{ readonly chunks: readonly Buffer[]; readonly atEnd: boolean }> {
  const chunks: Buffer[] = [];
  for (let length = 0; length < size; ) {
    const next = await source.next();
    if (next.done === true) return { chunks, atEnd: true };
    chunks.push(next.value);
    length += next.value.length;
  }
  return { chunks, atEnd: false };
}

export async function* concat(first: readonly Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  yield* rest;
}

/** @throws InputChangedError if the file no longer has its size */
export async function checkSize(name: string, handle: FileHandle, size: number): Promise<void> {
  const stats = await handle.stat();
  if (stats.size !== size) throw new InputChangedError(name, size, stats.size);
}

function asBuffer(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk);
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw new TypeError('an input stream must give bytes or text');
}

/** A file became longer or shorter while it was read. */
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
 * A file that only this process can see: it has no name, and ends with the process.
 *
 * @throws ProblemError `input.temporary`
 */
export async function openTemporaryFile(): Promise<FileHandle> {
  const name = path.join(tmpdir(), `signals-${randomBytes(12).toString('hex')}`);
  try {
    const file = await open(name, 'wx+', 0o600);
    await unlink(name);
    return file;
  } catch (error) {
    throw temporaryFileProblem(error);
  }
}

/** A temporary file cannot be created or written. */
export function temporaryFileProblem(error: unknown): ProblemError {
  return new ProblemError({
    code: 'input.temporary',
    message: `Cannot write a temporary file in ${tmpdir()}: ${messageOf(error)}.`,
    hint: 'Free some disk space, or name another folder in the environment variable TMPDIR (TEMP on Windows).',
  });
}

export type Compression = 'gzip' | 'brotli' | 'zstd';

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** A skippable frame has no content; pzstd writes one first. Its first byte, not included here, is 0x50 to 0x5f. */
const SKIPPABLE = Buffer.from([0x2a, 0x4d, 0x18]);

/** Detects a compression by its first bytes; Brotli, which has no magic number, by the file name. */
export function detectCompression(name: string, first: Buffer): Compression | undefined {
  if (first.subarray(0, GZIP.length).equals(GZIP)) return 'gzip';
  if (first.subarray(0, ZSTD.length).equals(ZSTD) || isSkippable(first)) return 'zstd';
  return /\.br$/i.test(name) ? 'brotli' : undefined;
}

function isSkippable(first: Buffer): boolean {
  return ((first[0] ?? 0) & 0xf0) === 0x50 && first.subarray(1, 4).equals(SKIPPABLE);
}

/**
 * Decompresses `packed`, and reads all of it so that its digest is that of the file. What follows the compressed data is
 * decompressed too (more gzip members or Zstandard frames), or is padding that zlib skips, or an error.
 *
 * @throws ProblemError `input.container` if this Node cannot decompress it. Rejects with `input.failed` if the data is
 * truncated or damaged.
 */
export function decompress(
  name: string,
  compression: Compression,
  packed: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  const first = createDecompressor(name, compression);
  return (async function* () {
    let offset = 0;
    try {
      for await (const chunk of decompressAll(first, name, compression, packed)) {
        offset += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw error instanceof ProblemError ? error : damagedProblem(name, offset, error);
    }
  })();
}

async function* decompressAll(
  first: Transform,
  name: string,
  compression: Compression,
  packed: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  let rest = yield* decompressOne(first, packed, []);
  if (compression === 'gzip') {
    for await (const _padding of packed);
    return;
  }
  // Node's decompressors stop silently at the end of a frame that ends inside a chunk.
  while (rest.length > 0) {
    if (compression === 'brotli') throw new Error('there is data after the end of the compressed data');
    rest = yield* decompressOne(createDecompressor(name, compression), packed, rest);
  }
}

/** Decompresses one member or frame, and returns the bytes after it: none at the end of the input. */
async function* decompressOne(
  decompressor: Transform,
  packed: AsyncGenerator<Buffer>,
  before: readonly Buffer[],
): AsyncGenerator<Buffer, readonly Buffer[]> {
  const ahead = [...before];
  const fed: Buffer[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const pull = async (): Promise<IteratorResult<Buffer>> => {
    const held = ahead.shift();
    const next: IteratorResult<Buffer> = held === undefined ? await packed.next() : { done: false, value: held };
    if (next.done !== true) fed.push(next.value);
    return next;
  };
  // Has no `return`, so that the rest can be read after the decompressor has stopped.
  const source = Readable.from({
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const pulled = pull();
        last = pulled;
        return pulled;
      },
    }),
  });
  let dropped = 0;
  let failure: unknown;
  pipeline(source, decompressor, (error) => {
    failure = error;
  });
  try {
    for await (const chunk of decompressor) {
      dropped = dropUsed(fed, dropped, bytesUsed(decompressor));
      yield chunk;
    }
  } catch (error) {
    throw failure ?? error;
  }
  source.destroy();
  await last;
  const used = bytesUsed(decompressor) - dropUsed(fed, dropped, bytesUsed(decompressor));
  const [partlyUsed, ...unused] = fed;
  const rest =
    partlyUsed === undefined ? [] : [partlyUsed.subarray(used), ...unused, ...ahead].filter(({ length }) => length > 0);
  if (rest.length > 0) return rest;
  const next = await packed.next();
  return next.done === true ? [] : [next.value];
}

/** Drops chunks that are used up. `dropped`: bytes of the chunks dropped before; returns the new count. */
function dropUsed(fed: Buffer[], dropped: number, used: number): number {
  let count = dropped;
  for (let [first] = fed; first !== undefined && count + first.length <= used; [first] = fed) {
    count += first.length;
    fed.shift();
  }
  return count;
}

/** Compressed bytes that the decompressor has used. */
function bytesUsed(decompressor: Transform): number {
  const bytes: unknown = Reflect.get(decompressor, 'bytesWritten');
  if (typeof bytes !== 'number') throw new TypeError('zlib does not report how many bytes it has read');
  return bytes;
}

function createDecompressor(name: string, compression: Compression): Transform {
  if (compression === 'gzip') return zlib.createGunzip();
  if (compression === 'brotli') return zlib.createBrotliDecompress();
  // Node's types are those of the oldest supported version, which has no Zstandard.
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  const decompressor: unknown = typeof create === 'function' && detectsTruncatedZstd() ? create() : undefined;
  if (decompressor instanceof Transform) return decompressor;
  throw new ProblemError({
    code: 'input.container',
    message: `'${name}' is compressed with Zstandard, which Node ${process.versions.node} cannot decompress without missing truncated data; expected Node 24 or newer.`,
    where: name,
    hint: 'Decompress it first (`zstd -d FILE.zst`), or use a newer Node.',
  });
}

/** Node 22 accepts truncated data: the last rows would be missing without an error. */
const detectsTruncatedZstd = once((): boolean => {
  const pack: unknown = Reflect.get(zlib, 'zstdCompressSync');
  const unpack: unknown = Reflect.get(zlib, 'zstdDecompressSync');
  if (typeof pack !== 'function' || typeof unpack !== 'function') return false;
  const packed: unknown = pack(Buffer.from('whole'));
  try {
    unpack(Buffer.isBuffer(packed) ? packed.subarray(0, -1) : packed);
    return false;
  } catch {
    return true;
  }
});

/** Compressed data that is truncated or damaged. `offset` counts decompressed bytes. */
function damagedProblem(name: string, offset: number, error: unknown): ProblemError {
  return new ProblemError({
    code: 'input.failed',
    message: `Decompressing '${name}' failed at byte ${offset} of its content: ${messageOf(error)}.`,
    where: name,
    hint: 'The file is truncated or damaged: copy or export it again. Nothing after that byte was read.',
  });
}
