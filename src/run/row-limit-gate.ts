/**
 * The limits of rows, carried out: batches are held back as long as a limit may yet forbid them (limits.ts says for
 * how long), and the run is halted where one is broken.
 */
import type { Delivery } from '../deliver/index.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Stop } from '../model/outcome.ts';
import type { Prepared } from '../model/prepared.ts';
import { createRowLimitCheck, type RowLimits, type RowsBefore } from './row-limits.ts';

export interface RowLimitGate {
  /** Counts what was prepared. Halts the run where a limit is broken. */
  see(item: Prepared): void;
  /** Sends a batch, or keeps it back; resolves when there is room for another one. */
  submit(...batch: Submitted): Promise<void>;
  /** After the last input: sends what is left, or halts the run. */
  end(): Promise<void>;
  /** Why the run must not count as complete, even where all was sent before that was known. */
  readonly stop: Stop | undefined;
}

/** A batch, and what an earlier part of the run has done with it. */
type Submitted = Parameters<Delivery['submit']>;

/** Payloads that are held back at the most, in bytes. */
const HOLD_LIMIT = 64 * 1024 * 1024;

/** @param before the books of an earlier part of the run: its rows count too */
export function createRowLimitGate(
  limits: RowLimits,
  delivery: Pick<Delivery, 'halt' | 'submit'>,
  before?: Pick<Ledger, 'sentBefore' | 'rows' | 'sources'>,
): RowLimitGate {
  const watch = createRowLimitCheck(limits, before === undefined ? undefined : countsOf(before));
  let held: Submitted[] = [];
  let heldBytes = 0;
  let broken: Stop | undefined;

  const release = async (): Promise<void> => {
    const batches = held;
    held = [];
    heldBytes = 0;
    for (const batch of batches) await delivery.submit(...batch);
  };
  const judge = (stop: Stop | undefined): void => {
    broken = stop;
    if (stop !== undefined) delivery.halt(stop);
  };

  return {
    see: (item) => judge(watch.see(item)),
    submit(...submitted) {
      const holds = watch.holds();
      if (!holds && held.length === 0) return delivery.submit(...submitted);
      const [batch] = submitted;
      held.push(submitted);
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

/** What earlier runs have sent came all the same, and counts. */
function countsOf({
  sentBefore,
  rows,
  sources,
}: Pick<Ledger, 'sentBefore' | 'rows' | 'sources'>): RowsBefore {
  const sent = sentBefore.reduce((sum, { rows }) => sum + rows, 0);
  return {
    read: sources.map((source) => source.rows),
    invalid: rows.invalid,
    skipped: rows.skipped - sent,
  };
}
