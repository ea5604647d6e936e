/**
 * Opens one input, reads its head, and hands out its bytes. Nothing is ever sought: a named pipe and a file are
 * read in the same way, from the first byte to the last.
 */
import { open as openDescriptor } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { RunningDigest } from '../lib/digest.ts';
import { loadDigests } from '../lib/digest.ts';
import { ProblemError } from '../model/problem.ts';
import { decompress, detectCompression } from './compression.ts';
import {
  damagedProblem,
  emptyProblem,
  openProblem,
  readProblem,
  truncatedProblem,
} from './input-problems.ts';
import { HEAD_BYTES, type OpenInput } from './open-input.ts';

/** Each read costs a turn of the thread pool, whatever it reads. */
const CHUNK_BYTES = 256 * 1024;

/** Where bytes come from, one chunk at a time. */
interface Origin {
  readonly name: string;
  readonly size?: number;
  /** The next bytes; undefined at the end. An empty chunk says nothing. */
  read(): Promise<Buffer | undefined>;
  /** From now on the memory of a chunk may be used again once the next one is asked for. Absent where it never is. */
  reuse?(): void;
  close(): Promise<void>;
}

/** @throws ProblemError `input.missing`, `input.denied`, `input.unreadable`, `input.empty`, `input.failed`. */
export async function openFile(path: string): Promise<OpenInput> {
  const handle = await orProblem(path, () => open(path, 'r'));
  try {
    const stats = await orProblem(path, () => handle.stat());
    if (!stats.isFile()) return await begin(device(path, handle));
    if (stats.size === 0) throw new ProblemError(emptyProblem(path));
    return await begin(regularFile(path, handle, stats.size));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * A named pipe. It is read through a socket and not as a file: a read that waits for a silent writer would
 * occupy a thread, and the process could not end before that writer does.
 *
 * @throws ProblemError as {@link openFile}.
 */
export async function openPipe(path: string): Promise<OpenInput> {
  const fd = await orProblem(path, () => promisify(openDescriptor)(path, 'r'));
  return begin(stream(path, new Socket({ fd, readable: true, writable: false })));
}

/** @throws ProblemError `input.empty`, `input.failed`. */
export function openStdin(stdin: Readable): Promise<OpenInput> {
  return begin(stream('stdin', stdin));
}

/** Behind the head, the next chunk is read while the last one is worked on. */
function regularFile(name: string, handle: FileHandle, size: number): Origin {
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
    const chunk = await readSome(handle, memory, wanted);
    if (chunk.length === 0) throw truncatedProblem(name, offset, size);
    offset += chunk.length;
    return chunk;
  };

  return {
    name,
    size,
    async read() {
      const isHead = offset === 0;
      if (reuses && last !== undefined) spare = Buffer.from(last.buffer);
      const chunk = await (ahead ?? next());
      last = chunk;
      ahead = isHead || chunk === undefined ? undefined : next();
      // Whoever reads on learns of a fault; and nobody may ever read on.
      ahead?.catch(() => undefined);
      return chunk;
    },
    reuse() {
      reuses = true;
      last = undefined;
    },
    close: () => handle.close(),
  };
}

/** A character device and the like: no size, and its end is where a read gives nothing. */
function device(name: string, handle: FileHandle): Origin {
  return {
    name,
    async read() {
      const chunk = await readSome(handle, Buffer.allocUnsafe(CHUNK_BYTES), CHUNK_BYTES);
      return chunk.length === 0 ? undefined : chunk;
    },
    close: () => handle.close(),
  };
}

async function readSome(handle: FileHandle, memory: Buffer, wanted: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(memory, 0, wanted, null);
  return buffer.subarray(0, bytesRead);
}

function stream(name: string, readable: Readable): Origin {
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

function bytesOf(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk);
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw new TypeError('an input stream must give bytes or text');
}

/** Reads the head, and closes the origin where that fails. */
async function begin(origin: Origin): Promise<OpenInput> {
  try {
    return await withHead(origin);
  } catch (error) {
    await origin.close();
    throw error;
  }
}

async function withHead(origin: Origin): Promise<OpenInput> {
  const { name, size } = origin;
  // It is loaded while the first bytes are read.
  const digests = loadDigests();
  let digest: string | undefined;
  let closed = false;

  /** The bytes of the input as it is; they are digested as they pass. */
  async function* raw(): AsyncGenerator<Buffer> {
    let hash: RunningDigest | undefined;
    for (let offset = 0; ; ) {
      const chunk = await readOrFail(origin, offset);
      hash ??= (await digests).begin();
      if (chunk === undefined) break;
      if (chunk.length === 0) continue;
      offset += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
    digest = hash.digest();
  }

  const packed = raw();
  const start = await firstBytes(packed);
  const container = detectCompression(name, start.bytes);
  const content = container === undefined ? start.all : orTorn(name, decompress(name, container, start.all));

  const first: Buffer[] = [];
  let length = 0;
  let atEnd = false;
  while (length < HEAD_BYTES && !atEnd) {
    const next = await content.next();
    if (next.done === true) atEnd = true;
    else {
      first.push(next.value);
      length += next.value.length;
    }
  }
  if (length === 0) throw new ProblemError(emptyProblem(name));
  const all = Buffer.concat(first, length);
  const head = all.subarray(0, HEAD_BYTES);
  const { digestOf } = await digests;
  // What unpacks holds on to chunks; everybody else is told not to.
  if (container === undefined) origin.reuse?.();
  let begun = false;
  let ended = false;

  async function* chunks(): AsyncGenerator<Buffer> {
    if (begun) throw new Error(`the bytes of ${name} were asked for twice`);
    begun = true;
    yield all;
    yield* content;
    ended = true;
  }

  return {
    name,
    ...(size === undefined ? {} : { size }),
    ...(container === undefined ? {} : { compression: container }),
    head,
    headDigest: () => digestOf(head),
    headIsWhole:
      size === undefined || container !== undefined ? atEnd && length <= HEAD_BYTES : size <= HEAD_BYTES,
    chunks,
    digest() {
      if (digest === undefined || !ended)
        throw new Error(`the bytes of ${name} have not been read to their end`);
      return digest;
    },
    async close() {
      if (closed) return;
      closed = true;
      await origin.close();
    },
  };
}

/** The longest sign by which a container is known. */
const SIGN_BYTES = 4;

/** The first bytes, looked at, and all bytes, those among them. */
async function firstBytes(
  source: AsyncGenerator<Buffer>,
): Promise<{ bytes: Buffer; all: AsyncGenerator<Buffer> }> {
  const looked: Buffer[] = [];
  let length = 0;
  while (length < SIGN_BYTES) {
    const next = await source.next();
    if (next.done === true) break;
    looked.push(next.value);
    length += next.value.length;
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* looked;
    yield* source;
  }
  return { bytes: Buffer.concat(looked), all: all() };
}

/** Unpacked bytes, with what is wrong with a container told as a problem. */
async function* orTorn(name: string, content: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let offset = 0;
  try {
    for await (const chunk of content) {
      offset += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ProblemError ? error : damagedProblem(name, offset, error);
  }
}

async function readOrFail(origin: Origin, offset: number): Promise<Buffer | undefined> {
  try {
    return await origin.read();
  } catch (error) {
    throw error instanceof ProblemError ? error : readProblem(origin.name, offset, error);
  }
}

async function orProblem<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new ProblemError(openProblem(path, error));
  }
}
