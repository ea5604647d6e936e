/** The reader of elements, compared with the schema of the contract. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { isObject } from '../../src/lib/text.ts';
import { readElement, readersFor, rejectionReason } from '../../src/sandbox/ingest.ts';

const value = fc.oneof(
  fc.constantFrom<unknown>('funding', 'Funding', 'x', '', 0, 1.5, 100, 101, -1, null, true, '50'),
  fc.constantFrom<unknown>('2026-11-20T09:15:00Z', '2026-11-20', '2026-13-20T09:15:00Z', Number.NaN),
  fc.jsonValue(),
);

test.each([
  ['signals', 'a'],
  ['signals', 'b'],
  ['signals', 'both'],
  ['social', undefined],
] as const)('accepts exactly the elements of %s (%s) that the schema of the contract accepts', (type, variant) => {
  const schema = contracts[type].wire(variant);
  const readers = readersFor(type, variant === undefined ? [] : [variant]);
  const names = contracts[type].fieldsOf(variant).flatMap((field) => field.names);
  const good = Object.fromEntries(names.map((name) => [name, 'x']));
  const element = fc.dictionary(fc.constantFrom(...names, 'more'), value).map((some): unknown => ({
    ...good,
    source: 'news',
    signal_source: 'news',
    hotness_score: 1,
    ...some,
  }));
  const withoutDate = (given: unknown): unknown => {
    // Half of the elements are valid except for one value.
    if (!isObject(given)) return given;
    const { detected_at, warmth_hint, ...others } = given;
    return {
      ...others,
      ...(detected_at === 'x' ? {} : { detected_at }),
      ...(warmth_hint === 'x' ? {} : { warmth_hint }),
    };
  };
  const seen = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(fc.oneof(element.map(withoutDate), fc.dictionary(fc.constantFrom(...names), value)), (given) => {
      const fits = readElement(readers, given) !== undefined;
      const judged = schema.safeParse(given).success;
      seen[judged ? 'valid' : 'invalid'] += 1;
      expect(fits).toBe(judged);
      if (!fits) expect(rejectionReason(readers, given)).toMatch(/ is missing$| is not allowed$/);
    }),
    { numRuns: 500 },
  );
  expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(20);
});

test('rejects what is not an object', () => {
  const readers = readersFor('signals', ['a', 'b']);
  for (const given of [null, 7, 'text', [], [{}]]) {
    expect(isObject(given)).toBe(false);
    expect(rejectionReason(readers, given)).toBe('not an object');
  }
});
