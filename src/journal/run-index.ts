/**
 * Lists the runs of a folder. `.index.ndjson` in that folder has a line for each finished run, so that not every journal has
 * to be read. A line is valid only while the journal has the size and the modification time in the line. The file is only a
 * cache: it can be deleted, and two processes can append to it.
 */
import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { RowCounts } from '../model/counts.ts';
import type { Ledger } from '../model/ledger.ts';
import { ProblemError } from '../model/problem.ts';
import { decodeLine, encodeLine } from './event-line.ts';
import { readTextFile, replaceFile } from './file-system.ts';
import { type InspectedBatch, type InspectedRun, inspectRun } from './inspect-run.ts';
import { noRows } from './ledger-reducer.ts';
import { lockHolder } from './lock.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import { type JournalStats, journalStats, type RunFolder } from './run-folder.ts';

/** The part of a run.json that a list of runs shows, and that relates a run to its replays. */
export interface RunIdentity extends Pick<RunFile, 'run' | 'startedAt' | 'type' | 'variant' | 'parent' | 'takes'> {
  readonly inputs: readonly Pick<RunFile['inputs'][number], 'source'>[];
}

/** The outcome of a run, from its journal. */
export interface RunFacts {
  /** Whether the journal ends with `run.ended`. */
  readonly ended: boolean;
  readonly state: Ledger['state'];
  readonly rows: RowCounts;
  /** Undelivered batches, in the order in which they were sealed. */
  readonly undelivered: readonly Pick<InspectedBatch, 'batch' | 'state' | 'records'>[];
}

export interface RunSummary extends RunFacts {
  readonly folder: RunFolder;
  readonly journal: JournalStats;
  readonly file: RunIdentity;
  /** Whether another process is working on it. */
  readonly isRunning: boolean;
}

/** A run with an unreadable run.json or journal. */
export interface UnreadableRun {
  readonly folder: RunFolder;
  readonly journal: JournalStats;
  /** Absent if run.json is unreadable. */
  readonly file?: RunIdentity | undefined;
  readonly problem: ProblemError;
}

interface IndexLine {
  readonly v: 2;
  readonly id: string;
  readonly journal: JournalStats;
  readonly file: RunIdentity;
  readonly facts: RunFacts;
}

/** A folder with a journal. */
export interface ListedRun {
  readonly folder: RunFolder;
  readonly journal: JournalStats;
  /** Absent if it is unreadable. */
  readonly file?: RunIdentity | undefined;
  /** From the index. */
  readonly facts?: RunFacts | undefined;
}

const INDEX = '.index.ndjson';

/** Of a run whose journal is empty. */
const NO_FACTS: RunFacts = { ended: false, state: 'running', rows: noRows(), undelivered: [] };

/** The identities of the runs of a folder, oldest first. Reads no journals. */
export async function listRuns(root: string): Promise<readonly ListedRun[]> {
  return (await list(root)).filter(({ journal }) => journal.bytes > 0);
}

/**
 * The outcomes of the runs of a folder, oldest first, including runs that another process is about to start. Reads only the
 * journals that are not in the index.
 */
export async function readRuns(root: string): Promise<readonly (RunSummary | UnreadableRun)[]> {
  const runs: (RunSummary | UnreadableRun)[] = [];
  for (const run of await list(root)) {
    const { folder, journal } = run;
    const isRunning = lockHolder(folder.path) !== undefined;
    // A run exists only once its journal has a line.
    if (journal.bytes === 0 && !isRunning) continue;
    try {
      const isWhole = run.file !== undefined && existsSync(path.join(folder.path, 'run.json'));
      const file = isWhole ? run.file : await readRunFile(folder.path);
      const facts = run.facts ?? (journal.bytes === 0 ? NO_FACTS : factsOf(await inspectRun(folder.path, isRunning)));
      runs.push({ folder, journal, file, isRunning, ...facts });
      if (run.facts === undefined && facts.ended && !isRunning) addLine(folder, journal, file, facts);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      runs.push({ folder, journal, file: run.file, problem: error });
    }
  }
  return runs;
}

/** Removes deleted runs from the index of a folder. */
export function compactIndex(root: string): void {
  const names = new Set(namesIn(root));
  const lines = [...readIndex(root).values()].filter(({ id }) => names.has(id));
  writeIndex(() => replaceFile(path.join(root, INDEX), lines.map(encodeLine).join('')));
}

/** Adds a run that has ended to the index, unless it has undelivered batches: the ledger does not list them. */
export function addToIndex(folder: RunFolder, file: RunIdentity, { state, rows, batches, open }: Ledger): void {
  const journal = journalStats(folder.path);
  if (journal === undefined || state === 'running' || open.size > 0 || batches.refused > 0) return;
  addLine(folder, journal, file, { ended: true, state, rows, undelivered: [] });
}

/** The folders of runs that the index does not show as complete. Reads no journals. */
export function incompleteRuns(root: string): readonly RunFolder[] {
  const index = readIndex(root);
  return namesIn(root)
    .map((id) => ({ id, path: path.join(root, id) }))
    .filter(({ id, path: folder }) => currentLine(index.get(id), journalStats(folder))?.facts.state !== 'complete');
}

/** The outcome of a run that ended, which is then in the index. @param journal its state before it is read */
export async function inspectEndedRun(
  folder: RunFolder,
  file: RunFile,
  journal: JournalStats,
): Promise<InspectedRun | undefined> {
  const inspected = await inspectRun(folder.path, false);
  if (!inspected.ended) return undefined;
  addLine(folder, journal, file, factsOf(inspected));
  return inspected;
}

export function factsOf({ ended, ledger, batches }: InspectedRun): RunFacts {
  const undelivered = [...batches.values()].map(({ batch, state, records }) => ({ batch, state, records }));
  return { ended, state: ledger.state, rows: ledger.rows, undelivered };
}

async function list(root: string): Promise<readonly ListedRun[]> {
  const index = readIndex(root);
  const runs: { readonly run: ListedRun; readonly key: string }[] = [];
  for (const id of namesIn(root)) {
    const folder = { id, path: path.join(root, id) };
    const journal = journalStats(folder.path);
    if (journal === undefined) continue;
    const known = currentLine(index.get(id), journal);
    const file = known?.file ?? (await readRunFile(folder.path).catch(() => undefined));
    // To the millisecond: two runs can start in one second, and an id from `--run-id` has no time.
    const time = file?.startedAt.replace(/[-:.]/g, '') ?? /^\d{8}T\d{6}/.exec(id)?.[0] ?? '';
    runs.push({ run: { folder, journal, file, facts: known?.facts }, key: `${time} ${id}` });
  }
  return runs.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ run }) => run);
}

/** The names in a folder of runs; none if it does not exist. Names that start with a dot are not runs. */
export function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(root).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}

function readIndex(root: string): ReadonlyMap<string, IndexLine> {
  const lines = new Map<string, IndexLine>();
  for (const text of (readTextFile(path.join(root, INDEX)) ?? '').split('\n')) {
    const line = decodeLine(text) as IndexLine | undefined;
    if (line?.v === 2) lines.set(line.id, line);
  }
  return lines;
}

/** A line of the index, if it is about the journal as it is now. */
function currentLine(line: IndexLine | undefined, journal: JournalStats | undefined): IndexLine | undefined {
  return line?.journal.bytes === journal?.bytes && line?.journal.mtimeMs === journal?.mtimeMs ? line : undefined;
}

function addLine({ id, path: folder }: RunFolder, journal: JournalStats, file: RunIdentity, facts: RunFacts): void {
  const index = path.join(path.dirname(path.resolve(folder)), INDEX);
  const { run, startedAt, type, variant, parent, takes, inputs } = file;
  const sources = inputs.map(({ source }) => ({ source }));
  const identity = { run, startedAt, type, variant, parent, takes, inputs: sources };
  const line: IndexLine = { v: 2, id, journal, file: identity, facts };
  // Starts with a line feed, because the last line may be torn.
  const text = `\n${encodeLine(line)}`;
  writeIndex(() => appendFileSync(index, text, { mode: 0o600 }));
}

/** Ignores a failure, as in a read-only folder: without the index, the next command reads the journals again. */
function writeIndex(write: () => void): void {
  try {
    write();
  } catch {
    // See above.
  }
}
