/**
 * The state machine of a batch: event -> state of each open batch. Pure. The run state, `resume`, `runs` and the history
 * all build on the changes that it returns, so that they cannot disagree.
 */
import type { BatchSettled, BatchSplit, RunEvent, SealedPart } from '../model/event.ts';
import type { BatchChange, OpenBatch } from '../model/run-state.ts';

/** A record key has twelve bytes: sixteen characters of base64, so a list of keys can be cut as text. */
const KEY_CHARACTERS = 16;

const NO_CHANGES: readonly BatchChange[] = [];

/**
 * Applies an event to the open batches, in place. An event about a batch that is not open changes nothing.
 *
 * @param open by id, in the order in which they were sealed
 * @returns the batches whose state has changed, in order
 */
export function applyToBatches(open: Map<string, OpenBatch>, event: RunEvent): readonly BatchChange[] {
  switch (event.event) {
    case 'batch.sealed':
      return [add(open, event, { keys: event.keys, isPart: false })];
    case 'batch.split':
      return split(open, event);
    case 'attempt.started': {
      const batch = open.get(event.batch);
      if (batch === undefined) return NO_CHANGES;
      batch.attempts = event.attempt;
      batch.sentAt = event.time;
      if (batch.maybeProcessed) batch.isResent = true;
      // Until the result is known: after a kill, nothing else is certain.
      batch.maybeProcessed = true;
      return NO_CHANGES;
    }
    case 'attempt.failed': {
      const batch = open.get(event.batch);
      if (batch !== undefined) batch.maybeProcessed = event.maybeProcessed;
      return NO_CHANGES;
    }
    case 'batch.settled':
      return settle(open, event);
    case 'run.resumed':
      return event.reopened.flatMap(({ batch }) => reopen(open.get(batch)));
    case 'run.ended':
      return event.putBack.flatMap((id) => {
        const batch = open.get(id);
        return batch?.state === 'exhausted' ? reopen(batch) : NO_CHANGES;
      });
    default:
      return NO_CHANGES;
  }
}

/** Batches with an attempt that has no result. Once no process works on the run, their outcome is unknown. */
export function batchesInFlight(open: ReadonlyMap<string, OpenBatch>): readonly OpenBatch[] {
  return [...open.values()].filter(({ state, maybeProcessed }) => state === 'pending' && maybeProcessed);
}

/** Settles a batch in flight whose answer will never be read. @param time ISO 8601, UTC */
export function settleAsUnknown(batch: string, attempts: number, time: string): BatchSettled {
  const error = 'the program ended before the answer came';
  return { event: 'batch.settled', time, batch, outcome: 'unknown', attempts, ms: 0, unaccounted: 0, error };
}

function add(
  open: Map<string, OpenBatch>,
  { batch: id, digest, records, bytes, ranges, maybeProcessed }: SealedPart,
  { keys, isPart }: Pick<OpenBatch, 'keys' | 'isPart'>,
): BatchChange {
  const batch: OpenBatch = {
    batch: id,
    digest,
    records,
    bytes,
    ranges,
    keys,
    isPart,
    state: 'pending',
    attempts: 0,
    maybeProcessed: maybeProcessed === true,
  };
  open.set(id, batch);
  return { batch, from: undefined, to: 'pending' };
}

function split(open: Map<string, OpenBatch>, event: BatchSplit): readonly BatchChange[] {
  const batch = open.get(event.batch);
  if (batch === undefined) return NO_CHANGES;
  open.delete(event.batch);
  const changes: BatchChange[] = [{ batch, from: batch.state, to: 'split' }];
  let start = 0;
  for (const part of event.parts) {
    const end = start + part.records * KEY_CHARACTERS;
    changes.push(add(open, part, { keys: batch.keys?.slice(start, end), isPart: true }));
    start = end;
  }
  return changes;
}

/** Delivered and refused are final. An exhausted or unknown batch stays open: a resume may send it again. */
function settle(open: Map<string, OpenBatch>, { batch: id, outcome }: BatchSettled): readonly BatchChange[] {
  const batch = open.get(id);
  if (batch === undefined) return NO_CHANGES;
  const { state: from } = batch;
  if (outcome === 'delivered' || outcome === 'refused') open.delete(id);
  else batch.state = outcome;
  return [{ batch, from, to: outcome }];
}

function reopen(batch: OpenBatch | undefined): readonly BatchChange[] {
  if (batch === undefined || batch.state === 'pending') return NO_CHANGES;
  const { state: from } = batch;
  batch.state = 'pending';
  return [{ batch, from, to: 'pending' }];
}
