/** `check`: prepares the inputs like an upload and sends nothing. */
import { applyEvent, emptyLedger } from '../journal/ledger-reducer.ts';
import type { RunEvent } from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Prepared } from '../model/prepared.ts';
import type { Issue, Position } from '../model/row.ts';
import { type Observer, type PrepareJob, prepare } from '../prepare/index.ts';
import type { Quality } from '../report/quality.ts';
import { batchSealed, rowDuplicate, rowInvalid, rowsSkipped, runStarted, sourceEnded } from './events.ts';
import { closeInputs } from './run-inputs.ts';

export interface CheckDeps {
  readonly signal: AbortSignal;
  readonly onInvalid: (position: Position, issues: readonly Issue[]) => void;
  readonly readers: readonly ((event: RunEvent, ledger: Ledger) => void)[];
}

/**
 * Resolves to the ledger as an upload would have it before its first request, with every valid row pending. Writes
 * nothing.
 */
export async function runCheck(job: PrepareJob, { signal, onInvalid, readers }: CheckDeps): Promise<Ledger> {
  const time = new Date().toISOString();
  const started = runStarted(job, 'check', time);
  const ledger = emptyLedger(started);
  const record = (event: RunEvent): void => {
    applyEvent(ledger, event);
    for (const read of readers) read(event, ledger);
  };
  record(started);
  signal.addEventListener('abort', () => closeInputs(job));
  try {
    for await (const items of prepare(job)) {
      for (const item of items) {
        if (item.kind === 'invalid') onInvalid(item.position, item.issues);
        record(eventOf(item, time));
        // The batch will never settle, and a large file has many.
        if (item.kind === 'batch') ledger.open.delete(item.batch.id);
      }
      if (signal.aborted) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const state = signal.aborted ? 'interrupted' : 'complete';
  record({ event: 'run.ended', time, state, putBack: [] });
  return ledger;
}

function eventOf(item: Prepared, time: string): RunEvent {
  switch (item.kind) {
    case 'invalid':
      return rowInvalid(item);
    case 'skipped':
      return rowsSkipped(item);
    case 'duplicate':
      return rowDuplicate(item);
    case 'batch':
      return batchSealed(item, {}, false);
    case 'recut':
      throw new Error('a check does not resume a run');
    case 'end':
      return sourceEnded(item, time, {});
  }
}

/** Adds the prepared rows to the data quality. */
export function createQualityObserver(quality: Quality): Observer {
  return {
    chunk: (names, chunk) => quality.addChunk(names, chunk),
    row({ input, row, validated }) {
      const { candidate, issues } = input.mapping.applyAll(row);
      quality.add({ candidate, issues, verdict: validated });
    },
  };
}
