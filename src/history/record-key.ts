/**
 * Record keys: twelve bytes that identify a record, from the SHA-256 of its JSON on the wire. Two rows have the same
 * key only if the service would receive the same bytes twice. The hash is cryptographic, because a row that collides
 * with another one is not sent.
 */
import { hashKey, KEY_BYTES, type Key } from '../lib/key-map.ts';
import type { Batch } from '../model/batch.ts';

/** The keys of the records of a batch, in order, as base64: `keys` of `batch.sealed`. */
export function encodeKeys({ payload, offsets }: Pick<Batch, 'payload' | 'offsets'>): string {
  let keys = '';
  for (let n = 0; n + 1 < offsets.length; n += 1) {
    keys += hashKey(payload.subarray(offsets[n], (offsets[n + 1] ?? 1) - 1));
  }
  return Buffer.from(keys, 'latin1').toString('base64');
}

/** The keys in a text of {@link encodeKeys}. An incomplete last key is ignored. */
export function decodeKeys(base64: string): readonly Key[] {
  const keys = Buffer.from(base64, 'base64').toString('latin1');
  return Array.from({ length: Math.floor(keys.length / KEY_BYTES) }, (_, n) =>
    keys.slice(n * KEY_BYTES, (n + 1) * KEY_BYTES),
  );
}
