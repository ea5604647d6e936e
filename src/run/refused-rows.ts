/**
 * `refused.ndjson`: rows that the service refused one by one, while the run can be resumed. They enter the rejects files
 * only at the end of the run: a resume cuts those back to the last sealed batch and does not read sent rows again.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { linesIfExists } from '../journal/file-lines.ts';
import { exists } from '../journal/file-system.ts';
import type { Batch } from '../model/batch.ts';
import { describeRefusal } from '../report/problem-text.ts';
import { createBatchLines } from './batch-lines.ts';
import type { RejectedRow, RejectsFiles } from './rejects-folder.ts';

const FILE_NAME = 'refused.ndjson';

/** A line of the file. */
interface RefusedRow extends RejectedRow {
  readonly batch: string;
}

/** Whether refused rows of a run are not in its rejects files yet. */
export function hasUnlistedRefusals(folder: string): Promise<boolean> {
  return exists(path.join(folder, FILE_NAME));
}

export function createRefusedRows(
  folder: string,
  rejects: Pick<RejectsFiles, 'add' | 'allowOnFullDisk'>,
  blockedBy: () => Error | undefined,
) {
  const filePath = path.join(folder, FILE_NAME);
  const { append, remove, close } = createBatchLines(filePath, (line) => parseRow(line)?.batch, blockedBy);
  return {
    /** Adds the row of a batch of one record, with the service's words. */
    async add(batch: Batch, words: string): Promise<void> {
      const [row] = batch.rows;
      if (row === undefined) throw new Error(`batch ${batch.id} was refused for its record and has none`);
      const { source, line } = row.position;
      // A replay has no rows, so the record is listed.
      const content = row.content ?? recordText(batch);
      const refused: RefusedRow = { batch: batch.id, source, line, reason: describeRefusal(words), content };
      await append(`${JSON.stringify(refused)}\n`);
    },
    /**
     * Lists the rows in their rejects files, each once. Called at the end of a run, after the rejects files were truncated.
     * @param isComplete whether no resume will need the rows again: it sends exhausted and unknown batches of a complete run
     */
    async list(isComplete: boolean): Promise<void> {
      rejects.allowOnFullDisk();
      await close();
      for await (const row of readRefused(filePath)) await rejects.add(row);
      if (isComplete) await rm(filePath, { force: true });
    },
    remove,
    close,
  };
}

/** Each row once: a crash between this file and the journal may have written it twice. */
async function* readRefused(file: string): AsyncGenerator<RefusedRow> {
  const seen = new Set<string>();
  for await (const { text } of linesIfExists(file)) {
    const row = parseRow(text);
    if (row === undefined) continue;
    const key = `${row.source}:${row.line}`;
    if (seen.has(key)) continue;
    seen.add(key);
    yield row;
  }
}

/** Undefined for a line that a crash has torn: its batch is not settled, so it is sent again. */
function parseRow(line: string): RefusedRow | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The only record of a batch, as JSON under the interface's names. */
function recordText({ payload, offsets: [from = 0, next = payload.byteLength] }: Batch): string {
  return Buffer.from(payload.subarray(from, next - 1)).toString('utf8');
}
