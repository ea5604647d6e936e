import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RowBounds } from '../../src/input/format.ts';
import { type Dialect, LineScanner, type LineScannerOptions } from '../../src/input/line-scanner.ts';

const COMMAS: Dialect = { delimiter: ',', quote: '"' };

interface Piece {
  readonly text: string;
  readonly line: number;
  readonly problem?: string;
}

/** Rows with their text. Scans byte by byte and in one piece, and both must agree. */
function split(text: string, given: Partial<LineScannerOptions> = {}, dialect: Dialect = COMMAS): Piece[] {
  const bytes = Buffer.from(text);
  const results = [1, bytes.length || 1].map((size) => {
    const scan = new LineScanner({
      ...dialect,
      maxRowBytes: 1000,
      start: { byte: 0, line: 1 },
      ...given,
    });
    const rows: RowBounds[] = [];
    for (let at = 0; at < bytes.length; at += size) rows.push(...scan.push(bytes.subarray(at, at + size)).rows);
    rows.push(...scan.end().rows);
    return rows.map((row) => ({
      text: bytes.toString('utf8', row.start, row.end),
      line: row.line,
      ...(row.problem === undefined ? {} : { problem: row.problem.kind }),
    }));
  });
  expect(results[0]).toEqual(results[1]);
  return results[0] ?? [];
}

describe('bounds', () => {
  it('ends a row at a line feed, with or without a carriage return; a lone carriage return is data', () => {
    expect(split('a\r\nb\nc\rd')).toEqual([
      { text: 'a\r\n', line: 1 },
      { text: 'b\n', line: 2 },
      { text: 'c\rd', line: 3 },
    ]);
  });

  it('keeps line ends, delimiters and doubled quotes inside a quoted cell', () => {
    expect(split('"a,\r\n""b""\n",c\nd\n')).toEqual([
      { text: '"a,\r\n""b""\n",c\n', line: 1 },
      { text: 'd\n', line: 4 },
    ]);
  });

  it('reads a quote in the middle of an unquoted cell as data', () => {
    expect(split('5" disk,"x"\n a "b"\n')).toEqual([
      { text: '5" disk,"x"\n', line: 1 },
      { text: ' a "b"\n', line: 2 },
    ]);
  });

  it('does not count a blank line as a row, but counts its line', () => {
    expect(split('\n \t\r\na\n\n\nb\n  ')).toEqual([
      { text: 'a\n', line: 3 },
      { text: 'b\n', line: 6 },
    ]);
  });

  it('reads a line of delimiters as a row even if they are white space', () => {
    expect(split('\t\t\n', { delimiter: '\t' })).toEqual([{ text: '\t\t\n', line: 1 }]);
  });

  it('reads a quoted blank as a row', () => {
    expect(split('""\n" "\n')).toHaveLength(2);
  });

  it('ends a row with text after a closing quote at the next line end', () => {
    expect(split('a,"b"c,"d\ne\n')).toEqual([
      { text: 'a,"b"c,"d\n', line: 1, problem: 'text' },
      { text: 'e\n', line: 2 },
    ]);
  });

  it('keeps the lines of a quoted cell in the row when text follows its closing quote', () => {
    expect(split('a,"b\nc"d\ne\n')).toEqual([
      { text: 'a,"b\nc"d\n', line: 1, problem: 'text' },
      { text: 'e\n', line: 3 },
    ]);
  });

  it('reads a lone carriage return after a closing quote as text', () => {
    expect(split('"a"\rb\n"c"\r')).toEqual([
      { text: '"a"\rb\n', line: 1, problem: 'text' },
      { text: '"c"\r', line: 2, problem: 'text' },
    ]);
  });

  it('breaks only the row whose quote is open at the end of the input', () => {
    expect(split('a\nb,"c\nd\ne')).toEqual([
      { text: 'a\n', line: 1 },
      { text: 'b,"c\n', line: 2, problem: 'open' },
      { text: 'd\n', line: 3 },
      { text: 'e', line: 4 },
    ]);
  });

  it('breaks only the row whose quote is open if the next row has quoted cells', () => {
    expect(split('1,"a,x\n2,"b",y\n"3","c"\n')).toEqual([
      { text: '1,"a,x\n', line: 1, problem: 'open' },
      { text: '2,"b",y\n', line: 2 },
      { text: '"3","c"\n', line: 3 },
    ]);
  });

  it('breaks only the row whose quote is open for longer than the limit of rows', () => {
    expect(split('"a\nb\nc\nd\ne\n', { maxRowBytes: 6 })).toEqual([
      { text: '"a\n', line: 1, problem: 'open' },
      { text: 'b\n', line: 2 },
      { text: 'c\n', line: 3 },
      { text: 'd\n', line: 4 },
      { text: 'e\n', line: 5 },
    ]);
  });

  it('breaks a row that is too long and continues after its line end', () => {
    expect(split('12345\n123456\n1,"\n",4567,"\n8\n', { maxRowBytes: 5 })).toEqual([
      { text: '12345\n', line: 1 },
      { text: '123456\n', line: 2, problem: 'size' },
      { text: '1,"\n",4567,"\n', line: 3, problem: 'size' },
      { text: '8\n', line: 5 },
    ]);
  });

  it('breaks a line that is too long after an open quote, once', () => {
    expect(split('"12345678\n9\n', { maxRowBytes: 5 })).toEqual([
      { text: '"12345678\n', line: 1, problem: 'open' },
      { text: '9\n', line: 2 },
    ]);
  });

  it('ends a row that is longer than allowed at the end of the input', () => {
    expect(split('a\n1234567', { maxRowBytes: 5 })[1]).toEqual({ text: '1234567', line: 2, problem: 'size' });
  });

  it('splits at every line feed where nothing quotes', () => {
    expect(split('{"a":"\n"}', {}, {})).toEqual([
      { text: '{"a":"\n', line: 1 },
      { text: '"}', line: 2 },
    ]);
  });

  it('holds no more than the longest row and a chunk, however long the line is', () => {
    const scan = new LineScanner({
      ...COMMAS,
      maxRowBytes: 1000,
      start: { byte: 0, line: 1 },
    });
    const chunk = Buffer.alloc(5000, 'x');
    for (let n = 0; n < 2000; n += 1) {
      const slice = scan.push(chunk);
      expect(slice.rows).toEqual([]);
      // Small buffers lie in Node's pool, whose size differs from version to version.
      expect(slice.bytes.buffer.byteLength).toBeLessThanOrEqual(131_072);
    }
    const { rows } = scan.push(Buffer.from('\nend\n'));
    expect(rows.map(({ start, end, line }) => ({ start, end, line }))).toEqual([
      { start: 0, end: 10_000_001, line: 1 },
      { start: 10_000_001, end: 10_000_005, line: 2 },
    ]);
    expect(rows[0]?.problem?.excerpt?.length).toBe(1001);
  });

  it('counts from the given start', () => {
    const scan = new LineScanner({ maxRowBytes: 10, start: { byte: 100, line: 7 } });
    expect(scan.push(Buffer.from('a\n')).rows).toEqual([{ start: 100, end: 102, line: 7, nextLine: 8 }]);
  });

  it('finds the same rows whether or not it remembers what it scanned in vain', () => {
    const text = fc
      .array(fc.constantFrom('"', '""', ',', '\n', 'a', '\r\n'), { maxLength: 60 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (input, maxRowBytes) => {
        const bytes = Buffer.from(input);
        const scan = new LineScanner({
          ...COMMAS,
          maxRowBytes,
          start: { byte: 0, line: 1 },
        });
        const together = [...scan.push(bytes).rows, ...scan.end().rows];
        // The test implementation starts again after each row, so it has no state.
        const one: typeof together = [];
        for (let byte = 0, line = 1; ; ) {
          const fresh = new LineScanner({
            ...COMMAS,
            maxRowBytes,
            start: { byte, line },
          });
          const [row] = [...fresh.push(bytes.subarray(byte)).rows, ...fresh.end().rows];
          if (row === undefined) break;
          one.push(row);
          byte = row.end;
          line = row.nextLine;
        }
        expect(together).toEqual(one);
      }),
      { numRuns: 3000 },
    );
  });

  it('takes no longer for a file that reopens a quote on every line', () => {
    const hostile = Buffer.from('a",",c\n'.repeat(150_000));
    const scan = new LineScanner({
      ...COMMAS,
      maxRowBytes: 2 ** 20,
      start: { byte: 0, line: 1 },
    });
    const before = performance.now();
    const rows = [...scan.push(hostile).rows, ...scan.end().rows];
    expect(rows).toHaveLength(150_000);
    // Scanned anew for every line this takes minutes.
    expect(performance.now() - before).toBeLessThan(5000);
  });
});
