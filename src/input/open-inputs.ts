/**
 * Inputs of a run: files, folders, archives, patterns, named pipes and stdin, compressed or not. Takes paths; gives the bytes of their
 * text: workbooks and Parquet are unpacked here. All are opened before any is read to its end, so that wrong paths are reported
 * together, before anything is sent.
 */
import { open as openDescriptor } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { loadDigests, type RunningDigest } from '../lib/digest.ts';
import { isSystemError, LINE_FEED, messageOf } from '../lib/text.ts';
import { type Problem, ProblemError, problemsOf } from '../model/problem.ts';
import { type ByteReader, checkSize, concat, GZIP, gunzip, regularFile, stream, take } from './byte-reader.ts';
import { codeOf, findInputs, type InputPath, openProblem, twice } from './input-paths.ts';
import { unpack } from './packed.ts';

/** A longer first line makes a head longer. */
export const HEAD_BYTES = 256 * 1024;

/** A first line of 1 MiB, the default of `max_row_bytes`, in UTF-16. */
const MAX_HEAD_BYTES = 2 ** 21 + HEAD_BYTES;

export type WriteGuard = (write: () => Promise<void>) => Promise<void>;

/** One input, opened. Its bytes can be read once. */
export interface OpenInput extends Pick<ByteReader, 'name' | 'path' | 'size' | 'table' | 'member' | 'unread'> {
  /** Whether it is compressed with gzip. Head and chunks are decompressed; size and digest are those of the file. */
  readonly isGzip: boolean;
  /** The first {@link HEAD_BYTES} bytes, or more if the first line is longer; fewer only if the input ends earlier. */
  readonly head: Buffer;
  headDigest(): string;
  readonly headIsWhole: boolean;
  /**
   * All bytes from offset 0; of a file at most `size`. Can be read once. A chunk is valid until the next one is requested.
   * Rejects with a ProblemError `input.failed` if reading fails, and at the end with an
   * InputChangedError if the file no longer has its size.
   */
  chunks(): AsyncIterable<Buffer>;
  /**
   * Starts to copy a pipe to a file; call once. Resolves at the pipe's end with its length, or with undefined if reading
   * or writing failed. Absent for inputs that are not copied.
   */
  spool?(writing: WriteGuard): Promise<{ readonly bytes: number } | undefined>;
  /** Of all bytes of the file; of the text of a table, or of the unpacked file of an archive. Throws before `chunks()` has ended. */
  digest(): string;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** The sheet to read of workbooks: its name, or its number from 1. Default: the first visible one with a table. */
  readonly sheet?: string | undefined;
  readonly stdinName?: string | undefined;
  /** Called if a pipe has sent nothing for {@link QUIET_MS}: a named pipe without a writer waits forever. */
  readonly onWait?: ((name: string) => void) | undefined;
}

/**
 * `-` is stdin. A folder means its supported files, sorted by name; so does a pattern such as `*.csv`, unless a file has that name.
 * Pipes are opened last, and only if no other input has a problem.
 *
 * @throws ProblemError with all problems found: `input.missing`, `input.denied`, `input.folder`, `input.empty`,
 * `input.twice`, `input.unreadable`, `input.container`, `input.failed`, `option.sheet`
 */
export async function openInputs(
  paths: readonly string[],
  stdin: Readable,
  options: OpenOptions = {},
): Promise<OpenInput[]> {
  const { inputs, problems } = await openReadable(paths, stdin, options);
  if (problems.length === 0) return inputs;
  await Promise.all(inputs.map((input) => input.close()));
  throw new ProblemError(problems);
}

/** As {@link openInputs}, but gives what can be opened. `unread`: files of the given folders and archives that are not read. */
export async function openReadable(
  paths: readonly string[],
  stdin: Readable,
  options: OpenOptions = {},
): Promise<{
  readonly inputs: OpenInput[];
  readonly unread: readonly string[];
  readonly problems: readonly Problem[];
}> {
  const { found, unread, problems: pathProblems } = await findInputs(paths);
  const problems: Problem[] = [...pathProblems];
  const opened: (readonly OpenInput[])[] = found.map(() => []);
  for (const pipes of [false, true]) {
    if (problems.length > 0 && pipes) break;
    for (const [index, input] of found.entries()) {
      if ((input.kind !== 'file') !== pipes) continue;
      try {
        opened[index] = await openPath(input, stdin, options);
      } catch (error) {
        problems.push(...problemsOf(error));
      }
    }
  }
  const inputs = withoutReadSheets(opened.flat());
  const members = inputs.filter(({ member }) => member !== undefined).map(argumentOf);
  problems.push(...members.filter((name, index) => members.indexOf(name) < index).map((name) => twice(name, name)));
  return { inputs, unread: [...unread, ...inputs.flatMap((input) => input.unread ?? [])], problems };
}

/** A sheet that another input reads is not one of the other sheets of its workbook. */
function withoutReadSheets(inputs: readonly OpenInput[]): OpenInput[] {
  return inputs.map((input) => {
    const { table, path } = input;
    if (path === undefined || table?.format !== 'xlsx') return input;
    const read = inputs.flatMap((each) =>
      each.path === path && each.table?.format === 'xlsx' ? [each.table.sheet] : [],
    );
    return { ...input, table: { ...table, otherSheets: table.otherSheets.filter(({ name }) => !read.includes(name)) } };
  });
}

export function argumentOf({ name, path, member }: Pick<OpenInput, 'name' | 'path' | 'member'>): string {
  if (path === undefined) return name;
  return member === undefined ? path : `${path}:${member}`;
}

const QUIET_MS = 3000;

async function openPath(
  input: InputPath,
  stdin: Readable,
  { sheet, stdinName = 'stdin', onWait }: OpenOptions,
): Promise<readonly OpenInput[]> {
  if (input.kind === 'file') {
    const reader = await openFile(input.path);
    return beginAll(
      await unpack(reader, { sheet, member: input.member }).catch((error: unknown) => {
        throw isSystemError(error) ? readProblem(input.path, 0, error) : error;
      }),
    );
  }
  const name = input.kind === 'stdin' ? stdinName : input.path;
  const timer = setTimeout(() => onWait?.(name), QUIET_MS);
  try {
    const reader = input.kind === 'stdin' ? stream(name, stdin) : await openPipe(name);
    return await beginAll(await unpack(reader, { sheet }));
  } finally {
    clearTimeout(timer);
  }
}

async function openFile(path: string): Promise<ByteReader> {
  const handle = await orProblem(path, () => open(path, 'r'));
  const stats = await orProblem(path, () => handle.stat());
  // A character device has no size; it ends when a read returns no bytes.
  if (!stats.isFile()) return stream(path, handle.createReadStream());
  if (stats.size > 0) return regularFile(path, handle, stats.size);
  await handle.close();
  throw emptyProblem(path);
}

/** Reads through a socket: a file read that waits for a silent writer would occupy a thread and keep the process from exiting. */
async function openPipe(path: string): Promise<ByteReader> {
  const fd = await orProblem(path, () => promisify(openDescriptor)(path, 'r'));
  return stream(path, new Socket({ fd, readable: true, writable: false }));
}

async function orProblem<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new ProblemError(openProblem(path, error));
  }
}

async function beginAll(readers: readonly ByteReader[]): Promise<readonly OpenInput[]> {
  const inputs: OpenInput[] = [];
  const errors: unknown[] = [];
  for (const reader of readers) {
    try {
      inputs.push(await readStart(reader));
    } catch (error) {
      errors.push(error);
      await reader.close();
    }
  }
  if (errors.length === 0) return inputs;
  await Promise.all(inputs.map((input) => input.close()));
  throw new ProblemError(errors.flatMap(problemsOf));
}

async function readStart(reader: ByteReader): Promise<OpenInput> {
  const { name, path, size, table, member, unread } = reader;
  const digests = loadDigests();
  const hash = digests.then(({ begin }) => begin());
  let content = readBytes(reader, hash);
  let first = await take(content, HEAD_BYTES);
  const isGzip = table === undefined && Buffer.concat(first.chunks).subarray(0, GZIP.length).equals(GZIP);
  if (isGzip) {
    content = gunzip(name, concat(first.chunks, content));
    first = await take(content, HEAD_BYTES);
  }
  let bytes = Buffer.concat(first.chunks);
  const hasColumns = table?.format === 'parquet' && table.columns !== undefined;
  if (bytes.length === 0 && !hasColumns) throw emptyProblem(name);
  while (!first.atEnd && bytes.length < MAX_HEAD_BYTES && !bytes.includes(LINE_FEED)) {
    first = await take(content, HEAD_BYTES);
    bytes = Buffer.concat([bytes, ...first.chunks]);
  }
  const start = bytes.subarray(0, HEAD_BYTES);
  const head = start.includes(LINE_FEED) ? start : bytes.subarray(0, MAX_HEAD_BYTES);
  const { digestOf } = await digests;
  const sizeIsOfText = size !== undefined && !isGzip && table === undefined && member === undefined;
  let begun = false;
  let closed = false;
  let digest: string | undefined;

  async function* chunks(): AsyncGenerator<Buffer> {
    if (begun) throw new Error(`the bytes of ${name} were read twice`);
    begun = true;
    yield bytes;
    yield* content;
    await checkSize(reader);
    digest = (await hash).digest();
  }

  return {
    name,
    path,
    size,
    isGzip,
    table,
    member,
    unread,
    head,
    headDigest: () => digestOf(start),
    headIsWhole: sizeIsOfText ? size <= head.length : first.atEnd && bytes.length === head.length,
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

function emptyProblem(name: string): ProblemError {
  return new ProblemError({
    code: 'input.empty',
    message: `'${name}' is empty: it has 0 bytes.`,
    where: name,
    hint: `Check that the ${name === 'stdin' ? 'command before the pipe' : 'export'} has finished and succeeded.`,
  });
}

function readProblem(name: string, offset: number, error: unknown): ProblemError {
  return new ProblemError({
    code: 'input.failed',
    message: `Reading '${name}' failed at byte ${offset}: ${codeOf(error)}.`,
    where: name,
    hint: 'Check the disk, the network drive or the program that writes it. Nothing after that byte was read.',
  });
}

const CHUNK_BYTES = 64 * 1024;

/**
 * The same input, read through a copy in a file: the writer of a pipe must not wait for sending, and a stopped run could not resume
 * without it. Bytes are copied as fast as they arrive, from the call of {@link OpenInput.spool} on.
 *
 * @param file must not exist; its mode is 0600. @param fsync whether bytes that were read must survive a power cut
 * @throws ProblemError `run.folder` if the file cannot be created
 */
export async function spool(input: OpenInput, file: string, fsync = false): Promise<OpenInput> {
  const handle = await open(file, 'wx+', 0o600).catch((error: unknown) => {
    throw new ProblemError({
      code: 'run.folder',
      message: `Cannot write a copy of the pipe's data to ${file}: ${messageOf(error)}. A stopped run could not resume without it, so nothing was sent.`,
      hint: 'Free some disk space, or choose a writable folder with --out DIR (or SIGNALS_RUNS).',
    });
  });
  const copy = new PipeCopy(handle, fsync);
  return {
    ...input,
    chunks: () => copy.chunks(),
    spool: (guard) => copy.fill(input.chunks(), guard),
    async close() {
      copy.isCut = true;
      await input.close();
      await copy.close();
    },
  };
}

class PipeCopy {
  readonly #file: FileHandle;
  readonly #fsync: boolean;
  /** Whether reading was ended here, not by the writer of the pipe. */
  isCut = false;
  #written = 0;
  #state: 'filling' | 'whole' | { readonly failure: unknown } = 'filling';
  #wake: () => void = () => undefined;

  constructor(file: FileHandle, fsync: boolean) {
    this.#file = file;
    this.#fsync = fsync;
  }

  async fill(chunks: AsyncIterable<Buffer>, guard: WriteGuard): Promise<{ readonly bytes: number } | undefined> {
    try {
      for await (const chunk of chunks) {
        await guard(() => this.#file.appendFile(chunk));
        if (this.#fsync) await guard(() => this.#file.datasync());
        this.#written += chunk.length;
        this.#wake();
      }
      if (this.isCut) throw new Error('the pipe was closed before its end');
      this.#state = 'whole';
    } catch (failure) {
      this.#state = { failure };
    }
    this.#wake();
    return this.#state === 'whole' ? { bytes: this.#written } : undefined;
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for (let offset = 0; ; ) {
      if (offset < this.#written) {
        const wanted = Math.min(CHUNK_BYTES, this.#written - offset);
        const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(wanted), 0, wanted, offset);
        offset += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (typeof this.#state === 'object') throw this.#state.failure;
      else if (this.#state === 'whole') return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
