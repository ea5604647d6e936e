import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeKeys, hashKey, KeyMap, keysOf } from '../../src/lib/key-map.ts';

test('a map returns the values that were set, and undefined for other keys', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.nat(2 ** 32 - 2)), { maxLength: 4000 }),
      (entries) => {
        const table = new KeyMap();
        const expected = new Map<string, number>();
        for (const [n, number] of entries) {
          table.set(hashKey(`{"n":${n}}`), number);
          expected.set(hashKey(`{"n":${n}}`), number);
        }
        for (let n = 0; n < 5000; n += 7) {
          const key = hashKey(`{"n":${n}}`);
          expect(table.get(key)).toBe(expected.get(key));
        }
        expect(table.size).toBe(expected.size);
      },
    ),
    { numRuns: 30 },
  );
});

test('keys that differ in any single bit are different keys', () => {
  const table = new KeyMap();
  const base = Buffer.alloc(12, 0x5a);
  table.set(base.toString('latin1'), 1);
  for (let bit = 0; bit < 96; bit += 1) {
    const other = Buffer.from(base);
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(table.get(other.toString('latin1'))).toBeUndefined();
    table.set(other.toString('latin1'), bit);
  }
  expect(table.size).toBe(97);
  expect(table.get(base.toString('latin1'))).toBe(1);
});

test('the key of a record is the first 12 bytes of its SHA-256', () => {
  // printf '{"n":1}' | sha256sum
  expect(Buffer.from(hashKey('{"n":1}'), 'latin1').toString('hex')).toBe('2bfd14f43d17fc7cea24e091');
  expect(hashKey(Buffer.from('{"n":"é"}'))).toBe(hashKey('{"n":"é"}'));
});

test('the keys of a batch are those of its records, in order', () => {
  const payload = Buffer.from('{"events":[{"n":1},{"n":"é"}]}');
  const offsets = [11, 19, 30];
  expect(decodeKeys(keysOf({ payload, offsets }).toString('base64'))).toEqual([
    hashKey('{"n":1}'),
    hashKey('{"n":"é"}'),
  ]);
  expect(keysOf({ payload: Buffer.from('{"events":[]}'), offsets: [11] })).toHaveLength(0);
});
