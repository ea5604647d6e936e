import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRows } from '../../src/input/csv.ts';
import { splitCells } from '../../src/input/csv-layout.ts';
import { findHeaderRow, nameColumns } from '../../src/input/header-row.ts';
import { type Dialect, LineScanner } from '../../src/input/line-scanner.ts';
import { bytesOf } from '../../src/input/row-format.ts';

const dialects: readonly Dialect[] = [
  { delimiter: ',', quote: '"' },
  { delimiter: ';', quote: "'" },
  { delimiter: '\t', quote: '' },
  { delimiter: ' ', quote: '"' },
  { delimiter: '|', quote: '"' },
];

/** Delimiters, quotes and line ends, and sequences that resemble them. */
const pieces = fc.constantFrom(
  ...[',', ';', '\t', ' ', '|', '"', '""', "'", "''", '\n', '\r\n', '\r', '\r\r\n', 'a', 'été', '東', '\ufeff', '\0'],
);
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
  // Tables of which nearly all rows are well-formed.
  fc
    .array(
      fc.array(fc.constantFrom('', 'a', '"b"', '"c,""d"""', '"\n"', ' e', 'f"g'), {
        minLength: 2,
        maxLength: 4,
      }),
    )
    .map((rows) => rows.map((cells) => `${cells.join(',')}\r\n`).join('')),
);

/** The rows that have no problem. */
function rowsOf(text: string, dialect: Dialect): Buffer[] {
  const scanner = new LineScanner({ ...dialect, maxRowBytes: 1000, start: { byte: 0, line: 1 } });
  const bytes = Buffer.from(text);
  return [...scanner.push(bytes).rows, ...scanner.end().rows]
    .filter(({ problem }) => problem === undefined)
    .map((row) => bytesOf({ bytes, offset: 0, rows: [], end: 0, line: 1 }, row));
}

describe('the cells of a row', () => {
  it('are the same by csv-parse and by the splitter of heads, for every row without a problem', () => {
    fc.assert(
      fc.property(fc.constantFrom(...dialects), texts, (dialect, text) => {
        const rows = rowsOf(text, dialect);
        const split = rows.map((row) => splitCells(row.toString(), dialect));
        expect(parseRows(rows, dialect)).toEqual(split);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('the header of a table', () => {
  it('is the first row if no row among the first thirty has more cells', () => {
    const sparse = Array.from({ length: 40 }, () => ['x', '', '', '']);
    const table = ['a b c d', '1 2 3 4'].map((line) => line.split(' '));
    expect(findHeaderRow([['Name'], ...sparse, ...table]).index).toBe(0);
  });
});

describe('nameColumns', () => {
  it('never gives two columns the same name', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'A', 'A (2)', 'A (2) (2)', 'column 1', 'column 2')), (cells) => {
        expect(new Set(nameColumns(cells)).size).toBe(cells.length);
      }),
    );
  });
});
