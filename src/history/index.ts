/**
 * History: which records earlier runs have sent, for `--skip-delivered`. Takes journals and the state folder, gives
 * {@link SentRecords}. Imports journal/, contract/, model/ and lib/.
 *
 * The life of an entry:
 * 1. Before a run sends, it is added to the run list. Its journal records the keys of each batch.
 * 2. When the run ends, its journal becomes a segment of the delivered index: an entry for each batch it has sent.
 * 3. If the run was killed first, the next run that loads the history reads its journal and writes the segment.
 * 4. Later runs load entries of the last 90 days, as of their start, so that a resume cuts the same batches again.
 * 5. After 180 days the file is removed. Many segment files are joined into one.
 *
 * Runs in the same folder as a run count also if the run list does not have them: another user, machine or home started
 * them. A problem with the state folder is a warning; a run that must not send a record twice does not begin then.
 */
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import { makeFolder, removeFile, writePrivateFile } from '../journal/file-system.ts';
import { lockHolder } from '../journal/lock.ts';
import { readJournal } from '../journal/read-journal.ts';
import { type RunFile, readRunFile } from '../journal/run-file.ts';
import { journalSize } from '../journal/run-folder.ts';
import { messageOf } from '../lib/text.ts';
import { rowsOf } from '../model/batch.ts';
import type { BatchSealed } from '../model/event.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { runNames } from '../runs/catalogue.ts';
import { DeliveredIndex, identityOf, type Service, shortDigest } from './delivered-index.ts';
import { addToRunList, openRunList, type RunListEntry, readRunList } from './run-list.ts';
import {
  EntryBuilder,
  EXTENSION,
  readSegmentFile,
  type Segment,
  type SentEntry,
  writeSegmentFile,
} from './segment-file.ts';
import { decodeKeys, type SentRecords } from './sent-records.ts';

/** Age up to which an entry counts, in milliseconds. */
export const HISTORY_MS = 90 * 86_400_000;
/** Age at which an entry is removed: a run that was resumed late still needs the history as of its start. */
const REMOVAL_MS = 2 * HISTORY_MS;

/** A file in the folder of a packed run: the history as of its start. */
const EXPORT_NAME = 'earlier';

export interface HistoryRequest extends Service {
  /** The state folder. */
  readonly state: string;
  /** The folder of runs of this run. */
  readonly root: string;
  /** Start of the run: milliseconds since 1970. Entries {@link HISTORY_MS} older do not count. */
  readonly now: number;
  /** For a run that is resumed: {@link LoadedHistory.asOf} of its start. */
  readonly asOf?: number;
  /** Folder of the run that is resumed: its own records are not history. */
  readonly ownFolder?: string;
}

export interface LoadedHistory {
  /** Entries up to this time were loaded: milliseconds since 1970. A resume must load the same. */
  readonly asOf: number;
  readonly warnings: readonly Problem[];
}

/** Adds the records that earlier runs have sent. */
export function loadHistory(request: HistoryRequest, records: Pick<SentRecords, 'addSent'>): Promise<LoadedHistory> {
  return readEntries(request, ({ state, keys }, run) => records.addSent(decodeKeys(keys), { state, run }));
}

/**
 * Writes the history of a run into its folder, so that it can be resumed on another machine. Does nothing if the run
 * does not use the history.
 *
 * @throws ProblemError `pack.failed`
 */
export async function exportHistory(state: string, runFile: RunFile, folder: string): Promise<readonly Problem[]> {
  const { type, baseUrl, startedAt, skipSent } = runFile;
  if (skipSent === undefined) return [];
  const now = Date.parse(startedAt);
  const root = path.dirname(path.resolve(folder));
  const request = { state, root, type, baseUrl, now, asOf: Date.parse(skipSent), ownFolder: folder };
  try {
    return await writeSegmentFile(folder, EXPORT_NAME, async (writer) => {
      let segment: Segment | undefined;
      const { warnings } = await readEntries(request, (entry, run) => {
        if (segment?.run !== run) segment = { run, folder: '', startedAt, journal: 0 };
        writer.add(entry, segment);
      });
      return warnings;
    });
  } catch (error) {
    throw new ProblemError({
      code: 'pack.failed',
      message: `Cannot write the history into the run folder: ${messageOf(error)}. Nothing was packed.`,
      where: folder,
      hint: 'Free some disk space.',
    });
  }
}

/** Whether what a run sends could be recorded now. @returns a problem if not */
export async function checkRecording(state: string, service: Service): Promise<readonly Problem[]> {
  const { folder } = new DeliveredIndex(state, service);
  const probe = path.join(folder, `.probe-${process.pid}.tmp`);
  try {
    await (await openRunList(state, new Date().toISOString())).close();
    makeFolder(folder);
    writePrivateFile(probe, '1');
    removeFile(probe);
    return [];
  } catch (error) {
    return [stateProblem(state, error, 'Cannot record what this run would send; a later run could send it again')];
  }
}

/** Adds a run to the run list, before it sends anything. @returns a warning if that failed */
export async function registerRun(state: string, runFile: RunFile, folder: string): Promise<readonly Problem[]> {
  try {
    await addToRunList(state, listEntryOf(runFile, folder));
    return [];
  } catch (error) {
    return [stateProblem(state, error, 'Cannot add the run to the list of runs; it can only be found by its folder')];
  }
}

/**
 * Adds the records of a run to the delivered index, at its end, by the process that holds its lock.
 *
 * @param now milliseconds since 1970
 * @returns a warning if that failed
 */
export async function indexRun(
  state: string,
  runFile: RunFile,
  folder: string,
  now: number,
): Promise<readonly Problem[]> {
  const run = listEntryOf(runFile, folder);
  if (run.sandbox || !run.keys) return [];
  const index = new DeliveredIndex(state, run);
  try {
    await addRunTo(index, run);
    await index.removeFiles(now - REMOVAL_MS);
    await index.compact(now);
    return [];
  } catch (error) {
    return [stateProblem(state, error, INDEX_FAILED)];
  }
}

/** Adds the records of a batch that an earlier part of the same run has sealed or passed. In the order of the rows. */
export function addSealed(
  records: Pick<SentRecords, 'addSealed'>,
  { keys = '', ranges }: Pick<BatchSealed, 'keys' | 'ranges'>,
): void {
  const positions = ranges.flatMap(rowsOf);
  for (const [n, key] of decodeKeys(keys).entries()) {
    const position = positions[n];
    if (position !== undefined) records.addSealed(key, position);
  }
}

async function readEntries(
  request: HistoryRequest,
  onEntry: (entry: SentEntry, run: string) => void,
): Promise<LoadedHistory> {
  const { state, now, asOf = Number.POSITIVE_INFINITY } = request;
  const ownFolder = request.ownFolder === undefined ? undefined : path.resolve(request.ownFolder);
  // If the clock was set back, entries of a moment ago are later than `now`.
  let newest = now;
  const add = (entry: SentEntry, { run }: Pick<Segment, 'run'>): void => {
    if (entry.time <= now - HISTORY_MS || entry.time > asOf) return;
    newest = Math.max(newest, entry.time);
    onEntry(entry, run);
  };
  const warnings: Problem[] = [];
  try {
    if (ownFolder !== undefined) {
      await readSegmentFile(path.join(ownFolder, `${EXPORT_NAME}${EXTENSION}`), () => true, add);
    }
    const { journals, withoutKeys } = await findJournals(request);
    if (withoutKeys > 0) warnings.push(keysMissing(withoutKeys));
    const index = new DeliveredIndex(state, request);
    const indexed = await readIndex(index, journals, ownFolder, add);
    for (const [identity, { run }] of journals) {
      if (run.folder === ownFolder || indexed.has(identity)) continue;
      warnings.push(...(await addFromJournal(state, index, run, (entry) => add(entry, run))));
    }
  } catch (error) {
    warnings.push(stateProblem(state, error, 'Cannot read what earlier runs have sent; rows may be sent twice'));
  }
  return { asOf: Number.isFinite(asOf) ? asOf : newest, warnings };
}

interface JournalOfRun {
  readonly run: RunListEntry;
  /** In bytes. */
  readonly size: number;
}

/**
 * Reads the segments whose run is gone, or whose journal has not grown since the segment was made. A journal that is
 * shorter now has lost its last lines. @returns their runs
 */
async function readIndex(
  index: DeliveredIndex,
  journals: ReadonlyMap<string, JournalOfRun>,
  ownFolder: string | undefined,
  onEntry: (entry: SentEntry, segment: Segment) => void,
): Promise<ReadonlySet<string>> {
  const isCurrent = (segment: Segment): boolean => {
    const size = journals.get(identityOf(segment))?.size;
    return size === undefined || size <= segment.journal;
  };
  const indexed = new Set<string>();
  const read = new Set<string>();
  // Files can be merged while they are read: the merged file is then new.
  for (;;) {
    const file = index.files().find((one) => !read.has(one));
    if (file === undefined) return indexed;
    read.add(file);
    const wants = (segment: Segment): boolean => segment.folder !== ownFolder && isCurrent(segment);
    for (const segment of await readSegmentFile(file, wants, onEntry)) {
      if (isCurrent(segment)) indexed.add(identityOf(segment));
    }
  }
}

/** The runs to a service, by identity, whose journals have record keys; and the number of recent runs without keys. */
async function findJournals({ state, root, type, baseUrl, now, asOf = now, ownFolder }: HistoryRequest) {
  const journals = new Map<string, JournalOfRun>();
  let withoutKeys = 0;
  const listedRuns = await readRunList(state);
  for (const run of [...listedRuns, ...(await unlistedRuns(root, listedRuns))]) {
    if (run.sandbox || run.type !== type || run.baseUrl !== baseUrl) continue;
    const started = Date.parse(run.startedAt);
    if (!run.keys) {
      if (started > now - HISTORY_MS && started <= asOf && run.folder !== ownFolder) withoutKeys += 1;
      continue;
    }
    if (started <= now - REMOVAL_MS) continue;
    const size = journalSize(run.folder);
    if (size > 0) journals.set(identityOf(run), { run, size });
  }
  return { journals, withoutKeys };
}

/** The runs of a folder that are not in the run list. */
async function unlistedRuns(root: string, listedRuns: readonly RunListEntry[]): Promise<readonly RunListEntry[]> {
  const known = new Set(listedRuns.map(({ folder }) => folder));
  const runs: RunListEntry[] = [];
  for (const folder of runNames(root).map((name) => path.resolve(root, name))) {
    if (known.has(folder)) continue;
    const file = await readRunFile(folder).catch(() => undefined);
    if (file !== undefined) runs.push(listEntryOf(file, folder));
  }
  return runs;
}

/** For a run without a current segment: it was killed before its end, or it is running. */
async function addFromJournal(
  state: string,
  index: DeliveredIndex,
  run: RunListEntry,
  onEntry: (entry: SentEntry) => void,
): Promise<readonly Problem[]> {
  const isRunning = lockHolder(run.folder) !== undefined;
  try {
    await readJournalEntries(run.folder, isRunning, onEntry);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    // A run without a first line in its journal has sent nothing.
    const problems = error.problems.filter(({ code }) => code !== 'journal.empty');
    return problems.map(({ message, where }) => ({
      code: 'state.journal',
      message: `Cannot read what ${run.run} has sent: its rows may be sent twice. ${message}`,
      where,
    }));
  }
  if (isRunning) return [];
  try {
    await addRunTo(index, run);
    return [];
  } catch (error) {
    return [stateProblem(state, error, INDEX_FAILED)];
  }
}

async function addRunTo(index: DeliveredIndex, { run, folder, startedAt }: RunListEntry): Promise<void> {
  // The size is taken first: if the journal grows meanwhile, the segment is not current and is made again.
  const segment = { run, folder, startedAt, journal: journalSize(folder) };
  // A new name whenever the journal has grown, so that no file ever changes.
  const name = `${run}-${shortDigest(identityOf(segment), 8)}-${segment.journal}`;
  await writeSegmentFile(index.folder, name, async (writer) => {
    writer.begin(segment);
    await readJournalEntries(folder, false, (entry) => writer.add(entry, segment));
  });
}

/** @param isRunning whether a process works on the run: batches in flight may then still be settled */
async function readJournalEntries(
  folder: string,
  isRunning: boolean,
  onEntry: (entry: SentEntry) => void,
): Promise<void> {
  let builder: EntryBuilder | undefined;
  const { runState } = await readJournal(folder, {
    onEvent(event, soFar, changes) {
      builder ??= new EntryBuilder(!contracts[soFar.type].deduplicates, onEntry);
      builder.add(event, soFar, changes);
    },
  });
  if (!isRunning) builder?.addInFlight(runState);
}

function listEntryOf(runFile: RunFile, folder: string): RunListEntry {
  const { run, startedAt, type, baseUrl, sandbox, keys = false } = runFile;
  return { run, folder: path.resolve(folder), startedAt, type, baseUrl, sandbox, keys };
}

function keysMissing(runs: number): Problem {
  const one = runs === 1;
  return {
    code: 'state.unkept',
    message: `${one ? 'One earlier run' : `${runs} earlier runs`} to this service did not record what ${one ? 'it' : 'they'} sent, because ${one ? 'it was' : 'they were'} started without --skip-delivered. Those rows are sent again.`,
    hint: 'The service deduplicates signals.',
  };
}

const INDEX_FAILED = 'Cannot save what this run has sent: a later run may send it again';

function stateProblem(state: string, error: unknown, what: string): Problem {
  return {
    code: 'state.folder',
    message: `${what}: ${messageOf(error)}.`,
    where: state,
    hint: 'Make the folder writable, or name another one with SIGNALS_STATE_DIR.',
  };
}
