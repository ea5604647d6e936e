/**
 * What a column holds in a row: trimmed, and undefined where it is absent. The only place in this room that
 * knows the difference between a CSV row and an NDJSON object.
 */
import type { Content } from '../model/row.ts';

/** Reads one column of a row. Undefined: the cell is empty, or the path is not there. */
export type Read<C extends Content> = (content: C) => unknown;

export type Cells = readonly string[];
export type JsonObject = Readonly<Record<string, unknown>>;

export function isCells(content: Content): content is Cells {
  return Array.isArray(content);
}

export function isJsonObject(content: Content): content is JsonObject {
  return !isCells(content);
}

/** The cell at `index`. `empty` holds trimmed texts that mean nothing. */
export function cellReader(index: number, empty: ReadonlySet<string>): Read<Cells> {
  const present = presence(empty);
  return (cells) => {
    const cell = cells[index];
    return cell === undefined ? undefined : present(cell);
  };
}

/**
 * A cell that becomes a number where writing that number gives the cell back exactly (cli.md, "Mapping"): so
 * `007`, `1.50`, `1e3`, and integers beyond 2^53 stay text.
 */
export function numericCell(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const first = value.charCodeAt(0);
  const starts = (first >= 48 && first <= 57) || first === 45;
  if (!starts) return value;
  const number = Number(value);
  // The first character rules out NaN and Infinity, but not -Infinity.
  return Number.isFinite(number) && String(number) === value ? number : value;
}

/**
 * The value at a path such as `company.name` or `tags.0`. Own properties only. Where keys have dots themselves,
 * the longer key wins over the path: `{"company.name": …}` over `{"company": {"name": …}}`.
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
      // An array's own "length" is no data.
      if (!Object.hasOwn(from, key) || (key === 'length' && Array.isArray(from))) continue;
      const value: unknown = Reflect.get(from, key);
      const found = rest === undefined ? value : rest(value);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function presence(empty: ReadonlySet<string>): (cell: string) => string | undefined {
  // To look a text up takes longer the longer it is, and those that mean nothing are short.
  const longest = Math.max(0, ...[...empty].map((text) => text.length));
  return (cell) => {
    const text = trim(cell);
    return text === '' || (text.length <= longest && empty.has(text)) ? undefined : text;
  };
}

/** White space as Unicode has it, and the byte order mark: String.prototype.trim knows all but U+0085. */
export function trim(text: string): string {
  const trimmed = text.trim();
  if (!isNextLine(trimmed, 0) && !isNextLine(trimmed, trimmed.length - 1)) return trimmed;
  return trimmed.replace(/^[\s\u0085]+|[\s\u0085]+$/gu, '');
}

function isNextLine(text: string, index: number): boolean {
  return text.charCodeAt(index) === 0x85;
}
