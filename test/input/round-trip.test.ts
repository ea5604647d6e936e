import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBroken } from '../../src/input/decode.ts';
import { chunked, read } from '../support/read.ts';

/** A table, and below a separate CSV writer, so that the reader does not test itself. */
interface Table {
  readonly delimiter: string;
  readonly lineEnd: string;
  readonly encoding: Encoding;
  readonly finalLineEnd: boolean;
  /** Cells, and whether each is quoted without need. */
  readonly rows: readonly (readonly { readonly text: string; readonly quoted: boolean }[])[];
}

type Encoding = 'utf-8' | 'utf-8 with mark' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** A separate encoder. UTF-16 has a byte order mark; Windows-1252 supports the characters used here. */
function encode(text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-8 with mark':
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]);
    case 'utf-16le':
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    case 'utf-16be':
      return Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]);
    case 'windows-1252':
      return Buffer.from(text.replaceAll('€', '\x80').replaceAll('’', '\x92'), 'latin1');
  }
}

interface Written {
  readonly bytes: Buffer;
  readonly text: string;
  /** Length of the text as UTF-8. */
  readonly textBytes: number;
  readonly rows: { cells: string[]; line: number; nextLine: number; start: number; end: number }[];
}

function write(table: Table): Written {
  const { delimiter, lineEnd, rows, encoding } = table;
  let text = '';
  // Positions count UTF-8 bytes, and the mark of UTF-8 has three.
  const mark = encoding === 'utf-8 with mark' ? 3 : 0;
  let line = 1;
  const written: Written['rows'] = [];
  // Carriage returns end lines only if one is outside quotes and no line feed is.
  const hasReturns = lineEnd === '\r' && (rows.length > 1 || table.finalLineEnd);
  const asRead = (part: string): string => (hasReturns ? part.replaceAll('\r', '\n') : part);
  for (const [index, row] of rows.entries()) {
    const start = mark + Buffer.byteLength(text);
    const cells = row.map(({ text: cell, quoted }) => {
      const needed = cell.includes(delimiter) || /["\r\n]/.test(cell);
      return quoted || needed ? `"${cell.split('"').join('""')}"` : cell;
    });
    let body = cells.join(delimiter);
    // A row of white space alone would be a blank line, which is not a row.
    if (body.trim() === '' && !body.includes(delimiter)) body = `"${body}"`;
    const last = index === rows.length - 1;
    text += body + (last && !table.finalLineEnd ? '' : lineEnd);
    const nextLine = line + asRead(body).split('\n').length;
    written.push({
      cells: row.map((cell) => asRead(cell.text)),
      line,
      nextLine,
      start,
      end: mark + Buffer.byteLength(text),
    });
    line = nextLine;
  }
  return { bytes: encode(text, encoding), text, rows: written, textBytes: mark + Buffer.byteLength(text) };
}

const PLAIN = ['a', 'b', ' ', '"', '\n', '\r\n', '\r', ',', ';', '\t', '|', '^', 'é', '€', '’', '\0'];
const WIDE = [...PLAIN, '漢', '😀', '\u2028'];

const cellOf = (characters: readonly string[]) =>
  fc.record({ text: fc.string({ unit: fc.constantFrom(...characters), maxLength: 6 }), quoted: fc.boolean() });

const encodings: readonly Encoding[] = ['utf-8', 'utf-8 with mark', 'utf-16le', 'utf-16be', 'windows-1252'];

const table: fc.Arbitrary<Table> = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(...encodings))
  .chain(([width, encoding]) =>
    fc.record({
      delimiter: fc.constantFrom(',', ';', '\t', '|', '^'),
      lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
      encoding: fc.constant(encoding),
      finalLineEnd: fc.boolean(),
      rows: fc.array(
        fc.array(cellOf(encoding === 'windows-1252' ? PLAIN : WIDE), { minLength: width, maxLength: width }),
        { minLength: 1, maxLength: 12 },
      ),
    }),
  );

describe('a table written by another program', () => {
  it('is read cell by cell and line by line, wherever its chunks are cut', async () => {
    await fc.assert(
      fc.asyncProperty(table, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), async (given, sizes) => {
        const { bytes, text, rows, textBytes } = write(given);
        // A mark of UTF-16 and a NUL are the mark of UTF-32.
        fc.pre(!(given.encoding === 'utf-16le' && bytes[2] === 0 && bytes[3] === 0));
        // A row of empty cells is a blank line.
        const expected = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
        fc.pre(expected.length > 0);
        // A text with eight NULs or more can be refused as another encoding.
        fc.pre(text.split('\0').length <= 8);
        // Tabs alone are not recognizable as a table.
        fc.pre(/\S/.test(text));
        // Declared if there is no mark: such short tables are ambiguous.
        const encoding = given.encoding === 'utf-8' || given.encoding === 'windows-1252' ? given.encoding : undefined;
        const result = await read(bytes, {
          header: false,
          delimiter: given.delimiter,
          ...(encoding === undefined ? {} : { encoding }),
          chunks: chunked(bytes, () => sizes.next().value ?? 1),
        });
        expect(
          result.rows.map((row) => {
            if (isBroken(row)) throw new Error(`row ${row.position.row} is broken: ${JSON.stringify(row.issue)}`);
            const { line, nextLine, start, end } = row.position;
            return { cells: row.content, line, nextLine, start, end };
          }),
        ).toEqual(expected);
        expect(result.rows.map((row) => row.position.row)).toEqual(expected.map((_, index) => index + 1));
        expect(result.cursor).toEqual({ rows: expected.length, line: rows.at(-1)?.nextLine, byte: textBytes });
      }),
      { numRuns: 300 },
    );
  });
});
