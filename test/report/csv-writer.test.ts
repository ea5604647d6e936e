import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine, spreadsheetSafe } from '../../src/report/csv-writer.ts';

describe('csvLine', () => {
  it.each([
    [['a', 'b'], ',', 'a,b\r\n'],
    [['a,b', 'c'], ',', '"a,b",c\r\n'],
    [['a,b', 'c'], ';', 'a,b;c\r\n'],
    [['say "hi"', ''], ',', '"say ""hi""",\r\n'],
    [['two\nlines', 'two\r\nlines'], ',', '"two\nlines","two\r\nlines"\r\n'],
    [[' a', 'b ', 'c d'], ',', '" a","b ",c d\r\n'],
    [['a\tb', 'c'], '\t', '"a\tb"\tc\r\n'],
    [[''], ',', '""\r\n'],
    [['', ''], ',', ',\r\n'],
  ])('writes %j with %j', (cells, delimiter, line) => {
    expect(csvLine(cells, delimiter)).toBe(line);
  });

  it('is read back cell for cell by an independent parser', () => {
    const cell = fc.oneof(fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'é') }), fc.string());
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(',', ';', '\t', '|'),
        (rows, delimiter) => {
          const text = rows.map((row) => csvLine(row, delimiter)).join('');
          const read: unknown = parse(text, {
            delimiter,
            relax_column_count: true,
            record_delimiter: '\r\n',
          });
          expect(read).toEqual(rows);
        },
      ),
    );
  });
});

describe('spreadsheetSafe', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49', "'+49"],
    ['-x.csv', "'-x.csv"],
    ['@sum', "'@sum"],
    ['\t=1', '\\t=1'],
    ['a=b', 'a=b'],
    ['\x1b[31m', '\\x1b[31m'],
  ])('makes %j harmless', (text, safe) => {
    expect(spreadsheetSafe(text)).toBe(safe);
  });
});
