/**
 * Splits a batch that the service refused into two, so that one bad record costs one record. Pure and deterministic:
 * a resumed run makes the same parts.
 */
import type { DigestOf } from '../lib/digest.ts';
import type { Batch } from '../model/batch.ts';
import { selectRecords } from '../model/select-records.ts';

/**
 * Extra requests for isolating refused records: a run of n deliveries makes at most 200 + 2n. That is enough to split
 * one batch of 100 down to its last record (198) before anything is delivered; one bad record in a hundred costs 14.
 * Splitting by size is not counted: it ends as soon as the parts are small enough.
 */
const EXTRA_REQUESTS = 200;
const EXTRA_REQUESTS_PER_DELIVERY = 2;

/** Requests that one split adds. */
export const PARTS = 2;

/** Whether a batch may still be split to isolate refused records. */
export function maySplit(run: { readonly extraRequests: number; readonly delivered: number }): boolean {
  return run.extraRequests + PARTS <= EXTRA_REQUESTS + EXTRA_REQUESTS_PER_DELIVERY * run.delivered;
}

/**
 * The two halves of a batch; an odd record belongs to the first. Their payloads are cut from the batch's own.
 * Throws an Error for a batch of one record.
 */
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
  const part = splitBatch(batch, digestOf).find((one) => one.id === id || isPartOf(id, one.id));
  if (part === undefined) throw new Error(`batch ${batch.id} has no part ${id}`);
  return findPart(part, id, digestOf);
}

/** Whether a batch came from splitting another one, directly or in several steps. */
function isPartOf(id: string, whole: string): boolean {
  return id.startsWith(`${whole}.`);
}

/**
 * The largest request that the service accepts, learned from its answers: after one refusal by size, larger batches are
 * split unsent.
 */
export class SizeLimit {
  /** Bytes of the smallest request that was too large. */
  smallestRefused = Number.POSITIVE_INFINITY;
  /** A refusal of a smaller request is not about its size. */
  #largestAccepted = 0;

  /** Records a request that was delivered. */
  accepted(bytes: number): void {
    this.#largestAccepted = Math.max(this.#largestAccepted, bytes);
  }

  /** Records a request that was refused because of its size. */
  tooLarge(bytes: number): void {
    this.smallestRefused = Math.min(this.smallestRefused, bytes);
  }

  /** Whether the service would certainly refuse a request of this size. */
  isTooLarge(bytes: number): boolean {
    return bytes >= this.smallestRefused && bytes > this.#largestAccepted;
  }
}
