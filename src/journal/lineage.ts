/**
 * A run and its replays. A batch that a replay takes is the replay's business from then on: the last run that took it
 * says what became of it, and nobody else sends it again. Replays stand in the same folder of runs as what they
 * replay, and name it in their run.json.
 */
import path from 'node:path';
import type { RowCounts } from '../model/ledger.ts';
import type { BatchState } from '../model/outcome.ts';
import { ProblemError } from '../model/problem.ts';
import { linesOf } from './file-lines.ts';
import { listRuns } from './find-run.ts';
import { type InspectedBatch, type InspectedRun, inspectRun } from './inspect-run.ts';
import { type Lock, lockHolder, lockRun } from './lock.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import type { RunFolder } from './run-folder.ts';

/** A run of a family, by what it was asked. */
export interface StoredRun {
  readonly folder: RunFolder;
  readonly file: RunFile;
}

/** A run of a family, with what became of it. */
export interface LineageRun extends StoredRun {
  readonly isRunning: boolean;
  readonly inspected: InspectedRun;
}

/** The runs of the same folder of runs that can be understood, oldest first; the others are no kin of anybody. */
export async function readRuns(root: string): Promise<readonly StoredRun[]> {
  const kin: StoredRun[] = [];
  for (const folder of await listRuns(root)) {
    // Of a run that ended before its first line was written nothing was ever sent, and it has taken nothing.
    if (!(await hasBegun(folder))) continue;
    try {
      kin.push({ folder, file: await readRunFile(folder.path) });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
    }
  }
  return kin.sort((one, other) => (one.file.startedAt < other.file.startedAt ? -1 : 1));
}

/** Whether a run's journal has a whole line. */
export async function hasBegun({ path: folder }: RunFolder): Promise<boolean> {
  for await (const { whole } of linesOf(path.join(folder, 'journal.ndjson'))) return whole;
  return false;
}

/** The run itself, then its replays, their replays and so on, oldest first. */
export async function lineageOf(folder: RunFolder): Promise<readonly StoredRun[]> {
  const file = await readRunFile(folder.path);
  const kin: StoredRun[] = [{ folder, file }];
  const known = new Set([file.run]);
  for (const one of await readRuns(path.dirname(path.resolve(folder.path)))) {
    const { run, parent } = one.file;
    if (parent === undefined || !known.has(parent) || known.has(run)) continue;
    known.add(run);
    kin.push(one);
  }
  return kin;
}

/** The run from which a replay descends, as far as it is still there. */
export async function rootRunOf(folder: RunFolder): Promise<RunFolder> {
  const all = await readRuns(path.dirname(path.resolve(folder.path)));
  let eldest = folder;
  let parent = (await readRunFile(folder.path)).parent;
  while (parent !== undefined) {
    const next = all.find(({ file }) => file.run === parent);
    if (next === undefined) break;
    eldest = next.folder;
    parent = next.file.parent;
  }
  return eldest;
}

/** Locks a run and its replays, until there is none that is not locked: one may have begun in between. */
export async function lockLineage(
  folder: RunFolder,
  locks: Map<string, Lock>,
): Promise<readonly StoredRun[]> {
  for (;;) {
    const kin = await lineageOf(folder);
    const free = kin.filter(({ file }) => !locks.has(file.run));
    if (free.length === 0) return kin;
    for (const one of free) locks.set(one.file.run, await lockRun(one.folder.path));
  }
}

/** Batches of a run that a replay has taken, with the replay; the last one where there were several. */
export function replayedBatches(kin: readonly StoredRun[], run: string): ReadonlyMap<string, string> {
  return new Map(
    kin.flatMap(({ file }) => (file.takes?.[run] ?? []).map((batch) => [batch, file.run] as const)),
  );
}

/** @param mine whether this process itself works on the run: then nobody else does */
export async function inspectStoredRun({ folder, file }: StoredRun, mine = false): Promise<LineageRun> {
  const isRunning = !mine && (await lockHolder(folder.path)) !== undefined;
  return { folder, file, isRunning, inspected: await inspectRun(folder.path, isRunning) };
}

/** A batch that was not delivered, and in whose hands it is. */
export interface UndeliveredBatch extends InspectedBatch {
  readonly owner: LineageRun;
}

/** Every batch of a family that was not delivered and that no replay has taken since. */
export function undeliveredBatches(members: readonly LineageRun[]): readonly UndeliveredBatch[] {
  return members.flatMap((owner) => {
    const taken = replayedBatches(members, owner.file.run);
    return [...owner.inspected.batches.values()].flatMap((batch) =>
      taken.has(batch.batch) ? [] : [{ ...batch, owner }],
    );
  });
}

/**
 * The books of a whole family: the rows of its eldest, each where the last run that took it left it. What a replay has
 * taken and not yet looked at is pending.
 *
 * @param members the eldest first
 */
export function lineageRows(members: readonly LineageRun[]): RowCounts {
  const [eldest, ...replays] = members;
  if (eldest === undefined) throw new Error('a family has members');
  const rows = { ...eldest.inspected.ledger.rows };
  for (const replay of replays) {
    const own = replay.inspected.ledger.rows;
    for (const state of STATES) rows[state] += own[state];
    let taken = 0;
    for (const [run, ids] of Object.entries(replay.file.takes ?? {})) {
      const from = members.find(({ file }) => file.run === run);
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
