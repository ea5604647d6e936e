/** What the properties of both engines are made of: cells, mappings, limits, and what goes wrong with a file. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { FieldMapping, MappingDocument } from '../../src/map/index.ts';

interface Values {
  readonly cells: Readonly<Record<string, readonly string[]>>;
  /** For each field, first the one that the fast path knows best. */
  readonly mappings: Readonly<Record<string, readonly FieldMapping[]>>;
  /** What is inserted into a file that is damaged. */
  readonly harms: readonly string[];
  /** Values as JSON text, and some that are not JSON; objects and arrays; names of keys. */
  readonly tokens: readonly string[];
  readonly nested: readonly string[];
  readonly names: readonly string[];
  /** Of arbitrary bytes. */
  readonly piecesOfObjects: readonly string[];
  readonly piecesOfRows: readonly string[];
  /** Of texts that a mapping names. */
  readonly piecesOfTexts: readonly string[];
}

const file = path.join(import.meta.dirname, '../../fixtures/engines/values.json');
export const values: Values = JSON.parse(readFileSync(file, 'utf8'));

/** Cells as they come in exports, and as no user would want them. */
export const CELLS: Readonly<Record<string, readonly string[]>> = values.cells;
export const COLUMNS = Object.keys(CELLS);

const mappings: Readonly<Record<string, readonly FieldMapping[]>> = values.mappings;
export const REQUIRED = ['company_name', 'company_domain', 'signal_title', 'signal_source'];

/** A mapping of these fields to columns; a required field without one has a constant. */
export function signalsFrom(columns: Readonly<Record<string, string>>): MappingDocument {
  const constants = REQUIRED.map((name) => [name, { value: name === 'signal_source' ? 'news' : 'acme.com' }]);
  const mapped = Object.entries(columns).map(([name, column]) => [name, { column }]);
  return { type: 'signals', fields: Object.fromEntries([...constants, ...mapped]) };
}

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
      ...values.harms.map((text) => Buffer.from(text)),
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

/** `npm run fuzz:engines` does more. */
export const RUNS = Number(process.env['SIGNALS_FAST_RUNS'] ?? 6);
/** Milliseconds that a property may take. */
export const PATIENCE = { timeout: 120_000 * Math.max(1, RUNS / 300) };

export const plainDocument: MappingDocument = {
  type: 'signals',
  fields: Object.fromEntries(
    Object.entries(mappings).flatMap(([name, [first]]) =>
      first === undefined || name === 'notes' ? [] : [[name, first]],
    ),
  ),
};
