/** Writes CSV (RFC 4180). Pure. */
import { printable } from '../lib/printable.ts';

/** Without a BOM, spreadsheets read UTF-8 as the local 8-bit encoding. */
export const BOM = '\u{feff}';

/**
 * One line of CSV with CRLF (RFC 4180, section 2). A cell is quoted if it contains the delimiter, a quote or a line
 * break, or if it starts or ends with a space, which some readers trim.
 *
 * A single empty cell is also quoted: an empty line is not a row.
 */
export function csvLine(cells: readonly string[], delimiter: string): string {
  const only = cells.length === 1;
  let line = '';
  for (const [index, cell] of cells.entries()) {
    if (index > 0) line += delimiter;
    line += only && cell === '' ? '""' : csvCell(cell, delimiter);
  }
  return `${line}\r\n`;
}

/** A cell of a line with several cells, quoted if necessary. */
export function csvCell(cell: string, delimiter: string): string {
  return needsQuotes(cell, delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function needsQuotes(cell: string, delimiter: string): boolean {
  return cell.includes(delimiter) || /["\r\n]|^\s|\s$/.test(cell);
}

/** The start of a text that a spreadsheet evaluates as a formula. */
const FORMULA = /^[=+\-@\t]/;

/**
 * Makes text that is not the user's data (a server's message, a file name) safe for a spreadsheet cell: one line,
 * without control characters, and never a formula. At most `limit` characters.
 */
export function spreadsheetSafe(text: string, limit?: number): string {
  const clean = printable(text, limit);
  return FORMULA.test(clean) ? `'${clean}` : clean;
}
