import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dateTime,
  integer,
  type Kind,
  number,
  oneOf,
  open,
  textKind,
  untyped,
} from '../../src/contract/value-kinds.ts';

const RUNS = Number(process.env['SIGNALS_FAST_RUNS'] ?? 150);

/** Two words of the same letters: the later one is meant by every other form of them. */
const LIST = ['job_posting', 'news', 'web_visit', 'new_s'] as const;

/** What is sent for a given value; `invalid` where nothing is. */
function sent(kind: Kind, given: unknown): unknown {
  return kind.read(given) ?? 'invalid';
}

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
  it('has its name, sends only what the interface allows, and does not change a value that it sent', () => {
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

  it('refuses an absent value, an empty text, objects, arrays and booleans', () => {
    for (const given of [undefined, null, '', {}, [], ['x'], true]) expect(sent(kind, given)).toBe('invalid');
  });
});

describe('a text', () => {
  it('converts a number to its digits if they are exact', () => {
    expect([10115, 1.5, 2 ** 53, Number.NaN].map((given) => sent(textKind, given))).toEqual([
      '10115',
      '1.5',
      'invalid',
      'invalid',
    ]);
  });
});

describe('an enum', () => {
  const kind = oneOf(['job_posting', 'news']);

  it('is matched ignoring case, spaces, hyphens and underscores', () => {
    for (const given of ['job_posting', 'Job Posting', 'JOB-POSTING', 'jobposting'])
      expect(sent(kind, given)).toBe('job_posting');
  });

  it('takes well-known names for the kind of source that they are', () => {
    const source = oneOf(['review_site', 'news'], { g2: 'review_site' });
    expect([' G2 ', 'g 2', 'news', 'G2.com'].map((given) => sent(source, given.trim()))).toEqual([
      'review_site',
      'review_site',
      'news',
      'invalid',
    ]);
  });

  it('refuses other values', () => {
    for (const given of ['job', 'jobs posting', 'constructor', 7]) expect(sent(kind, given)).toBe('invalid');
    expect(kind.expected).toBe('one of job_posting, news');
  });
});

describe('an open list', () => {
  const kind = open(['like', 'repost']);

  it('converts known values to their canonical form and sends others unchanged', () => {
    expect(['LIKE', 're-post', 'Love It'].map((given) => sent(kind, given))).toEqual(['like', 'repost', 'Love It']);
  });

  it('gives a usual value one spelling, and still tells that the API does not name it', () => {
    const networks = open(['linkedin'], ['facebook']);
    expect(sent(networks, 'Facebook')).toBe('facebook');
    expect(networks.notes?.('Facebook', 'facebook')).toEqual(['open_value']);
    expect(networks.notes?.('LinkedIn', 'linkedin')).toEqual([]);
  });
});

describe('a date-time', () => {
  it.each(['2026-11-20T09:15:00Z', '2026-11-20T09:15:00.250+01:00', '2024-02-29T00:00:00Z'])(
    'takes %s as it is',
    (given) => {
      expect(sent(dateTime, given)).toBe(given);
      expect(dateTime.notes?.(given, given)).toEqual([]);
    },
  );

  it('converts a date to midnight UTC, with a note', () => {
    expect(sent(dateTime, '2026-11-20')).toBe('2026-11-20T00:00:00Z');
    expect(dateTime.notes?.('2026-11-20', '2026-11-20T00:00:00Z')).toEqual(['date_only']);
  });

  it.each([
    ['2026-11-20T09:15Z', '2026-11-20T09:15:00Z', ['no_seconds']],
    ['2026-11-20T09:15+01:00', '2026-11-20T09:15:00+01:00', ['no_seconds']],
    ['2026-11-20T09:15', '2026-11-20T09:15:00', ['no_seconds', 'no_offset']],
  ])('completes the seconds of %s, with a note', (given, completed, notes) => {
    expect(sent(dateTime, given)).toBe(completed);
    expect(dateTime.notes?.(given, completed)).toEqual(notes);
  });

  it.each([
    '11/20/2026',
    '20.11.2026',
    '2026-02-30',
    '2025-02-29T00:00:00Z',
    '2026-11-20 09:15:00',
    '2026-13-01',
    '20261120',
    '2026',
    'today',
    1795165200,
  ])('guesses nothing from %j', (given) => {
    expect(sent(dateTime, given)).toBe('invalid');
  });
});

describe('an integer', () => {
  const kind = integer(0, 100);

  it.each([
    [0, 0],
    [100, 100],
    ['0', 0],
    ['100', 100],
    ['+7', 7],
    ['7.0', 7],
  ])('takes %j', (given, value) => {
    expect(sent(kind, given)).toBe(value);
  });

  it.each([-1, 101, 1.5, '1.5', '101', '-1', '50%', '5O', '0x10', '1,000', ' 5'])(
    'never clamps or repairs %j',
    (given) => {
      expect(sent(kind, given)).toBe('invalid');
    },
  );
});

describe('a number', () => {
  it.each([
    ['87', 87],
    ['-0.5', -0.5],
    ['.5', 0.5],
    ['1e3', 1000],
    [12.5, 12.5],
  ])('takes %j', (given, value) => {
    expect(sent(number, given)).toBe(value);
  });

  it.each(['1,234', '1,5', '$5', '5k', '1e999', 'Infinity', Number.NaN, '--1', '1.2.3'])('refuses %j', (given) => {
    expect(sent(number, given)).toBe('invalid');
  });
});
