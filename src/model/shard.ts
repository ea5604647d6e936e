/** One part of a run that is divided among several processes (docs/scale.md, "Shards"). */
import { z } from 'zod';
import type { Data } from './data.ts';

export const shard = z
  .object({ index: z.int().describe('From 0'), of: z.int().describe('Number of shards') })
  .describe('The part of a divided run that this run sends. Absent if the run is not divided');

/** Batch k, from 0, belongs to the shard with the index k modulo `of`. */
export type Shard = Data<typeof shard>;
