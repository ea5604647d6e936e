/**
 * The lineage of a run: the run and its replays. Once a replay takes a batch, the batch has the outcome that the last
 * replay recorded, and no other run sends it. Replays are in the same folder as the run that they replay, and name it
 * in their run.json. A replay of a run also takes batches of its earlier replays, and then belongs to their lineage too.
 */
import path from 'node:path';
import { addCounts } from '../lib/add-counts.ts';
import type { BatchCounts, RowCounts } from '../model/counts.ts';
import type { BatchState } from '../model/outcome.ts';
import type { RunState } from '../model/run-state.ts';
import { type InspectedBatch, type InspectedRun, inspectRun } from './inspect-run.ts';
import { type Lock, lockHolder, lockRun } from './lock.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import { hasStarted, type RunFolder } from './run-folder.ts';
import { listRuns } from './run-index.ts';

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

/** The runs of a folder, by their parents and replays. */
export class Lineages<
  R extends { readonly file?: Pick<RunFile, 'run' | 'startedAt' | 'parent' | 'takes'> | undefined },
> {
  readonly #byRun = new Map<string, R>();
  /** Run -> the replays that name it as their parent or have taken batches of it. */
  readonly #replays = new Map<string, R[]>();

  /** @param runs oldest first */
  constructor(runs: readonly R[]) {
    for (const run of runs) {
      if (run.file === undefined) continue;
      const { run: id, parent = [], takes = {} } = run.file;
      this.#byRun.set(id, run);
      for (const replayed of new Set([parent, Object.keys(takes)].flat())) {
        const replays = this.#replays.get(replayed);
        if (replays === undefined) this.#replays.set(replayed, [run]);
        else replays.push(run);
      }
    }
  }

  /** A run, then its replays and their replays, oldest first. */
  of(run: R): readonly R[] {
    const lineage = new Set([run]);
    // Iterating over a Set includes elements that are added during the iteration.
    for (const { file } of lineage) {
      for (const replay of this.#replays.get(file?.run ?? '') ?? []) lineage.add(replay);
    }
    const [self = run, ...replays] = lineage;
    const startOf = ({ file }: R): string => file?.startedAt ?? '';
    return [self, ...replays.sort((one, other) => (startOf(one) < startOf(other) ? -1 : 1))];
  }

  /** The root run of a lineage. If it was deleted, its oldest descendant that still exists. */
  rootOf(run: R): R {
    const seen = new Set<R>();
    let root = run;
    while (!seen.has(root)) {
      seen.add(root);
      root = this.#byRun.get(root.file?.parent ?? '') ?? root;
    }
    return root;
  }
}

/** Replays that have not started are left out. */
export async function lineageOf(folder: RunFolder): Promise<Lineage<StoredRun>> {
  const lineage: [StoredRun, ...StoredRun[]] = [{ folder, file: await readRunFile(folder.path) }];
  const { listed, lineages } = await lineagesAround(folder);
  for (const { folder: replay } of listed === undefined ? [] : lineages.of(listed).slice(1)) {
    if (await hasStarted(replay)) lineage.push({ folder: replay, file: await readRunFile(replay.path) });
  }
  return lineage;
}

/** The run at the top of a lineage. If it was removed, its oldest descendant that is an ancestor of this run. */
export async function rootRunOf(folder: RunFolder): Promise<RunFolder> {
  const { listed, lineages } = await lineagesAround(folder);
  const root = listed && lineages.rootOf(listed);
  return root === undefined || root === listed ? folder : root.folder;
}

/** A run and the other runs in the same folder. */
async function lineagesAround(folder: RunFolder) {
  const runs = await listRuns(path.dirname(path.resolve(folder.path)));
  const id = path.basename(path.resolve(folder.path));
  return { listed: runs.find((run) => run.folder.id === id), lineages: new Lineages(runs) };
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
export function replayedBatches(
  lineage: readonly { readonly file: Pick<RunFile, 'run' | 'takes'> }[],
  run: string,
): ReadonlyMap<string, string> {
  return new Map(lineage.flatMap(({ file }) => (file.takes?.[run] ?? []).map((batch) => [batch, file.run] as const)));
}

/** @param isLockedHere whether this process holds the lock of the run, so that no other process works on it */
async function inspectStoredRun({ folder, file }: StoredRun, isLockedHere = false): Promise<LineageRun> {
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
  const rows = { ...root.inspected.runState.rows };
  for (const replay of replays) {
    const own = replay.inspected.runState.rows;
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
    rows.pending += Math.max(0, taken - own.read);
    // Batches of a run whose folder was deleted.
    rows.read += Math.max(0, own.read - taken);
  }
  return rows;
}

/** Of a batch that a replay has taken, only the replay's counts. */
export function lineageBatches(lineage: Lineage): BatchCounts {
  const counts = lineage.map(({ file, inspected: { runState, batches } }) => {
    const own = { ...runState.batches };
    for (const id of replayedBatches(lineage, file.run).keys()) {
      const batch = batches.get(id);
      if (batch === undefined) continue;
      own.sealed -= 1;
      own[batch.state] -= 1;
    }
    return own;
  });
  return counts.reduce(addCounts);
}

/**
 * The run state of a run with what its replays have delivered. Undefined if one of them is unfinished.
 *
 * @param runState of the first run
 */
export function lineageRunState(lineage: Lineage, runState: RunState): RunState | undefined {
  if (lineage.slice(1).some(({ inspected }) => inspected.runState.state !== 'complete')) return undefined;
  const service = lineage.map(({ inspected }) => inspected.runState.service).reduce(addCounts);
  return { ...runState, rows: lineageRows(lineage), batches: lineageBatches(lineage), service };
}

const STATES: readonly BatchState[] = ['delivered', 'refused', 'exhausted', 'unknown', 'pending'];
