/** Numbers that reading has preserved. Integers from 2^53 are rounded, and 1e400 is infinite. */

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

export function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** The number of a decimal text such as `87`, `-.5` or `1e3`, exact or not; of a text with other characters, undefined. */
export function decimalOf(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined;
}

/** The text of a text, or of an exact number. Undefined for other values. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && isExact(value) ? String(value) : undefined;
}

/**
 * Converts a cell to a number if formatting that number gives the same cell (docs/mapping.md, "Values"): `007`, `1.50` and
 * `1e3` stay text, and so do integers from 2^53.
 */
export function numericCell(cell: string): string | number {
  const first = cell.charCodeAt(0);
  const starts = (first >= 48 && first <= 57) || first === 45;
  if (!starts) return cell;
  const number = Number(cell);
  return isExact(number) && String(number) === cell ? number : cell;
}
