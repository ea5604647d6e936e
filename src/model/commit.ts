/** The accounting of rows (decision 0001). */
import { z } from 'zod';
import type { Data } from './data.ts';
import { cursor, rowPlace, rowRange } from './position.ts';

const dropped = z.object({ invalid: z.int(), skipped: z.int(), duplicate: z.int() });

/** Numbers of rows that are in no batch, by reason. */
export type Dropped = Data<typeof dropped>;

const sentRows = z.object({
  run: z.string().describe('The earlier run'),
  state: z.enum(['delivered', 'unknown']).describe('unknown: they may or may not have arrived'),
  rows: z.int(),
});

/** Rows whose records an earlier run has sent. */
export type SentRows = Data<typeof sentRows>;

const sealedKeys = z.object({ keys: z.string(), ranges: z.array(rowRange) });

/** The rows of a batch, and the keys of their records as in `batch.sealed`. */
export type SealedKeys = Data<typeof sealedKeys>;

const passed = z
  .object({
    batches: z
      .int()
      .describe(
        'Batches that were cut and not sealed: those of other shards, and own ones that earlier runs have sent',
      ),
    rows: z.int().describe('Rows of other shards, including rows that became no record'),
    invalid: z.int().describe('Invalid rows of other shards'),
    skipped: z.int().describe('Rows of other shards that an option has skipped'),
    sealed: z
      .array(sealedKeys)
      .optional()
      .describe('With --dedupe, the records of other shards: a resume compares later ones with them'),
  })
  .describe('What a shard has passed over since its last commit. Absent if the run is not divided');

/** The rows of other shards, which a shard reads and does not count as read. */
export type Passed = Data<typeof passed>;

export const commit = z.object({
  cursors: z.array(cursor).describe('Every row before them is in a sealed batch or in dropped'),
  dropped: dropped.describe('Rows that are in no batch, by reason'),
  notes: z.record(z.string(), z.int()).describe('Number of records by remark, such as date_only:detected_at'),
  firstNotes: z
    .record(z.string(), rowPlace)
    .optional()
    .describe('Where a note of the run applies first. Only of notes that have a place'),
  sentBefore: z
    .array(sentRows)
    .optional()
    .describe('The skipped rows that earlier runs have sent. Absent if there are none'),
  passed: passed.optional(),
});

/**
 * One step of accounting: every row before `cursors` is in a sealed batch or in `dropped`. Rows after the last commit do
 * not count as read, and a resume reads them again.
 */
export type Commit = Data<typeof commit>;
