/**
 * The key of a record: what tells one record from every other, in twelve bytes. Pure.
 *
 * It is the front of the SHA-256 of the record as it goes on the wire, so that two rows have one key where the service
 * would receive the same bytes twice. 96 bits: among ten million records, two that differ share a key with a
 * probability below 1e-14. A digest that nobody can steer, because a row that is taken for another one is not sent.
 */
import { hash } from 'node:crypto';
import type { Batch } from '../model/batch.ts';

/** Twelve bytes, each one character (latin1). */
export type RecordKey = string;

/** Bytes of a key. */
const KEY_BYTES = 12;

/** The key of one record. @param json its bytes as they are sent, or the same as text */
export function keyOf(json: string | Uint8Array): RecordKey {
  return hash('sha256', json, 'binary').slice(0, KEY_BYTES);
}

/** The keys of a batch's records in their order, as base64: what `batch.sealed` says of them. */
export function keysOf({ payload, offsets }: Pick<Batch, 'payload' | 'offsets'>): string {
  let keys = '';
  for (let n = 0; n + 1 < offsets.length; n += 1) {
    keys += keyOf(payload.subarray(offsets[n], (offsets[n + 1] ?? 1) - 1));
  }
  return Buffer.from(keys, 'latin1').toString('base64');
}

/** The keys in a text of {@link keysOf}; what is too short for a key is none. */
export function splitKeys(base64: string): readonly RecordKey[] {
  const keys = Buffer.from(base64, 'base64').toString('latin1');
  return Array.from({ length: Math.floor(keys.length / KEY_BYTES) }, (_, n) =>
    keys.slice(n * KEY_BYTES, (n + 1) * KEY_BYTES),
  );
}
