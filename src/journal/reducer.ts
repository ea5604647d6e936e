/**
 * Events to ledger: what all facts so far add up to. Pure but for the ledger, which it changes in place, so that
 * a run of ten million rows costs no more memory than one of ten. The same fold serves a live run and a journal
 * that is read again.
 */
import type { Commit, SentRows } from '../model/batch.ts';
import type {
  BatchSealed,
  BatchSettled,
  BatchSplit,
  Reopened,
  RunEvent,
  RunStarted,
  SealedPart,
} from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';

/** Kinds of notes that are kept apart; what is beyond is counted together, so that a hostile file costs no memory. */
const NOTES_LIMIT = 200;

export function emptyLedger(started: RunStarted): Ledger {
  return {
    run: started.run,
    startedAt: started.time,
    type: started.type,
    ...(started.variant === undefined ? {} : { variant: started.variant }),
    state: 'running',
    rows: {
      read: 0,
      invalid: 0,
      skipped: 0,
      duplicate: 0,
      delivered: 0,
      refused: 0,
      exhausted: 0,
      unknown: 0,
      pending: 0,
    },
    batches: { sealed: 0, delivered: 0, refused: 0, exhausted: 0, unknown: 0, pending: 0, split: 0 },
    service: { accepted: 0, deduplicated: 0, rejected: 0, promoted: 0, unaccounted: 0 },
    sources: started.inputs.map((input) => ({ ...input, read: 0, rows: 0, ended: false })),
    open: new Map(),
    exhausted: new Map(),
    requests: 0,
    retries: 0,
    bytesSent: 0,
    throttle: { paused: false },
    notes: new Map(),
    sentBefore: [],
  };
}

/** Enters one fact into the books. */
export function apply(ledger: Ledger, event: RunEvent): void {
  switch (event.event) {
    // Rows count when a commit accounts for them: what was read behind the last one is read again by a resume.
    case 'run.started':
    case 'row.invalid':
    case 'row.skipped':
    case 'row.duplicate':
      return;
    case 'batch.sealed':
      sealed(ledger, event);
      return;
    case 'batch.split':
      split(ledger, event);
      return;
    case 'attempt.started': {
      const batch = ledger.open.get(event.batch);
      if (batch !== undefined) {
        batch.attempts = event.attempt;
        // Until its result is known: a program that is killed now can't tell any more.
        batch.maybeProcessed = true;
      }
      ledger.requests += 1;
      ledger.bytesSent += event.bytes;
      if (event.attempt > 1) ledger.retries += 1;
      return;
    }
    case 'attempt.failed': {
      const batch = ledger.open.get(event.batch);
      if (batch !== undefined) batch.maybeProcessed = event.maybeProcessed;
      return;
    }
    case 'batch.settled':
      settled(ledger, event);
      return;
    case 'throttle.changed':
      if (event.state === 'paced') {
        delete ledger.throttle.concurrency;
        if (event.concurrency !== undefined) ledger.throttle.concurrency = event.concurrency;
        return;
      }
      ledger.throttle = {
        ...(ledger.throttle.concurrency === undefined ? {} : { concurrency: ledger.throttle.concurrency }),
        paused: event.state === 'paused',
        since: event.time,
        ...(event.ms === undefined ? {} : { ms: event.ms }),
        ...(event.why === undefined ? {} : { why: event.why }),
      };
      return;
    case 'source.spooled': {
      const source = ledger.sources[event.source];
      if (source !== undefined) ledger.sources[event.source] = { ...source, size: event.bytes };
      return;
    }
    case 'source.ended': {
      const source = ledger.sources[event.source];
      if (source !== undefined) {
        const { bytes, digest } = event;
        ledger.sources[event.source] = { ...source, size: bytes, digest, ended: source.read === bytes };
      }
      if (event.commit !== undefined) commit(ledger, event.commit);
      return;
    }
    case 'run.resumed':
      ledger.state = 'running';
      delete ledger.stop;
      for (const batch of event.reopened) reopen(ledger, batch);
      return;
    case 'run.ended':
      for (const id of event.putBack) putBack(ledger, id);
      ledger.state = event.state;
      ledger.endedAt = event.time;
      if (event.stop !== undefined) ledger.stop = event.stop;
      return;
  }
}

function commit(ledger: Ledger, { cursors, dropped, notes, sentBefore = [] }: Commit): void {
  for (const cursor of cursors) {
    const source = ledger.sources[cursor.source];
    if (source === undefined) continue;
    ledger.rows.read += cursor.rows - source.rows;
    source.rows = cursor.rows;
    source.read = cursor.byte;
    // The end may be known before a batch that reaches into the next input accounts for the rows in front of it.
    if (source.digest !== undefined) source.ended = source.read === source.size;
  }
  ledger.rows.invalid += dropped.invalid;
  ledger.rows.skipped += dropped.skipped;
  ledger.rows.duplicate += dropped.duplicate;
  for (const [note, times] of Object.entries(notes)) {
    const key = ledger.notes.has(note) || ledger.notes.size < NOTES_LIMIT ? note : 'other:';
    ledger.notes.set(key, (ledger.notes.get(key) ?? 0) + times);
  }
  for (const sent of sentBefore) countSentBefore(ledger, sent);
}

function countSentBefore({ sentBefore }: Ledger, { state, run, rows }: SentRows): void {
  const indexOf = (name: string): number =>
    sentBefore.findIndex((known) => known.state === state && known.run === name);
  const name = indexOf(run) >= 0 || sentBefore.length < NOTES_LIMIT ? run : 'other runs';
  const index = indexOf(name);
  const before = sentBefore[index]?.rows ?? 0;
  sentBefore.splice(index < 0 ? sentBefore.length : index, 1, { state, run: name, rows: before + rows });
}

function sealed(ledger: Ledger, event: BatchSealed): void {
  commit(ledger, event);
  open(ledger, event);
}

function open(ledger: Ledger, part: SealedPart): void {
  ledger.batches.sealed += 1;
  ledger.batches.pending += 1;
  ledger.rows.pending += part.records;
  ledger.open.set(part.batch, {
    records: part.records,
    bytes: part.bytes,
    ranges: part.ranges,
    attempts: 0,
    maybeProcessed: part.maybeProcessed === true,
  });
}

/** The rows leave the batch and are entered again with its parts: were one lost on the way, the books would show it. */
function split(ledger: Ledger, event: BatchSplit): void {
  const batch = ledger.open.get(event.batch);
  if (batch === undefined) return;
  ledger.open.delete(event.batch);
  ledger.batches.pending -= 1;
  ledger.batches.split += 1;
  ledger.rows.pending -= batch.records;
  for (const part of event.parts) open(ledger, part);
}

function settled(ledger: Ledger, event: BatchSettled): void {
  const batch = ledger.open.get(event.batch);
  if (batch === undefined) return;
  ledger.open.delete(event.batch);
  ledger.batches.pending -= 1;
  ledger.batches[event.outcome] += 1;
  ledger.rows.pending -= batch.records;
  ledger.rows[event.outcome] += batch.records;
  if (event.outcome === 'exhausted') ledger.exhausted.set(event.batch, batch.records);
  ledger.service.accepted += event.receipt?.accepted ?? 0;
  ledger.service.deduplicated += event.receipt?.deduplicated ?? 0;
  ledger.service.rejected += event.receipt?.rejected ?? 0;
  ledger.service.promoted += event.receipt?.promoted ?? 0;
  // What one batch has too few must not make up for what another has too many.
  ledger.service.unaccounted += Math.abs(event.unaccounted);
}

function reopen(ledger: Ledger, { batch, from, records, ...rest }: Reopened): void {
  if (from !== 'pending') {
    ledger.batches[from] -= 1;
    ledger.batches.pending += 1;
    ledger.rows[from] -= records;
    ledger.rows.pending += records;
    ledger.exhausted.delete(batch);
  }
  ledger.open.set(batch, { records, ...rest });
}

function putBack(ledger: Ledger, id: string): void {
  const records = ledger.exhausted.get(id);
  if (records === undefined) return;
  ledger.exhausted.delete(id);
  ledger.batches.exhausted -= 1;
  ledger.batches.pending += 1;
  ledger.rows.exhausted -= records;
  ledger.rows.pending += records;
}
