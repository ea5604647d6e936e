/**
 * The catalogue of the runs of a folder, `.catalogue.ndjson`: what each run was asked to do and how it ended, so that not every
 * journal has to be read. It can be deleted: it is derived from the folders of the runs and made again from them.
 *
 * A process appends a line when it begins to write to a run and another one when it ends. The last line of a run counts, and only
 * while its journal has the size and the modification time in that line. Several processes can append at the same time.
 */
import { appendFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { noRows } from '../journal/apply-event.ts';
import { fileNamesIn, readTextFile, replaceFile } from '../journal/file-system.ts';
import { decodeLine, encodeLine } from '../journal/lines.ts';
import { lockHolder } from '../journal/lock.ts';
import { readRun } from '../journal/read-journal.ts';
import { type RunFile, readRunFile, type StoredRun } from '../journal/run-file.ts';
import { type JournalStats, journalStats, type RunFolder } from '../journal/run-folder.ts';
import { ProblemError } from '../model/problem.ts';
import type { RunFacts, RunState } from '../model/run-state.ts';
import { isRestLost } from '../report/next-step.ts';
import { reportOf } from '../report/problem-text.ts';
import { unreadRows } from '../report/run-summary.ts';

/** The part of a run.json that a list of runs shows. */
export interface RunIdentity extends Pick<RunFile, 'run' | 'startedAt' | 'type' | 'variant' | 'sandbox'> {
  readonly inputs: readonly Pick<RunFile['inputs'][number], 'source'>[];
}

export interface CataloguedRun extends RunFacts {
  readonly folder: RunFolder;
  readonly journal: JournalStats;
  readonly file: RunIdentity;
  readonly isRunning: boolean;
}

/** A run with an unreadable run.json or journal. */
export interface UnreadableFolder {
  readonly folder: RunFolder;
  readonly journal: JournalStats;
  readonly problem: ProblemError;
}

/** A folder with a journal. */
export interface FoundRun {
  readonly folder: RunFolder;
  readonly journal: JournalStats;
  /** Absent if run.json is unreadable. */
  readonly file?: RunIdentity | undefined;
  readonly facts?: RunFacts | undefined;
}

interface CatalogueLine {
  readonly v: 5;
  readonly id: string;
  readonly state: RunState['state'];
  /** Absent, as what follows, while a process works on the run. */
  readonly journal?: JournalStats;
  readonly file?: RunIdentity;
  readonly facts?: RunFacts;
}

const FILE_NAME = '.catalogue.ndjson';

/** Of a run whose journal is empty. */
const NO_FACTS: RunFacts = { state: 'running', rows: noRows(), service: { rejected: 0, unaccounted: 0 } };

export function factsOf(runState: RunState): RunFacts {
  const { state, stop, rows, service, handedOver, baseUrl } = runState;
  const unread = unreadRows(runState);
  const { rejected, unaccounted } = service;
  return {
    state,
    rows,
    service: { rejected, unaccounted },
    stop,
    handedOver,
    baseUrl,
    isRestLost: isRestLost(runState),
    unread: unread === 0 ? undefined : (unread ?? null),
    rejectsRows: countRejects(runState),
  };
}

/** Invalid rows, and rows that were refused one by one: the end of a run lists these. Undefined if there are none. */
function countRejects({ rejects, undelivered }: RunState): RunFacts['rejectsRows'] {
  const rows: Record<number, number> = { ...rejects.rows };
  for (const { isRejected, ranges } of rejects.listed === undefined ? [] : undelivered.values()) {
    const source = ranges[0]?.source ?? 0;
    if (isRejected === true) rows[source] = (rows[source] ?? 0) + 1;
  }
  return Object.keys(rows).length === 0 ? undefined : rows;
}

/** The runs that have begun, oldest first. Reads no journals. */
export async function listRuns(root: string): Promise<readonly FoundRun[]> {
  return (await findRuns(root)).filter(({ journal }) => journal.bytes > 0);
}

/**
 * The runs of a folder, oldest first, including runs that another process is about to start. Reads only the journals that the
 * catalogue does not describe.
 */
export async function readCatalogue(root: string): Promise<readonly (CataloguedRun | UnreadableFolder)[]> {
  const runs: (CataloguedRun | UnreadableFolder)[] = [];
  const added: CatalogueLine[] = [];
  for (const run of await findRuns(root)) {
    const { folder, journal } = run;
    try {
      const isRunning = lockHolder(folder.path) !== undefined;
      // A run exists only once its journal has a line.
      if (journal.bytes === 0 && !isRunning) continue;
      const isWhole = run.file !== undefined && existsSync(path.join(folder.path, 'run.json'));
      const file = isWhole ? run.file : await readRunFile(folder.path);
      const facts = run.facts ?? (journal.bytes === 0 ? NO_FACTS : factsOf(await readRun(folder.path, isRunning)));
      runs.push({ folder, journal, file, isRunning, ...facts });
      if (run.facts === undefined && facts.state !== 'running' && !isRunning) {
        added.push(lineOf(folder.id, journal, file, facts));
      }
    } catch (error) {
      const { exitCode, problems } = reportOf(error);
      if (exitCode === 1) throw error;
      runs.push({ folder, journal, problem: error instanceof ProblemError ? error : new ProblemError(problems) });
    }
  }
  addLines(root, added);
  return runs;
}

export function catalogueRun({ folder, file }: StoredRun, runState: RunState): void {
  const journal = journalStats(folder.path);
  if (journal === undefined || runState.state === 'running') return;
  addLines(rootOf(folder.path), [lineOf(folder.id, journal, file, factsOf(runState))]);
}

/** Call this before a process writes to the journal of a run. @throws the system's error */
export function catalogueOpen({ id, path: folder }: RunFolder): void {
  const root = rootOf(folder);
  const line: CatalogueLine = { v: 5, id, state: 'running' };
  if (completeRuns(root).has(id)) append(root, encodeLine(line));
}

/** The runs that are complete, by id. Reads no folders: an upload with thousands of earlier runs must begin quickly. */
export function completeRuns(root: string): ReadonlySet<string> {
  return new Set([...readLines(root).values()].flatMap(({ id, state }) => (state === 'complete' ? [id] : [])));
}

export function compactCatalogue(root: string): void {
  const names = new Set(runNames(root));
  const lines = [...readLines(root).values()].filter(({ id }) => names.has(id));
  ignoreFailure(() => replaceFile(path.join(root, FILE_NAME), lines.map(encodeLine).join('')));
}

/**
 * The names in a folder of runs; none if it does not exist. Names that start with a dot are not runs.
 *
 * @throws the system's error if it cannot be listed: an unfinished run in it would be sent again
 */
export function runNames(root: string): readonly string[] {
  return fileNamesIn(root).filter((name) => !name.startsWith('.'));
}

async function findRuns(root: string): Promise<readonly FoundRun[]> {
  const lines = readLines(root);
  const runs: { readonly run: FoundRun; readonly key: string }[] = [];
  for (const id of runNames(root)) {
    const folder = { id, path: path.join(root, id) };
    const journal = journalStats(folder.path);
    if (journal === undefined) continue;
    const line = lines.get(id);
    const isCurrent = line?.journal?.bytes === journal.bytes && line.journal.mtimeMs === journal.mtimeMs;
    const known = isCurrent ? line : undefined;
    const file = known?.file ?? (await readRunFile(folder.path).catch(() => undefined));
    // To the millisecond: two runs can start in one second, and an id from `--run-id` has no time.
    const time = file?.startedAt.replace(/[-:.]/g, '') ?? /^\d{8}T\d{6}/.exec(id)?.[0] ?? '';
    runs.push({ run: { folder, journal, file, facts: known?.facts }, key: `${time} ${id}` });
  }
  return runs.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ run }) => run);
}

function readLines(root: string): ReadonlyMap<string, CatalogueLine> {
  const lines = new Map<string, CatalogueLine>();
  for (const text of (readTextFile(path.join(root, FILE_NAME)) ?? '').split('\n')) {
    const line = decodeLine(text) as CatalogueLine | undefined;
    if (line?.v === 5) lines.set(line.id, line);
  }
  return lines;
}

function lineOf(id: string, journal: JournalStats, identity: RunIdentity, facts: RunFacts): CatalogueLine {
  const { run, startedAt, type, variant, sandbox, inputs } = identity;
  const file = { run, startedAt, type, variant, sandbox, inputs: inputs.map(({ source }) => ({ source })) };
  return { v: 5, id, state: facts.state, journal, file, facts };
}

function addLines(root: string, lines: readonly CatalogueLine[]): void {
  if (lines.length > 0) ignoreFailure(() => append(root, lines.map(encodeLine).join('')));
}

function append(root: string, text: string): void {
  // Starts with a line feed, because the last line may be incomplete.
  appendFileSync(path.join(root, FILE_NAME), `\n${text}`, { mode: 0o600 });
}

function ignoreFailure(write: () => void): void {
  try {
    write();
  } catch {
    // As in a read-only folder: the next command reads the journals again.
  }
}

function rootOf(folder: string): string {
  return path.dirname(path.resolve(folder));
}
