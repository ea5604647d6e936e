/** Removes lines from a file of JSON lines. */
import { rename, rm } from 'node:fs/promises';
import { openAppend } from '../journal/append-file.ts';
import { linesOf } from '../journal/file-lines.ts';
import { exists } from '../journal/file-system.ts';

/**
 * Keeps the lines for which `isKept` is true, and deletes a file without any. A torn last line is removed.
 * @returns whether the file exists now
 */
export async function filterLines(file: string, isKept: (line: string) => boolean): Promise<boolean> {
  if (!(await exists(file))) return false;
  const draft = `${file}.tmp`;
  const out = await openAppend(draft);
  await out.truncate(0);
  for await (const { text, whole } of linesOf(file)) {
    if (whole && isKept(text)) await out.append(`${text}\n`);
  }
  const { length } = out;
  await out.close();
  if (length > 0) await rename(draft, file);
  else await Promise.all([rm(draft), rm(file)]);
  return length > 0;
}
