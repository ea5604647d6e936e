/** Reads columns of rows: trimmed values, undefined if absent. Only this file distinguishes CSV rows from NDJSON objects. */
import type { Content } from '../model/row.ts';

/** Reads one column of a row. Undefined if the cell is empty or the path absent. */
export type Read<C extends Content> = (content: C) => unknown;

export type Cells = readonly string[];
export type JsonObject = Readonly<Record<string, unknown>>;

export function isCells(content: Content): content is Cells {
  return Array.isArray(content);
}

export function isJsonObject(content: Content): content is JsonObject {
  return !isCells(content);
}

/** @param empty trimmed texts that count as empty */
export function cellReader(index: number, empty: ReadonlySet<string>): Read<Cells> {
  const present = presence(empty);
  return (cells) => {
    const cell = cells[index];
    return cell === undefined ? undefined : present(cell);
  };
}

/**
 * Converts a cell to a number if formatting that number gives the same cell (docs/spec/cli.md, "Mapping"): `007`, `1.50` and
 * `1e3` stay text.
 */
export function numericCell(value: string): string | number {
  const first = value.charCodeAt(0);
  const starts = (first >= 48 && first <= 57) || first === 45;
  if (!starts) return value;
  const number = Number(value);
  // The first character rules out NaN and Infinity, but not -Infinity.
  return Number.isFinite(number) && String(number) === value ? number : value;
}

/**
 * Reads a path such as `company.name` or `tags.0`; own properties only. A key with dots takes precedence over the path:
 * `{"company.name": …}` over `{"company": {"name": …}}`.
 */
export function pathReader(path: string, empty: ReadonlySet<string>): Read<JsonObject> {
  const at = lookup(path.split('.'));
  const present = presence(empty);
  return (object) => {
    const value = at(object);
    if (value === null) return undefined;
    return typeof value === 'string' ? present(value) : value;
  };
}

function lookup(segments: readonly string[]): (from: unknown) => unknown {
  const steps = segments
    .map((_, index) => ({
      key: segments.slice(0, index + 1).join('.'),
      rest: index + 1 < segments.length ? lookup(segments.slice(index + 1)) : undefined,
    }))
    .reverse();
  return (from) => {
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

function presence(empty: ReadonlySet<string>): (cell: string) => string | undefined {
  // Lookups hash the text, and texts that count as empty are short.
  const longest = Math.max(0, ...[...empty].map((text) => text.length));
  return (cell) => {
    const text = trim(cell);
    return text === '' || (text.length <= longest && empty.has(text)) ? undefined : text;
  };
}

/** Trims Unicode white space and the byte order mark. `String.prototype.trim` does not know U+0085. */
export function trim(text: string): string {
  const trimmed = text.trim();
  if (!isNextLine(trimmed, 0) && !isNextLine(trimmed, trimmed.length - 1)) return trimmed;
  return trimmed.replace(/^[\s\u0085]+|[\s\u0085]+$/gu, '');
}

function isNextLine(text: string, index: number): boolean {
  return text.charCodeAt(index) === 0x85;
}
