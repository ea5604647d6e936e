/** What the kernel tells somebody who looks: the same hashes as the reference path's rows are counted by. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFastReader } from '../../src/fast/index.ts';
import type { FieldPlan, Likeness, ReadPlan } from '../../src/model/fast-reader.ts';
import { folded } from '../../src/report/quality.ts';
import { hashOf, hashOfHashes } from '../../src/report/sketch.ts';
import { cellAt, twoColumns } from '../support/cells.ts';

interface Given {
  readonly sent: readonly string[];
  readonly likeness?: Likeness;
}

/** Of two columns, each of which a field is made from; a field that is not sent has no names. */
function looksOf(rows: readonly (readonly string[])[], ...given: readonly Given[]): number[][] {
  const fields = given.map(
    ({ sent, likeness }, column): FieldPlan => ({
      names: sent,
      columns: [column],
      shape: 'text',
      leftOutNotes: sent.length === 0 ? ['left_out:it'] : [],
      ...(likeness === undefined ? {} : { likeness }),
      evaluate: (row) => ({
        value: cellAt(row, column) === '' ? undefined : cellAt(row, column),
        mappingNotes: [],
        validationNotes: [],
      }),
    }),
  );
  const plan: ReadPlan = {
    source: 0,
    form: twoColumns,
    maxRowBytes: 2 ** 20,
    emptyWords: [],
    fields,
    look: { fold: folded },
  };
  const out: number[][] = [];
  const stride = 2 * (fields.length + 1);
  const reader = createFastReader(
    plan,
    {
      maxRecordBytes: 2 ** 20,
      recordsLeft: () => 100,
      bytesLeft: () => 2 ** 20,
      put({ count, looks = new Int32Array(0) }) {
        expect(looks).toHaveLength(count * stride);
        for (let row = 0; row < count; row += 1)
          out.push(Array.from(looks.subarray(row * stride, (row + 1) * stride)));
      },
    },
    () => Number.POSITIVE_INFINITY,
  );
  const csv = rows.map((row) => `${row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`);
  reader?.read(Buffer.from(csv.join('')), 0, { rows: 0, line: 1, byte: 0 });
  return out;
}

/** Texts that no trimming changes: of ASCII, with capitals and runs of white space, and of anything at all. */
const cell = fc
  .oneof(
    fc.string({ unit: 'grapheme-ascii', maxLength: 80 }),
    fc.string({ unit: fc.constantFrom('A', 'b', ' ', ' ', 'Z', '[', '@', '"', '\t', '\\'), maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('\ufb01 \u00a0\u2003 x', '\u0130stanbul', 'e\u0301', '\u00e9', 'x'.repeat(5000)),
  )
  // Halves of a pair of surrogates are no UTF-8.
  .map((text) => `<${Buffer.from(text).toString()}>`);

const valueHash = (text: string): number[] => [...hashOf(JSON.stringify(text))];

describe('looking at rows', () => {
  test('gives the hash of each value as JSON, sent or not, and under two names', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }), (rows) => {
        const looks = looksOf(rows, { sent: ['one', 'other'] }, { sent: [] });
        expect(looks.map((row) => row.slice(0, 4))).toEqual(
          rows.map(([one, two]) => [...valueHash(one), ...valueHash(two)]),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('gives the hash of what a record is known by: values, folded texts, days', () => {
    const hashBy = ({ by, number }: Likeness, text: string): readonly [number, number] => {
      const known = by === 'text' ? folded(text) : text.slice(0, 10);
      const [high, low] = hashOf(by === 'value' ? JSON.stringify(text) : known);
      return [high ^ number, low];
    };
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, fc.constantFrom('', '2026-11-20T09:15:00Z', 'ACME  Inc.')), { minLength: 1 }),
        fc.tuple(fc.constantFrom<Likeness['by']>('value', 'text'), fc.nat(20)),
        fc.tuple(fc.constantFrom<Likeness['by']>('value', 'text', 'day'), fc.nat(20)),
        (rows, [firstBy, first], [secondBy, second]) => {
          const one: Likeness = { by: firstBy, number: first };
          const other: Likeness = { by: secondBy, number: second };
          const looks = looksOf(rows, { sent: ['one'], likeness: one }, { sent: ['other'], likeness: other });
          expect(looks.map((row) => row.slice(4))).toEqual(
            rows.map(([text, there]) => [
              ...hashOfHashes([hashBy(one, text), ...(there === '' ? [] : [hashBy(other, there)])]),
            ]),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test('gives two zeros for a field that is absent, and for nothing else', () => {
    const [look = []] = looksOf([['', 'x']], { sent: ['one'] }, { sent: [] });
    expect(look.slice(0, 2)).toEqual([0, 0]);
    expect(look.slice(2, 4)).toEqual(valueHash('x'));
  });
});
