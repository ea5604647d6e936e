/**
 * Appends to the files of a run. Lines of one turn of the event loop are written together. Writes go to the page cache,
 * synchronously: switching to another thread takes ten times as long. Only fsync is asynchronous.
 */
import { constants, fstatSync, writeSync } from 'node:fs';
import { copyFile, type FileHandle, open, rename, rm } from 'node:fs/promises';
import { grown, type Memory } from '../lib/buffers.ts';
import { isDiskFull, removeFile, WRITE_NO_LINK, writePrivateFile } from './file-system.ts';

export interface AppendOptions {
  /** A promise resolves only when the line would survive a power cut. */
  readonly fsync?: boolean | undefined;
  /** If it returns an error, nothing more is written, and appends reject with it. */
  readonly blockedBy?: () => Error | undefined;
  /** A file that takes disk space until the disk is full, or this file is closed: for the answers to requests in flight then. */
  readonly reserve?: string;
}

/** Random bytes, so that no file system compresses them away. Enough for all requests in flight. */
const RESERVE_BYTES = 64 * 1024;

const NO_BYTES: Memory = Buffer.alloc(0);

/** Opens a file for appending, with access for its owner only: run folders contain personal data. */
export async function openAppend(path: string, options: AppendOptions = {}): Promise<AppendFile> {
  const handle = await open(path, constants.O_APPEND | WRITE_NO_LINK, 0o600);
  try {
    if (options.reserve !== undefined) takeReserve(options.reserve);
    return new AppendFile(handle, fstatSync(handle.fd).size, options);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface Group {
  /** Settles when the text is in the file, or can never be. */
  readonly written: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class AppendFile {
  #handle: FileHandle;
  readonly #options: AppendOptions;
  /** Begins with the waiting lines. */
  #waiting: Memory = NO_BYTES;
  #waitingBytes = 0;
  #group: Group | undefined;
  #lastWritten: Promise<void> = Promise.resolve();
  #bytesInFlight: number | undefined;
  #failure: { readonly error: unknown } | undefined;
  #written: number;
  #diskFull: Error | undefined;
  readonly #copying = new Set<Promise<void>>();

  constructor(handle: FileHandle, size: number, options: AppendOptions) {
    this.#handle = handle;
    this.#written = size;
    this.#options = options;
  }

  /** Resolves when the text is written. After a failure every call fails until {@link truncate}: a line may be incomplete. */
  append(text: string): Promise<void> {
    this.#group ??= this.#openGroup();
    const { written } = this.#group;
    this.#waiting = grown(this.#waiting, this.#waitingBytes, this.#waitingBytes + Buffer.byteLength(text));
    this.#waitingBytes += this.#waiting.write(text, this.#waitingBytes);
    return written;
  }

  /** Writes the waiting lines now. Rejects if that or an earlier write failed. */
  flush(): Promise<void> {
    this.#writeNow();
    return this.#lastWritten;
  }

  /** Whether a write failed: what it was to write may be in the file, in part or whole. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  get diskFull(): Error | undefined {
    return this.#diskFull;
  }

  /** Length in bytes once all appended lines are written. */
  get length(): number {
    return this.#written + (this.#bytesInFlight ?? 0) + this.#waitingBytes;
  }

  /** Runs a write of another file. Rejects once the disk is full: it would use the reserved space. */
  async copy(write: () => Promise<void>): Promise<void> {
    if (this.#diskFull !== undefined) throw this.#diskFull;
    const written = write();
    this.#copying.add(written);
    try {
      await written;
    } finally {
      this.#copying.delete(written);
    }
  }

  /** Cuts the file back, after all writes. A shorter file is not extended. */
  async truncate(length: number): Promise<void> {
    await this.flush().catch(() => undefined);
    this.#written = Math.min(length, this.#written);
    await this.#handle.truncate(this.#written);
    if (this.#options.fsync === true) await this.#handle.datasync();
    this.#failure = undefined;
  }

  /** Continues in a copy of the file: what another process still appends goes into the old one, which no process reads. */
  async moveToCopy(path: string): Promise<void> {
    await this.flush();
    const draft = `${path}.tmp`;
    removeFile(draft);
    await copyFile(path, draft, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const handle = await open(draft, constants.O_APPEND | WRITE_NO_LINK, 0o600);
    try {
      await handle.truncate(this.#written);
      if (this.#options.fsync === true) await handle.datasync();
      await rename(draft, path);
    } catch (error) {
      await handle.close();
      throw error;
    }
    await this.#handle.close();
    this.#handle = handle;
  }

  async close(): Promise<void> {
    await this.flush().catch(() => undefined);
    await this.#handle.close();
    const { reserve } = this.#options;
    // If it stays, the next process that locks the run removes it.
    if (reserve !== undefined) await rm(reserve).catch(() => undefined);
  }

  #openGroup(): Group {
    const group = createGroup();
    this.#lastWritten = group.written;
    setImmediate(() => this.#writeNow());
    return group;
  }

  #writeNow(): void {
    if (this.#group === undefined || this.#bytesInFlight !== undefined) return;
    const group = this.#group;
    this.#group = undefined;
    const bytes = this.#waiting.subarray(0, this.#waitingBytes);
    this.#waitingBytes = 0;
    const blocked = this.#failure === undefined ? this.#options.blockedBy?.() : undefined;
    if (blocked !== undefined) this.#failure = { error: blocked };
    if (this.#failure !== undefined) group.reject(this.#failure.error);
    else void this.#write(group, bytes);
  }

  /** Without fsync and with space on the disk, all of it happens in this call. */
  async #write(group: Group, bytes: Buffer): Promise<void> {
    const isSynced = this.#options.fsync === true;
    this.#bytesInFlight = bytes.byteLength;
    // Lines that arrive while this method waits must not overwrite these bytes.
    if (isSynced) this.#waiting = NO_BYTES;
    try {
      try {
        writeAll(this.#handle.fd, bytes);
        if (isSynced) await this.#handle.datasync();
      } catch (error) {
        if (!isSynced) this.#waiting = NO_BYTES;
        await this.#freeReserve(error);
        writeAll(this.#handle.fd, bytes);
        if (isSynced) await this.#handle.datasync();
      }
      this.#written += bytes.byteLength;
      group.resolve();
    } catch (error) {
      this.#failure = { error };
      group.reject(error);
    }
    this.#bytesInFlight = undefined;
    this.#writeNow();
  }

  async #freeReserve(error: unknown): Promise<void> {
    const { reserve } = this.#options;
    if (reserve === undefined || this.#diskFull !== undefined || !isDiskFull(error)) throw error;
    this.#diskFull = error;
    await Promise.allSettled(this.#copying);
    removeFile(reserve);
    // The failed write may have written a part of a line.
    await this.#handle.truncate(this.#written);
  }
}

function createGroup(): Group {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const written = new Promise<void>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  // A later append or close reports the failure; a promise that is not awaited must not end the process.
  written.catch(() => undefined);
  return { written, resolve, reject };
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.byteLength; ) {
    done += writeSync(fd, bytes, done, bytes.byteLength - done);
  }
}

function takeReserve(file: string): void {
  const words = new Uint32Array(RESERVE_BYTES / Uint32Array.BYTES_PER_ELEMENT);
  for (let n = 0; n < words.length; n += 1) words[n] = Math.random() * 2 ** 32;
  writePrivateFile(file, words);
}
