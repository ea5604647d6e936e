/** Reads columns of rows: trimmed values, undefined if absent. Only this file distinguishes CSV rows from NDJSON objects. */
import { isCells } from '../lib/is-cells.ts';
import type { Content } from '../model/row.ts';

/** Reads one column of a row. Undefined if the cell is empty or the path absent. */
export type Read = (content: Content) => unknown;

/** @param empty trimmed texts that count as empty */
export function cellReader(index: number, empty: ReadonlySet<string>): Read {
  const present = presence(empty);
  return (content) => {
    const cell = isCells(content) ? content[index] : undefined;
    return cell === undefined ? undefined : present(cell);
  };
}

/**
 * Converts a cell to a number if formatting that number gives the same cell (docs/spec/cli.md, "Mapping"): `007`, `1.50` and
 * `1e3` stay text, and so do integers above 2^53, which a number would round.
 */
export function numericCell(value: string): string | number {
  const first = value.charCodeAt(0);
  const starts = (first >= 48 && first <= 57) || first === 45;
  if (!starts) return value;
  const number = Number(value);
  if (Number.isInteger(number) ? !Number.isSafeInteger(number) : !Number.isFinite(number)) return value;
  return String(number) === value ? number : value;
}

/**
 * Reads a path such as `company.name` or `tags.0`; own properties only. A key with dots takes precedence over the path:
 * `{"company.name": …}` over `{"company": {"name": …}}`.
 */
export function pathReader(path: string, empty: ReadonlySet<string>): Read {
  const at = lookup(path.split('.'));
  const present = presence(empty);
  return (content) => {
    const value = at(content) ?? undefined;
    return typeof value === 'string' ? present(value) : value;
  };
}

type Find = (from: unknown) => unknown;

/** Tries keys of several parts before keys of fewer. */
function lookup(parts: readonly string[]): Find {
  /** By index of the first part. Built from the last part, so that each suffix is built once. */
  const finders: Find[] = [];
  for (let start = parts.length - 1; start >= 0; start -= 1) {
    const steps = parts
      .slice(start)
      .map((_, index) => ({ key: parts.slice(start, start + index + 1).join('.'), rest: finders[start + index + 1] }))
      .reverse();
    finders[start] = (from) => {
      if (typeof from !== 'object' || from === null) return undefined;
      for (const { key, rest } of steps) {
        // The own property "length" of an array is not data.
        if (!Object.hasOwn(from, key) || (key === 'length' && Array.isArray(from))) continue;
        const value: unknown = Reflect.get(from, key);
        const found = rest === undefined ? value : rest(value);
        if (found !== undefined) return found;
      }
      return undefined;
    };
  }
  return finders[0] ?? (() => undefined);
}

function presence(empty: ReadonlySet<string>): (cell: string) => string | undefined {
  // Avoids hashing long texts: texts that count as empty are short.
  const longest = Math.max(0, ...[...empty].map((text) => text.length));
  return (cell) => {
    const text = trim(cell);
    return text === '' || (text.length <= longest && empty.has(text)) ? undefined : text;
  };
}

/** Trims Unicode white space and the byte order mark. `String.prototype.trim` does not know U+0085. */
export function trim(text: string): string {
  const trimmed = text.trim();
  let start = 0;
  let end = trimmed.length;
  if (!isNextLine(trimmed, start) && !isNextLine(trimmed, end - 1)) return trimmed;
  // Not a regular expression, which would take quadratic time for blanks inside the text.
  while (start < end && BLANK.test(trimmed.charAt(start))) start += 1;
  while (start < end && BLANK.test(trimmed.charAt(end - 1))) end -= 1;
  return trimmed.slice(start, end);
}

const BLANK = /[\s\u0085]/u;

function isNextLine(text: string, index: number): boolean {
  return text.charCodeAt(index) === 0x85;
}
