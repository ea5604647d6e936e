/** One part of a run that is divided among several processes (docs/sharding.md). Types only. */

/** Batch k, from 0, belongs to the shard with the index k modulo `of`. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  /** Number of shards. */
  readonly of: number;
}
