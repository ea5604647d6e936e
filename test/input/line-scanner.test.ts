import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RowBounds } from '../../src/input/decode-types.ts';
import { type Dialect, LineScanner } from '../../src/input/line-scanner.ts';

const COMMAS: Dialect = { delimiter: ',', quote: '"' };

/** A line of fixtures/input/lines.ndjson: each row has its text, its line, and its problem, if any. */
interface Case {
  readonly about: string;
  readonly text: string;
  /** Commas if absent; null if nothing delimits or quotes. */
  readonly delimiter?: string | null;
  readonly maxRowBytes?: number;
  readonly rows: readonly (readonly [text: string, line: number, problem?: string])[];
}

const cases = readFileSync(path.join(import.meta.dirname, '../../fixtures/input/lines.ndjson'), 'utf8');

describe('bounds', () => {
  it.each(
    cases
      .trimEnd()
      .split('\n')
      .map((line): Case => JSON.parse(line)),
  )('$about', ({ text, delimiter = ',', maxRowBytes = 1000, rows }) => {
    const bytes = Buffer.from(text);
    const dialect = delimiter === null ? {} : { delimiter, quote: '"' };
    for (const size of [1, bytes.length]) {
      const scan = new LineScanner({ ...dialect, maxRowBytes, start: { byte: 0, line: 1 } });
      const found: RowBounds[] = [];
      for (let at = 0; at < bytes.length; at += size) found.push(...scan.push(bytes.subarray(at, at + size)).rows);
      found.push(...scan.end().rows);
      expect(
        found.map(({ start, end, line, problem }) => [
          bytes.toString('utf8', start, end),
          line,
          ...(problem === undefined ? [] : [problem.kind]),
        ]),
      ).toEqual(rows);
    }
  });

  it('holds no more than the longest row and a chunk, however long the line is', () => {
    const scan = new LineScanner({ ...COMMAS, maxRowBytes: 1000, start: { byte: 0, line: 1 } });
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
        const scan = new LineScanner({ ...COMMAS, maxRowBytes, start: { byte: 0, line: 1 } });
        const together = [...scan.push(bytes).rows, ...scan.end().rows];
        // The test implementation starts again after each row, so it has no state.
        const one: typeof together = [];
        for (let byte = 0, line = 1; ; ) {
          const fresh = new LineScanner({ ...COMMAS, maxRowBytes, start: { byte, line } });
          const [row] = [...fresh.push(bytes.subarray(byte)).rows, ...fresh.end().rows];
          if (row === undefined) break;
          one.push(row);
          byte = row.end;
          line = row.nextLine;
        }
        expect(together).toEqual(one);
      }),
      { numRuns: 1000 },
    );
  });

  it('takes no longer for a file that reopens a quote on every line', () => {
    const hostile = Buffer.from('a",",c\n'.repeat(150_000));
    const scan = new LineScanner({ ...COMMAS, maxRowBytes: 2 ** 20, start: { byte: 0, line: 1 } });
    const rows = [...scan.push(hostile).rows, ...scan.end().rows];
    expect(rows).toHaveLength(150_000);
    // Scanned anew for every line this takes minutes: the test is then given up.
  });
});
