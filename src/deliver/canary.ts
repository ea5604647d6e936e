/**
 * The canary: the first batch is sent alone, and if the service accepts none of its records, no batch follows. So a
 * mapping under the wrong variant costs one batch and not a whole file.
 */
import type { Outcome, Receipt, Stop } from '../model/outcome.ts';
import { brief } from './decide.ts';

/** How the first batch ended, or one of the parts into which it was split. */
export interface CanaryResult {
  readonly outcome: Outcome;
  readonly records: number;
  readonly receipt?: Receipt | undefined;
  /** The service's words, if the batch was not delivered. */
  readonly error?: string | undefined;
}

export class Canary {
  /** Whether the next batch must be sent alone and judged. */
  isPending: boolean;
  /** Why no batch may follow the first one. */
  stop: Stop | undefined;
  #results: CanaryResult[] = [];

  constructor(isPending: boolean) {
    this.isPending = isPending;
  }

  /** Collects how the first batch, or a part of it, ended. */
  add(result: CanaryResult): void {
    if (this.isPending) this.#results.push(result);
  }

  /**
   * Evaluates the results since the last evaluation. The service accepted nothing if every record was rejected in a delivered
   * batch, or refused down to the last one. If nothing was accepted, and not all of it was answered, the next batch is the
   * canary.
   */
  judge(): void {
    const results = this.#results;
    this.#results = [];
    const isAccepted = results.some((result) => result.outcome === 'delivered' && !isRejected(result));
    const isRefused =
      results.length > 0 && results.every((result) => result.outcome === 'refused' || isRejected(result));
    if (!isAccepted && isRefused) this.stop = canaryStop(results);
    this.isPending = !isAccepted && !isRefused;
  }
}

/** The service answered with a receipt and accepted no record. */
function isRejected({ outcome, records, receipt }: CanaryResult): boolean {
  return outcome === 'delivered' && receipt?.rejected !== undefined && receipt.rejected >= records;
}

/** Why the run stops before the second batch, with the service's answer. */
function canaryStop(results: readonly CanaryResult[]): Stop {
  const total = results.reduce((sum, { records }) => sum + records, 0);
  const receipt = results.find((result) => result.receipt !== undefined)?.receipt;
  const refusal = results.findLast((result) => result.error !== undefined)?.error;
  const answers = [
    ...(receipt === undefined ? [] : [`receipt ${receipt.batchId} counts ${receipt.rejected ?? 0} rejected`]),
    ...(refusal === undefined ? [] : [`last answer: ${brief(refusal)}`]),
  ];
  const what =
    total === 1 ? 'The service did not accept the only record' : `The service accepted none of the ${total} records`;
  return { code: 'canary', message: `${what} of the batch sent first (${answers.join('; ')}), so no more were sent.` };
}
