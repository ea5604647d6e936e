/** The files of a run folder while the run writes them (docs/reference.md, "The run folder"). */
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { openAppend } from '../journal/append-file.ts';
import { replaceFile, syncToDisk } from '../journal/file-system.ts';
import { encodeLine } from '../journal/lines.ts';
import { type Lock, LockLostError, unwritable } from '../journal/lock.ts';
import { isSpool, type RunFolder, spoolName } from '../journal/run-folder.ts';
import { createUndeliveredFile, readUndelivered, UNDELIVERED } from '../journal/undelivered.ts';
import type { RunEvent } from '../model/event.ts';
import type { RunReader, RunState } from '../model/run-state.ts';
import { RESULTS_HEADER, resultsLine } from '../report/results-and-rejects.ts';
import { catalogueOpen } from '../stored-runs/catalogue.ts';
import { createRejectsFiles, type RejectedRow, type RejectsOrigin } from './rejects-folder.ts';

export type RunFiles = Awaited<ReturnType<typeof openRunFiles>>;

interface RestorePoint {
  /** Length of the journal's whole lines. */
  readonly bytes: number;
  readonly runState: RunState;
  /** Whether the rejects files stay as they are. */
  readonly keepsRejects: boolean;
}

interface FileOptions {
  readonly fsync: boolean;
  readonly lock?: Pick<Lock, 'confirm' | 'isContested'> | undefined;
  /** Nothing changes in the folder until `restore`. */
  readonly isResumed?: boolean;
}

/** @throws ProblemError `run.folder` if the files cannot be written */
export function openRunFiles(folder: RunFolder, origin: RejectsOrigin, options: FileOptions) {
  return orUnwritable(folder.path, options.isResumed ? RESUME : NEW_FOLDER, () => open(folder, origin, options));
}

async function open(folder: RunFolder, origin: RejectsOrigin, { fsync, lock, isResumed = false }: FileOptions) {
  const at = (name: string): string => path.join(folder.path, name);
  // Immediately before each write: the process may have been stopped since it last looked at its lock.
  const lostBy = (): Error | undefined => lock && lostLock(lock);
  const journal = await openAppend(at('journal.ndjson'), { fsync, blockedBy: lostBy, reserve: at('journal.reserve') });
  // Space on a full disk belongs to the journal: a payload must not displace the results of other requests.
  const blockedBy = (): Error | undefined => journal.diskFull ?? lostBy();
  const results = await openResults(at('results.csv'), isResumed, blockedBy).catch(async (error: unknown) => {
    await journal.close();
    throw error;
  });
  // The journal counts on what is in these two files.
  const rejects = createRejectsFiles(folder.path, origin, { fsync, blockedBy });
  const undelivered = createUndeliveredFile(at(UNDELIVERED), { fsync, blockedBy });
  const write = async (name: string, text: string): Promise<void> => replaceFile(at(name), text);
  const findSpools = async () => (await readdir(folder.path)).filter(isSpool).map(at);

  return {
    folder,
    journal,
    results,
    rejects,
    undelivered,
    /**
     * Resolves when the event is in the journal, perhaps in the reserved space: then its `diskFull` is set. Once it is, only events
     * about things that already happened are written, and no other file grows.
     */
    append(event: RunEvent): Promise<void> {
      const { diskFull } = journal;
      return diskFull === undefined || hasHappened(event)
        ? journal.append(encodeLine(event))
        : Promise.reject(diskFull);
    },
    /** Writes a whole file: run.json, mapping.yaml, summary.json. */
    write,
    /** Writes the files that describe the run, before anything is sent. @throws ProblemError `run.folder` */
    begin: (files: Readonly<Record<string, string>>): Promise<void> =>
      orUnwritable(folder.path, NEW_FOLDER, async () => {
        for (const [name, text] of Object.entries(files)) await write(name, text);
        // A journal that survives a power cut is of no use without run.json.
        if (fsync) syncToDisk(Object.keys(files).map(at), [folder.path, path.dirname(folder.path)]);
      }),
    /** Brings the files back to the state of the journal, for a resume. @throws ProblemError `run.folder` */
    restore: ({ bytes, runState, keepsRejects }: RestorePoint): Promise<void> =>
      orUnwritable(folder.path, RESUME, async () => {
        // The results of the earlier parts must be on disk before anything more is sent.
        catalogueOpen(folder);
        await results.restore();
        await journal.truncate(bytes);
        // A killed process may not have waited until the disk had what it copied.
        if (fsync) syncToDisk(await findSpools(), []);
        // Its earlier holder may wake up and write.
        const isContested = lock?.isContested === true;
        if (isContested) await journal.moveToCopy(at('journal.ndjson'));
        await undelivered.retain((batch) => runState.undelivered.has(batch));
        if (!keepsRejects) await rejects.restore(runState.rejects.bytes, isContested);
      }),
    /** Brings results.csv alone back: writing its last lines may have failed. @throws ProblemError `run.folder` */
    restoreResults: (): Promise<void> => orUnwritable(folder.path, RESUME, () => results.restore()),
    spoolFile: (source: string, index: number): string => at(spoolName(source, index)),
    /** The rows of the records that the service refused, of the batches in the file. */
    async *rejectedRows(): AsyncGenerator<RejectedRow & { readonly batch: string }> {
      await undelivered.close();
      for await (const { id, rejected, rows } of readUndelivered(at(UNDELIVERED))) {
        const [row] = rows;
        if (rejected === undefined || row === undefined) continue;
        const { source, line } = row.position;
        yield { batch: id, source, line, ...rejected };
      }
    },
    async dropSpool(): Promise<void> {
      for (const file of await findSpools()) await rm(file, { force: true });
    },
    async close(): Promise<void> {
      const closed = await Promise.allSettled([journal, results, undelivered, rejects].map((file) => file.close()));
      for (const one of closed) if (one.status === 'rejected') throw one.reason;
    },
  };
}

/**
 * No caller waits for the lines of results.csv, which can be made again from the journal. A resumed run logs the events of its
 * journal again, into a draft: until the journal was read, the file may know more than it (recorded-end.ts).
 */
async function openResults(path: string, isResumed: boolean, blockedBy: () => Error | undefined) {
  const draft = `${path}.tmp`;
  const file = await openAppend(isResumed ? draft : path, { blockedBy });
  let isDraft = isResumed;
  const close = async (): Promise<void> => {
    await file.close();
    if (isDraft) await rm(draft, { force: true });
  };
  try {
    await file.truncate(0);
    void file.append(RESULTS_HEADER);
    await file.flush();
  } catch (error) {
    await close();
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
    async restore(): Promise<void> {
      await file.flush();
      await rename(draft, path);
      isDraft = false;
    },
    close,
  };
}

/** The error of a lock that another process has taken. A folder that was renamed still belongs to the run. */
function lostLock(lock: Pick<Lock, 'confirm'>): Error | undefined {
  try {
    lock.confirm();
    return undefined;
  } catch (error) {
    return error instanceof LockLostError ? error : undefined;
  }
}

const RESUME = 'Free disk space, check that you may write to the folder, and resume.';
const NEW_FOLDER = 'Free disk space, or name a folder that you may write to with --out DIR (or SIGNALS_RUNS).';

async function orUnwritable<T>(folder: string, hint: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw unwritable(folder, error, hint);
  }
}

/** Whether an event is true even if it is not written. All others announce something. */
export function hasHappened({ event }: RunEvent): boolean {
  return event === 'attempt.failed' || event === 'batch.settled' || event === 'run.ended';
}
