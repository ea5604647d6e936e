/**
 * Opens one input, reads its head, and streams its bytes. It never seeks: a named pipe and a file are read in the same
 * way, from the first byte to the last.
 */
import { open as openDescriptor } from 'node:fs';
import { open } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { loadDigests, type RunningDigest } from '../lib/digest.ts';
import { ProblemError } from '../model/problem.ts';
import { type ByteReader, concat, regularFile, stream, take } from './byte-reader.ts';
import { type Compression, decompress, detectCompression } from './compression.ts';
import {
  damagedProblem,
  emptyProblem,
  InputChangedError,
  notArchive,
  openProblem,
  readProblem,
} from './input-problems.ts';
import { openPacked, type PackedRequest, unpackStream } from './packed.ts';

/** Size of an input's head, in bytes. A longer first line makes the head longer. */
export const HEAD_BYTES = 256 * 1024;

/** Maximum size of a head: a first line of 1 MiB in UTF-16. 1 MiB is the default of `--max-row-bytes`. */
const MAX_HEAD_BYTES = 2 ** 21 + HEAD_BYTES;

/** Runs a write. Rejects if the write fails, or if nothing may be written any more. */
export type WriteGuard = (write: () => Promise<void>) => Promise<void>;

/** One input, opened. Its bytes can be read once. */
export interface OpenInput extends Pick<ByteReader, 'name' | 'path' | 'size' | 'table' | 'member' | 'unread'> {
  /** How it is compressed. Head and chunks are decompressed; size and digest are those of the file. */
  readonly compression?: Compression | undefined;
  /** The first {@link HEAD_BYTES} bytes, or more if the first line is longer; fewer only if the input ends earlier. */
  readonly head: Buffer;
  /** The digest of the first {@link HEAD_BYTES} bytes, by which a resumed run checks the input. */
  headDigest(): string;
  /** Whether `head` is the whole input. */
  readonly headIsWhole: boolean;
  /**
   * All bytes from offset 0; of a file at most `size`. Can be read once. The next chunk may overwrite the memory of the
   * previous one. Rejects with a ProblemError `input.failed` if reading fails, and at the end with an
   * {@link InputChangedError} if the file no longer has its size.
   */
  chunks(): AsyncIterable<Buffer>;
  /**
   * Starts to copy a pipe to a file; call once. Resolves at the pipe's end with its length, or with undefined if reading
   * or writing failed. Absent for inputs that are not copied.
   */
  spool?(writing: WriteGuard): Promise<{ readonly bytes: number } | undefined>;
  /**
   * The digest of all bytes of the file (lib/digest.ts); of the text of a table, or of the unpacked file of an archive.
   * Throws before `chunks()` has ended.
   */
  digest(): string;
  /** Closes the file. May be called at any time, and more than once. */
  close(): Promise<void>;
}

type UnpackRequest = Pick<PackedRequest, 'sheet' | 'member'>;

const openArchive: PackedRequest['openArchive'] = async (...archive) =>
  (await import('./archive.ts')).openArchive(...archive);

/**
 * Opens a file: an archive is an input for each file in it.
 *
 * @throws ProblemError `input.missing`, `input.denied`, `input.unreadable`, `input.empty`, `input.failed`, and as
 * {@link openPacked}
 */
export async function openFile(path: string, request: UnpackRequest): Promise<readonly OpenInput[]> {
  const handle = await orProblem(path, () => open(path, 'r'));
  try {
    const stats = await orProblem(path, () => handle.stat());
    // A character device has no size; it ends when a read returns no bytes.
    if (!stats.isFile()) return await beginAll([stream(path, handle.createReadStream())]);
    if (stats.size === 0) throw new ProblemError(emptyProblem(path));
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAGIC_BYTES), 0, MAGIC_BYTES, 0);
    const packed = await openPacked(buffer.subarray(0, bytesRead), path, handle, {
      size: stats.size,
      openArchive,
      ...request,
    });
    if (packed === undefined && request.member !== undefined) throw new ProblemError(notArchive(path, request.member));
    return await beginAll(packed ?? [regularFile(path, handle, stats.size)]);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Opens a named pipe. It is read through a socket: a file read that waits for a silent writer would occupy a thread and
 * keep the process from exiting.
 *
 * @throws ProblemError as {@link openFile}.
 */
export async function openPipe(path: string, request: UnpackRequest): Promise<readonly OpenInput[]> {
  const fd = await orProblem(path, () => promisify(openDescriptor)(path, 'r'));
  const reader = stream(path, new Socket({ fd, readable: true, writable: false }));
  return beginAll(await unpackStream(reader, { openArchive, ...request }));
}

/** @throws ProblemError as {@link openFile}. */
export async function openStdin(name: string, stdin: Readable, request: UnpackRequest): Promise<readonly OpenInput[]> {
  return beginAll(await unpackStream(stream(name, stdin), { openArchive, ...request }));
}

/** Reads the heads. If one fails, closes the readers and reports the problems of all. */
async function beginAll(readers: readonly ByteReader[]): Promise<readonly OpenInput[]> {
  const inputs: OpenInput[] = [];
  const errors: unknown[] = [];
  for (const reader of readers) {
    try {
      inputs.push(await readHead(reader));
    } catch (error) {
      errors.push(error);
      await reader.close();
    }
  }
  if (errors.length === 0) return inputs;
  await Promise.all(inputs.map((input) => input.close()));
  throw new ProblemError(
    errors.flatMap((error) => {
      if (!(error instanceof ProblemError)) throw error;
      return error.problems;
    }),
  );
}

async function readHead(reader: ByteReader): Promise<OpenInput> {
  const { name, path, size, table, member, unread } = reader;
  // Loads while the first bytes are read.
  const digests = loadDigests();
  const hash = digests.then(({ begin }) => begin());
  const raw = readBytes(reader, hash);
  const magic = (await take(raw, MAGIC_BYTES)).chunks;
  const compression = table === undefined ? detectCompression(name, Buffer.concat(magic)) : undefined;
  const packed = concat(magic, raw);
  const content = compression === undefined ? packed : orDamaged(name, decompress(name, compression, packed));
  let { chunks: first, atEnd } = await take(content, HEAD_BYTES);
  let bytes = Buffer.concat(first);
  const hasColumns = table?.format === 'parquet' && table.columns !== undefined;
  if (bytes.length === 0 && !hasColumns) throw new ProblemError(emptyProblem(name));
  while (!atEnd && bytes.length < MAX_HEAD_BYTES && !bytes.includes(LINE_FEED)) {
    ({ chunks: first, atEnd } = await take(content, HEAD_BYTES));
    bytes = Buffer.concat([bytes, ...first]);
  }
  const start = bytes.subarray(0, HEAD_BYTES);
  const head = start.includes(LINE_FEED) ? start : bytes.subarray(0, MAX_HEAD_BYTES);
  const { digestOf } = await digests;
  // A decompressor keeps chunks after it has asked for the next one.
  if (compression === undefined) reader.reuseMemory?.();
  const isPacked = compression !== undefined || table !== undefined || member !== undefined;
  const sizeIsOfText = size !== undefined && !isPacked;
  let begun = false;
  let closed = false;
  let digest: string | undefined;

  async function* chunks(): AsyncGenerator<Buffer> {
    if (begun) throw new Error(`the bytes of ${name} were read twice`);
    begun = true;
    yield bytes;
    yield* content;
    await reader.checkSize?.();
    digest = (await hash).digest();
  }

  return {
    name,
    path,
    size,
    compression,
    table,
    member,
    unread,
    head,
    headDigest: () => digestOf(start),
    headIsWhole: sizeIsOfText ? size <= head.length : atEnd && bytes.length === head.length,
    chunks,
    digest() {
      if (digest === undefined) throw new Error(`the bytes of ${name} have not been read to their end`);
      return digest;
    },
    async close() {
      if (closed) return;
      closed = true;
      await reader.close();
    },
  };
}

/** The bytes of a reader, which are added to the hash. */
async function* readBytes({ name, bytes }: ByteReader, hash: Promise<RunningDigest>): AsyncGenerator<Buffer> {
  let offset = 0;
  try {
    for await (const chunk of bytes) {
      if (chunk.length === 0) continue;
      offset += chunk.length;
      (await hash).update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ProblemError ? error : readProblem(name, offset, error);
  }
}

const LINE_FEED = 0x0a;

/** Longest magic number of a compression, in bytes. */
const MAGIC_BYTES = 4;

/** Decompressed bytes; errors of the decompressor become problems of the input. */
async function* orDamaged(name: string, content: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
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

async function orProblem<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new ProblemError(openProblem(path, error));
  }
}
