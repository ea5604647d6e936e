/**
 * Splits a batch that the service refused into two, so that one bad record costs one record, and finds the records that it
 * rejected in a delivered batch from its answers to such parts. Pure and deterministic: a resumed run makes the same parts.
 */
import type { DigestOf } from '../lib/digest.ts';
import { type Batch, selectRecords } from '../model/batch.ts';
import type { Receipt } from '../model/outcome.ts';

/**
 * For isolating refused records. Splitting one batch of 100 down to its last record takes 198; one bad record in a hundred
 * costs 14. Splitting by size is not counted.
 */
const EXTRA_REQUESTS = 200;
const EXTRA_REQUESTS_PER_DELIVERY = 2;

export const PARTS = 2;

/** Whether a batch may still be split to isolate refused records. */
export function maySplit(run: { readonly extraRequests: number; readonly delivered: number }): boolean {
  return run.extraRequests + PARTS <= EXTRA_REQUESTS + EXTRA_REQUESTS_PER_DELIVERY * run.delivered;
}

/** The two halves of a batch; an odd record belongs to the first. Throws an Error for a batch of one record. */
export function splitBatch(batch: Batch, digestOf: DigestOf): readonly [Batch, Batch] {
  if (batch.records < 2) throw new Error(`batch ${batch.id} has nothing to split`);
  const middle = Math.ceil(batch.records / 2);
  return [
    { ...selectRecords(batch, (index) => index < middle, digestOf), id: `${batch.id}.1` },
    { ...selectRecords(batch, (index) => index >= middle, digestOf), id: `${batch.id}.2` },
  ];
}

/** The batch itself, or the part of it that has this id. */
export function findPart(batch: Batch, id: string, digestOf: DigestOf): Batch {
  if (batch.id === id) return batch;
  const part = splitBatch(batch, digestOf).find((one) => one.id === id || id.startsWith(`${one.id}.`));
  if (part === undefined) throw new Error(`batch ${batch.id} has no part ${id}`);
  return findPart(part, id, digestOf);
}

/** Bytes of a request that the service accepts: after one refusal by size, larger batches are split unsent. */
export class SizeLimit {
  smallestRefused = Number.POSITIVE_INFINITY;
  /** A refusal of a smaller request is not about its size. */
  #largestAccepted = 0;

  accepted(bytes: number): void {
    this.#largestAccepted = Math.max(this.#largestAccepted, bytes);
  }

  tooLarge(bytes: number): void {
    this.smallestRefused = Math.min(this.smallestRefused, bytes);
  }

  isTooLarge(bytes: number): boolean {
    return bytes >= this.smallestRefused && bytes > this.#largestAccepted;
  }
}

/** A delivered batch, or a part of it, with the number of records that the service rejected. */
interface Examined {
  readonly id: string;
  readonly records: number;
  readonly rejected: number;
}

export interface Findings {
  /** Indexes of the rejected records in the batch, in ascending order. */
  readonly named: readonly number[];
  /** Parts to send next: `12.1` is the first half of batch 12. */
  readonly open: readonly string[];
  /** Why some records of the batch cannot be named, in sentences. */
  readonly contradictions: readonly string[];
}

/**
 * Finds the rejected records of a delivered batch from the answers to parts of it that are sent again. An answer counts
 * rejected records and names none, so a record is named only if all records of a request were rejected. The number in the
 * second half is what the first half leaves over.
 *
 * @param answers the receipts of the parts that were sent, by id
 */
export function findRejected(batch: Examined, answers: ReadonlyMap<string, Receipt>): Findings {
  const named: number[] = [];
  const open: string[] = [];
  const contradictions: string[] = [];

  /** @param isConfirmed whether an answer was about exactly these records */
  const examine = (part: Examined, first: number, isConfirmed: boolean): void => {
    const { id, records, rejected } = part;
    if (rejected === 0) return;
    if (rejected === records && isConfirmed) {
      for (let index = first; index < first + records; index += 1) named.push(index);
      return;
    }
    // If all of an inferred part were rejected, only an answer about it is evidence.
    const half = rejected === records ? part : { id: `${id}.1`, records: Math.ceil(records / 2), rejected };
    const answer = answers.get(half.id);
    if (answer === undefined) {
      open.push(half.id);
      return;
    }
    const rest = records - half.records;
    const problem = contradictionOf(half, answer, rest);
    if (problem !== undefined) contradictions.push(problem);
    else {
      const { rejected: count = 0 } = answer;
      examine({ ...half, rejected: count }, first, true);
      examine({ id: `${id}.2`, records: rest, rejected: rejected - count }, first + half.records, false);
    }
  };
  examine(batch, 0, true);
  return { named, open, contradictions };
}

/** @param part `rejected`: of it and the `rest` together */
function contradictionOf({ id, records, rejected }: Examined, answer: Receipt, rest: number): string | undefined {
  const { accepted = 0, deduplicated = 0, rejected: count = 0 } = answer;
  const subject = `Part ${id} (${records} of ${records + rest} records, of which ${rejected} were rejected)`;
  const counts = `${accepted} accepted, ${deduplicated} deduplicated, ${count} rejected`;
  if (accepted > 0) return `${subject}: the service accepted ${accepted} as new this time (${counts}).`;
  if (accepted + deduplicated + count !== records) return `${subject}: the counts do not add up (${counts}).`;
  if (count > rejected || rejected - count > rest) return `${subject}: the answer contradicts that (${counts}).`;
  return undefined;
}

/** The most requests that finding the records can take, without retries. */
export function mostRequests({ records, rejected }: Examined): number {
  if (rejected === records) return 0;
  return Math.min(2 * records, rejected * (Math.ceil(Math.log2(records)) + 1));
}
