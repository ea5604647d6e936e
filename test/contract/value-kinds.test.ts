import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateTime, integer, number, oneOf, open, textKind, untyped } from '../../src/contract/value-kinds.ts';

const RUNS = Number(process.env['SIGNALS_FAST_RUNS'] ?? 150);

/** Two words of the same letters: the later one is meant by every other form of them. */
const LIST = ['job_posting', 'news', 'web_visit', 'new_s'] as const;

const ANYTHING = [
  '',
  'x',
  ' Job Posting ',
  '2026-11-20',
  '2026-11-20T09:15:00Z',
  '50',
  '1e2',
  0,
  50,
  1.5,
  -1,
  2 ** 60,
  true,
  null,
  undefined,
  {},
  [],
  Number.NaN,
];

const two = fc.integer({ min: 0, max: 62 }).map((value) => String(value).padStart(2, '0'));
const year = fc.integer({ min: 0, max: 9999 }).map((value) => String(value).padStart(4, '0'));
const dateTimes = fc
  .tuple(year, fc.constantFrom('-', '-', '-', ''), two, two, fc.constantFrom('T', 'T', ' ', 't'), two, two, two)
  .chain(([y, dash, mo, d, t, h, mi, s]) => {
    const day = `${y}${dash}${mo}${dash}${d}`;
    return fc.constantFrom(
      day,
      `${day}${t}${h}:${mi}`,
      ...['', 'Z', 'z', '+01:00', '-23:59', '+24:00', '+0100', '.5Z', '.250'].map(
        (end) => `${day}${t}${h}:${mi}:${s}${end}`,
      ),
    );
  });
const words = fc
  .tuple(fc.constantFrom(...LIST, 'jobposting', 'none'), fc.constantFrom('', ' ', '-', '_', '\u00a0', 'x'), fc.nat(12))
  .chain(([word, put, at]) => {
    const changed = word.slice(0, at) + put + word.slice(at);
    return fc.constantFrom(changed, changed.toUpperCase(), changed.replace('_', ' '));
  });
const numbers = fc.oneof(
  fc.double(),
  fc.integer({ min: -200, max: 200 }),
  fc.maxSafeInteger(),
  fc.constantFrom(2 ** 53, -(2 ** 53), Number.POSITIVE_INFINITY, -0, 100, 101, -7, -8),
);
const givens = fc.oneof(
  fc.anything(),
  fc.string(),
  fc.constant(''),
  fc.constant(undefined),
  dateTimes,
  fc.date({ noInvalidDate: true }).map((at) => at.toISOString().replace('.000', '')),
  words,
  numbers,
  numbers.map(String),
  fc.stringMatching(/^[+-]?\d{0,20}\.?\d{0,3}(?:[eE][+-]?\d{1,3})?$/),
);

describe.each([
  ['text', textKind],
  ['enum', oneOf(LIST)],
  ['open', open(LIST)],
  ['date-time', dateTime],
  ['integer', integer(0, 100)],
  ['number', number],
  ['untyped', untyped({ numericCells: true })],
] as const)('the kind %s', (name, kind) => {
  it('has its name, sends only what the API allows, and does not change a value that it sent', () => {
    expect(kind.name).toBe(name);
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...ANYTHING), givens), (given) => {
        const value = kind.read(given);
        if (value === undefined) return;
        expect(kind.wire.safeParse(value).success).toBe(true);
        expect(kind.read(value)).toBe(value);
      }),
      { numRuns: 10 * RUNS },
    );
  });

  it('refuses an absent value', () => {
    expect([undefined, Number.NaN].map((given) => kind.read(given))).toEqual([undefined, undefined]);
  });
});
