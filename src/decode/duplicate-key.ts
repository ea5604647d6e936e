/**
 * Keys that an object of JSON has twice. JSON.parse keeps the last value and says nothing of the others (RFC 8259,
 * section 4, leaves it open); here data would be lost in silence.
 */

export interface DuplicateKey {
  /** As a column is named: `company.name`. */
  readonly path: string;
  /** Both values, as they stand in the text; an object or array as its first characters. */
  readonly values: readonly [string, string];
}

/** The end of a name, and what looks like one inside a string: `\":`. */
const NAME_END = /"[ \t\n\r]*:/g;

/**
 * The first key that stands twice in one object.
 *
 * @param text valid JSON, from which `value` was parsed.
 */
export function duplicateKey(text: string, value: object): DuplicateKey | undefined {
  // Counting is cheap, and where as many names are in the text as in the value, none was lost.
  const names = text.match(NAME_END)?.length ?? 0;
  return names === countKeys(value) ? undefined : search(text);
}

function countKeys(value: object): number {
  let keys = 0;
  const waiting: object[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const inner = Object.values(next);
    if (!Array.isArray(next)) keys += inner.length;
    for (const child of inner) if (typeof child === 'object' && child !== null) waiting.push(child);
  }
  return keys;
}

/** A string, a bracket, a comma or a colon, or a number or word. The text is known to be JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

interface Open {
  readonly isObject: boolean;
  /** Names of an object, with where their values begin. */
  readonly names: Map<string, number>;
  /** The name, or the index, of the value in hand. */
  key: string;
  index: number;
}

function search(text: string): DuplicateKey | undefined {
  const open: Open[] = [];
  /** The string before a colon. */
  let last = '';
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const inner = open.at(-1);
    if (token === '{' || token === '[')
      open.push({ isObject: token === '{', names: new Map(), key: '0', index: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && inner !== undefined && !inner.isObject) {
      inner.index += 1;
      inner.key = String(inner.index);
    } else if (token === ':' && inner !== undefined) {
      inner.key = String(JSON.parse(last));
      const before = inner.names.get(inner.key);
      if (before !== undefined) {
        const path = open.map(({ key }) => key).join('.');
        return { path, values: [valueAt(text, before), valueAt(text, index + 1)] };
      }
      inner.names.set(inner.key, index + 1);
    } else last = token;
  }
  return undefined;
}

const VALUE_CHARACTERS = 30;

function valueAt(text: string, index: number): string {
  const found = /^\s*("(?:[^"\\]|\\.)*"|[^\s,}\]]+)/.exec(text.slice(index, index + 10 * VALUE_CHARACTERS));
  const value = found?.[1] ?? text.slice(index, index + VALUE_CHARACTERS).trim();
  return value.length > VALUE_CHARACTERS ? `${value.slice(0, VALUE_CHARACTERS - 1)}…` : value;
}
