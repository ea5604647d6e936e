/** NDJSON: one object per line. A column is a path, `company.name` or `tags.0`; the mapping looks up its values. */
import { excerpt, isObject, jsonStringEnd } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { addPaths, type Issue, isCells } from '../model/row.ts';
import { bytesOf, type Format, type Head, type ParsedRow, type RowSlice } from './decode-types.ts';
import { LineScanner } from './line-scanner.ts';

export const ndjson: Format = {
  recognises: (start) => start.startsWith('{'),

  detect(head, { maxRowBytes }) {
    const body = { byte: head.offset, line: 1 };
    return { columns: findColumns(head, new LineScanner({ maxRowBytes, start: body })), body };
  },

  parse: (rows) => rows.map((row) => parseLine(row.toString().trimEnd())),
};

/** A rejects file has the text of a line that could not be parsed in `_raw`. The user may have corrected it there. */
function parseLine(text: string): ParsedRow {
  const parsed = parseObject(text);
  if ('issue' in parsed || isCells(parsed.content) || !('_reason' in parsed.content)) return parsed;
  const { _raw: raw } = parsed.content;
  return typeof raw === 'string' ? parseObject(raw) : parsed;
}

const SAMPLE_ROWS = 100;

/** Deepest nesting of an object. JSON.parse accepts any depth, but JSON.stringify overflows the stack. */
const DEPTH_LIMIT = 500;

export function parseObject(text: string): ParsedRow {
  const expected = 'a JSON object';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { issue: { code: 'json', found: excerpt(text.trim()), expected, hint: syntaxHint(error, text) } };
  }
  if (!isObject(value)) {
    const found =
      value === null ? 'null' : `${Array.isArray(value) ? 'an array' : `a ${typeof value}`}: ${text.trim()}`;
    const hint = Array.isArray(value) ? 'Write each object on its own line, without the array.' : undefined;
    return { issue: { code: 'json', found: excerpt(found), expected, hint } };
  }
  const issue = findFault(text);
  return issue === undefined ? { content: value, text } : { issue };
}

/** Where the text stops being JSON. V8 names the position of most errors, and for others quotes the place. */
function syntaxHint(error: unknown, text: string): string | undefined {
  // A RangeError if the nesting is too deep for V8.
  if (!(error instanceof SyntaxError)) return undefined;
  const { message } = error;
  const end = text.trimEnd().length;
  const at = message.endsWith('end of JSON input') ? end : Number(/ at position (\d+)/.exec(message)?.[1]);
  if (Number.isNaN(at)) return `${message}.`;
  const what = text.charAt(at) < ' ' ? ' (a control character)' : '';
  if (at < end) return `The JSON error is at character ${at + 1}${what}.`;
  return `The line ends within the JSON, after character ${end}. Each object must be on one line.`;
}

/** Not of strings: a regular expression would overflow V8's stack on a long one. */
const TOKEN = /[{}[\],:"]|[^\s{}[\],:"]+/g;

interface Open {
  /** The keys so far. Absent for an array. */
  readonly names: Set<string> | undefined;
  /** The name, or the index, of the current value. */
  key: string | number;
}

/** Too deep nesting, or the first key that an object has twice: JSON.parse would lose the first value (RFC 8259, section 4). */
function findFault(text: string): Issue | undefined {
  const open: Open[] = [];
  /** The last string. A colon makes it a key. */
  let last = '';
  const tokens = new RegExp(TOKEN);
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const { 0: token, index } = found;
    const inner = open.at(-1);
    if (open.length > DEPTH_LIMIT) {
      const found = `an object nested deeper than ${DEPTH_LIMIT} levels`;
      return { code: 'json', found, expected: 'a JSON object of fields and values' };
    }
    if (token === '{') open.push({ names: new Set(), key: '' });
    else if (token === '[') open.push({ names: undefined, key: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof inner?.key === 'number') inner.key += 1;
    else if (token === '"') {
      tokens.lastIndex = jsonStringEnd(text, index);
      last = text.slice(index, tokens.lastIndex);
    } else if (token === ':' && inner?.names !== undefined) {
      const name = last.includes('\\') ? String(JSON.parse(last)) : last.slice(1, -1);
      inner.key = name;
      if (inner.names.has(name)) {
        const column = open.map(({ key }) => key).join('.');
        const expected = `one value for the key "${excerpt(column)}", which occurs twice`;
        return { code: 'json', column, found: 'two values', expected, hint: 'Remove or rename one of them.' };
      }
      inner.names.add(name);
    }
  }
  return undefined;
}

/** The paths of the leaves. @throws ProblemError `input.format` if none of the first rows is an object; an array may be empty */
function findColumns(head: Head, scanner: LineScanner): readonly string[] {
  const columns = new Set<string>();
  let rows = 0;
  let objects = 0;
  let first: { readonly line: number; readonly issue: Issue } | undefined;
  const add = (slice: RowSlice): void => {
    for (const row of slice.rows.slice(0, SAMPLE_ROWS - rows)) {
      rows += 1;
      if (row.problem !== undefined) continue;
      const parsed = parseObject(bytesOf(slice, row).toString());
      if ('issue' in parsed) first ??= { line: row.line, issue: parsed.issue };
      else {
        objects += 1;
        addPaths(parsed.content, columns);
      }
    }
  };
  add(scanner.push(head.bytes));
  if (head.whole) add(scanner.end());
  if (objects > 0 || (rows === 0 && head.whole)) return [...columns];
  const { line = 1, issue } = first ?? {};
  const { found = 'rows that are too long to read', expected = 'objects', hint = '' } = issue ?? {};
  throw new ProblemError({
    code: 'input.format',
    message: `'${head.name}' does not consist of JSON objects: found ${found}, expected ${expected}.`,
    where: `${head.name}:${line}`,
    hint: `${hint} For objects of several lines: \`jq -c . FILE\`; for an array in an object: \`jq -c '.items[]' FILE\`; for an array: \`--format json\`; for CSV: \`--format csv\`.`.trim(),
  });
}
