/** Applies the row limits: holds batches back while a limit is undecided, and stops the run when one is exceeded. */
import type { Delivery } from '../deliver/index.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Stop } from '../model/outcome.ts';
import type { Prepared } from '../model/prepared.ts';
import type { RunStop } from '../model/run-stop.ts';
import { createRowLimitCheck, type RowLimits, type RowsBefore } from './row-limits.ts';

export interface RowLimitGate {
  /** Counts a prepared item. Stops the run if a limit is exceeded. */
  count(item: Prepared): void;
  /** Sends a batch or holds it back. Resolves when the next one may be submitted. */
  submit(...batch: Submission): Promise<void>;
  /**
   * Judges the limits at the end of the inputs; sends what was held back, or stops the run.
   * @param failure why an input ended early
   */
  end(failure?: Stop): Promise<void>;
}

type Submission = Parameters<Delivery['submit']>;

export interface RowLimitGateDeps {
  readonly delivery: Pick<Delivery, 'submit'>;
  readonly runStop: Pick<RunStop, 'stop' | 'stopReading'>;
}

/** Maximum bytes of payloads held back. Beyond it sending starts. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** @param before ledger of the run's earlier part, whose rows count too */
export function createRowLimitGate(
  limits: RowLimits,
  { delivery, runStop }: RowLimitGateDeps,
  before?: Pick<Ledger, 'sentBefore' | 'rows' | 'sources'>,
): RowLimitGate {
  const check = createRowLimitCheck(limits, before === undefined ? undefined : countsOf(before));
  let held: Submission[] = [];
  let heldBytes = 0;

  const release = async (): Promise<void> => {
    const submissions = held;
    held = [];
    heldBytes = 0;
    for (const submission of submissions) await delivery.submit(...submission);
  };

  return {
    count(item) {
      const exceeded = check.count(item);
      if (exceeded !== undefined) runStop.stop(exceeded);
    },
    submit(...submission) {
      const isUndecided = check.isUndecided();
      if (!isUndecided && held.length === 0) return delivery.submit(...submission);
      const [batch] = submission;
      held.push(submission);
      heldBytes += batch.payload.byteLength;
      return isUndecided && heldBytes <= MAX_HELD_BYTES ? Promise.resolve() : release();
    },
    async end(failure) {
      const exceeded = check.end();
      if (exceeded !== undefined) {
        const message = failure === undefined ? exceeded.message : `${failure.message} ${exceeded.message}`;
        runStop.stop({ ...exceeded, message });
        return;
      }
      if (failure !== undefined) runStop.stopReading(failure);
      await release();
    },
  };
}

/** Rows that an earlier run has sent count as rows of the input, although they are skipped. */
function countsOf({ sentBefore, rows, sources }: Pick<Ledger, 'sentBefore' | 'rows' | 'sources'>): RowsBefore {
  const sent = sentBefore.reduce((sum, { rows }) => sum + rows, 0);
  return {
    read: sources.map((source) => source.rows),
    invalid: rows.invalid,
    skipped: rows.skipped - sent,
  };
}
