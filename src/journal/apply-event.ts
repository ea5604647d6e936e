/** Events -> run state. Pure, except that it changes the run state in place. Live runs and journals that are read again use it. */

import type { Commit, Excluded, SentRows } from '../model/batch.ts';
import { addCounts, withEach } from '../model/counts.ts';
import type {
  BatchReduced,
  BatchSealed,
  BatchSettled,
  RunEvent,
  RunStarted,
  SourceEnded,
  ThrottleChanged,
} from '../model/event.ts';
import { batchState, receiptCounts, rowState } from '../model/outcome.ts';
import { OTHER_NOTES } from '../model/problem.ts';
import type { Cursor } from '../model/row.ts';
import type { BatchChange, RowCounts, RunState } from '../model/run-state.ts';
import { applyToBatches, batchesInFlight, settleAsUnknown } from './batch-reducer.ts';
import { RunReasons } from './run-reasons.ts';

/** Further notes are counted together, so that a hostile file cannot exhaust memory. */
const NOTES_LIMIT = 200;

export function newRunState(started: RunStarted): RunState {
  return {
    run: started.run,
    startedAt: started.time,
    type: started.type,
    variant: started.variant,
    shard: started.shard,
    state: 'running',
    rows: noRows(),
    batches: { sealed: 0, ...withEach(batchState.options, 0), split: 0 },
    service: { ...withEach(receiptCounts, 0), unaccounted: 0 },
    sources: started.inputs.map((input) => ({ ...input, read: 0, rows: 0, ended: false })),
    undelivered: new Map(),
    reasons: new RunReasons(),
    batchesCut: 0,
    rejects: { bytes: {}, rows: {}, uncommitted: {}, listed: undefined },
    workedMs: 0,
    lastTime: started.time,
    requests: 0,
    retries: 0,
    resent: 0,
    bytesSent: 0,
    throttle: { paused: false, outage: false },
    notes: new Map(),
    firstNotes: new Map(),
    sentBefore: [],
    excluded: { batches: 0, rows: 0, invalid: 0, skipped: 0 },
  };
}

export function noRows(): RowCounts {
  return { read: 0, ...withEach(rowState.options, 0) };
}

/** How far each input that was begun is accounted for, by source index. */
export function cursorsOf({ sources }: Pick<RunState, 'sources'>): ReadonlyMap<number, Cursor> {
  return new Map(sources.flatMap(({ cursor }, index) => (cursor === undefined ? [] : [[index, cursor]])));
}

/** Applies one event. @returns the batches whose state has changed, in order */
export function applyEvent(runState: RunState, event: RunEvent): readonly BatchChange[] {
  const changes = applyToBatches(runState.undelivered, event);
  for (const change of changes) countBatch(runState, change);
  runState.reasons.on(event);
  if ('time' in event) countTime(runState, event);
  // Rows count when a commit accounts for them: a resume reads rows after the last commit again.
  switch (event.event) {
    case 'batch.reduced':
      countReduced(runState, event, changes);
      break;
    case 'row.invalid': {
      const { uncommitted } = runState.rejects;
      uncommitted[event.source] = (uncommitted[event.source] ?? 0) + 1;
      const { first } = runState.seen ?? { first: event };
      if (first.source === event.source)
        runState.seen = { first, rows: event.row - first.row + 1, bytes: event.end - first.start };
      break;
    }
    case 'batch.sealed':
      runState.batchesCut += 1;
      commit(runState, event, event.rejects);
      break;
    case 'attempt.started':
      runState.throttle.paused = false;
      runState.requests += 1;
      runState.bytesSent += event.bytes;
      if (event.attempt > 1) runState.retries += 1;
      break;
    case 'batch.settled':
      if (event.outcome === 'delivered' && runState.throttle.outage) {
        runState.throttle.outage = false;
        runState.throttle.paused = false;
      }
      if (changes.length > 0) countReceipt(runState, event);
      break;
    case 'throttle.changed':
      applyThrottle(runState, event);
      break;
    case 'source.grown':
    case 'source.spooled': {
      const source = runState.sources[event.source];
      if (source !== undefined) runState.sources[event.source] = { ...source, size: event.bytes };
      break;
    }
    case 'source.ended':
      endSource(runState, event);
      break;
    case 'run.resumed':
      runState.state = 'running';
      runState.baseUrl = event.baseUrl;
      runState.throttle = { paused: false, outage: false };
      runState.stop = undefined;
      runState.handedOver = undefined;
      runState.rejects.uncommitted = {};
      runState.rejects.listed = undefined;
      break;
    case 'run.handed_over':
      runState.handedOver = { time: event.time, to: event.to, copy: event.copy };
      break;
    case 'run.ended':
      runState.state = event.state;
      runState.endedAt = event.time;
      runState.stop = event.stop;
      runState.rejects.uncommitted = {};
      runState.rejects.listed = event.rejects;
      break;
  }
  return changes;
}

/** Settles the batches in flight of a killed process. For a report: a resume stores their payloads first. */
export function settleLost(runState: RunState): void {
  for (const batch of batchesInFlight(runState.undelivered)) {
    batch.isLost = true;
    applyEvent(runState, settleAsUnknown(batch.batch, batch.attempts, runState.lastTime));
  }
}

/** Adds the time since the last event, unless no process worked on the run between the two. */
function countTime(runState: RunState, { event, time }: RunEvent & { readonly time: string }): void {
  if (time === runState.lastTime) return;
  const isWork = runState.state === 'running' && event !== 'run.resumed';
  if (isWork) runState.workedMs += Math.max(0, Date.parse(time) - Date.parse(runState.lastTime)) || 0;
  runState.lastTime = time;
}

/** The rows of a split batch leave with it and enter again with its parts: if one is lost, the run state does not balance. */
function countBatch(runState: RunState, { batch: { records, isResent }, from, to }: BatchChange): void {
  const { batches, rows } = runState;
  if (from === undefined) batches.sealed += 1;
  else {
    batches[from] -= 1;
    rows[from] -= records;
  }
  if (to === 'gone') batches.sealed -= 1;
  else batches[to] += 1;
  if (to !== 'gone' && to !== 'split') rows[to] += records;
  if (to === 'delivered' && isResent === true) runState.resent += records;
}

/** The rows of a batch that another run has sent are skipped. Those of a batch without any row left are no longer pending. */
function countReduced(runState: RunState, { skipped }: BatchReduced, changes: readonly BatchChange[]): void {
  for (const { firstRow, lastRow, why, by } of skipped) {
    const rows = lastRow - firstRow + 1;
    runState.rows.skipped += rows;
    if (changes.length === 0) runState.rows.pending -= rows;
    if ((why === 'delivered' || why === 'unknown') && by !== undefined) {
      countSentBefore(runState, { state: why, run: by, rows });
    }
  }
}

function countReceipt({ service }: RunState, { receipt, unaccounted }: BatchSettled): void {
  for (const name of receiptCounts) service[name] += receipt?.[name] ?? 0;
  // A surplus in one batch must not cancel a deficit in another.
  service.unaccounted += Math.abs(unaccounted);
}

function applyThrottle({ throttle }: RunState, { state, concurrency, giveUpMs }: ThrottleChanged): void {
  if (state === 'limited') {
    throttle.concurrency = concurrency;
    return;
  }
  throttle.paused = true;
  throttle.outage ||= giveUpMs !== undefined;
}

function endSource(runState: RunState, { source: index, bytes, digest, commit: last, rejects }: SourceEnded): void {
  const source = runState.sources[index];
  if (source !== undefined) {
    runState.sources[index] = { ...source, size: bytes, digest, ended: source.read === bytes };
  }
  if (last !== undefined) commit(runState, last, rejects);
}

function commit(
  runState: RunState,
  { cursors, dropped, notes, firstNotes = {}, sentBefore = [], excluded }: Commit,
  rejects: BatchSealed['rejects'],
): void {
  for (const cursor of cursors) {
    const source = runState.sources[cursor.source];
    if (source === undefined) continue;
    runState.rows.read += cursor.rows - source.rows;
    source.rows = cursor.rows;
    source.read = cursor.byte;
    source.cursor = cursor;
    // A batch that reaches into the next input can account for the last rows of this one after its end is known.
    if (source.digest !== undefined) source.ended = source.read === source.size;
  }
  runState.rows.invalid += dropped.invalid;
  runState.rows.skipped += dropped.skipped;
  runState.rows.duplicate += dropped.duplicate;
  for (const [note, times] of Object.entries(notes)) {
    const key = runState.notes.has(note) || runState.notes.size < NOTES_LIMIT ? note : OTHER_NOTES;
    runState.notes.set(key, (runState.notes.get(key) ?? 0) + times);
  }
  for (const [note, place] of Object.entries(firstNotes)) {
    if (!runState.firstNotes.has(note)) runState.firstNotes.set(note, place);
  }
  for (const sent of sentBefore) countSentBefore(runState, sent);
  if (excluded !== undefined) countExcluded(runState, excluded);
  commitRejects(runState, rejects);
}

function commitRejects({ rejects }: RunState, bytes: BatchSealed['rejects']): void {
  for (const [source, rows] of Object.entries(rejects.uncommitted)) {
    rejects.rows[Number(source)] = (rejects.rows[Number(source)] ?? 0) + rows;
  }
  rejects.uncommitted = {};
  rejects.bytes = bytes;
}

function countExcluded(runState: RunState, { batches, rows, invalid, skipped }: Excluded): void {
  runState.batchesCut += batches;
  runState.rows.read -= rows;
  runState.excluded = addCounts(runState.excluded, { batches, rows, invalid, skipped });
}

export function countSentBefore({ sentBefore }: RunState, { state, run, rows }: SentRows): void {
  const indexOf = (name: string): number =>
    sentBefore.findIndex((known) => known.state === state && known.run === name);
  const name = indexOf(run) >= 0 || sentBefore.length < NOTES_LIMIT ? run : 'other runs';
  const index = indexOf(name);
  const before = sentBefore[index]?.rows ?? 0;
  sentBefore.splice(index < 0 ? sentBefore.length : index, 1, { state, run: name, rows: before + rows });
}
