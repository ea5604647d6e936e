/** The files of a run folder while the run writes them (docs/spec/cli.md, "Run folder"). */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../journal/file-system.ts';
import { isSpool, type RunFolder, spoolName } from '../journal/run-folder.ts';
import { undeliveredBatchId } from '../journal/undelivered.ts';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { type BatchLines, createBatchLines } from './batch-lines.ts';
import { type JournalFile, openJournal } from './journal-file.ts';
import { createRefusedRows, type RefusedRows } from './refused-rows.ts';
import { createRejectsFiles, type RejectsFiles, type RejectsInput, type RejectsMark } from './rejects-files.ts';
import { openResults, type ResultsFile } from './results-file.ts';

/** The batches of a replay, as the run that it replays left them. */
export const REPLAY_FILE = 'replay.ndjson';

export interface RunFiles {
  readonly folder: RunFolder;
  readonly journal: JournalFile;
  readonly results: ResultsFile;
  readonly rejects: RejectsFiles;
  readonly refused: RefusedRows;
  /** The payloads of batches that ended refused, exhausted or unknown. */
  readonly undelivered: BatchLines;
  /** Writes the files that describe the run, before anything is sent. @throws ProblemError `run.folder` */
  begin(files: Readonly<Record<string, string>>): Promise<void>;
  /** Brings the files back to the state of the journal, for a resume. @throws ProblemError `run.folder` */
  restore(state: JournalState): Promise<void>;
  /** Writes a whole file: run.json, mapping.yaml, summary.json. */
  write(name: string, text: string): Promise<void>;
  /** Path of the copy of a pipe: the input of this name and index. */
  spoolFile(source: string, index: number): string;
  /** Deletes the copies of pipes and the batches of a replay, once nothing needs them. */
  dropSpool(): Promise<void>;
  close(): Promise<void>;
}

export interface JournalState {
  /** Length of the journal's whole lines. */
  readonly bytes: number;
  readonly rejects: RejectsMark;
  /** Batches that are sent again, so that they do not count as undelivered. */
  readonly reopened: ReadonlySet<string>;
}

/** Opens the files of a new or resumed run. @throws ProblemError `run.folder` if they cannot be written */
export async function openRunFiles(
  folder: RunFolder,
  inputs: readonly RejectsInput[],
  options: { readonly fsync: boolean },
): Promise<RunFiles> {
  try {
    return await open(folder, inputs, options);
  } catch (error) {
    throw unwritable(folder.path, error, NEW_FOLDER);
  }
}

async function open(
  folder: RunFolder,
  inputs: readonly RejectsInput[],
  options: { readonly fsync: boolean },
): Promise<RunFiles> {
  const at = (name: string): string => path.join(folder.path, name);
  const journal = await openJournal(at('journal.ndjson'), at('journal.reserve'), options);
  // Space on a full disk belongs to the journal: a payload must not displace the results of other requests.
  const blockedBy = (): Error | undefined => journal.diskFull;
  const results = await openResults(at('results.csv'), blockedBy);
  const rejects = createRejectsFiles(folder.path, inputs, blockedBy);
  const refused = createRefusedRows(folder.path, rejects, blockedBy);
  const undelivered = createBatchLines(at('undelivered.ndjson'), undeliveredBatchId, blockedBy);
  const write: RunFiles['write'] = async (name, text) => replaceFile(at(name), text);

  return {
    folder,
    journal,
    results,
    rejects,
    refused,
    undelivered,
    async begin(files) {
      try {
        for (const [name, text] of Object.entries(files)) await write(name, text);
      } catch (error) {
        throw unwritable(folder.path, error, NEW_FOLDER);
      }
    },
    async restore({ bytes, rejects: mark, reopened }) {
      try {
        // The results of the earlier parts must be on disk before anything more is sent.
        await results.flush();
        await journal.truncate(bytes);
        await undelivered.remove(reopened);
        await refused.remove(reopened);
        await rejects.restore(mark);
      } catch (error) {
        throw unwritable(folder.path, error, 'Free disk space, check that you may write to it, and resume.');
      }
    },
    write,
    spoolFile: (source, index) => at(spoolName(source, index)),
    async dropSpool() {
      const spools = (await readdir(folder.path)).filter(isSpool);
      for (const name of [...spools, REPLAY_FILE]) await rm(at(name), { force: true });
    },
    async close() {
      for (const file of [journal, results, undelivered, refused, rejects]) await file.close();
    },
  };
}

const NEW_FOLDER = 'Free disk space, or name a folder that you may write to with --out DIR (or SIGNALS_RUNS).';

function unwritable(folder: string, error: unknown, hint: string): ProblemError {
  return new ProblemError({
    code: 'run.folder',
    message: `The run folder ${folder} cannot be written: ${messageOf(error)}. Nothing was sent.`,
    hint,
  });
}
