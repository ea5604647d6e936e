/**
 * Lists the runs of a folder. `.index.ndjson` in that folder has a line for each finished run, so that a long history
 * does not cost reading every journal. A line counts only while the journal and run.json have the sizes and modification
 * times that it names. So the file is only a cache: it can be deleted, and two processes can append to it.
 */
import { appendFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Ledger, RowCounts } from '../model/ledger.ts';
import { ProblemError } from '../model/problem.ts';
import { decodeLine, encodeLine } from './event-line.ts';
import { readTextFile, replaceFile } from './file-system.ts';
import { type InspectedBatch, inspectRun } from './inspect-run.ts';
import { noRows } from './ledger-reducer.ts';
import { lockHolder } from './lock.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import type { RunFolder } from './run-folder.ts';

/** The part of a run.json that identifies the run, its data and its replays. */
export interface RunIdentity
  extends Pick<RunFile, 'run' | 'startedAt' | 'type' | 'variant' | 'baseUrl' | 'sandbox' | 'parent' | 'takes'> {
  readonly inputs: readonly Pick<RunFile['inputs'][number], 'source' | 'path' | 'bytes' | 'head'>[];
}

/** What a journal says about a run. */
export interface RunFacts {
  /** Whether the journal ends with `run.ended`. */
  readonly ended: boolean;
  readonly state: Ledger['state'];
  readonly rows: RowCounts;
  /** Batches that were cut. */
  readonly sealed: number;
  /** Batches that were not delivered, in the order in which they were sealed. */
  readonly undelivered: readonly Pick<InspectedBatch, 'batch' | 'state' | 'records'>[];
}

interface FileStats {
  readonly bytes: number;
  readonly mtimeMs: number;
}

export interface RunSummary extends RunFacts {
  readonly folder: RunFolder;
  readonly journal: FileStats;
  readonly file: RunIdentity;
  /** Whether another process works on it now. */
  readonly isRunning: boolean;
}

/** A run whose run.json or journal cannot be read. */
export interface UnreadableRun {
  readonly folder: RunFolder;
  readonly journal: FileStats;
  /** Absent if run.json is the file that cannot be read. */
  readonly file?: RunIdentity | undefined;
  readonly problem: ProblemError;
}

interface IndexLine {
  readonly v: 1;
  readonly id: string;
  readonly journal: FileStats;
  readonly runFile: FileStats;
  readonly file: RunIdentity;
  readonly facts: RunFacts;
}

/** A folder with a journal. */
export interface ListedRun extends Partial<Pick<UnreadableRun, 'file' | 'problem'>> {
  readonly folder: RunFolder;
  readonly journal: FileStats;
  /** From the index. */
  readonly facts?: RunFacts | undefined;
}

const INDEX = '.index.ndjson';
const JOURNAL = 'journal.ndjson';
const RUN_FILE = 'run.json';

/** Of a run whose journal is empty. */
const NO_FACTS: RunFacts = { ended: false, state: 'running', rows: noRows(), sealed: 0, undelivered: [] };

/** The runs of a folder with the identity of each, oldest first. Reads no journals. */
export async function listRuns(root: string): Promise<readonly ListedRun[]> {
  return (await list(root, readIndex(root))).filter(({ journal }) => journal.bytes > 0);
}

/**
 * The runs of a folder with the outcome of each, oldest first, including those that another process is about to start.
 * Reads only the journals that are not in the index.
 */
export async function readRuns(root: string): Promise<readonly (RunSummary | UnreadableRun)[]> {
  const index = readIndex(root);
  const runs: (RunSummary | UnreadableRun)[] = [];
  const added: IndexLine[] = [];
  for (const { folder, journal, file, facts, problem } of await list(root, index)) {
    if (file === undefined) {
      if (problem !== undefined && journal.bytes > 0) runs.push({ folder, journal, problem });
      continue;
    }
    try {
      const isRunning = lockHolder(folder.path) !== undefined;
      if (journal.bytes === 0 && !isRunning) continue;
      const known = journal.bytes === 0 ? NO_FACTS : (facts ?? factsOf(await inspectRun(folder.path, isRunning)));
      runs.push({ folder, journal, file, isRunning, ...known });
      if (facts === undefined && known.ended && !isRunning)
        added.push(...lineOf(folder.id, folder.path, journal, file, known));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      runs.push({ folder, journal, file, problem: error });
    }
  }
  if (index.size > 2 * runs.length + 100) {
    const ids = new Set(runs.map(({ folder }) => folder.id));
    rewriteIndex(
      root,
      [...index.values()].filter(({ id }) => ids.has(id)),
    );
  }
  addLines(root, added);
  return runs;
}

/** Adds a run to the index of its folder at its end, unless it has undelivered batches: the ledger does not list them. */
export function addToIndex(
  root: string,
  { id, path: folder }: RunFolder,
  file: RunIdentity,
  { state, rows, batches, open }: Ledger,
): void {
  const journal = statsOf(folder, JOURNAL);
  if (journal === undefined || state === 'running' || open.size > 0 || batches.refused > 0) return;
  if (path.dirname(path.resolve(folder)) !== path.resolve(root)) return;
  const facts = { ended: true, state, rows, sealed: batches.sealed, undelivered: [] };
  addLines(root, lineOf(id, folder, journal, file, facts));
}

export function factsOf({ ended, ledger, batches }: Awaited<ReturnType<typeof inspectRun>>): RunFacts {
  const undelivered = [...batches.values()].map(({ batch, state, records }) => ({ batch, state, records }));
  return { ended, state: ledger.state, rows: ledger.rows, sealed: ledger.batches.sealed, undelivered };
}

async function list(root: string, index: ReadonlyMap<string, IndexLine>): Promise<readonly ListedRun[]> {
  const runs: ListedRun[] = [];
  for (const id of namesIn(root)) {
    const folder = { id, path: path.join(root, id) };
    const journal = statsOf(folder.path, JOURNAL);
    if (journal === undefined) continue;
    const line = index.get(id);
    if (line !== undefined && isSame(journal, line.journal) && isSame(line.runFile, statsOf(folder.path, RUN_FILE))) {
      runs.push({ folder, journal, file: line.file, facts: line.facts });
    } else runs.push({ folder, journal, ...(await readIdentity(folder)) });
  }
  // To the millisecond: two runs can start in one second, and an id from `--run-id` has no time.
  const keys = new Map(runs.map((run) => [run, `${timeOf(run)} ${run.folder.id}`]));
  return runs.sort((one, other) => ((keys.get(one) ?? '') < (keys.get(other) ?? '') ? -1 : 1));
}

/** Names in a folder of runs; none if it does not exist. The program's own files start with a dot. */
export function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(root).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}

async function readIdentity({ path: folder }: RunFolder): Promise<Partial<Pick<UnreadableRun, 'file' | 'problem'>>> {
  try {
    return { file: await readRunFile(folder) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { problem: error };
  }
}

/** If run.json is unreadable, the time in the id. */
function timeOf({ file, folder }: ListedRun): string {
  return file?.startedAt.replace(/[-:.]/g, '') ?? /^\d{8}T\d{6}/.exec(folder.id)?.[0] ?? '';
}

function isSame(one: FileStats, other: FileStats | undefined): boolean {
  return one.bytes === other?.bytes && one.mtimeMs === other.mtimeMs;
}

function statsOf(folder: string, name: string): FileStats | undefined {
  try {
    const stats = statSync(path.join(folder, name), { throwIfNoEntry: false });
    return stats?.isFile() === true ? { bytes: stats.size, mtimeMs: stats.mtimeMs } : undefined;
  } catch {
    // Not a folder, or one that this process cannot read.
    return undefined;
  }
}

function readIndex(root: string): ReadonlyMap<string, IndexLine> {
  const lines = new Map<string, IndexLine>();
  for (const text of (readTextFile(path.join(root, INDEX)) ?? '').split('\n')) {
    const line = decodeLine(text) as IndexLine | undefined;
    if (line?.v === 1) lines.set(line.id, line);
  }
  return lines;
}

function lineOf(
  id: string,
  folder: string,
  journal: FileStats,
  { run, startedAt, type, variant, baseUrl, sandbox, parent, takes, inputs }: RunIdentity,
  facts: RunFacts,
): readonly IndexLine[] {
  const runFile = statsOf(folder, RUN_FILE);
  if (runFile === undefined) return [];
  const file = {
    run,
    startedAt,
    type,
    variant,
    baseUrl,
    sandbox,
    parent,
    takes,
    inputs: inputs.map(({ source, path: file, bytes, head }) => ({ source, path: file, bytes, head })),
  };
  return [{ v: 1, id, journal, runFile, file, facts }];
}

/** Adds lines, if possible: without them, the next command reads the journals again. */
function addLines(root: string, lines: readonly IndexLine[]): void {
  if (lines.length === 0) return;
  try {
    // A leading line feed, because the last line may be torn.
    appendFileSync(path.join(root, INDEX), `\n${lines.map(encodeLine).join('')}`, { mode: 0o600 });
  } catch {
    // The folder is read-only, or the disk is full.
  }
}

function rewriteIndex(root: string, lines: readonly IndexLine[]): void {
  try {
    replaceFile(path.join(root, INDEX), lines.map(encodeLine).join(''));
  } catch {
    // As in addLines.
  }
}
