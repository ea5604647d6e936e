/** Why a row has its state, in a clause: for `runs show` and `runs find`. */
import type { FoundRows } from '../journal/run-rows.ts';
import { describeReason } from '../report/failure-reasons.ts';
import { place } from '../report/text-layout.ts';

/** @param names of the inputs */
export function rowReason({ batch, issues, skipped, of, state }: FoundRows, names: readonly string[]): string {
  if (issues !== undefined) return issues.map(describeReason).join('; ');
  if (of !== undefined) return `the same record as ${place(names, of)}`;
  if (skipped !== undefined) return skippedReason(skipped);
  if (batch === undefined) return state;
  const { batch: id, error, batchId } = batch;
  if (state === 'delivered') return `batch ${id} as ${batchId}`;
  if (error !== undefined) return `batch ${id}: ${error}`;
  return state === 'pending' ? `batch ${id}, not delivered before the run ended` : `batch ${id}`;
}

function skippedReason({ why, by = '' }: NonNullable<FoundRows['skipped']>): string {
  if (why === 'delivered') return `already delivered by ${by}`;
  if (why === 'unknown') return `already sent by ${by}, outcome unknown`;
  return `skipped by --${why}`;
}
