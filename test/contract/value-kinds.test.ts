import { describe, expect, it } from 'vitest';
import {
  dateTime,
  integer,
  type Kind,
  number,
  oneOf,
  open,
  squash,
  text,
  untyped,
} from '../../src/contract/value-kinds.ts';

/** What is sent for a given value; `invalid` where nothing is. */
function sent(kind: Kind, given: unknown): unknown {
  const result = kind.value.safeParse(given);
  return result.success ? result.data : 'invalid';
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

describe.each([
  ['text', text],
  ['enum', oneOf(['job_posting', 'news'])],
  ['open', open(['like'])],
  ['date-time', dateTime],
  ['integer', integer(0, 100)],
  ['number', number],
  ['untyped', untyped({ numericCells: true })],
] as const)('the kind %s', (name, kind) => {
  it('has its name, sends only what the interface allows, and does not change a value that it sent', () => {
    expect(kind.name).toBe(name);
    for (const given of ANYTHING) {
      const result = kind.value.safeParse(given);
      if (!result.success) continue;
      expect(kind.wire.safeParse(result.data).success).toBe(true);
      expect(sent(kind, result.data)).toBe(result.data);
    }
  });

  it('refuses an absent value, an empty text, objects, arrays and booleans', () => {
    for (const given of [undefined, null, '', {}, [], ['x'], true]) expect(sent(kind, given)).toBe('invalid');
  });
});

describe('a text', () => {
  it('converts a number to its digits if they are exact', () => {
    expect([10115, 1.5, 2 ** 53, Number.NaN].map((given) => sent(text, given))).toEqual([
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

  it('has a note for unknown values', () => {
    expect(kind.notes?.('LIKE', 'like')).toEqual([]);
    expect(kind.notes?.('Love It', 'Love It')).toEqual(['open_value']);
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

  it('sends a date-time without an offset as written, with a note', () => {
    expect(sent(dateTime, '2026-11-20T09:15:00')).toBe('2026-11-20T09:15:00');
    expect(dateTime.notes?.('2026-11-20T09:15:00', '2026-11-20T09:15:00')).toEqual(['no_offset']);
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

describe('a field without a type', () => {
  it('does not change texts and numbers', () => {
    const kind = untyped({ numericCells: false });
    expect(['007', 7, '$5M', 1.5].map((given) => sent(kind, given))).toEqual(['007', 7, '$5M', 1.5]);
  });
});

describe('squash', () => {
  it('keeps letters and digits', () => {
    expect(squash(' Job_Posting-2 ')).toBe('jobposting2');
    expect(squash('Straße')).not.toBe(squash('Strasse'));
  });
});
