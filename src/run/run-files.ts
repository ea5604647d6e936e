/** The files of a run folder while the run writes them (docs/spec/cli.md, "Run folder"). */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { openAppend } from '../journal/append-file.ts';
import { markOpen } from '../journal/complete-runs.ts';
import { replaceFile } from '../journal/file-system.ts';
import { isSpool, type RunFolder, spoolName } from '../journal/run-folder.ts';
import { undeliveredBatchId } from '../journal/undelivered.ts';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import type { RunReader } from '../model/run-state.ts';
import { RESULTS_HEADER, resultsLine } from '../report/results-log.ts';
import { createBatchLines } from './batch-lines.ts';
import { openJournal } from './journal-file.ts';
import { createRefusedRows } from './refused-rows.ts';
import { createRejectsFiles, type RejectsInput, type RejectsMark } from './rejects-folder.ts';

/** The batches of a replay, as the run that it replays left them. */
export const REPLAY_FILE = 'replay.ndjson';

export type RunFiles = Awaited<ReturnType<typeof open>>;

interface JournalState {
  /** Length of the journal's whole lines. */
  readonly bytes: number;
  readonly rejects: RejectsMark;
  /** Batches that are sent again, so that they do not count as undelivered. */
  readonly reopened: ReadonlySet<string>;
}

/** Opens the files of a new or resumed run. @throws ProblemError `run.folder` if they cannot be written */
export function openRunFiles(
  folder: RunFolder,
  inputs: readonly RejectsInput[],
  options: { readonly fsync: boolean },
): Promise<RunFiles> {
  return orUnwritable(folder, NEW_FOLDER, () => open(folder, inputs, options));
}

async function open(folder: RunFolder, inputs: readonly RejectsInput[], options: { readonly fsync: boolean }) {
  const at = (name: string): string => path.join(folder.path, name);
  markOpen(folder);
  const journal = await openJournal(at('journal.ndjson'), at('journal.reserve'), options);
  // Space on a full disk belongs to the journal: a payload must not displace the results of other requests.
  const blockedBy = (): Error | undefined => journal.diskFull;
  const results = await openResults(at('results.csv'), blockedBy).catch(async (error: unknown) => {
    await journal.close();
    throw error;
  });
  const rejects = createRejectsFiles(folder.path, inputs, blockedBy);
  const refused = createRefusedRows(folder.path, rejects, blockedBy);
  const undelivered = createBatchLines(at('undelivered.ndjson'), undeliveredBatchId, blockedBy);
  /** Writes a whole file: run.json, mapping.yaml, summary.json. */
  const write = async (name: string, text: string): Promise<void> => replaceFile(at(name), text);

  return {
    folder,
    journal,
    results,
    rejects,
    refused,
    /** The payloads of batches that ended refused, exhausted or unknown. */
    undelivered,
    write,
    /** Writes the files that describe the run, before anything is sent. @throws ProblemError `run.folder` */
    begin: (files: Readonly<Record<string, string>>): Promise<void> =>
      orUnwritable(folder, NEW_FOLDER, async () => {
        for (const [name, text] of Object.entries(files)) await write(name, text);
      }),
    /** Brings the files back to the state of the journal, for a resume. @throws ProblemError `run.folder` */
    restore: ({ bytes, rejects: mark, reopened }: JournalState): Promise<void> =>
      orUnwritable(folder, 'Free disk space, check that you may write to it, and resume.', async () => {
        // The results of the earlier parts must be on disk before anything more is sent.
        await results.flush();
        await journal.truncate(bytes);
        await undelivered.remove(reopened);
        await refused.remove(reopened);
        await rejects.restore(mark);
      }),
    /** Path of the copy of a pipe: the input of this name and index. */
    spoolFile: (source: string, index: number): string => at(spoolName(source, index)),
    /** Deletes the copies of pipes and the batches of a replay, once nothing needs them. */
    async dropSpool(): Promise<void> {
      const spools = (await readdir(folder.path)).filter(isSpool);
      for (const name of [...spools, REPLAY_FILE]) await rm(at(name), { force: true });
    },
    async close(): Promise<void> {
      const closed = await Promise.allSettled(
        [journal, results, undelivered, refused, rejects].map((file) => file.close()),
      );
      for (const one of closed) if (one.status === 'rejected') throw one.reason;
    },
  };
}

/**
 * Opens `results.csv` and starts it from the beginning: a resumed run logs the events of its journal again. No caller waits
 * for its lines, because the file can be recreated from the journal.
 */
async function openResults(path: string, blockedBy: () => Error | undefined) {
  const file = await openAppend(path, { isDelayed: true, blockedBy });
  try {
    await file.truncate(0);
    void file.append(RESULTS_HEADER);
    await file.flush();
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    /** Adds the line of an event, if it has one. Returns a promise only for the last event, when every line is written. */
    log(...read: Parameters<RunReader>): Promise<void> | undefined {
      const [event] = read;
      const line = resultsLine(...read);
      if (line !== undefined) void file.append(line);
      return event.event === 'run.ended' ? file.flush() : undefined;
    },
    flush: () => file.flush(),
    close: () => file.close(),
  };
}

const NEW_FOLDER = 'Free disk space, or name a folder that you may write to with --out DIR (or SIGNALS_RUNS).';

async function orUnwritable<T>(folder: RunFolder, hint: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw new ProblemError({
      code: 'run.folder',
      message: `The run folder ${folder.path} cannot be written: ${messageOf(error)}. Nothing was sent.`,
      hint,
    });
  }
}
