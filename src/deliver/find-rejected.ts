/**
 * Finds the records that the service rejected in a delivered batch, from its answers to halves of the batch that are sent
 * again. The answer counts rejected records and names none; records that it has come back as `deduplicated`
 * (docs/internals/spec/interface.md, "Batch result"). Pure.
 *
 * A record is named only if an answer says that all records of the request were rejected. The number in the second half is
 * what the first half leaves over; the answers about its own halves then confirm or contradict it.
 */
import type { Receipt } from '../model/outcome.ts';

/** A delivered batch, or a part of it, with the number of records that the service rejected. */
interface Examined {
  readonly id: string;
  readonly records: number;
  readonly rejected: number;
}

export interface Findings {
  /** Indexes of the rejected records in the batch, in ascending order. */
  readonly named: readonly number[];
  /** Parts to send next: `12.1` is the first half of batch 12 (split-batch.ts). */
  readonly open: readonly string[];
  /** Why some records of the batch cannot be named, in sentences. */
  readonly contradictions: readonly string[];
}

/** @param answers the receipts of the parts that were sent, by id */
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
  if (rejected === 0 || rejected === records) return 0;
  return Math.min(2 * records, rejected * (Math.ceil(Math.log2(records)) + 1));
}
