/**
 * A file that is only ever appended to, line by line. A line that cannot be written whole is taken away again, and
 * from then on nothing is written: what the sandbox knows is ahead of the file, so nothing more may be promised.
 */
import { closeSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { messageOf } from '../lib/text.ts';

export interface LineFile {
  /**
   * Returns when the line is with the operating system.
   *
   * @throws Error where it could not be written, now or at an earlier time
   */
  add(line: string): void;
  close(): void;
}

/**
 * @param file a descriptor that is opened for appending
 * @param what the file is to the sandbox, for the error: "state", "log"
 */
export function createLineFile(file: number, what: string): LineFile {
  let failed: Error | undefined;
  return {
    add(line) {
      if (failed !== undefined) throw failed;
      const bytes = Buffer.from(`${line}\n`);
      let written = 0;
      try {
        // A write may take only a part of the bytes, on a disk that is nearly full for instance.
        while (written < bytes.length) written += writeSync(file, bytes, written);
      } catch (error) {
        failed = new Error(`its ${what} cannot be written any more (${messageOf(error)})`);
        // Half a line would be taken for damage by whoever reads the file, and the next one would stand behind it.
        if (written > 0) ftruncateSync(file, fstatSync(file).size - written);
        throw failed;
      }
    },
    close: () => closeSync(file),
  };
}
