/**
 * The fast path against its specification: whatever the bytes are and wherever they are cut, both engines prepare the
 * same batches, rejects and counts.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashKey } from '../../src/lib/key-map.ts';
import type { MappingDocument } from '../../src/map/index.ts';
import { Duplicates } from '../../src/prepare/index.ts';
import {
  expectSame,
  expectSameOfAll,
  expectSameResumed,
  FastShare,
  jobOf,
  prepared,
  type Scene,
} from '../support/both.ts';
import {
  CELLS,
  COLUMNS,
  harm,
  harmed,
  limits,
  PATIENCE,
  plainDocument,
  REQUIRED,
  RUNS,
  signalsDocument,
  signalsFrom,
  socialDocument,
  values,
  variants,
} from '../support/scenes.ts';

/** Columns with the names of their fields. */
const OWN_NAMES = Object.fromEntries(REQUIRED.map((name) => [name, name]));

/** The required fields of an event but its person, as constants. */
const LIKE = { platform: { value: 'linkedin' }, engagement_type: { value: 'like' } } as const;

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
    fc.array(fc.tuple(...columns.map(cellOf)), { minLength: 1, maxLength: 14 }).map((rows) => ({ columns, rows })),
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

describe('both engines', () => {
  test.each(['a"b', '"', '""', 'é"', 'two\nlines', '\ud800', 'a\\b'])(
    'count the same cells as empty: %j',
    async (word) => {
      const cells = ['a"b', 'a""b', '"', '""', 'é"', 'two\nlines', '\ufffd', 'a\\b', 'a', 'b'];
      const fields = {
        platform: { value: 'linkedin' },
        engagement_type: { value: 'like' },
        engager_name: { column: 'Name' },
        post_content: { column: 'Other' },
      };
      const withoutName = async (rows: readonly string[], decode: NonNullable<Scene['decode']>): Promise<number> => {
        const share = new FastShare();
        const bytes = Buffer.from(`${rows.join('\n')}\n`);
        const items = await expectSame({ bytes, document: { type: 'social', empty: [word], fields }, decode }, share);
        expect(share.value).toBeGreaterThan(0.5);
        const [first] = items ?? [];
        const { events }: { events: readonly object[] } = JSON.parse(
          first !== undefined && 'batch' in first ? String(Object(first.batch).payload) : '{}',
        );
        return events.filter((event) => !('engager_name' in event)).length;
      };
      const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}",x`);
      const bare = cells.filter((cell) => !cell.includes('\n')).map((cell) => `${cell},x`);
      const objects = cells.map((cell) => JSON.stringify({ Name: cell, Other: 'x' }));
      const wanted = cells.includes(word) ? 1 : 0;
      expect(await withoutName(['Name,Other', ...quoted], { quote: '"' })).toBe(wanted);
      expect(await withoutName(['Name,Other', ...bare], { quote: '' })).toBe(word.includes('\n') ? 0 : wanted);
      expect(await withoutName(objects, { format: 'ndjson' })).toBe(wanted);
    },
  );

  test('prepare the same of tables as programs write them, under any mapping', PATIENCE, async () => {
    const scenes = fc
      .tuple(table, form, signalsDocument, variants, limits)
      .map(([rows, how, document, variant, limit]): Scene => {
        const bytes = written(rows, how);
        return { bytes, document, variant, decode: { delimiter: how.delimiter, encoding: 'utf-8' }, ...limit };
      });
    await expectSameOfAll(scenes, RUNS, 0.4);
  });

  test('prepare the same whatever texts a mapping names', PATIENCE, async () => {
    const word = fc
      .array(fc.constantFrom(...values.piecesOfTexts), { minLength: 1, maxLength: 4 })
      .map((some) => some.join(''));
    const words = fc.uniqueArray(word, { minLength: 6, maxLength: 6 });
    const scenes = fc
      .tuple(words, fc.boolean(), fc.infiniteStream(fc.nat({ max: 7 })), limits)
      .filter(([[one = '', two = '']]) => one.trim() !== '' && two.trim() !== '' && one.trim() !== two.trim())
      .map(([texts, isCsv, numbers, limit]): Scene => {
        // Cells are often texts that the mapping names, and as often with one more blank.
        const pool = [...texts, ...texts.map((text) => ` ${text}`), 'news', ''];
        const next = (): string => pool[((numbers.next().value ?? 0) * 2) % pool.length] ?? '';
        const [one = '', two = '', three = '', four = '', five = '', six = ''] = texts;
        const columns = [one.trim(), two.trim()];
        const rows = Array.from({ length: 30 }, () => [next(), next()]);
        const literal = (text: string): string => text.replace(/[{}[\]]/g, '$&$&');
        const document: MappingDocument = {
          type: 'signals',
          empty: [three, four],
          fields: {
            company_name: { column: columns[0] ?? '' },
            company_domain: { value: six.trim() === '' ? 'x' : six },
            signal_title: { template: `${literal(five)}{${literal(columns[1] ?? '')}}${literal(three)}` },
            signal_source: {
              column: columns[1] ?? '',
              values: { [three]: 'news', [five]: 'funding' },
              otherwise: 'other',
            },
            description: { first: columns, otherwise: six.trim() === '' ? 'x' : six },
            notes: { column: columns[1] ?? '', values: { [one]: five.trim() === '' ? 'x' : five }, invalid: 'omit' },
          },
        };
        const bytes = isCsv
          ? written(
              { columns, rows },
              { delimiter: ',', lineEnd: '\n', quoted: 1, lastLineEnd: true, blankLines: false },
            )
          : Buffer.from(
              rows.map(([a, b]) => `${JSON.stringify({ [columns[0] ?? '']: a, [columns[1] ?? '']: b })}\n`).join(''),
            );
        const decode = isCsv ? { delimiter: ',', encoding: 'utf-8' } : { format: 'ndjson' as const };
        return { bytes, document, variant: 'b', decode, ...limit };
      });
    await expectSameOfAll(scenes, 4 * RUNS, 0.1);
  });

  test(
    'prepare the same of tables that were damaged, and where rows are padded, skipped, limited and short',
    PATIENCE,
    async () => {
      const scenes = fc
        .tuple(
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
            incomplete: fc.boolean(),
          }),
        )
        .map(([rows, how, harms, limit, more]): Scene => {
          const whole = written(rows, how);
          // The header stays as it is: without it nothing would be compared.
          const bytes = harmed(whole, harms, whole.indexOf('\n') + 1);
          const { ragged, quote, maxRowBytes, skip, incomplete } = more;
          return {
            bytes,
            document: more.social ? socialDocument : plainDocument,
            ...(more.social ? {} : { variant: 'b' as const }),
            decode: { delimiter: how.delimiter, encoding: 'utf-8', ragged, quote, maxRowBytes },
            ...limit,
            skip,
            limit: more.limit,
            ...(incomplete ? { incomplete } : {}),
          };
        });
      await expectSameOfAll(scenes, 2 * RUNS, 0.3);
    },
  );

  test.each([
    `"open,${'x'.repeat(400)}\n`,
    `"open,${'x'.repeat(400)}\nlinkedin,like\nlink`,
    `linkedin,"like\n${'twitter,like\n'.repeat(100)}tw`,
    'linkedin,like\ntwit',
    'linkedin,"like\n',
  ])('prepare the same for an input that is cut off inside a row: %j', async (rows) => {
    const scene = {
      bytes: Buffer.from(`Platform,Type\n${rows}`),
      document: { type: 'social', fields: { platform: { column: 'Platform' }, engagement_type: { column: 'Type' } } },
      decode: { maxRowBytes: 300 },
    } as const;
    expect(await expectSame(scene)).toBeDefined();
    expect(await expectSame({ ...scene, incomplete: true })).toBeDefined();
  });

  test.each([
    ['a rejects file with a cell that had no value', '_line,_reason,Type\n2,x,[no value: #N/A]\n3,x,like\n', 'csv'],
    ['one column, whose empty rows are no records', 'Type\nlike\n""\n\nlove\n', 'csv'],
    ['a sheet', '["Net","Type"]\n["x",["#N/A"]]\n["x","like"]\n', 'xlsx'],
  ] as const)('leave to the reference path: %s', async (_what, text, format) => {
    const document = { type: 'social', fields: { ...LIKE, engagement_type: { column: 'Type' } } } as const;
    const share = new FastShare();
    expect(await expectSame({ bytes: Buffer.from(text), document, decode: { format } }, share)).toBeDefined();
    expect(share.value).toBe(0);
  });

  test('prepare the same if an open batch is within a byte of max_bytes', async () => {
    const names = ['A', 'Bo', 'Cyn', 'Dora', 'Emile', 'Fatima', 'Gustavo', 'Henrikje'];
    const rows = names.map((name) => `linkedin,like,${name}\n`).join('');
    const share = new FastShare();
    for (let maxBytes = 90; maxBytes < 400; maxBytes += 7) {
      const scene = {
        bytes: Buffer.from(`Platform,Type,Name\n${rows}`),
        document: {
          type: 'social',
          fields: {
            platform: { column: 'Platform' },
            engagement_type: { column: 'Type' },
            engager_name: { column: 'Name' },
          },
        },
        maxBytes,
      } as const;
      expect(await expectSame(scene, share)).toBeDefined();
    }
    expect(share.value).toBeGreaterThan(0.5);
  });

  test('prepare the same for arbitrary bytes after a header', PATIENCE, async () => {
    const soup = fc
      .array(fc.constantFrom(...values.piecesOfRows.map((text) => Buffer.from(text)), Buffer.from([0xe9])), {
        maxLength: 120,
      })
      .map((parts) => Buffer.concat([Buffer.from('Kind,Website\n'), ...parts]));
    const document = signalsFrom({ company_name: 'Website', signal_title: 'Kind', funding_amount: 'Kind' });
    const scenes = fc
      .tuple(
        soup,
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      )
      .map(([bytes, maxRowBytes, chunks]): Scene => {
        const decode = { delimiter: ',', encoding: 'utf-8', maxRowBytes };
        return { bytes, document, variant: 'b', decode, chunks, batchSize: 2 };
      });
    await expectSameOfAll(scenes, 3 * RUNS, 0.2);
  });

  test('drop the same duplicates and the same records of earlier runs', async () => {
    const row = (n: number): string => `Acme ${n},acme${n}.com,"Raised, ${n}",funding`;
    const numbers = [1, 2, 3, 2, 4, 5, 5, 6, 1, 7];
    const scene: Scene = {
      bytes: Buffer.from(`company_name,company_domain,signal_title,signal_source\n${numbers.map(row).join('\n')}\n`),
      document: signalsFrom(OWN_NAMES),
      variant: 'b',
    };
    const of = (engine: 'auto' | 'reference'): Promise<readonly object[]> => {
      const job = jobOf(scene, engine);
      if (job === undefined) throw new Error('the input was not understood');
      const duplicates = new Duplicates();
      const { offsets, payload } = sent;
      const third = Buffer.from(payload, 'latin1').subarray(offsets[2], (offsets[3] ?? 0) - 1);
      duplicates.addSealed(hashKey(third), { source: 0, line: 1 });
      return prepared({ ...job, findDuplicate: duplicates.find });
    };
    const [first] = (await expectSame(scene)) ?? [];
    const { batch: sent } = JSON.parse(JSON.stringify(first));
    const wanted = await of('reference');
    expect(await of('auto')).toEqual(wanted);
    expect(wanted).toMatchObject([
      { kind: 'duplicate', position: { row: 3 }, of: { line: 1 } },
      { kind: 'duplicate', position: { row: 4 }, of: { line: 3 } },
      { kind: 'duplicate', position: { row: 7 }, of: { line: 7 } },
      { kind: 'duplicate', position: { row: 9 }, of: { line: 2 } },
      { kind: 'batch', batch: { records: 6 } },
      { kind: 'end' },
    ]);
  });

  test('read rows whose cells are all empty as blank lines, even with constants for the required fields', async () => {
    const blank = [',,', ' ,\t,', '"","  ",""', '\u00a0,\u3000\u0085,\ufeff', ',"\n",'];
    const lines = Array.from({ length: 300 }, (_, n) => [`${n},,`, blank[n % blank.length], `日本 ${n},,`]).flat();
    const share = new FastShare();
    const items = await expectSame(
      {
        bytes: Buffer.from(`A,B,C\n${lines.join('\n')}\n`),
        document: { type: 'social', fields: { ...LIKE, engager_name: { column: 'A' } } },
        batchSize: 1000,
      },
      share,
    );
    expect(items).toMatchObject([{ batch: { records: 600 } }, { kind: 'end', rows: 600 }]);
    expect(share.value).toBeGreaterThan(0.3);
  });

  test('make no record of a row without a mapped value, also where a constant fills its empty cells', async () => {
    const lines = Array.from({ length: 300 }, (_, n) => [`Name ${n},,`, ',,z', `,Title ${n},`]).flat();
    const items = await expectSame(
      {
        bytes: Buffer.from(`A,B,C\n${lines.join('\n')}\n`),
        document: {
          type: 'social',
          fields: {
            ...LIKE,
            engager_name: { first: ['A'], otherwise: 'Nobody' },
            engager_title: { column: 'B', values: { '': 'None' }, otherwise: 'Some' },
          },
        },
        batchSize: 1000,
      },
      new FastShare(),
    );
    const batch: object = expect.objectContaining({ records: 600 });
    expect(items).toContainEqual(expect.objectContaining({ kind: 'batch', batch }));
    expect(items?.filter((item) => 'kind' in item && item.kind === 'invalid')).toHaveLength(300);
  });

  test('prepare the same if one cell goes into every field and the output buffer is nearly full', async () => {
    const row = (): string => `${'x'.repeat(9900)},news\n`;
    const bytes = Buffer.from(`Text,Kind\n${Array.from({ length: 12 }, row).join('')}`);
    const texts = ['company_name', 'company_domain', 'signal_title', 'description', 'notes', 'source_url'];
    const more = ['industry', 'location', 'funding_amount', 'employee_count'];
    const all = Object.fromEntries([...texts, ...more].map((name) => [name, 'Text']));
    const document = signalsFrom({ ...all, signal_source: 'Kind' });
    for (const variant of ['a', 'b', 'both'] as const) {
      const items = await expectSame({ bytes, document, variant, maxBytes: 8_000_000, chunks: [1_000_000] });
      expect(items?.length).toBe(2);
    }
  });

  test('prepare the same for rows that are longer than the bytes read at once', async () => {
    const lengths = [10, 200_000, 40, 131_072, 7, 400_000, 3, 90_000, 90_000, 600_000];
    const lines = Array.from({ length: 20 }, (_, n) => {
      const title = 'x'.repeat(lengths[n % lengths.length] ?? 0);
      // Some are the reference path's.
      return n % 11 === 5 ? `Acme ${n},,${title},news` : `Acme ${n},acme${n}.com,"${title}, é",funding`;
    });
    const bytes = Buffer.from(`${REQUIRED.join()}\n${lines.join('\n')}\n`);
    const document = signalsFrom(OWN_NAMES);
    for (const chunks of [[bytes.length], [300_000], [262_144, 1000]]) {
      const items = await expectSame({ bytes, document, variant: 'b', chunks, maxBytes: 3_000_000 });
      expect(items?.length).toBeGreaterThan(3);
    }
  });

  test('resume alike after each batch, and rebuild the same batches', async () => {
    const lines = Array.from({ length: 40 }, (_, n) =>
      n % 7 === 3
        ? `"Acme ${n}",,Raised,news`
        : n % 5 === 2
          ? `,acme${n}.com,x,news`
          : `Acme ${n},acme${n}.com,"Raised, ${n}",funding`,
    );
    const bytes = Buffer.from(`company_name,company_domain,signal_title,signal_source\n${lines.join('\n')}\n`);
    const document = signalsFrom(OWN_NAMES);
    const scene: Scene = { bytes, document, variant: 'b', batchSize: 4, chunks: [100, 333] };
    await expectSameResumed(scene);
  });
});
