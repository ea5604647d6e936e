/**
 * Appending to the files of a run. A promise resolves when its line is written; lines of one turn of the event loop
 * are written together, so that a promise a line costs no system call a line.
 *
 * A write goes to the system's page cache and is done at once, on this thread: handing it to another one and hearing
 * back takes ten times as long as the write. Only what waits for a disk (fsync) is handed on.
 */
import { fstatSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { grown } from '../lib/growing-buffer.ts';
import { giveReserve, isDiskFull, takeReserve } from './reserve.ts';

export interface AppendFile {
  /** Resolves when the text is written. After a failure every later call fails too: the file may end in a torn line. */
  append(text: string): Promise<void>;
  /** Writes what waits now. Rejects where that, or an earlier write, failed. */
  flush(): Promise<void>;
  /** Why the disk is full, from the moment on at which the reserve was given for what is still to be written. */
  readonly diskFull: Error | undefined;
  /** Length in bytes once everything appended so far is written. */
  readonly length: number;
  /** Cuts the file back, after all writes. One that is shorter stays as it is. */
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export interface DiskReserve {
  /** The file that takes the room. */
  readonly file: string;
  /**
   * Asked for when the disk is full: resolves when nothing is being written any more that would take the room as soon as
   * it is given. From then on nothing else may be.
   */
  readonly otherWrites: () => Promise<unknown>;
}

export interface AppendOptions {
  /** A promise resolves only when the line would survive a power cut. */
  readonly fsync?: boolean;
  /** Lines may wait for others for {@link RELAXED_MS}: for a file that nobody waits for, and that can be made again. */
  readonly isDelayed?: boolean;
  /** Asked before each write: why nothing may be written any more. What waits then is not written, nor is anything else. */
  readonly blockedBy?: () => Error | undefined;
  /** Keeps some room free until the disk is full, or until this file is closed. */
  readonly reserve?: DiskReserve;
}

const RELAXED_MS = 100;
/** Waiting lines that are longer than this are written at once, in bytes. */
const RELAXED_LIMIT = 64 * 1024;

/** Memory for the lines that wait to be written, in bytes: at first, and what is kept of it once it has grown. */
const WAITING_BYTES = 4 * 1024;
const MOST_KEPT_BYTES = 128 * 1024;
/** A character of a string is at most three bytes of UTF-8. */
const MOST_BYTES = 3;

/** Opens a file for appending, readable and writable by its owner alone: run folders hold personal data. */
export async function openAppend(path: string, options: AppendOptions = {}): Promise<AppendFile> {
  const handle = await open(path, 'a', 0o600);
  if (options.reserve !== undefined) takeReserve(options.reserve.file);
  const start = fstatSync(handle.fd).size;
  return grouped(handle, start, options);
}

/** Lines that are written together. */
interface Group {
  /** Settles when the text is in the file, or will never be. */
  readonly written: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function grouped(handle: FileHandle, start: number, options: AppendOptions): AppendFile {
  const { fsync, isDelayed: relaxed, blockedBy: barred, reserve } = options;
  /** What is appended now goes into it. */
  let gathering: Group | undefined;
  /** The same as `gathering`, or the last one that was. */
  let last: Promise<void> = Promise.resolve();
  /** Takes back that the group is written of itself. */
  let cancel: () => void = () => undefined;
  /**
   * The lines of the group that is gathered, as bytes: so their texts can be forgotten at once. Texts that are put
   * together and wait for a tenth of a second are flattened piece by piece in the end.
   */
  let waiting = Buffer.allocUnsafeSlow(WAITING_BYTES);
  let waitingBytes = 0;
  /** Bytes of a group that is written by another thread; the next one waits for it. */
  let underWay: number | undefined;
  let failure: { readonly error: unknown } | undefined;
  /** Bytes that are certainly in the file. */
  let written = start;
  let full: Error | undefined;

  const gather = (): Group => {
    const group = openGroup();
    last = group.written;
    if (relaxed === true) {
      const timer = setTimeout(writeNow, RELAXED_MS);
      cancel = () => clearTimeout(timer);
    } else {
      const immediate = setImmediate(writeNow);
      cancel = () => clearImmediate(immediate);
    }
    return group;
  };

  const keep = (text: string): void => {
    if (waitingBytes + text.length * MOST_BYTES > waiting.byteLength) {
      waiting = grown(waiting, waitingBytes, waitingBytes + Buffer.byteLength(text));
    }
    waitingBytes += waiting.write(text, waitingBytes);
  };

  /** Takes the waiting lines; they are there until more is appended. */
  const takeWaiting = (): Buffer => {
    const bytes = waiting.subarray(0, waitingBytes);
    waitingBytes = 0;
    if (waiting.byteLength > MOST_KEPT_BYTES) waiting = Buffer.allocUnsafeSlow(WAITING_BYTES);
    return bytes;
  };

  const writeNow = (): void => {
    if (gathering === undefined || underWay !== undefined) return;
    const group = gathering;
    gathering = undefined;
    cancel();
    const bytes = takeWaiting();
    const bar = failure === undefined ? barred?.() : undefined;
    if (bar !== undefined) failure = { error: bar };
    if (failure !== undefined) group.reject(failure.error);
    // A handle that was closed says so itself.
    else if (fsync === true || handle.fd < 0) void writeSlowly(group, bytes);
    else writeAtOnce(group, bytes);
  };

  const writeAtOnce = (group: Group, bytes: Buffer): void => {
    try {
      writeAll(handle.fd, bytes);
    } catch (error) {
      void writeSlowly(group, bytes, error);
      return;
    }
    written += bytes.byteLength;
    group.resolve();
  };

  /** @param error with which the group could not be written at once */
  const writeSlowly = async (group: Group, waited: Buffer, error?: unknown): Promise<void> => {
    // More may be appended meanwhile, to the memory where these are.
    const bytes = Buffer.from(waited);
    underWay = bytes.byteLength;
    try {
      if (error === undefined) await put(bytes).catch((fault: unknown) => putIntoReserve(bytes, fault));
      else await putIntoReserve(bytes, error);
      written += bytes.byteLength;
      group.resolve();
    } catch (fault) {
      failure = { error: fault };
      group.reject(fault);
    }
    underWay = undefined;
    writeNow();
  };

  const put = async (bytes: Buffer): Promise<void> => {
    await handle.appendFile(bytes);
    if (fsync === true) await handle.datasync();
  };

  /** Writes what found no room, where there is some that was kept free for it. Throws the error again where not. */
  const putIntoReserve = async (bytes: Buffer, error: unknown): Promise<void> => {
    if (reserve === undefined || full !== undefined || !isDiskFull(error)) throw error;
    full = error;
    await reserve.otherWrites();
    giveReserve(reserve.file);
    // A part of a line may have found room.
    await handle.truncate(written);
    await put(bytes);
  };

  const flush = (): Promise<void> => {
    writeNow();
    return last;
  };

  return {
    append(text) {
      gathering ??= gather();
      const { written: done } = gathering;
      keep(text);
      if (relaxed === true && waitingBytes > RELAXED_LIMIT) writeNow();
      return done;
    },
    get diskFull() {
      return full;
    },
    get length() {
      return written + (underWay ?? 0) + waitingBytes;
    },
    flush,
    async truncate(to) {
      await flush();
      // A file that is shorter than it was is not filled up with zeros.
      if (to >= written) return;
      await handle.truncate(to);
      written = to;
    },
    async close() {
      await flush().catch(() => undefined);
      await handle.close();
      if (reserve !== undefined) giveReserve(reserve.file);
    },
  };
}

function openGroup(): Group {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const written = new Promise<void>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  // Whoever awaits a later line, or close, learns of a failure; a line that nobody awaits must not end the process.
  written.catch(() => undefined);
  return { written, resolve, reject };
}

/** Writes all bytes on this thread. The system may take less than it was given. */
function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.byteLength; ) {
    done += writeSync(fd, bytes, done, bytes.byteLength - done);
  }
}
