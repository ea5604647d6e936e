import fc from 'fast-check';
import { expect, it } from 'vitest';
import { count, humanBytes, humanDuration } from '../../src/lib/units.ts';

it('numbers are formatted as by Intl', () => {
  const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
  const tenths = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const wholes = fc.property(fc.maxSafeInteger(), (value) => {
    expect(count(value)).toBe(whole.format(value));
  });
  const seconds = fc.property(fc.double({ min: 0, max: 9949.9, noNaN: true }), (ms) => {
    expect(humanDuration(ms)).toBe(`${tenths.format(ms / 1000)} s`);
  });
  const sizes = fc.property(fc.integer({ min: 1000, max: 999_949 }), (bytes) => {
    expect(humanBytes(bytes)).toBe(`${tenths.format(bytes / 1000)} kB`);
  });
  for (const property of [wholes, seconds, sizes]) fc.assert(property, { numRuns: 1000 });
  expect(humanDuration(Number.POSITIVE_INFINITY)).toBe('—');
});
