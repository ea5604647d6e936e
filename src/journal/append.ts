/**
 * Appending to the files of a run. A promise resolves when its line is written; lines that arrive while a write
 * is under way are written together with the next one, so that a promise a line costs no system call a line.
 */
import { type FileHandle, open } from 'node:fs/promises';

export interface AppendFile {
  /** Resolves when the text is written. After a failure every later call fails too: the file may end in a torn line. */
  append(text: string): Promise<void>;
  /** Length in bytes once everything appended so far is written. */
  readonly length: number;
  /** Cuts the file back, after all writes. */
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a file for appending, readable and writable by its owner alone: run folders hold personal data.
 * With `fsync` a promise resolves only when the line would survive a power cut.
 */
export async function openAppend(path: string, options: { fsync?: boolean } = {}): Promise<AppendFile> {
  const handle = await open(path, 'a', 0o600);
  const start = (await handle.stat()).size;
  return grouped(handle, start, options.fsync === true);
}

function grouped(handle: FileHandle, start: number, fsync: boolean): AppendFile {
  let waiting: string[] = [];
  let length = start;
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    const text = waiting.join('');
    waiting = [];
    next = undefined;
    await handle.appendFile(text);
    if (fsync) await handle.datasync();
  };

  return {
    append(text) {
      waiting.push(text);
      length += Buffer.byteLength(text);
      if (next === undefined) {
        next = last.then(write);
        last = next;
        // Whoever awaits a later line, or close, learns of a failure; a line that nobody awaits must not end the process.
        next.catch(() => undefined);
      }
      return next;
    },
    get length() {
      return length;
    },
    async truncate(to) {
      await last;
      if (to === length) return;
      await handle.truncate(to);
      length = to;
    },
    async close() {
      await last.catch(() => undefined);
      await handle.close();
    },
  };
}
