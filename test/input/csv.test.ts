import { describe, expect, it } from 'vitest';
import { type CellParser, createCellParser, parseRows } from '../../src/input/csv-cells.ts';
import { createRowScanner } from '../../src/input/row-bounds.ts';

function slice(text: string) {
  const scan = createRowScanner({
    delimiter: 0x2c,
    quote: 0x22,
    maxRowBytes: 1000,
    start: { byte: 50, line: 1 },
  });
  return scan.push(Buffer.from(text));
}

const parser = createCellParser({ delimiter: ',', quote: '"' });

/** csv-parse, but rejects blocks that contain `word`. */
function refusing(word: string): CellParser {
  return (rows) => {
    if (rows.includes(word)) throw Object.assign(new Error('refused'), { code: 'CSV_INVALID_CLOSING_QUOTE' });
    return parser(rows);
  };
}

describe('parseRows', () => {
  it('parses contiguous rows in one call', () => {
    let calls = 0;
    const given = slice('a,b\n"c\n",d\r\n');
    const cells = parseRows(given, given.rows, (rows) => {
      calls += 1;
      return parser(rows);
    });
    expect(cells).toEqual([{ content: ['a', 'b'] }, { content: ['c\n', 'd'] }]);
    expect(calls).toBe(1);
  });

  it('omits the bytes between the given rows', () => {
    const given = slice('a,b\n\nbad,"x"y\nc,d\n');
    const healthy = given.rows.filter((row) => row.problem === undefined);
    expect(parseRows(given, healthy, parser)).toEqual([{ content: ['a', 'b'] }, { content: ['c', 'd'] }]);
  });

  it('breaks only the row that the parser rejects', () => {
    const given = slice('a,b\nbad,x\nc,d\n');
    expect(parseRows(given, given.rows, refusing('bad'))).toEqual([
      { content: ['a', 'b'] },
      { issue: { code: 'quote', found: 'bad,x', expected: 'a row of CSV' } },
      { content: ['c', 'd'] },
    ]);
  });

  it('parses row by row if the parser returns another number of rows', () => {
    const given = slice('a,b\nc,d\n');
    const merging: CellParser = (rows) => {
      const all = parser(rows);
      return all.length > 1 ? [all.flat()] : all;
    };
    expect(parseRows(given, given.rows, merging)).toEqual([{ content: ['a', 'b'] }, { content: ['c', 'd'] }]);
  });

  it('rethrows errors that are not about the rows', () => {
    const given = slice('a\n');
    const broken: CellParser = () => {
      throw new TypeError('a bug');
    };
    expect(() => parseRows(given, given.rows, broken)).toThrow('a bug');
  });
});
