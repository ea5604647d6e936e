import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadDigests } from '../../src/lib/digest.ts';

const { digestOf, begin } = await loadDigests();

test('a digest with leading zeros has 16 digits', () => {
  const texts = Array.from({ length: 1000 }, (_, number) => Buffer.from(String(number)));
  const digests = texts.map(digestOf);
  expect(digests.some((digest) => digest.startsWith('0'))).toBe(true);
  for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{16}$/);
});

test('the digest does not depend on how the bytes are split, nor on other digests in progress', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 100 })), fc.uint8Array(), (pieces, others) => {
      const running = begin();
      const beside = begin();
      for (const piece of pieces) {
        running.update(piece);
        beside.update(others);
      }
      expect(running.digest()).toBe(digestOf(Buffer.concat(pieces)));
    }),
  );
});
