/** Writes CSV (RFC 4180). Pure. */
import { printable } from '../lib/printable.ts';

/** Without a BOM, spreadsheets read UTF-8 as the local 8-bit encoding. */
export const BOM = '\u{feff}';

/**
 * One line of CSV with CRLF (RFC 4180, section 2). A cell is quoted if it contains the delimiter, a quote or a line
 * break, or if it starts or ends with a space, which some readers trim.
 */
export function csvLine(cells: readonly string[], delimiter: string): string {
  // An empty line would not be a row.
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\r\n`;
}

function csvCell(cell: string, delimiter: string): string {
  const needsQuotes = cell.includes(delimiter) || /["\r\n]|^\s|\s$/.test(cell);
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Makes text that is not the user's data (a server's message, a file name) safe for a spreadsheet cell: one line,
 * without control characters, and never a formula. At most `limit` characters.
 */
export function spreadsheetSafe(text: string, limit?: number): string {
  const clean = printable(text, limit);
  return /^[=+\-@\t]/.test(clean) ? `'${clean}` : clean;
}
