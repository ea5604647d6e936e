/** Writes CSV as RFC 4180 describes it. Reading is decode's work. Pure. */
import { printable } from '../lib/printable.ts';

/** U+FEFF: without it, spreadsheets take UTF-8 for the local 8-bit encoding. */
export const BOM = '\u{feff}';

/**
 * One line of CSV, ended by CRLF (RFC 4180, section 2). A cell is quoted where it holds the delimiter, a quote,
 * or a line end, and where it begins or ends in a blank, which some readers would trim away.
 *
 * A line of one empty or blank cell is quoted too: it would otherwise read as a blank line, which is no row.
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

/** One cell of a line with others, quoted where it has to be. */
export function csvCell(cell: string, delimiter: string): string {
  return needsQuotes(cell, delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function needsQuotes(cell: string, delimiter: string): boolean {
  return cell.includes(delimiter) || /["\r\n]|^\s|\s$/.test(cell);
}

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t]/;

/**
 * Text that is not the user's own data (a server's words, a file's name), for a cell that will be opened in a
 * spreadsheet: in one line, without control characters, and never a formula. At most `limit` characters.
 */
export function spreadsheetSafe(text: string, limit?: number): string {
  const clean = printable(text, limit);
  return FORMULA.test(clean) ? `'${clean}` : clean;
}
