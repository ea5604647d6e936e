import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count, humanBytes, humanDuration, plural } from '../../src/lib/units.ts';

describe('count and plural', () => {
  it.each([
    [0, '0 rows'],
    [1, '1 row'],
    [2, '2 rows'],
    [1_234_567, '1,234,567 rows'],
  ])('tells %i', (value, text) => {
    expect(plural(value, 'row')).toBe(text);
  });
});

describe('humanBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [191_851, '191.9 kB'],
    [999_949, '999.9 kB'],
    [999_950, '1.0 MB'],
    [30_000_000, '30.0 MB'],
    [4_500_000_000_000, '4.5 TB'],
    [-1, '—'],
  ])('shows %i bytes as %s', (bytes, text) => {
    expect(humanBytes(bytes)).toBe(text);
  });
});

describe('humanDuration', () => {
  it.each([
    [0, '0.0 s'],
    [410, '0.4 s'],
    [9_949, '9.9 s'],
    [9_950, '10 s'],
    [59_499, '59 s'],
    [59_500, '1 min'],
    [125_000, '2 min 5 s'],
    [3_599_600, '1 h'],
    [11_520_000, '3 h 12 min'],
    [86_399_000, '1 d'],
    [183_600_000, '2 d 3 h'],
    [-5, '—'],
    [Number.POSITIVE_INFINITY, '—'],
  ])('shows %i ms as %s', (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });
});

describe('numbers', () => {
  it('are formatted as by Intl', () => {
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
    expect(humanBytes(1_234_567_890_000_000_000)).toBe('1,234.6 PB');
  });
});
