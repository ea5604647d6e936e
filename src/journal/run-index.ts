/**
 * Lists the runs of a folder. `.index.ndjson` in that folder has a line for each finished run, so that not every journal has
 * to be read. A line is valid only while the journal has the size and the modification time in the line. The file is only a
 * cache: it can be deleted, and two processes can append to it.
 */
import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { RowCounts, ServiceCounts } from '../model/counts.ts';
import type { Stop } from '../model/outcome.ts';
import { ProblemError } from '../model/problem.ts';
import type { RunState } from '../model/run-state.ts';
import { decodeLine, encodeLine } from './event-line.ts';
import { readTextFile, replaceFile } from './file-system.ts';
import { type InspectedBatch, inspectRun } from './inspect-run.ts';
import { lockHolder } from './lock.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import { type JournalStats, journalStats, type RunFolder } from './run-folder.ts';
import { noRows } from './run-state.ts';

/** The part of a run.json that a list of runs shows, and that relates a run to its replays. */
export interface RunIdentity extends Pick<RunFile, 'run' | 'startedAt' | 'type' | 'variant' | 'parent' | 'takes'> {
  readonly inputs: readonly Pick<RunFile['inputs'][number], 'source'>[];
}

/** The outcome of a run, from its journal. */
export interface RunFacts {
  /** Whether the journal ends with `run.ended`. */
  readonly ended: boolean;
  readonly state: RunState['state'];
  readonly rows: RowCounts;
  readonly service: Readonly<Pick<ServiceCounts, 'rejected' | 'unaccounted'>>;
  /** Why it ended before it was complete. */
  readonly stop?: Pick<Stop, 'code' | 'message'> | undefined;
  /** Whether the rest of its input is lost, and everything before it is settled. */
  readonly isRestLost?: boolean | undefined;
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

/** A line is short, because there can be thousands: common and empty values are left out. */
interface IndexLine {
  readonly v: 2;
  readonly id: string;
  readonly journal: JournalStats;
  readonly file: Omit<RunIdentity, 'run'> & { readonly run?: string | undefined };
  readonly facts: Pick<RunFacts, 'state' | 'stop' | 'isRestLost'> & {
    readonly rows: Partial<RowCounts>;
    readonly service?: RunFacts['service'] | undefined;
    readonly undelivered?: RunFacts['undelivered'] | undefined;
  };
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

const NONE_REJECTED: RunFacts['service'] = { rejected: 0, unaccounted: 0 };

/** Of a run whose journal is empty. */
const NO_FACTS: RunFacts = {
  ended: false,
  state: 'running',
  rows: noRows(),
  service: NONE_REJECTED,
  undelivered: [],
};

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
  const added: IndexLine[] = [];
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
      if (run.facts === undefined && facts.ended && !isRunning) added.push(lineOf(folder.id, journal, file, facts));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      runs.push({ folder, journal, file: run.file, problem: error });
    }
  }
  addLines(root, added);
  return runs;
}

/** Removes deleted runs from the index of a folder. */
export function compactIndex(root: string): void {
  const names = new Set(namesIn(root));
  const lines = [...readIndex(root).values()].filter(({ id }) => names.has(id));
  writeIndex(() => replaceFile(path.join(root, INDEX), lines.map(encodeLine).join('')));
}

/** Adds a run that has ended to the index of its folder, unless it has undelivered batches: the run state does not list them. */
export function addToIndex(root: string, { id, path: folder }: RunFolder, file: RunIdentity, runState: RunState): void {
  const { rows, service, batches, open, state } = runState;
  const journal = journalStats(folder);
  if (journal === undefined || state === 'running' || open.size > 0 || batches.refused > 0) return;
  if (path.dirname(path.resolve(folder)) !== path.resolve(root)) return;
  const stop = stopOf(runState);
  const facts = { ended: true, state, rows, service, stop, isRestLost: isRestLost(runState), undelivered: [] };
  addLines(root, [lineOf(id, journal, file, facts)]);
}

export function factsOf({ ended, runState, batches }: Awaited<ReturnType<typeof inspectRun>>): RunFacts {
  const undelivered = [...batches.values()].map(({ batch, state, records }) => ({ batch, state, records }));
  const { state, rows, service } = runState;
  return { ended, state, rows, service, stop: stopOf(runState), isRestLost: isRestLost(runState), undelivered };
}

function stopOf({ stop }: RunState): RunFacts['stop'] {
  return stop && { code: stop.code, message: stop.message };
}

/** An input without a size is a pipe or unpacked data: what could not be read once cannot be read again. */
export function isRestLost({ stop, sources, rows }: RunState): boolean {
  const isSettled = rows.pending + rows.exhausted + rows.unknown === 0;
  return stop?.code === 'input' && isSettled && sources.every(({ ended, size }) => ended || size === undefined);
}

async function list(root: string): Promise<readonly ListedRun[]> {
  const index = readIndex(root);
  const runs: { readonly run: ListedRun; readonly key: string }[] = [];
  for (const id of namesIn(root)) {
    const folder = { id, path: path.join(root, id) };
    const journal = journalStats(folder.path);
    if (journal === undefined) continue;
    const line = index.get(id);
    const isCurrent = line?.journal.bytes === journal.bytes && line.journal.mtimeMs === journal.mtimeMs;
    const known = isCurrent ? restore(line) : undefined;
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

function lineOf(id: string, journal: JournalStats, { run, ...identity }: RunIdentity, facts: RunFacts): IndexLine {
  const { startedAt, type, variant, parent, takes, inputs } = identity;
  const { state, service, stop, isRestLost, undelivered } = facts;
  const { rejected, unaccounted } = service;
  const sources = inputs.map(({ source }) => ({ source }));
  return {
    v: 2,
    id,
    journal,
    file: {
      run: run === id ? undefined : run,
      startedAt,
      type,
      variant,
      parent,
      takes,
      inputs: sources,
    },
    facts: {
      state,
      stop,
      isRestLost: isRestLost || undefined,
      rows: Object.fromEntries(Object.entries(facts.rows).filter(([, rows]) => rows > 0)),
      service: rejected + unaccounted === 0 ? undefined : { rejected, unaccounted },
      undelivered: undelivered.length === 0 ? undefined : undelivered,
    },
  };
}

/** The inverse of {@link lineOf}. */
function restore({ id, file, facts }: IndexLine): { readonly file: RunIdentity; readonly facts: RunFacts } {
  const { state, rows, service = NONE_REJECTED, stop, isRestLost, undelivered = [] } = facts;
  return {
    file: { ...file, run: file.run ?? id },
    facts: { ended: true, state, rows: { ...noRows(), ...rows }, service, stop, isRestLost, undelivered },
  };
}

function addLines(root: string, lines: readonly IndexLine[]): void {
  if (lines.length === 0) return;
  // Starts with a line feed, because the last line may be torn.
  const text = `\n${lines.map(encodeLine).join('')}`;
  writeIndex(() => appendFileSync(path.join(root, INDEX), text, { mode: 0o600 }));
}

/** Ignores a failure, as in a read-only folder: without the index, the next command reads the journals again. */
function writeIndex(write: () => void): void {
  try {
    write();
  } catch {
    // See above.
  }
}
