import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CellDialect, createCellParser, parseRows } from '../../src/input/csv-cells.ts';
import { byteDialect } from '../../src/input/csv-layout.ts';
import { createHeadCellParser } from '../../src/input/head-cells.ts';
import { createRowScanner } from '../../src/input/row-bounds.ts';

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

describe('createHeadCellParser', () => {
  it('gives the same cells as csv-parse for every well-formed row', () => {
    fc.assert(
      fc.property(fc.constantFrom(...dialects), texts, (dialect, text) => {
        const scan = createRowScanner({
          ...byteDialect(dialect),
          maxRowBytes: 1000,
          start: { byte: 0, line: 1 },
        });
        const bytes = Buffer.from(text);
        const pushed = scan.push(bytes);
        const ended = scan.end();
        const slice = { ...ended, rows: [...pushed.rows, ...ended.rows], bytes, offset: 0 };
        const rows = slice.rows.filter(({ problem }) => problem === undefined);
        expect(parseRows(slice, rows, createHeadCellParser(dialect))).toEqual(
          parseRows(slice, rows, createCellParser(dialect)),
        );
      }),
      { numRuns: 3000 },
    );
  });

  it('leaves unclosed quotes to csv-parse', () => {
    const both = [createHeadCellParser, createCellParser].map((make) => make({ delimiter: ',', quote: '"' }));
    for (const read of both) expect(() => read(Buffer.from('a,"b\n'))).toThrow('Quote Not Closed');
    for (const read of both) expect(read(Buffer.from('a,"b"c\n'))).toEqual([['a', '"b"c']]);
  });
});
