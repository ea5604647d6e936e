/**
 * Rows of CSV to cells, as cells.ts makes them, for looking at the head of an input: at a start csv-parse, which asks
 * several questions about each byte, would take longer over five readings of the head than all the rest. Here a cell
 * is found by searching for its end, which the engine does quickly from the first time on.
 *
 * The rows of a run are never read by this: they are csv-parse's (decode in index.ts), and so is whatever this does not
 * understand. That both make the same cells is tested on generated rows.
 */
import { type CellDialect, type CellParser, createCellParser } from './csv-cells.ts';

/** As {@link createCellParser}, and quick at once. For rows that bounds.ts found whole and without fault. */
export function createHeadCellParser(dialect: CellDialect): CellParser {
  const { delimiter = ',', quote = '', lineEnd = '\n' } = dialect;
  let parser: CellParser | undefined;
  return (rows) => {
    const cells = split(rows.toString('utf8'), delimiter, quote, lineEnd);
    if (cells !== undefined) return cells;
    parser ??= createCellParser(dialect);
    return parser(rows);
  };
}

/** Undefined where text stands behind a closing quote, or a quote does not close. */
function split(text: string, delimiter: string, quote: string, lineEnd: string): string[][] | undefined {
  const rows: string[][] = [];
  let row: string[] = [];
  /** Where the next ones stand, at `at` or behind it. */
  let parts = -1;
  let ends = -1;
  const soonest = (wanted: string, from: number): number => {
    const found = text.indexOf(wanted, from);
    return found < 0 ? text.length : found;
  };
  for (let at = 0; at < text.length || row.length > 0; ) {
    let cell: string | undefined;
    if (quote !== '' && text[at] === quote) {
      const quoted = unquoted(text, at, quote);
      if (quoted === undefined) return undefined;
      cell = quoted.cell;
      at = quoted.end;
    }
    if (parts < at) parts = soonest(delimiter, at);
    if (ends < at) ends = soonest(lineEnd, at);
    const end = Math.min(parts, ends);
    // A carriage return in front of the line feed belongs to the end of the line.
    const returned =
      end === ends && end < text.length && lineEnd === '\n' && end > at && text[end - 1] === '\r';
    const stop = returned ? end - 1 : end;
    if (cell !== undefined && stop > at) return undefined;
    row.push(cell ?? text.slice(at, stop));
    at = end + 1;
    if (end === ends) {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

/** The text of a quoted cell, and where its closing quote ends. `at`: its opening quote. */
function unquoted(text: string, at: number, quote: string): { cell: string; end: number } | undefined {
  let cell = '';
  for (let from = at + 1; ; ) {
    const closing = text.indexOf(quote, from);
    if (closing < 0) return undefined;
    cell += text.slice(from, closing);
    if (text[closing + 1] !== quote) return { cell, end: closing + 1 };
    cell += quote;
    from = closing + 2;
  }
}
