/** `undelivered.ndjson`: the payloads of batches that ended refused, exhausted or unknown. */
import { encodeUndelivered, undeliveredBatchId } from '../journal/undelivered.ts';
import type { Batch } from '../model/batch.ts';
import type { Outcome } from '../model/outcome.ts';
import { filterLines } from './filter-lines.ts';
import { createLazyFile } from './lazy-file.ts';

export interface UndeliveredFile {
  add(batch: Batch, outcome: Outcome): Promise<void>;
  /** Removes batches that will be sent again. */
  remove(batches: ReadonlySet<string>): Promise<void>;
  /** Path of the file, if it holds a batch. */
  readonly path: string | undefined;
  close(): Promise<void>;
}

export function createUndeliveredFile(path: string, blockedBy: () => Error | undefined): UndeliveredFile {
  const file = createLazyFile(path, { blockedBy });
  return {
    async add(batch, outcome) {
      const opened = await file.open();
      await opened.append(encodeUndelivered(batch, outcome));
    },
    async remove(batches) {
      const isKept = (line: string): boolean => {
        const id = undeliveredBatchId(line);
        return id !== undefined && !batches.has(id);
      };
      if (await filterLines(path, isKept)) await file.open();
    },
    get path() {
      return file.length === 0 ? undefined : path;
    },
    close: () => file.close(),
  };
}
