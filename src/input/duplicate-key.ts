/**
 * Finds keys that occur twice in a JSON object. JSON.parse keeps only the last value (RFC 8259, section 4, leaves it
 * open), so data would be lost silently.
 */
import { cut, jsonStringEnd } from '../lib/text.ts';

export interface DuplicateKey {
  /** As in a column name: `company.name`. */
  readonly path: string;
  /** Both values as in the text; of an object or array the first characters. */
  readonly values: readonly [string, string];
}

/**
 * The first key that occurs twice in one object.
 *
 * @param text valid JSON, from which `value` was parsed.
 */
export function findDuplicateKey(text: string, value: object): DuplicateKey | undefined {
  // Counting is cheap. If the text has as many names as the value has keys, none was lost.
  return countNames(text) === countKeys(value) ? undefined : search(text);
}

/** Counts colons after a quotation mark: ends of names, and what looks like one inside a string (`\":`). */
function countNames(text: string): number {
  let names = 0;
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    let before = colon - 1;
    while (isSpace(text.charCodeAt(before))) before -= 1;
    if (text.charCodeAt(before) === QUOTE) names += 1;
  }
  return names;
}

const QUOTE = 0x22;

/** White space of JSON. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
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

/**
 * A bracket, a comma or a colon, the beginning of a string, or a number or word. The text is known to be JSON.
 * A regular expression would overflow V8's stack on a long string, so `jsonStringEnd` skips strings.
 */
const TOKEN = /[{}[\],:"]|[^\s{}[\],:"]+/g;

/** An open object or array. */
interface Open {
  /** The index at which the value of each key starts. Absent for an array. */
  readonly names: Map<string, number> | undefined;
  /** The name, or the index, of the current value. */
  key: string | number;
}

function search(text: string): DuplicateKey | undefined {
  const open: Open[] = [];
  /** The last string. A colon makes it a key. */
  let last = '';
  const tokens = new RegExp(TOKEN);
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const { 0: token, index } = found;
    const inner = open.at(-1);
    if (token === '{') open.push({ names: new Map(), key: '' });
    else if (token === '[') open.push({ names: undefined, key: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof inner?.key === 'number') inner.key += 1;
    else if (token === '"') {
      tokens.lastIndex = jsonStringEnd(text, index);
      last = text.slice(index, tokens.lastIndex);
    } else if (token === ':' && inner?.names !== undefined) {
      const name = String(JSON.parse(last));
      inner.key = name;
      const before = inner.names.get(name);
      if (before !== undefined) {
        const path = open.map(({ key }) => key).join('.');
        return { path, values: [valueAt(text, before), valueAt(text, index + 1)] };
      }
      inner.names.set(name, index + 1);
    }
  }
  return undefined;
}

const VALUE_CHARACTERS = 30;

function valueAt(text: string, index: number): string {
  const found = /^\s*("(?:[^"\\]|\\.)*"|[^\s,}\]]+)/.exec(text.slice(index, index + 10 * VALUE_CHARACTERS));
  const value = found?.[1] ?? text.slice(index, index + VALUE_CHARACTERS).trim();
  return cut(value, VALUE_CHARACTERS);
}
