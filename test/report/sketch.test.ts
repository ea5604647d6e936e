import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDistinct, createSeen, EXACT_LIMIT, hashOf } from '../../src/report/sketch.ts';

/** Values as columns hold them: many that differ in a digit or two. */
const SHAPES: Readonly<Record<string, (n: number) => string>> = {
  numbers: (n) => String(n),
  companies: (n) => `Company ${n}`,
  domains: (n) => `company-${n}.example.com`,
  dates: (n) => new Date(1_700_000_000_000 + n * 1000).toISOString(),
  'long texts': (n) => `${'a text of some length '.repeat(5)}${n}`,
};

describe('counting different values', () => {
  it('is exact up to the limit, however often each comes', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 300 }), (values) => {
        const counter = createDistinct();
        for (const value of [...values, ...values]) counter.add(...hashOf(value));
        expect(counter.result()).toEqual({ count: new Set(values).size, exact: true });
      }),
    );
    const counter = createDistinct();
    for (let n = 0; n < EXACT_LIMIT; n += 1) counter.add(...hashOf(`${'long'.repeat(30)}${n}`));
    expect(counter.result()).toEqual({ count: EXACT_LIMIT, exact: true });
  });

  const sizes = [EXACT_LIMIT + 1, 3_000, 10_000, 30_000, 100_000];
  const cases = Object.keys(SHAPES).flatMap((shape) => sizes.map((size) => [shape, size] as const));

  // More than three standard errors; the values are the same in every run, and so are the estimates.
  it.each(cases)('is within three in a hundred for %s, %i of them', (shape, size) => {
    const counter = createDistinct();
    for (let n = 0; n < size; n += 1) counter.add(...hashOf(SHAPES[shape]?.(n) ?? ''));
    const { count, exact } = counter.result();
    expect(exact).toBe(false);
    expect(Math.abs(count - size) / size).toBeLessThan(0.03);
  });

  it('has about the error that its size promises, over many sets of values', () => {
    const errors = Array.from({ length: 60 }, (_, set) => {
      const counter = createDistinct();
      for (let n = 0; n < 80_000; n += 1) counter.add(...hashOf(`set ${set} value ${n}`));
      return (counter.result().count - 80_000) / 80_000;
    });
    const deviation = Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);
    // The theory says 1.04 / sqrt(16384) = 0.8%.
    expect(deviation).toBeGreaterThan(0.004);
    expect(deviation).toBeLessThan(0.013);
  });
});

describe('recognising what was seen before', () => {
  it('says where a value was first seen, and takes no new value for an old one', () => {
    const seen = createSeen();
    for (const shape of Object.values(SHAPES)) {
      let taken = 0;
      for (let n = 0; n < 40_000; n += 1)
        if (seen.first(...hashOf(`${shape(n)}!${shape.name}`), n) !== undefined) taken += 1;
      expect(taken).toBe(0);
    }
    expect(seen.first(...hashOf(`Company 77!${SHAPES['companies']?.name}`), 5)).toBe(77);
    expect(seen.complete()).toBe(true);
  });

  it('forgets nothing when its limit is reached, and says that what came later is unknown', () => {
    const seen = createSeen(3);
    expect(['a', 'b', 'c', 'd', 'd', 'b'].map((text, at) => seen.first(...hashOf(text), at))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      1,
    ]);
    expect(seen.complete()).toBe(false);
  });

  it('is complete when exactly so many values came as it holds', () => {
    const seen = createSeen(2);
    for (const text of ['a', 'b', 'a']) seen.first(...hashOf(text), 0);
    expect(seen.complete()).toBe(true);
  });
});

describe('the hash', () => {
  it('has no two texts of one and two code units meet', () => {
    const hashes = new Set<string>();
    let texts = 0;
    for (let one = 0; one < 65_536; one += 7) {
      for (const text of [
        String.fromCharCode(one),
        String.fromCharCode(one, 65),
        String.fromCharCode(65, one),
      ]) {
        // As JSON: halves of a pair of surrogates that stand alone are all the same in UTF-8.
        hashes.add(hashOf(JSON.stringify(text)).join(':'));
        texts += 1;
      }
    }
    // "AA" is made twice where 65 is a step of the loop, which it is not.
    expect(hashes.size).toBe(texts);
  });
});
