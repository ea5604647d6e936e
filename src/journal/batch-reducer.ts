/** The state machine of a batch: event -> state of each batch. Pure. */
import type { BatchReduced, BatchReopened, BatchSettled, BatchSplit, RunEvent, SealedPart } from '../model/event.ts';
import { isAboutContent } from '../model/outcome.ts';
import type { BatchChange, UndeliveredBatch } from '../model/run-state.ts';

/** Twelve bytes as base64, so a list of keys can be cut as text. */
const KEY_CHARACTERS = 16;

const NO_CHANGES: readonly BatchChange[] = [];

/**
 * Applies an event to the undelivered batches, in place. An event about any other batch changes nothing.
 *
 * @param undelivered by id, in the order in which they were sealed
 * @returns the batches whose state has changed, in order
 */
export function applyToBatches(undelivered: Map<string, UndeliveredBatch>, event: RunEvent): readonly BatchChange[] {
  switch (event.event) {
    case 'batch.sealed':
      return [add(undelivered, event, event.keys)];
    case 'batch.split':
      return split(undelivered, event);
    case 'batch.reduced':
      return reduce(undelivered, event);
    case 'attempt.started': {
      const batch = undelivered.get(event.batch);
      if (batch === undefined) return NO_CHANGES;
      batch.attempts = event.attempt;
      if (batch.maybeProcessed) batch.isResent = true;
      // Until the result is known: after a kill, nothing else is certain.
      batch.maybeProcessed = true;
      return NO_CHANGES;
    }
    case 'attempt.failed': {
      const batch = undelivered.get(event.batch);
      if (batch !== undefined) batch.maybeProcessed = event.maybeProcessed;
      return NO_CHANGES;
    }
    case 'batch.settled':
      return settle(undelivered, event);
    case 'batch.reopened':
      return reopen(undelivered.get(event.batch), event.from);
    case 'run.ended':
      return event.putBack.flatMap((id) => reopen(undelivered.get(id), 'exhausted'));
    default:
      return NO_CHANGES;
  }
}

/** Once no process works on the run, their outcome is unknown. */
export function batchesInFlight(undelivered: ReadonlyMap<string, UndeliveredBatch>): readonly UndeliveredBatch[] {
  return [...undelivered.values()].filter(({ state, maybeProcessed }) => state === 'pending' && maybeProcessed);
}

/** Settles a batch in flight whose answer will never be read. @param time ISO 8601, UTC */
export function settleAsUnknown(batch: string, attempts: number, time: string): BatchSettled {
  const error = 'the program ended before the answer came';
  return { event: 'batch.settled', time, batch, outcome: 'unknown', attempts, ms: 0, unaccounted: 0, error };
}

function add(
  undelivered: Map<string, UndeliveredBatch>,
  { batch: id, digest, records, bytes, ranges, maybeProcessed }: SealedPart,
  keys: UndeliveredBatch['keys'],
): BatchChange {
  const batch: UndeliveredBatch = {
    batch: id,
    digest,
    records,
    bytes,
    ranges,
    keys,
    state: 'pending',
    attempts: 0,
    maybeProcessed: maybeProcessed === true,
  };
  undelivered.set(id, batch);
  return { batch, from: undefined, to: 'pending' };
}

/** A batch without any record left is gone: it does not count. */
function reduce(undelivered: Map<string, UndeliveredBatch>, event: BatchReduced): readonly BatchChange[] {
  const batch = undelivered.get(event.batch);
  if (batch === undefined) return NO_CHANGES;
  const { digest, records, bytes, ranges, keys } = event;
  if (records === 0) undelivered.delete(event.batch);
  else undelivered.set(event.batch, { ...batch, digest, records, bytes, ranges, keys });
  return records === 0 ? [{ batch, from: batch.state, to: 'gone' }] : NO_CHANGES;
}

function split(undelivered: Map<string, UndeliveredBatch>, event: BatchSplit): readonly BatchChange[] {
  const batch = undelivered.get(event.batch);
  if (batch === undefined) return NO_CHANGES;
  undelivered.delete(event.batch);
  const changes: BatchChange[] = [{ batch, from: batch.state, to: 'split' }];
  let start = 0;
  for (const part of event.parts) {
    const end = start + part.records * KEY_CHARACTERS;
    changes.push(add(undelivered, part, batch.keys?.slice(start, end)));
    start = end;
  }
  return changes;
}

function settle(undelivered: Map<string, UndeliveredBatch>, event: BatchSettled): readonly BatchChange[] {
  const { batch: id, outcome, status, receipt, error } = event;
  const batch = undelivered.get(id);
  if (batch === undefined) return NO_CHANGES;
  const { state: from } = batch;
  if (outcome === 'delivered') undelivered.delete(id);
  batch.state = outcome;
  batch.error = error;
  batch.batchId = receipt?.batchId;
  batch.isRejected = outcome === 'refused' && batch.records === 1 && isAboutContent(status);
  return [{ batch, from, to: outcome }];
}

function reopen(batch: UndeliveredBatch | undefined, from: BatchReopened['from']): readonly BatchChange[] {
  if (batch?.state !== from) return NO_CHANGES;
  batch.state = 'pending';
  batch.isRejected = false;
  return [{ batch, from, to: 'pending' }];
}
