/**
 * The limits of rows, carried out: batches are held back as long as a limit may yet forbid them (limits.ts says for
 * how long), and the run is halted where one is broken.
 */
import type { Delivery } from '../deliver/index.ts';
import { type RowLimits, watchRows } from '../limits.ts';
import type { Batch } from '../model/batch.ts';
import type { Stop } from '../model/outcome.ts';
import type { Prepared } from '../model/prepared.ts';

export interface Hold {
  /** Counts what was prepared. Halts the run where a limit is broken. */
  see(item: Prepared): void;
  /** Sends a batch, or keeps it back; resolves when there is room for another one. */
  submit(batch: Batch): Promise<void>;
  /** After the last input: sends what is left, or halts the run. */
  end(): Promise<void>;
  /** Why the run must not count as complete, even where all was sent before that was known. */
  readonly stop: Stop | undefined;
}

/** Payloads that are held back at the most, in bytes. */
const HOLD_LIMIT = 64 * 1024 * 1024;

export function createHold(limits: RowLimits, delivery: Pick<Delivery, 'halt' | 'submit'>): Hold {
  const watch = watchRows(limits);
  let held: Batch[] = [];
  let heldBytes = 0;
  let broken: Stop | undefined;

  const release = async (): Promise<void> => {
    const batches = held;
    held = [];
    heldBytes = 0;
    for (const batch of batches) await delivery.submit(batch);
  };
  const judge = (stop: Stop | undefined): void => {
    broken = stop;
    if (stop !== undefined) delivery.halt(stop);
  };

  return {
    see: (item) => judge(watch.see(item)),
    submit(batch) {
      const holds = watch.holds();
      if (!holds && held.length === 0) return delivery.submit(batch);
      held.push(batch);
      heldBytes += batch.payload.byteLength;
      return holds && heldBytes <= HOLD_LIMIT ? Promise.resolve() : release();
    },
    async end() {
      judge(watch.end());
      if (broken === undefined) await release();
    },
    get stop() {
      return broken;
    },
  };
}
