/** What a kind makes of values of usual forms by itself, against its schema: the schema is right. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { dateTime, integer, type Kind, number, oneOf, open, text, untyped } from '../../src/contract/value-kinds.ts';
import type { RecordType, Variant } from '../../src/model/record.ts';
import { createValidator } from '../../src/validate/index.ts';

const RUNS = Number(process.env['SIGNALS_FAST_RUNS'] ?? 150);

/** Two words of the same letters: the later one is meant by every other form of them. */
const LIST = ['job_posting', 'news', 'web_visit', 'new_s'] as const;

const KINDS: Readonly<Record<string, Kind>> = {
  text,
  enum: oneOf(LIST),
  open: open(LIST),
  'open without known words': open([]),
  'date-time': dateTime,
  integer: integer(0, 100),
  'integer below zero': integer(-7, -1),
  number,
  untyped: untyped({ numericCells: true }),
};

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

describe.each(Object.entries(KINDS))('the kind %s', (_name, kind) => {
  it('converts a common value as its schema does', () => {
    fc.assert(
      fc.property(givens, (given) => {
        const usual = kind.usual(given);
        if (usual !== undefined) expect(kind.value.safeParse(given)).toEqual({ success: true, data: usual });
      }),
      { numRuns: 10 * RUNS },
    );
  });
});

describe('common forms', () => {
  it.each<[string, unknown]>([
    ['text', 'Acme'],
    ['enum', 'job_posting'],
    ['enum', 'Job Posting'],
    ['open', 'news'],
    ['open', 'something else'],
    ['open without known words', 'growth'],
    ['date-time', '2026-11-20'],
    ['date-time', '2026-12-31T23:59:59Z'],
    ['date-time', '2026-11-20T09:15:00'],
    ['date-time', '2026-11-20T09:15:00+01:00'],
    ['integer', '70'],
    ['integer', 70],
    ['number', '0.5'],
    ['number', 87],
    ['untyped', 'Hamburg, Germany'],
    ['untyped', 24_000_000],
  ])('are not handed to the schema: %s %j', (name, given) => {
    expect(KINDS[name]?.usual(given)).toBeDefined();
  });
});

describe('a validator', () => {
  it.each<[RecordType, Variant | undefined]>([
    ['signals', 'a'],
    ['signals', 'b'],
    ['signals', 'both'],
    ['social', undefined],
  ])('makes of whole candidates what the schema makes of them: %s %s', (type, variant) => {
    const contract = contracts[type];
    const validate = createValidator(contract, variant, (field) => field);
    const schema = contract.schema(variant);
    const usual = fc.constantFrom<unknown>('Acme', 'news', '2026-11-20', '50', 50, 'like', undefined);
    const candidates = fc.record(
      Object.fromEntries(
        contract.fields.map(({ name, example }) => [
          name,
          fc.oneof({ weight: 20, arbitrary: fc.constant(example) }, { weight: 2, arbitrary: usual }, givens),
        ]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(candidates, (candidate) => {
        const expected = schema.safeParse(candidate);
        const found = validate({ candidate, issues: [], notes: [] });
        expect('record' in found).toBe(expected.success);
        // The order of its fields is that of the wire.
        if ('record' in found) expect(JSON.stringify(found.record)).toBe(JSON.stringify(expected.data));
      }),
      { numRuns: RUNS },
    );
  });
});
