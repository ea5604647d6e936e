/**
 * The lineage of a run: the run and its replays. Once a replay takes a batch, the batch has the outcome that the last
 * replay recorded, and no other run sends it. Replays are in the same folder as the run that they replay, and name it
 * in their run.json.
 */
import path from 'node:path';
import type { RowCounts } from '../model/ledger.ts';
import type { BatchState } from '../model/outcome.ts';
import { ProblemError } from '../model/problem.ts';
import { listRuns } from './find-run.ts';
import { type InspectedBatch, type InspectedRun, inspectRun } from './inspect-run.ts';
import { type Lock, lockHolder, lockRun } from './lock.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import { hasStarted, type RunFolder } from './run-folder.ts';

/** A run folder and its run.json. */
export interface StoredRun {
  readonly folder: RunFolder;
  readonly file: RunFile;
}

/** A run of a lineage, with its journal read. */
export interface LineageRun extends StoredRun {
  /** Whether another process works on it now. */
  readonly isRunning: boolean;
  readonly inspected: InspectedRun;
}

/** A run, then its replays and their replays, oldest first. */
export type Lineage<T extends StoredRun = LineageRun> = readonly [T, ...T[]];

/**
 * The runs in a folder with a readable run.json, oldest first.
 *
 * @param includes default: runs that have started
 */
export async function readRuns(
  root: string,
  includes: (folder: RunFolder) => Promise<boolean> = hasStarted,
): Promise<readonly StoredRun[]> {
  const runs: StoredRun[] = [];
  for (const folder of await listRuns(root)) {
    if (!(await includes(folder))) continue;
    try {
      runs.push({ folder, file: await readRunFile(folder.path) });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
    }
  }
  return runs.sort((one, other) => (one.file.startedAt < other.file.startedAt ? -1 : 1));
}

export async function lineageOf(folder: RunFolder): Promise<Lineage<StoredRun>> {
  const file = await readRunFile(folder.path);
  const lineage: [StoredRun, ...StoredRun[]] = [{ folder, file }];
  const known = new Set([file.run]);
  for (const stored of await readRuns(path.dirname(path.resolve(folder.path)))) {
    const { run, parent } = stored.file;
    if (parent === undefined || !known.has(parent) || known.has(run)) continue;
    known.add(run);
    lineage.push(stored);
  }
  return lineage;
}

/** The run at the top of a lineage. If it was removed, its oldest descendant that is an ancestor of this run. */
export async function rootRunOf(folder: RunFolder): Promise<RunFolder> {
  const runs = await readRuns(path.dirname(path.resolve(folder.path)));
  let root = folder;
  let { parent } = await readRunFile(folder.path);
  while (parent !== undefined) {
    const next = runs.find(({ file }) => file.run === parent);
    if (next === undefined) break;
    root = next.folder;
    parent = next.file.parent;
  }
  return root;
}

/** Locks a run and its replays. Repeats until all are locked, because a replay can start meanwhile. */
export async function lockLineage(folder: RunFolder, locks: Map<string, Lock>): Promise<Lineage<StoredRun>> {
  for (;;) {
    const lineage = await lineageOf(folder);
    const unlocked = lineage.filter(({ file }) => !locks.has(file.run));
    if (unlocked.length === 0) return lineage;
    for (const one of unlocked) locks.set(one.file.run, await lockRun(one.folder.path));
  }
}

/** The batches of a run that replays have taken: batch -> the last replay that took it. */
export function replayedBatches(lineage: readonly StoredRun[], run: string): ReadonlyMap<string, string> {
  return new Map(lineage.flatMap(({ file }) => (file.takes?.[run] ?? []).map((batch) => [batch, file.run] as const)));
}

/** @param isLockedHere whether this process holds the lock of the run, so that no other process works on it */
export async function inspectStoredRun({ folder, file }: StoredRun, isLockedHere = false): Promise<LineageRun> {
  const isRunning = !isLockedHere && lockHolder(folder.path) !== undefined;
  return { folder, file, isRunning, inspected: await inspectRun(folder.path, isRunning) };
}

/** @param isLockedHere as for {@link inspectStoredRun} */
export async function inspectLineage([self, ...replays]: Lineage<StoredRun>, isLockedHere = false): Promise<Lineage> {
  const lineage: [LineageRun, ...LineageRun[]] = [await inspectStoredRun(self, isLockedHere)];
  for (const replay of replays) lineage.push(await inspectStoredRun(replay, isLockedHere));
  return lineage;
}

/** A batch that was not delivered, and the run that may send it. */
export interface UndeliveredBatch extends InspectedBatch {
  readonly owner: LineageRun;
}

/** The batches of a lineage that were not delivered, each with the last run that took it. */
export function undeliveredBatches(lineage: readonly LineageRun[]): readonly UndeliveredBatch[] {
  return lineage.flatMap((owner) => {
    const replayed = replayedBatches(lineage, owner.file.run);
    return [...owner.inspected.batches.values()].flatMap((batch) =>
      replayed.has(batch.batch) ? [] : [{ ...batch, owner }],
    );
  });
}

/**
 * The rows of the root run, each with the outcome that the last run that took it recorded. Rows that a replay has
 * taken and not yet read are pending.
 *
 * @param lineage the root run first
 */
export function lineageRows(lineage: Lineage): RowCounts {
  const [root, ...replays] = lineage;
  const rows = { ...root.inspected.ledger.rows };
  for (const replay of replays) {
    const own = replay.inspected.ledger.rows;
    for (const state of STATES) rows[state] += own[state];
    let taken = 0;
    for (const [run, ids] of Object.entries(replay.file.takes ?? {})) {
      const from = lineage.find(({ file }) => file.run === run);
      for (const id of ids) {
        const batch = from?.inspected.batches.get(id);
        if (batch === undefined) continue;
        rows[batch.state] -= batch.records;
        taken += batch.records;
      }
    }
    rows.pending += taken - own.read;
  }
  return rows;
}

const STATES: readonly BatchState[] = ['delivered', 'refused', 'exhausted', 'unknown', 'pending'];
