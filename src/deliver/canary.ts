/**
 * The canary: the first batch goes alone, and where the service takes nothing of it, the second does not follow.
 * A mapping under the wrong variant costs one batch so, and not a whole file. Pure.
 */
import type { Outcome, Receipt, Stop } from '../model/outcome.ts';

/** What became of the first batch, or of one of the parts it was split into. */
export interface Leaf {
  readonly outcome: Outcome;
  readonly records: number;
  readonly receipt?: Receipt;
  /** What the service said, where it did not take it. */
  readonly error?: string;
}

/**
 * - `taken`: the service took at least one record.
 * - `nothing`: every record was rejected in a delivered batch, or refused down to the last one.
 * - `untold`: nothing was taken, and not all of it was answered. The next batch is the canary then.
 */
export type Verdict = 'taken' | 'nothing' | 'untold';

export function judgeCanary(leaves: readonly Leaf[]): Verdict {
  if (leaves.some((leaf) => leaf.outcome === 'delivered' && !isRejected(leaf))) return 'taken';
  return leaves.length > 0 && leaves.every((leaf) => leaf.outcome === 'refused' || isRejected(leaf))
    ? 'nothing'
    : 'untold';
}

/** The service answered with a receipt, and took no record. */
function isRejected({ outcome, records, receipt }: Leaf): boolean {
  return outcome === 'delivered' && receipt?.rejected !== undefined && receipt.rejected >= records;
}

/** Why the run stops before the second batch, with the service's answer. */
export function canaryStop(leaves: readonly Leaf[]): Stop {
  const total = leaves.reduce((sum, { records }) => sum + records, 0);
  const rejected = leaves.find((leaf) => leaf.receipt !== undefined);
  const refused = leaves.findLast((leaf) => leaf.error !== undefined);
  const answers = [
    ...(rejected?.receipt === undefined
      ? []
      : [`its receipt ${rejected.receipt.batchId} counts ${rejected.receipt.rejected ?? 0} rejected`]),
    ...(refused?.error === undefined ? [] : [`its last answer was ${refused.error}`]),
  ];
  const what =
    total === 1
      ? 'The service did not take the only record'
      : `The service took none of the ${total} records`;
  return {
    code: 'canary',
    message: `${what} of the first batch (${answers.join('; ')}), so no more were sent.`,
  };
}
