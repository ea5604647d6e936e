/**
 * The keys of the records of a batch. Two records are equal if the service would receive the same bytes. Pure.
 */
import { hashKey, KEY_BYTES, type Key } from '../lib/key-map.ts';
import type { Batch } from '../model/batch.ts';

/** The keys in order, {@link KEY_BYTES} each. As base64, `keys` of `batch.sealed`. */
export function keysOf({ payload, offsets }: Pick<Batch, 'payload' | 'offsets'>): Buffer {
  let keys = '';
  for (let n = 0; n + 1 < offsets.length; n += 1) {
    keys += hashKey(payload.subarray(offsets[n], (offsets[n + 1] ?? 1) - 1));
  }
  return Buffer.from(keys, 'latin1');
}

/** The keys in base64. An incomplete last key is ignored. */
export function decodeKeys(base64: string): readonly Key[] {
  const keys = Buffer.from(base64, 'base64').toString('latin1');
  return Array.from({ length: Math.floor(keys.length / KEY_BYTES) }, (_, n) =>
    keys.slice(n * KEY_BYTES, (n + 1) * KEY_BYTES),
  );
}

/** The keys with these indexes. */
export function pickKeys(keys: Buffer, indexes: Iterable<number>): Buffer {
  return Buffer.concat(Array.from(indexes, (n) => keys.subarray(n * KEY_BYTES, (n + 1) * KEY_BYTES)));
}
