/**
 * An append-only file of lines. A line that cannot be written completely is removed, and every later write fails: the
 * memory is then ahead of the file, so no more receipts may be given.
 */
import { closeSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { messageOf } from '../lib/text.ts';

export interface LineFile {
  /**
   * Returns when the line is handed to the operating system.
   *
   * @throws Error if this or an earlier line could not be written
   */
  add(line: string): void;
  close(): void;
}

/**
 * @param file a descriptor opened for appending
 * @param name what the file is, for the error: "state", "log"
 */
export function createLineFile(file: number, name: string): LineFile {
  let failed: Error | undefined;
  return {
    add(line) {
      if (failed !== undefined) throw failed;
      const bytes = Buffer.from(`${line}\n`);
      let written = 0;
      try {
        // A write may be partial, for instance on a disk that is nearly full.
        while (written < bytes.length) written += writeSync(file, bytes, written);
      } catch (error) {
        failed = new Error(`its ${name} file cannot be written (${messageOf(error)})`);
        if (written > 0) ftruncateSync(file, fstatSync(file).size - written);
        throw failed;
      }
    },
    close: () => closeSync(file),
  };
}
