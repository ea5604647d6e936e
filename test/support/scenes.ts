/** What the properties of both engines are made of: cells, mappings, limits, and what goes wrong with a file. */
import fc from 'fast-check';
import type { FieldMapping, MappingDocument } from '../../src/map/index.ts';

/** Cells as they come in exports, and as nobody would want them. */
export const CELLS: Readonly<Record<string, readonly string[]>> = {
  Company: [
    'Acme',
    ' Acme ',
    'Müller & Söhne',
    '日本電気',
    '',
    '-',
    'A, Inc.',
    'the "big" one',
    '\u00a0Acme\u00a0',
    '\u3000',
  ],
  Website: ['https://www.acme.com/a', 'acme.co.uk', 'ann@gmail.com', 'mailto:a@acme.com', 'n/a', '', 'ACME.COM', '1.5'],
  Title: [
    'Raised',
    'two\nlines',
    'a\r\nb',
    'tab\there',
    'back\\slash',
    '\u0001\u001f',
    'a\0b',
    '\u2028',
    '\ufeffmark',
    'é',
    '😀',
    '""',
    "'",
  ],
  Kind: ['funding', 'Job Posting', 'NEWS', 'newspaper', '', ' other ', 'web-visit'],
  Link: ['https://news.example/1', '', ' ', 'x'],
  Date: [
    '2026-11-20',
    '2026-11-20T09:15:00Z',
    '2026-11-20T09:15:00',
    '2026-11-20T09:15:00+01:00',
    '2026-02-30T00:00:00Z',
    '2026-11-31',
    '2026-11-31T09:15:00Z',
    '2026-12-31T09:15:00Z',
    '2028-02-29T09:15:00',
    '2026-02-29T09:15:00Z',
    '2026-01-29T23:59:59.5Z',
    '2026-11-20T09:15Z',
    '2026-11-20T09:15',
    '2026-11-20T24:00:00Z',
    '11/20/2026',
    '2026-11-20t09:15:00z',
    '0000-01-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-20T09:15:00+24:00',
  ],
  Text: [
    'a text of some length, with a comma',
    'plain',
    '',
    'x'.repeat(70),
    '"quoted" text',
    'ends with nbsp\u00a0',
    '\u0085',
  ],
  Family: ['growth', 'Growth', 'hiring', '', 'a family of its own with more than forty characters in it'],
  Amount: [
    '24000000',
    '007',
    '1.50',
    '1e3',
    '-5',
    '-0',
    '0',
    '0.5',
    '9007199254740993',
    '999999999999999',
    '1234567890123456',
    '0.0000001',
    '0.000001',
    '€5M',
    '$1,000',
    '5 ',
    '-',
    '--1',
    '1.',
    '.5',
    '-0.5',
    '12345678.12345678',
    '1 000',
  ],
  Employees: ['180', '1,200', '', '10-50', '+5', 'NaN', 'Infinity', '-Infinity'],
  Place: ['Hamburg, Germany', '01067', '', 'São Paulo', '12'],
  Score: ['87', '0.5', '101', '-1', 'high', '', '1e2', '+7', '0x10', '5.', '007', '100', '99.99', '-0'],
};
export const COLUMNS = Object.keys(CELLS);

const mappings: Readonly<Record<string, readonly FieldMapping[]>> = {
  company_name: [
    { column: 'Company' },
    { template: '{Company} of {Place}' },
    { first: ['Company', 'Title'] },
    { first: ['Company'], otherwise: 'X' },
  ],
  company_domain: [{ column: 'Website', as: 'domain' }, { column: 'Website' }],
  signal_title: [{ column: 'Title' }, { template: '{Title}: {Amount}' }, { value: 'A "title"\n' }],
  signal_source: [
    { column: 'Kind' },
    { value: 'news' },
    { column: 'Kind', values: { funding: 'funding', '': 'other' }, otherwise: 'twitter' },
    { column: 'Kind', values: { funding: 'funding', NEWS: 'news' } },
    { column: 'Title', values: { 'two\nlines': 'news', '""': 'other', ' é ': 'funding', 'back\\slash': 'web_visit' } },
  ],
  source_url: [{ column: 'Link' }],
  detected_at: [
    { column: 'Date' },
    { column: 'Date', invalid: 'omit' },
    { column: 'Date', as: 'date', format: 'iso' },
    { column: 'Date', as: 'date', format: ['iso', 'M/d/yyyy'] },
    { column: 'Date', as: 'date', format: 'M/d/yyyy', invalid: 'omit' },
  ],
  description: [
    { column: 'Text' },
    { column: 'Text', invalid: 'omit' },
    { first: ['Text', 'Title'] },
    { template: '{Text} {{{Link}}}' },
  ],
  notes: [{ column: 'Text' }],
  signal_family: [{ column: 'Family' }],
  industry: [{ column: 'Family' }, { value: 'Software' }, { column: 'Text' }],
  funding_amount: [{ column: 'Amount' }, { column: 'Amount', as: 'number' }, { value: 24_000_000 }],
  employee_count: [{ column: 'Employees' }, { column: 'Amount' }],
  location: [{ column: 'Place' }, { column: 'Amount' }],
  hotness_score: [
    { column: 'Score' },
    { column: 'Score', invalid: 'omit' },
    { column: 'Score', as: 'number', invalid: 'omit' },
    { column: 'Score', as: 'number' },
    { value: 0.5 },
  ],
};
export const REQUIRED = ['company_name', 'company_domain', 'signal_title', 'signal_source'];

export const signalsDocument: fc.Arbitrary<MappingDocument> = fc
  .tuple(
    fc.record(
      Object.fromEntries(
        Object.entries(mappings).map(([name, choices]) => [
          name,
          // The plain mapping is what the fast path knows best.
          fc.oneof({ weight: 2, arbitrary: fc.constant(choices[0]) }, fc.constantFrom(...choices)),
        ]),
      ),
    ),
    fc.uniqueArray(fc.constantFrom(...Object.keys(mappings)), { maxLength: 8 }),
    fc.constantFrom([], [], ['-', 'n/a', 'é'], ['the "big" one', '""', 'two\nlines', 'back\\slash']),
  )
  .map(([all, left, empty]) => ({
    type: 'signals',
    empty,
    fields: Object.fromEntries(
      Object.entries(all).flatMap(([name, mapping]) =>
        mapping === undefined || (left.includes(name) && !REQUIRED.includes(name)) ? [] : [[name, mapping]],
      ),
    ),
  }));

export const socialDocument: MappingDocument = {
  type: 'social',
  fields: {
    platform: { column: 'Kind' },
    engagement_type: { column: 'Family' },
    company_domain: { column: 'Website', as: 'domain' },
    engager_name: { column: 'Company' },
    engagement_content: { column: 'Title' },
    warmth_hint: { column: 'Score', invalid: 'omit' },
    engagement_date: { column: 'Date' },
  },
};

export const limits = fc.record({
  batchSize: fc.constantFrom(100, 3, 1),
  maxBytes: fc.constantFrom(1_000_000, 1_000_000, 700, 400),
  chunks: fc.constantFrom([65_536], [65_536], [1], [7, 64, 3], [200, 1000]),
  dedupe: fc.boolean(),
});

export const variants = fc.constantFrom('a' as const, 'b' as const, 'both' as const);

/** What goes wrong with a file on its way. */
export const harm = fc.array(
  fc.record({
    at: fc.nat(),
    what: fc.constantFrom('flip', 'insert', 'insert', 'cut'),
    bytes: fc.constantFrom(
      ...[
        '"',
        '""',
        '\r',
        '\n',
        '\r\n',
        ',',
        ';',
        '\t',
        ' ',
        '\0',
        '\u2028',
        '\ufeff',
        '\u00a0',
        '\\',
        '\n\n',
        ',,',
        '"\n',
        ' \n',
        'é',
      ].map((text) => Buffer.from(text)),
      Buffer.from([0xff]),
      Buffer.from([0xc3]),
      Buffer.from([0xe2, 0x80]),
      Buffer.from([0xed, 0xa0, 0x80]),
    ),
  }),
  { maxLength: 5 },
);

export function harmed(
  bytes: Buffer,
  harms: readonly { at: number; what: string; bytes: Buffer }[],
  from: number,
): Buffer {
  let now = bytes;
  for (const { at, what, bytes: more } of harms) {
    const index = from + (at % Math.max(1, now.length - from));
    const [before, behind] = [now.subarray(0, index), now.subarray(index)];
    if (what === 'insert') now = Buffer.concat([before, more, behind]);
    else if (what === 'cut') now = Buffer.concat([before, behind.subarray(1)]);
    else now = Buffer.concat([before, Buffer.from([(behind[0] ?? 0) ^ (1 << (at % 8))]), behind.subarray(1)]);
  }
  return now;
}

/** A quiet machine does more. */
export const RUNS = Number(process.env['SIGNALS_FAST_RUNS'] ?? 150);
/** Milliseconds that a property may take. */
export const PATIENCE = 120_000 * Math.max(1, RUNS / 300);

export const plainDocument: MappingDocument = {
  type: 'signals',
  fields: Object.fromEntries(
    Object.entries(mappings).flatMap(([name, [first]]) =>
      first === undefined || name === 'notes' ? [] : [[name, first]],
    ),
  ),
};
