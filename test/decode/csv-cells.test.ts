import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CellDialect, cellsOf } from '../../src/decode/csv-cells.ts';
import { byteDialect } from '../../src/decode/csv-layout.ts';
import { bytesOf, createRowScanner } from '../../src/decode/row-bounds.ts';

const dialects: readonly CellDialect[] = [
  { delimiter: ',', quote: '"' },
  { delimiter: ';', quote: "'" },
  { delimiter: '\t', quote: '' },
  { delimiter: ' ', quote: '"' },
  { delimiter: '|', quote: '"', lineEnd: '\r' },
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

/** One row, as an independent parser reads it. */
function parsed(row: Buffer, { delimiter = ',', quote = '', lineEnd }: CellDialect): string[] | undefined {
  const [cells] = parse(row, {
    delimiter,
    quote: quote === '' ? null : quote,
    escape: quote === '' ? null : quote,
    record_delimiter: lineEnd === undefined ? ['\r\n', '\n'] : ['\r'],
    relax_quotes: true,
    relax_column_count: true,
  });
  return cells;
}

it('splits every well-formed row into the cells that csv-parse finds', () => {
  fc.assert(
    fc.property(fc.constantFrom(...dialects), texts, (dialect, text) => {
      const scan = createRowScanner({ ...byteDialect(dialect), maxRowBytes: 1000, start: { byte: 0, line: 1 } });
      const bytes = Buffer.from(text);
      const rows = [...scan.push(bytes).rows, ...scan.end().rows].filter(({ problem }) => problem === undefined);
      const slice = { bytes, offset: 0, rows, end: bytes.length, line: 1 };
      for (const row of rows) {
        const given = bytesOf(slice, row);
        expect(cellsOf(given, dialect)).toEqual(parsed(given, dialect));
      }
    }),
    { numRuns: 3000 },
  );
});
