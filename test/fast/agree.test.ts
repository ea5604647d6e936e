/**
 * The fast path against its specification: whatever the bytes are and wherever they are cut, both engines prepare the
 * same batches, rejects and books.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { observerOf } from '../../src/check.ts';
import type { FieldMapping, MappingDocument } from '../../src/map/index.ts';
import { createQuality } from '../../src/report/quality.ts';
import { createSeen } from '../../src/seen/filter.ts';
import { keyOf } from '../../src/seen/key.ts';
import { expectSame, jobOf, prepared, type Scene } from './both.ts';

/** Cells as they come in exports, and as nobody would want them. */
const CELLS: Readonly<Record<string, readonly string[]>> = {
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
  Website: [
    'https://www.acme.com/a',
    'acme.co.uk',
    'ann@gmail.com',
    'mailto:a@acme.com',
    'n/a',
    '',
    'ACME.COM',
    '1.5',
  ],
  Title: [
    'Raised',
    'two\nlines',
    'a\r\nb',
    'tab\there',
    'back\\slash',
    '\u0001\u001f',
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
    '2026-01-29T23:59:59.5Z',
    '2026-11-20T09:15Z',
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
const COLUMNS = Object.keys(CELLS);

const mappings: Readonly<Record<string, readonly FieldMapping[]>> = {
  company_name: [
    { column: 'Company' },
    { template: '{Company} of {Place}' },
    { first: ['Company', 'Title'] },
  ],
  company_domain: [{ column: 'Website', as: 'domain' }, { column: 'Website' }],
  signal_title: [{ column: 'Title' }, { template: '{Title}: {Amount}' }, { value: 'A "title"\n' }],
  signal_source: [
    { column: 'Kind' },
    { value: 'news' },
    { column: 'Kind', values: { funding: 'funding', '': 'other' }, otherwise: 'twitter' },
    { column: 'Kind', values: { funding: 'funding', NEWS: 'news' } },
  ],
  source_url: [{ column: 'Link' }],
  detected_at: [
    { column: 'Date' },
    { column: 'Date', as: 'date', format: 'iso' },
    { column: 'Date', as: 'date', format: 'M/d/yyyy', invalid: 'omit' },
  ],
  description: [{ column: 'Text' }, { first: ['Text', 'Title'] }, { template: '{Text} {{{Link}}}' }],
  notes: [{ column: 'Text' }],
  signal_family: [{ column: 'Family' }],
  industry: [{ column: 'Family' }, { value: 'Software' }, { column: 'Text' }],
  funding_amount: [{ column: 'Amount' }, { column: 'Amount', as: 'number' }, { value: 24_000_000 }],
  employee_count: [{ column: 'Employees' }, { column: 'Amount' }],
  location: [{ column: 'Place' }, { column: 'Amount' }],
  hotness_score: [{ column: 'Score' }, { column: 'Score', as: 'number' }, { value: 0.5 }],
};
const REQUIRED = ['company_name', 'company_domain', 'signal_title', 'signal_source'];

const signalsDocument: fc.Arbitrary<MappingDocument> = fc
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
    fc.constantFrom([], [], ['-', 'n/a', 'é']),
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

const socialDocument: MappingDocument = {
  type: 'social',
  fields: {
    platform: { column: 'Kind' },
    engagement_type: { column: 'Family' },
    company_domain: { column: 'Website', as: 'domain' },
    engager_name: { column: 'Company' },
    engagement_content: { column: 'Title' },
    warmth_hint: { column: 'Score' },
    engagement_date: { column: 'Date' },
  },
};

const cellOf = (column: string): fc.Arbitrary<string> => {
  const [usual = '', ...others] = CELLS[column] ?? [];
  const some = fc.constantFrom(usual, ...others);
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(usual) },
    { weight: 6, arbitrary: some },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
    { weight: 1, arbitrary: some.map((cell) => `  ${cell}\t`) },
  );
};

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const table: fc.Arbitrary<Table> = fc
  .shuffledSubarray(COLUMNS, { minLength: COLUMNS.length })
  .chain((columns) =>
    fc
      .array(fc.tuple(...columns.map(cellOf)), { minLength: 1, maxLength: 14 })
      .map((rows) => ({ columns, rows })),
  );

const form = fc.record({
  delimiter: fc.constantFrom(',', ',', ';', '\t', '|', ' '),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  /** Quotes around every cell that is at a multiple of this. */
  quoted: fc.constantFrom(1, 2, 3, 1000),
  lastLineEnd: fc.boolean(),
  blankLines: fc.boolean(),
});

function written(
  { columns, rows }: Table,
  how: { delimiter: string; lineEnd: string; quoted: number; lastLineEnd: boolean; blankLines: boolean },
): Buffer {
  const cell = (text: string, index: number): string =>
    index % how.quoted === 0 || text.includes(how.delimiter) || /["\r\n]/.test(text)
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  const lines = [columns, ...rows].map((cells) => cells.map(cell).join(how.delimiter));
  const between = how.blankLines ? how.lineEnd + how.lineEnd : how.lineEnd;
  return Buffer.from(lines.join(between) + (how.lastLineEnd ? how.lineEnd : ''));
}

const limits = fc.record({
  batchSize: fc.constantFrom(100, 3, 1),
  maxBytes: fc.constantFrom(1_000_000, 1_000_000, 700, 400),
  chunks: fc.constantFrom([65_536], [65_536], [1], [7, 64, 3], [200, 1000]),
  dedupe: fc.boolean(),
});

const variants = fc.constantFrom('a' as const, 'b' as const, 'both' as const);

/** What goes wrong with a file on its way. */
const harm = fc.array(
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

function harmed(
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
const RUNS = Number(process.env['SIGNALS_FAST_RUNS'] ?? 300);

describe('both engines', () => {
  test('prepare the same of tables as programs write them, under any mapping', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        table,
        form,
        signalsDocument,
        variants,
        limits,
        async (rows, how, document, variant, limit) => {
          const bytes = written(rows, how);
          const scene: Scene = {
            bytes,
            document,
            variant,
            decode: { delimiter: how.delimiter, encoding: 'utf-8' },
            ...limit,
          };
          if ((await expectSame(scene)) !== undefined) compared += 1;
        },
      ),
      { numRuns: RUNS },
    );
    expect(compared).toBeGreaterThan(RUNS / 2);
  }, 120_000);

  test('prepare the same of tables that were damaged, and where rows are padded, skipped, limited and short', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        table,
        form,
        harm,
        limits,
        fc.record({
          ragged: fc.constantFrom('reject' as const, 'pad' as const),
          quote: fc.constantFrom('"', '"', '"', '', "'"),
          maxRowBytes: fc.constantFrom(2 ** 20, 2 ** 20, 300),
          skip: fc.constantFrom(0, 0, 2),
          limit: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 4),
          social: fc.boolean(),
          torn: fc.boolean(),
        }),
        async (rows, how, harms, limit, more) => {
          const whole = written(rows, how);
          // The header stays as it is: without it nothing would be compared.
          const bytes = harmed(whole, harms, whole.indexOf('\n') + 1);
          const { ragged, quote, maxRowBytes, skip, torn } = more;
          const scene: Scene = {
            bytes,
            document: more.social ? socialDocument : plainDocument,
            ...(more.social ? {} : { variant: 'b' as const }),
            decode: { delimiter: how.delimiter, encoding: 'utf-8', ragged, quote, maxRowBytes },
            ...limit,
            skip,
            limit: more.limit,
            ...(torn ? { torn } : {}),
          };
          if ((await expectSame(scene)) !== undefined) compared += 1;
        },
      ),
      { numRuns: 2 * RUNS },
    );
    expect(compared).toBeGreaterThan(RUNS / 2);
  }, 120_000);

  test.each([
    `"open,${'x'.repeat(400)}\n`,
    `"open,${'x'.repeat(400)}\nlinkedin,like\nlink`,
    `linkedin,"like\n${'twitter,like\n'.repeat(100)}tw`,
    'linkedin,like\ntwit',
    'linkedin,"like\n',
  ])('prepare the same of an input that broke off behind a row that does not end: %j', async (rows) => {
    const scene = {
      bytes: Buffer.from(`Platform,Type\n${rows}`),
      document: {
        type: 'social',
        fields: { platform: { column: 'Platform' }, engagement_type: { column: 'Type' } },
      },
      decode: { maxRowBytes: 300 },
    } as const;
    expect(await expectSame(scene)).toBeDefined();
    expect(await expectSame({ ...scene, torn: true })).toBeDefined();
  });

  test('prepare the same of any bytes at all behind a header', async () => {
    const soup = fc
      .array(
        fc.constantFrom(
          ...[
            '"',
            '"',
            ',',
            ',',
            '\n',
            '\n',
            '\r\n',
            'a',
            ' ',
            'news',
            'acme.com',
            '""',
            '\r',
            'é',
            '\u2028',
            ',"',
            '"\n',
            '","',
            '\\',
            '\t',
            '\ufeff',
            '5',
          ].map((text) => Buffer.from(text)),
          Buffer.from([0xe9]),
        ),
        { maxLength: 120 },
      )
      .map((parts) => Buffer.concat([Buffer.from('Kind,Website\n'), ...parts]));
    const document: MappingDocument = {
      type: 'signals',
      fields: {
        company_name: { column: 'Website' },
        company_domain: { column: 'Website' },
        signal_title: { column: 'Kind' },
        signal_source: { value: 'news' },
        funding_amount: { column: 'Kind' },
      },
    };
    await fc.assert(
      fc.asyncProperty(
        soup,
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
        async (bytes, maxRowBytes, chunks) => {
          const decode = { delimiter: ',', encoding: 'utf-8', maxRowBytes };
          await expectSame({ bytes, document, variant: 'b', decode, chunks, batchSize: 2 });
        },
      ),
      { numRuns: 3 * RUNS },
    );
  }, 120_000);

  test('pass over the same records: those of earlier runs, and those that are there already', async () => {
    const row = (n: number): string => `Acme ${n},acme${n}.com,"Raised, ${n}",funding`;
    const numbers = [1, 2, 3, 2, 4, 5, 5, 6, 1, 7];
    const scene: Scene = {
      bytes: Buffer.from(
        `company_name,company_domain,signal_title,signal_source\n${numbers.map(row).join('\n')}\n`,
      ),
      document: {
        type: 'signals',
        fields: Object.fromEntries(REQUIRED.map((name) => [name, { column: name }])),
      },
      variant: 'b',
    };
    const of = (engine: 'auto' | 'reference'): Promise<readonly object[]> => {
      const job = jobOf(scene, engine);
      if (job === undefined) throw new Error('the input was not understood');
      const seen = createSeen({ dedupe: true });
      const { offsets, payload } = sent;
      const third = Buffer.from(payload, 'latin1').subarray(offsets[2], (offsets[3] ?? 0) - 1);
      seen.addEarlier(keyOf(third), { state: 'delivered', run: 'r' });
      return prepared({ ...job, seen: seen.filter });
    };
    const [first] = (await expectSame(scene)) ?? [];
    const { batch: sent } = JSON.parse(JSON.stringify(first));
    const wanted = await of('reference');
    expect(await of('auto')).toEqual(wanted);
    expect(wanted).toMatchObject([
      { kind: 'skipped', firstRow: 3, lastRow: 3, why: 'delivered', by: 'r' },
      { kind: 'duplicate', position: { row: 4 }, of: { line: 3 } },
      { kind: 'duplicate', position: { row: 7 }, of: { line: 7 } },
      { kind: 'duplicate', position: { row: 9 }, of: { line: 2 } },
      { kind: 'batch', batch: { records: 6 } },
      { kind: 'end' },
    ]);
  });

  test('prepare the same where one cell goes into every field, near the end of the room for records', async () => {
    const row = (): string => `${'x'.repeat(9900)},news\n`;
    const bytes = Buffer.from(`Text,Kind\n${Array.from({ length: 12 }, row).join('')}`);
    const texts = ['company_name', 'company_domain', 'signal_title', 'description', 'notes', 'source_url'];
    const more = ['industry', 'location', 'funding_amount', 'employee_count'];
    const document: MappingDocument = {
      type: 'signals',
      fields: {
        ...Object.fromEntries([...texts, ...more].map((name) => [name, { column: 'Text' }])),
        signal_source: { column: 'Kind' },
      },
    };
    for (const variant of ['a', 'b', 'both'] as const) {
      const items = await expectSame({ bytes, document, variant, maxBytes: 8_000_000, chunks: [1_000_000] });
      expect(items?.length).toBe(2);
    }
  });

  test('go on alike where a run was stopped, and cut the batches again that are needed', async () => {
    const lines = Array.from({ length: 40 }, (_, n) =>
      n % 7 === 3
        ? `"Acme ${n}",,Raised,news`
        : n % 5 === 2
          ? `,acme${n}.com,x,news`
          : `Acme ${n},acme${n}.com,"Raised, ${n}",funding`,
    );
    const bytes = Buffer.from(
      `company_name,company_domain,signal_title,signal_source\n${lines.join('\n')}\n`,
    );
    const document: MappingDocument = {
      type: 'signals',
      fields: Object.fromEntries(REQUIRED.map((name) => [name, { column: name }])),
    };
    const scene: Scene = { bytes, document, variant: 'b', batchSize: 4, chunks: [100, 333] };
    const whole = (await expectSame(scene)) ?? [];
    const batches = whole.flatMap((item) => ('batch' in item && 'commit' in item ? [item] : []));
    expect(batches.length).toBeGreaterThan(5);
    for (const [index, item] of batches.entries()) {
      const { batch, commit } = JSON.parse(JSON.stringify(item));
      const from = {
        cursors: new Map([[0, commit.cursors[0]]]),
        ended: new Set<number>(),
        sealed: index + 1,
        again: [{ id: batch.id, digest: batch.digest, records: batch.records, ranges: batch.ranges }],
      };
      const rest = (await expectSame({ ...scene, from })) ?? [];
      expect(rest[0]).toMatchObject({ kind: 'again', matches: true });
    }
  });
});

const plainDocument: MappingDocument = {
  type: 'signals',
  fields: Object.fromEntries(
    Object.entries(mappings).flatMap(([name, [first]]) =>
      first === undefined || name === 'notes' ? [] : [[name, first]],
    ),
  ),
};

describe('the fast path', () => {
  test('takes rows: without it the same rows cost the reference path its work', async () => {
    const job = jobOf(
      {
        bytes: Buffer.from('Kind,Website\nnews,acme.com\n'),
        document: {
          type: 'signals',
          fields: {
            company_name: { value: 'A' },
            company_domain: { column: 'Website' },
            signal_title: { value: 'T' },
            signal_source: { column: 'Kind' },
          },
        },
        variant: 'b',
      },
      'auto',
    );
    if (job === undefined) throw new Error('the input was not understood');
    const asked: string[] = [];
    const inputs = job.inputs.map((input) => ({
      ...input,
      validate: (...given: Parameters<typeof input.validate>) => {
        asked.push('validate');
        return input.validate(...given);
      },
    }));
    const fast = await prepared({ ...job, inputs });
    expect(asked).toEqual([]);
    expect(await prepared({ ...job, inputs, engine: 'reference' })).toEqual(fast);
    expect(asked).toEqual(['validate']);
  });

  test('takes rows of a check, but for those of which it is not certain what the other variants make', async () => {
    const fields = Object.fromEntries(REQUIRED.map((name) => [name, { column: name }]));
    const job = jobOf(
      {
        bytes: Buffer.from(
          `${[...REQUIRED, 'hotness_score'].join()}\nA,a.com,T,news,5\nA,a.com,T,news,\nB,b.com,T,news,high\nA,a.com,T,news,7\n`,
        ),
        document: { type: 'signals', fields: { ...fields, hotness_score: { column: 'hotness_score' } } },
        variant: 'a',
      },
      'auto',
    );
    if (job === undefined) throw new Error('the input was not understood');
    const quality = createQuality(job.contract, job.variant, new Set([...REQUIRED, 'hotness_score']));
    const observer = observerOf(job.contract, quality);
    const looked: string[] = [];
    await prepared({
      ...job,
      observer: {
        ...observer,
        row(observed) {
          looked.push(`row ${observed.row.position.line}`);
          observer.row(observed);
        },
        run(names, run) {
          looked.push(`run of ${run.count} from ${run.firstRow}`);
          observer.run(names, run);
        },
      },
    });
    expect(looked).toEqual(['run of 2 from 1', 'row 4', 'run of 1 from 4']);
    const { variants, duplicates } = quality.result();
    expect(variants.map(({ variant, valid }) => [variant, valid])).toEqual([
      ['a', 4],
      ['b', 3],
      ['both', 3],
    ]);
    expect(duplicates.examples).toEqual([
      { source: 0, line: 3, first: { source: 0, line: 2 } },
      { source: 0, line: 5, first: { source: 0, line: 2 } },
    ]);
  });
});
