/**
 * Appending to the files of a run. A promise resolves when its line is written; lines of one turn of the event loop
 * are written together, so that a promise a line costs no system call a line.
 *
 * A write goes to the system's page cache and is done at once, on this thread: handing it to another one and hearing
 * back takes ten times as long as the write. Only what waits for a disk (fsync) is handed on.
 */
import { writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { giveReserve, isFull, takeReserve } from './reserve.ts';

export interface AppendFile {
  /** Resolves when the text is written. After a failure every later call fails too: the file may end in a torn line. */
  append(text: string): Promise<void>;
  /** Writes what waits now. Rejects where that, or an earlier write, failed. */
  flush(): Promise<void>;
  /** Why the disk is full, from the moment on at which the reserve was given for what is still to be written. */
  readonly full: Error | undefined;
  /** Length in bytes once everything appended so far is written. */
  readonly length: number;
  /** Cuts the file back, after all writes. */
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export interface AppendOptions {
  /** A promise resolves only when the line would survive a power cut. */
  readonly fsync?: boolean;
  /** Lines may wait for others for {@link RELAXED_MS}: for a file that nobody waits for, and that can be made again. */
  readonly relaxed?: boolean;
  /** A file that keeps some room free until the disk is full, or until this one is closed. */
  readonly reserve?: string;
}

const RELAXED_MS = 100;
/** Longer than this, waiting lines are written at once, in characters. */
const RELAXED_LIMIT = 64 * 1024;

/** Opens a file for appending, readable and writable by its owner alone: run folders hold personal data. */
export async function openAppend(path: string, options: AppendOptions = {}): Promise<AppendFile> {
  const handle = await open(path, 'a', 0o600);
  if (options.reserve !== undefined) await takeReserve(options.reserve);
  const start = (await handle.stat()).size;
  return grouped(handle, start, options);
}

function grouped(handle: FileHandle, start: number, { fsync, relaxed, reserve }: AppendOptions): AppendFile {
  let waiting = '';
  let length = start;
  /** Bytes that are certainly in the file. */
  let written = start;
  let full: Error | undefined;
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  /** Somebody waits for lines that could wait for others. */
  let urgent = false;
  let hurry: () => void = () => undefined;

  const gather = (): Promise<void> =>
    new Promise((resolve) => {
      if (relaxed !== true || urgent) {
        setImmediate(resolve);
        return;
      }
      const timer = setTimeout(resolve, RELAXED_MS);
      hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const write = async (): Promise<void> => {
    await gather();
    const text = waiting;
    waiting = '';
    next = undefined;
    const bytes = Buffer.from(text);
    try {
      await put(bytes);
    } catch (error) {
      if (reserve === undefined || full !== undefined || !isFull(error)) throw error;
      full = error;
      await giveReserve(reserve);
      // A part of a line may have found room.
      await handle.truncate(written);
      await put(bytes);
    }
    written += bytes.byteLength;
  };

  const put = async (bytes: Buffer): Promise<void> => {
    // A handle that was closed says so itself.
    if (fsync === true || handle.fd < 0) {
      await handle.appendFile(bytes);
      await handle.datasync();
    } else writeWhole(handle.fd, bytes);
  };

  const flush = async (): Promise<void> => {
    urgent = true;
    hurry();
    await last.finally(() => {
      urgent = false;
    });
  };

  return {
    append(text) {
      waiting += text;
      length += Buffer.byteLength(text);
      if (next === undefined) {
        next = last.then(write);
        last = next;
        // Whoever awaits a later line, or close, learns of a failure; a line that nobody awaits must not end the process.
        next.catch(() => undefined);
      }
      if (waiting.length > RELAXED_LIMIT) hurry();
      return next;
    },
    get full() {
      return full;
    },
    get length() {
      return length;
    },
    flush,
    async truncate(to) {
      await flush();
      if (to === length) return;
      await handle.truncate(to);
      length = to;
      written = to;
    },
    async close() {
      await flush().catch(() => undefined);
      await handle.close();
      if (reserve !== undefined) await giveReserve(reserve);
    },
  };
}

/** The system may take less than it was given. */
function writeWhole(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.byteLength; ) written += writeSync(fd, bytes, written);
}
