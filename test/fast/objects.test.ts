/** The fast path of NDJSON against its specification: whatever is on the lines, both engines prepare the same. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FieldMapping, MappingDocument } from '../../src/map/index.ts';
import { expectSame, expectSameOfAll, expectSameResumed, FastShare, type Scene } from '../support/both.ts';
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

/** Values as JSON text, and some that are not JSON. */
const TOKENS: readonly string[] = values.tokens;

/** Objects and arrays, valid and invalid. */
const NESTED: readonly string[] = values.nested;

/** Every character as `\u00e9`, in letters of either size. */
const escaped = (text: string, large: boolean): string =>
  `"${Array.from({ length: text.length }, (_, index) => {
    const hex = text.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${large ? hex.toUpperCase() : hex}`;
  }).join('')}"`;

const tokenOf = (column: string): fc.Arbitrary<string> => {
  const [usual = '', ...others] = CELLS[column] ?? [];
  const some = fc.constantFrom(usual, ...others);
  const usually = column === 'Score' ? '87' : JSON.stringify(usual);
  return fc.oneof(
    { weight: 96, arbitrary: fc.constant(usually) },
    { weight: 8, arbitrary: some.map((cell) => JSON.stringify(cell)) },
    { weight: 3, arbitrary: fc.constantFrom(...TOKENS) },
    { weight: 1, arbitrary: some.map((cell) => JSON.stringify(`  ${cell}\t`)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map((text) => JSON.stringify(text)) },
    { weight: 1, arbitrary: fc.tuple(some, fc.boolean()).map(([cell, large]) => escaped(cell, large)) },
    { weight: 1, arbitrary: fc.oneof(fc.double(), fc.maxSafeInteger(), fc.integer()).map(String) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 2 }) },
    { weight: 1, arbitrary: fc.constantFrom(...NESTED) },
  );
};

/** Names that nothing is made from, or perhaps something. */
const EXTRA = values.names;

const member = (name: string): fc.Arbitrary<string> => tokenOf(name).map((value) => `${JSON.stringify(name)}:${value}`);

/** Something beside the usual order of a line. */
const change = fc.oneof(
  { weight: 12, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant('reversed' as const) },
  { weight: 2, arbitrary: fc.record({ without: fc.constantFrom(...COLUMNS) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      at: fc.nat({ max: 14 }),
      more: fc.tuple(
        fc.constantFrom(...EXTRA, ...COLUMNS),
        fc.oneof(fc.constantFrom('1', '"x"', 'null'), fc.constantFrom(...NESTED), fc.constantFrom(...TOKENS)),
      ),
    }),
  },
);

const object = fc
  .tuple(fc.tuple(...COLUMNS.map(member)), fc.array(change, { maxLength: 3 }))
  .map(([usual, changes]) => {
    let members: string[] = [...usual];
    for (const each of changes) {
      if (each === 'reversed') members.reverse();
      else if (each !== undefined && 'without' in each)
        members = members.filter((one) => !one.startsWith(JSON.stringify(each.without)));
      else if (each !== undefined) {
        const [name, value] = each.more;
        members.splice(each.at, 0, `${name === 'a\\u0062' ? `"${name}"` : JSON.stringify(name)}:${value}`);
      }
    }
    return members;
  });

const form = fc.record({
  /** After `{`, around colons and commas, before and after `}`. */
  spaces: fc.constantFrom(
    ...[
      ['', '', '', '', '', ''],
      ['', '', '', '', '', ''],
      ['', '', ' ', ' ', '', ''],
      [' ', ' ', '\t', '  ', ' ', ''],
      ['', '', '', '', '', ' \t'],
      ['', '\r', '', '', '', ''],
    ].map(([open = '', name = '', colon = '', comma = '', close = '', behind = '']) => ({
      open,
      name,
      colon,
      comma,
      close,
      behind,
    })),
  ),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  lastLineEnd: fc.boolean(),
  blankLines: fc.boolean(),
});
type Form = typeof form extends fc.Arbitrary<infer F> ? F : never;

function written(objects: readonly (readonly string[])[], how: Form): Buffer {
  const { open, name, colon, comma, close, behind } = how.spaces;
  const lines = objects.map((members) => {
    const spaced = members.map((one) => one.replace(/^("[^"]*"):/, `$1${name}:${colon}`));
    return `{${open}${spaced.join(`,${comma}`)}${close}}${behind}`;
  });
  // The first line is one that is certainly understood: without an object in the head nothing would be compared.
  const between = how.blankLines ? how.lineEnd + how.lineEnd : how.lineEnd;
  return Buffer.from(`{"Company":"A"}${between}${lines.join(between)}${how.lastLineEnd ? how.lineEnd : ''}`);
}

const objects = fc.array(object, { minLength: 1, maxLength: 14 });

/** Paths that are more than names. */
const pathMappings: fc.Arbitrary<Readonly<Record<string, FieldMapping>>> = fc.constantFrom(
  {},
  {},
  { location: { column: 'Place.city' } },
  { location: { column: 'Place.name.city' }, industry: { column: 'Place.city' } },
  { location: { column: 'Place' }, industry: { column: 'Place.city' } },
  { description: { column: 'Tags.0' } },
  { description: { column: 'Tags.length' }, industry: { column: '__proto__.city' } },
  { description: { column: '.a' }, industry: { column: '__proto__' } },
  { industry: { first: ['Place.city', 'Tags.0', 'company'] } },
  { description: { template: '{id} {Place.city}' } },
);

const decode = { format: 'ndjson' as const, encoding: 'utf-8' };

describe('both engines', () => {
  test('prepare the same for objects as programs write them, under any mapping', PATIENCE, async () => {
    const scenes = fc
      .tuple(objects, form, signalsDocument, pathMappings, variants, limits)
      .map(([rows, how, document, paths, variant, limit]): Scene => {
        return {
          bytes: written(rows, how),
          document: { ...document, fields: { ...document.fields, ...paths } },
          variant,
          decode,
          ...limit,
        };
      });
    await expectSameOfAll(scenes, RUNS, 0.1);
  });

  test('prepare the same for damaged objects, with --skip, --limit and small limits', PATIENCE, async () => {
    const scenes = fc
      .tuple(
        objects,
        form,
        harm,
        limits,
        fc.record({
          maxRowBytes: fc.constantFrom(2 ** 20, 2 ** 20, 300),
          skip: fc.constantFrom(0, 0, 2),
          limit: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 4),
          social: fc.boolean(),
          incomplete: fc.boolean(),
        }),
      )
      .map(([rows, how, harms, limit, { maxRowBytes, skip, limit: most, social, incomplete }]): Scene => {
        const whole = written(rows, how);
        return {
          bytes: harmed(whole, harms, whole.indexOf('\n') + 1),
          document: social ? socialDocument : plainDocument,
          ...(social ? {} : { variant: 'b' as const }),
          decode: { ...decode, maxRowBytes },
          ...limit,
          skip,
          limit: most,
          ...(incomplete ? { incomplete } : {}),
        };
      });
    await expectSameOfAll(scenes, 2 * RUNS, 0.1);
  });

  test('prepare the same for arbitrary bytes after an object', PATIENCE, async () => {
    const soup = fc
      .array(fc.constantFrom(...values.piecesOfObjects.map((text) => Buffer.from(text)), Buffer.from([0xe9])), {
        maxLength: 120,
      })
      .map((parts) => Buffer.concat([Buffer.from('{"a":"news","b":1}\n'), ...parts]));
    const document = signalsFrom({ company_name: 'a', signal_title: 'a', funding_amount: 'b' });
    const scenes = fc
      .tuple(
        soup,
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      )
      .map(([bytes, maxRowBytes, chunks]): Scene => {
        const limited = { ...decode, maxRowBytes: Math.max(20, maxRowBytes) };
        return { bytes, document, variant: 'b', decode: limited, chunks, batchSize: 2 };
      });
    await expectSameOfAll(scenes, 3 * RUNS, 0.8);
  });

  test('read every form of a value alike, in every kind of field', async () => {
    const fields = ['company_name', 'signal_source', 'detected_at', 'signal_family', 'funding_amount'];
    for (const field of [...fields, 'location', 'hotness_score', 'source_url']) {
      const lines = [...TOKENS, ...NESTED].flatMap((token) => [
        `{"f":${token},"r":"news"}`,
        `{"r":"news","f": ${token} }`,
        `{"r":"news","x":${token}}`,
        // Once more: from the cell cache.
        `{"f":${token},"r":"news"}`,
      ]);
      const document: MappingDocument = {
        type: 'signals',
        empty: ['-', 'n/a', '"Acme"', '7'],
        fields: { ...Object.fromEntries(REQUIRED.map((name) => [name, { column: 'r' }])), [field]: { column: 'f' } },
      };
      for (const variant of ['a', 'b'] as const) {
        const bytes = Buffer.from(`{"r":"news","f":"x"}\n${lines.join('\n')}\n`);
        expect(await expectSame({ bytes, document, variant, decode, batchSize: 1 })).toBeDefined();
      }
    }
  });

  test('prepare the same for more names than the kernel stores, and names of any length', async () => {
    const lines = Array.from(
      { length: 1500 },
      (_, n) => `{"key ${n}":${n},"${'n'.repeat(n)}":1,"Company":"Acme ${n}","key ${n + 1}":null}`,
    );
    const company = { company_name: 'Company', company_domain: 'Company', signal_title: 'Company' };
    const document = signalsFrom({ ...company, description: 'key 1400' });
    const items = await expectSame({ bytes: Buffer.from(`${lines.join('\n')}\n`), document, variant: 'b', decode });
    expect(items?.length).toBeGreaterThan(10);
  });

  test('prepare the same for lines that are longer than the bytes given to the kernel at once', async () => {
    const row = (n: number, length: number): string =>
      JSON.stringify({ Company: `Acme ${n}`, Text: `${'é"\\'.repeat(length)}`, Kind: 'news' });
    const bytes = Buffer.from(
      [3, 200_000, 5, 40_000, 90_000, 7, 120_000, 1].map((length, n) => `${row(n, length)}\n`).join(''),
    );
    const company = { company_name: 'Company', company_domain: 'Company' };
    const document = signalsFrom({ ...company, signal_title: 'Text', signal_source: 'Kind' });
    for (const chunks of [[65_536], [2 ** 21], [1000, 300_000]]) {
      const decoding = { ...decode, maxRowBytes: 2 ** 22 };
      const scene = { bytes, document, variant: 'b' as const, decode: decoding, chunks, maxBytes: 2 ** 21 };
      expect(await expectSame(scene)).toHaveLength(3);
    }
  });

  test('resume alike after each batch, and rebuild the same batches', async () => {
    const lines = Array.from({ length: 40 }, (_, n) =>
      n % 7 === 3
        ? `{"a":"Acme ${n}","d":"","t":"Raised"}`
        : n % 5 === 2
          ? `{"d":"acme${n}.com"`
          : `{"a":"Acme ${n}","t":"Raised, ${n}","d":"acme${n}.com"}`,
    );
    const document = signalsFrom({ company_name: 'a', company_domain: 'd', signal_title: 't' });
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    const scene: Scene = { bytes, document, variant: 'b', decode, batchSize: 4, chunks: [100, 333] };
    await expectSameResumed(scene);
  });
});

describe('the fast path', () => {
  const required = { company_name: 'a', company_domain: 'd', signal_source: 's' };
  const document = signalsFrom({ ...required, funding_amount: 'n', location: 'p.q' });

  /** The share of rows that it reads, of one valid object a line. */
  async function shareOf(...lines: readonly string[]): Promise<number> {
    const share = new FastShare();
    await expectSame({ bytes: Buffer.from(`${lines.join('\n')}\n`), document, variant: 'b', decode }, share);
    return share.value;
  }

  test('reads most objects instead of the reference path', async () => {
    const taken = [
      '{"a":"Acme","d":"acme.com","s":"news","n":5}',
      '{"a": "Acme", "d": "acme.com", "s": "news", "n": 5.5}',
      '{"n":1e3,"s":"Job Posting","d":"acme.com","a":"M\\u00fcller \\"\\/\\ud83d\\ude00\\"","id":7,"x":false}',
      '{"a":"Acme","d":"acme.com","s":"news"}\r',
    ];
    expect(await shareOf(...taken)).toBe(1);
  });

  test('reads nested objects', async () => {
    const taken = [
      '{"a":"Acme","d":"acme.com","s":"news","p":{"q":"Lyon","x":[1,{"a":2},{"a":[]}]},"n":5}',
      '{"p.q":"Lyon","a":"Acme","d":"acme.com","s":"news","tags":["a","b"]}',
      '{"a":"Acme","d":"acme.com","s":"news","x":{"p":{"q":"Lyon"}}}',
    ];
    expect(await shareOf(...taken)).toBe(1);
  });

  test.each([
    ['a name twice', '{"a":"Acme","d":"acme.com","s":"news","x":1,"x":1}', 0],
    ['two ways to a path', '{"a":"Acme","d":"acme.com","s":"news","p":{"q":"x"},"p.q":"y"}', 1],
    ['an array around a column', '{"a":"Acme","d":"acme.com","s":"news","p":["x"]}', 1],
    ['a name with an escape', '{"\\u0061":"Acme","d":"acme.com","s":"news"}', 1],
  ])('leaves an object with %s', async (_what, line, times) => {
    const good = '{"a":"Acme","d":"acme.com","s":"news","n":5}';
    expect(await shareOf(good, line, good)).toBe(1 - times / 3);
  });
});
