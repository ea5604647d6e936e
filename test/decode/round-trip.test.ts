import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBroken } from '../../src/decode/index.ts';
import { chunked, read } from './read.ts';

/** A CSV writer of its own, so that the reader is not its own witness. */
interface Table {
  readonly delimiter: string;
  readonly lineEnd: string;
  readonly bom: boolean;
  readonly finalLineEnd: boolean;
  /** Cells, and whether each is quoted without need. */
  readonly rows: readonly (readonly { readonly text: string; readonly quoted: boolean }[])[];
}

interface Written {
  readonly bytes: Buffer;
  readonly rows: { cells: string[]; line: number; nextLine: number; start: number; end: number }[];
}

function write(table: Table): Written {
  const { delimiter, lineEnd, rows } = table;
  let text = table.bom ? '\ufeff' : '';
  let line = 1;
  const written: Written['rows'] = [];
  for (const [index, row] of rows.entries()) {
    const start = Buffer.byteLength(text);
    const cells = row.map(({ text: cell, quoted }) => {
      const needed = cell.includes(delimiter) || /["\r\n]/.test(cell);
      return quoted || needed ? `"${cell.split('"').join('""')}"` : cell;
    });
    let body = cells.join(delimiter);
    // A row of white space alone would be a blank line, and blank lines are no rows.
    if (body.trim() === '' && !body.includes(delimiter)) body = `"${body}"`;
    const last = index === rows.length - 1;
    text += body + (last && !table.finalLineEnd ? '' : lineEnd);
    const nextLine = line + body.split('\n').length;
    written.push({
      cells: row.map((cell) => cell.text),
      line,
      nextLine,
      start,
      end: Buffer.byteLength(text),
    });
    line = nextLine;
  }
  return { bytes: Buffer.from(text), rows: written };
}

const cell = fc.record({
  text: fc.string({
    unit: fc.constantFrom(
      'a',
      'b',
      ' ',
      '"',
      '\n',
      '\r\n',
      '\r',
      ',',
      ';',
      '\t',
      '|',
      'é',
      '漢',
      '😀',
      '\u2028',
      '\0',
    ),
    maxLength: 6,
  }),
  quoted: fc.boolean(),
});

const table: fc.Arbitrary<Table> = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc.record({
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    bom: fc.boolean(),
    finalLineEnd: fc.boolean(),
    rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }),
  }),
);

describe('a table written by another program', () => {
  it('comes back cell for cell and line for line, wherever its chunks are cut', async () => {
    await fc.assert(
      fc.asyncProperty(table, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), async (given, sizes) => {
        const { bytes, rows } = write(given);
        // UTF-16 is recognised by its zero bytes, which tables as short as these may happen to have.
        fc.pre(!bytes.includes(0) || bytes.filter((byte) => byte === 0).length < bytes.length / 16);
        const result = await read(bytes, {
          header: false,
          delimiter: given.delimiter,
          chunks: chunked(bytes, () => sizes.next().value ?? 1),
        });
        expect(
          result.rows.map((row) => {
            if (isBroken(row))
              throw new Error(`row ${row.position.row} is broken: ${JSON.stringify(row.issue)}`);
            const { line, nextLine, start, end } = row.position;
            return { cells: row.content, line, nextLine, start, end };
          }),
        ).toEqual(rows);
        expect(result.rows.map((row) => row.position.row)).toEqual(rows.map((_, index) => index + 1));
        expect(result.cursor).toEqual({ rows: rows.length, line: rows.at(-1)?.nextLine, byte: bytes.length });
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same rows for any bytes at all, wherever the chunks are cut, and loses none of the bytes', async () => {
    const soup = fc
      .array(
        fc.constantFrom(
          ...['"', '"', ',', '\n', '\r\n', 'a', ' ', 'bb', '""', '\r', 'é', '\u2028', ',"', '"\n'].map(
            (text) => Buffer.from(text),
          ),
          Buffer.from([0xe9]),
        ),
        { maxLength: 80 },
      )
      .map((parts) => Buffer.concat([Buffer.from('h,i\n'), ...parts]));
    await fc.assert(
      fc.asyncProperty(
        soup,
        fc.integer({ min: 1, max: 40 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        async (bytes, maxRowBytes, sizes) => {
          const whole = await read(bytes, { maxRowBytes, encoding: 'utf-8' });
          const cut = await read(bytes, {
            maxRowBytes,
            encoding: 'utf-8',
            chunks: chunked(bytes, () => sizes.next().value ?? 1),
          });
          expect(cut.rows).toEqual(whole.rows);
          expect(cut.cursor).toEqual(whole.cursor);
          // Rows follow each other without overlap, and what lies between them is white space.
          let end = 4;
          let line = 2;
          for (const { position } of whole.rows) {
            expect(bytes.toString('latin1', end, position.start).trim()).toBe('');
            line += feeds(bytes, end, position.start);
            expect(position.line).toBe(line);
            expect(position.end).toBeGreaterThan(position.start);
            line += feeds(bytes, position.start, position.end);
            end = position.end;
          }
          expect(bytes.toString('latin1', end).trim()).toBe('');
          if (whole.cursor !== undefined) expect(whole.cursor.byte).toBe(bytes.length);
          for (const row of whole.rows) if (isBroken(row)) expect(row.raw).not.toContain('\ufffd');
        },
      ),
      { numRuns: 1500 },
    );
  });
});

function feeds(bytes: Buffer, start: number, end: number): number {
  return bytes.subarray(start, end).filter((byte) => byte === 0x0a).length;
}
