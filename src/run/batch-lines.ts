/**
 * A file with one JSON line per batch (`undelivered.ndjson`, `refused.ndjson`). It is created with its first line, so a
 * missing file means that nothing went wrong.
 */
import { rename, rm } from 'node:fs/promises';
import { type AppendFile, openAppend } from '../journal/append-file.ts';
import { linesOf } from '../journal/file-lines.ts';
import { exists } from '../journal/file-system.ts';

/** @param batchOf the batch id of a line; undefined for a damaged line */
export function createBatchLines(
  path: string,
  batchOf: (line: string) => string | undefined,
  blockedBy: () => Error | undefined,
) {
  let opening: Promise<AppendFile> | undefined;
  let file: AppendFile | undefined;
  const open = (): Promise<AppendFile> => {
    opening ??= openAppend(path, { blockedBy }).then((opened) => {
      file = opened;
      return opened;
    });
    return opening;
  };
  return {
    async append(line: string): Promise<void> {
      await (await open()).append(line);
    },
    /** Removes batches that will be sent again, and damaged lines. Deletes the file if no line is left. */
    async remove(batches: ReadonlySet<string>): Promise<void> {
      if (!(await exists(path))) return;
      const draft = `${path}.tmp`;
      const out = await openAppend(draft);
      try {
        await out.truncate(0);
        for await (const { text, whole } of linesOf(path)) {
          const batch = whole ? batchOf(text) : undefined;
          if (batch !== undefined && !batches.has(batch)) await out.append(`${text}\n`);
        }
      } finally {
        await out.close();
      }
      const { length } = out;
      if (length === 0) await Promise.all([rm(draft), rm(path)]);
      else {
        await rename(draft, path);
        await open();
      }
    },
    /** Path of the file, if it holds a batch. */
    get path(): string | undefined {
      return file === undefined || file.length === 0 ? undefined : path;
    },
    async close(): Promise<void> {
      await file?.close();
    },
  };
}
