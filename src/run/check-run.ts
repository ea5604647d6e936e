/** `check`: the prepare half alone, with the books that an upload would begin with. */

import type { Contract } from '../contract/index.ts';
import { applyEvent, emptyLedger } from '../journal/ledger-reducer.ts';
import type { RunEvent } from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Issue, Position } from '../model/row.ts';
import { type Observer, type PrepareJob, prepare } from '../prepare/index.ts';
import { folded, likenessOf, type Quality } from '../report/quality.ts';
import { duplicateOf, endedOf, invalidOf, sealedOf, skippedOf, startOf } from './events.ts';
import { closeInputs } from './run-inputs.ts';

export interface CheckDeps {
  readonly signal: AbortSignal;
  readonly onInvalid: (position: Position, issues: readonly Issue[]) => void;
  readonly readers: readonly ((event: RunEvent, ledger: Ledger) => void)[];
}

/**
 * The prepare half alone: resolves to the books as they would be before the first request, every valid row
 * pending. Nothing is written and nothing is sent.
 */
export async function runCheck(job: PrepareJob, doors: CheckDeps): Promise<Ledger> {
  const time = new Date().toISOString();
  const started = startOf(job, 'check', time);
  const ledger = emptyLedger(started);
  const enter = (event: RunEvent): void => {
    applyEvent(ledger, event);
    for (const read of doors.readers) read(event, ledger);
  };
  const end = (state: 'complete' | 'stopped' | 'interrupted'): Ledger => {
    enter({ event: 'run.ended', time, state, putBack: [] });
    return ledger;
  };
  enter(started);
  doors.signal.addEventListener('abort', () => closeInputs(job));
  try {
    for await (const items of prepare(job)) {
      for (const item of items) {
        switch (item.kind) {
          case 'invalid':
            doors.onInvalid(item.position, item.issues);
            enter(invalidOf(item));
            break;
          case 'skipped':
            enter(skippedOf(item));
            break;
          case 'duplicate':
            enter(duplicateOf(item));
            break;
          case 'batch':
            enter(sealedOf(item, {}, false));
            // Nothing will ever settle it, and a large file has many.
            ledger.open.delete(item.batch.id);
            break;
          case 'again':
            throw new Error('a check does not go on with anything');
          case 'end':
            enter(endedOf(item, time, {}));
        }
      }
      if (doors.signal.aborted) return end('interrupted');
    }
  } catch (error) {
    if (!doors.signal.aborted) throw error;
    return end('interrupted');
  }
  return end('complete');
}

/** Fills the data-quality sheet with the rows that are prepared. */
export function createQualityObserver(contract: Contract, quality: Quality): Observer {
  return {
    look: { fold: folded },
    likeness: (field) => likenessOf(contract, field),
    run: quality.addRun,
    row({ input, row, validated }) {
      const { candidate, issues } = input.mapping.applyAll(row);
      quality.add({ position: row.position, candidate, issues, verdict: validated });
    },
  };
}
