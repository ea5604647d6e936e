/** The counts of a run: rows by state, batches by state, and what the service counted. */
import { z } from 'zod';

export const rowCounts = z.object({
  read: z.int().describe('Counted from the positions in the inputs'),
  invalid: z.int(),
  skipped: z.int(),
  duplicate: z.int(),
  delivered: z.int(),
  refused: z.int(),
  exhausted: z.int(),
  unknown: z.int(),
  pending: z.int(),
});

/**
 * `read` is counted from the inputs' cursors, and the other numbers from the outcomes of rows. Their sums must be equal
 * (`balance`): that checks the accounting.
 */
export type RowCounts = z.infer<typeof rowCounts>;

export const batchCounts = z.object({
  sealed: z.int(),
  delivered: z.int(),
  refused: z.int(),
  exhausted: z.int(),
  unknown: z.int(),
  pending: z.int(),
  split: z.int(),
});

export type BatchCounts = z.infer<typeof batchCounts>;

export const serviceCountsSchema = z.object({
  accepted: z.int(),
  deduplicated: z.int(),
  rejected: z.int(),
  promoted: z.int(),
  unaccounted: z
    .int()
    .describe('Sum of the absolute differences between the records sent and those that the receipts count'),
});

/** Sums of the receipts. */
export type ServiceCounts = z.infer<typeof serviceCountsSchema>;
/** The sums of two sets of counts, name by name. */
export function addCounts<T extends Readonly<Record<string, number>>>(one: T, other: T): T {
  const sums = Object.entries(other).map(([name, value]) => [name, value + (one[name] ?? 0)]);
  return { ...one, ...Object.fromEntries(sums) };
}
