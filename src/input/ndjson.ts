/**
 * Rows that are JSON objects, and NDJSON: one object per line. line-scanner.ts finds the lines; a line that is not an object
 * breaks only that row. A column is a path, `company.name` or `tags.0`; the mapping looks up its values.
 */
import { cut, excerpt, jsonStringEnd } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import { addPaths, type Issue, isCells } from '../model/row.ts';
import { LineScanner } from './line-scanner.ts';
import { bytesOf, type Format, type ParsedRow, type RowSlice } from './row-format.ts';

export const ndjson: Format = {
  recognises: (start) => start.startsWith('{'),

  detect(head, options) {
    if (options.headerLine !== undefined) throw headerLineProblem(head.name, 'NDJSON');
    const body = { byte: head.offset, line: 1 };
    const scanner = new LineScanner({ maxRowBytes: options.maxRowBytes, start: body });
    const sample = new ObjectSample();
    sample.add(scanner.push(head.bytes));
    if (head.whole) sample.add(scanner.end());
    if (sample.objects === 0) throw noObjects(head.name, sample, true);
    const columns = [...sample.columns];
    return {
      format: 'ndjson',
      columns,
      body,
      description: ['NDJSON', head.encoding, plural(columns.length, 'column')],
    };
  },

  createScanner: (_detected, start, { maxRowBytes }) => new LineScanner({ maxRowBytes, start }),

  parse: (rows) => rows.map((row) => parseLine(row.toString().trimEnd())),
};

/** A rejects file has the text of a line that could not be parsed in `_raw`. The user may have corrected it there. */
function parseLine(text: string): ParsedRow {
  const parsed = parseObject(text, true);
  if ('issue' in parsed || isCells(parsed.content) || !('_reason' in parsed.content)) return parsed;
  const { _raw: raw } = parsed.content;
  return typeof raw === 'string' ? parseObject(raw, true) : parsed;
}

/** The problem of an input whose first rows are no objects. @param isLines of NDJSON, otherwise of an array */
export function noObjects(name: string, { rows, problem }: ObjectSample, isLines: boolean): ProblemError {
  if (problem === undefined) {
    return new ProblemError({
      code: 'input.format',
      message: `The first rows of '${name}' are too long to read; expected ${isLines ? 'NDJSON, one JSON object per line' : 'an array of objects'}.`,
      where: name,
      hint: `Check that the file is ${isLines ? 'NDJSON' : 'JSON'}. For CSV, use \`--format csv\`.`,
    });
  }
  const { line, issue } = problem;
  const where = `${name}:${line}`;
  const { column, found = 'nothing' } = issue;
  if (column !== undefined) {
    return new ProblemError({
      code: 'input.format',
      message: `The key "${column}" occurs twice in one object: found ${found}.`,
      where,
      hint: 'Remove or rename one of them.',
    });
  }
  const row = isLines ? 'line' : 'element';
  const which =
    rows === 1 ? `its first ${row} is no JSON object` : `none of its first ${rows} ${row}s is a JSON object`;
  const wrapped = found.startsWith('{') ? '; for an array inside an object, extract it: `jq .items FILE.json`' : '';
  return new ProblemError({
    code: 'input.format',
    message: `'${name}' is not ${isLines ? 'NDJSON' : 'an array of objects'}: ${which}. Found ${found}.`,
    where,
    hint: isLines
      ? `${issue.hint ?? 'Expected one JSON object per line.'} For CSV, use \`--format csv\`; for one JSON array, \`--format json\`${wrapped}.`
      : 'Expected an array of objects: `[ {…}, {…} ]`.',
  });
}

/** Limit of the search for columns. */
const SAMPLE_ROWS = 100;

/** Deepest nesting of an object. JSON.parse accepts any depth, but JSON.stringify overflows the stack. */
const DEPTH_LIMIT = 500;

/** @param isLine whether the object must be a line of NDJSON. Otherwise it is an element of an array. */
export function parseObject(text: string, isLine: boolean): ParsedRow {
  const expected = isLine ? 'one JSON object per line' : 'a JSON object as each element of the array';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { issue: { code: 'json', found: excerpt(text.trim()), expected, hint: syntaxHint(error, text, isLine) } };
  }
  if (!isObject(value)) {
    const found =
      value === null ? 'null' : `${Array.isArray(value) ? 'an array' : `a ${typeof value}`}: ${text.trim()}`;
    const hint = isLine && Array.isArray(value) ? 'Write each object on its own line, without the array.' : undefined;
    return { issue: { code: 'json', found: excerpt(found), expected, hint } };
  }
  // Each level needs at least two characters.
  if (text.length > 2 * DEPTH_LIMIT && isTooDeep(value)) {
    return {
      issue: {
        code: 'json',
        found: `an object nested deeper than ${DEPTH_LIMIT} levels`,
        expected: 'a JSON object of fields and values',
      },
    };
  }
  const duplicate = findDuplicateKey(text);
  if (duplicate === undefined) return { content: value, text };
  const { path, values } = duplicate;
  return {
    issue: {
      code: 'json',
      column: path,
      found: excerpt(values.join(' and ')),
      expected: `one value for the key "${excerpt(path)}", which occurs twice`,
      hint: 'Remove or rename one of them.',
    },
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where the text stops being JSON. V8 names the position of most errors, and for others quotes the place. */
function syntaxHint(error: unknown, text: string, isLine: boolean): string | undefined {
  // A RangeError if the nesting is too deep for V8.
  if (!(error instanceof SyntaxError)) return undefined;
  const { message } = error;
  const end = text.trimEnd().length;
  const at = message.endsWith('end of JSON input') ? end : Number(/ at position (\d+)/.exec(message)?.[1]);
  if (Number.isNaN(at)) return `${message}.`;
  if (at < end) return `The JSON error is at character ${at + 1}.`;
  return `The JSON is incomplete: it ends after character ${end}.${isLine ? ' An object must be on one line.' : ''}`;
}

function isTooDeep(value: object): boolean {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEPTH_LIMIT) return true;
    level = level.flatMap((parent) =>
      Object.values(parent).filter((child) => typeof child === 'object' && child !== null),
    );
  }
  return false;
}

interface DuplicateKey {
  /** As in a column name: `company.name`. */
  readonly path: string;
  /** Both values as in the text; of an object or array the first characters. */
  readonly values: readonly [string, string];
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

/**
 * The first key that occurs twice in one object. JSON.parse keeps only the last value (RFC 8259, section 4, leaves it open), so
 * data would be lost silently.
 *
 * @param text valid JSON
 */
function findDuplicateKey(text: string): DuplicateKey | undefined {
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
      const name = last.includes('\\') ? String(JSON.parse(last)) : last.slice(1, -1);
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

/** The first rows of an input. */
export class ObjectSample {
  /** Rows added, and how many of them are objects. */
  rows = 0;
  objects = 0;
  /** The first row that is not an object. */
  problem: { readonly line: number; readonly issue: Issue } | undefined;
  /** The paths of the objects' leaves, in order of appearance. */
  readonly columns = new Set<string>();

  add(slice: RowSlice): void {
    for (const row of slice.rows) {
      if (this.rows === SAMPLE_ROWS) return;
      this.rows += 1;
      if (row.problem !== undefined) continue;
      const parsed = parseObject(bytesOf(slice, row).toString(), true);
      if ('issue' in parsed) this.problem ??= { line: row.line, issue: parsed.issue };
      else {
        this.objects += 1;
        addPaths(parsed.content, this.columns);
      }
    }
  }
}

export function headerLineProblem(name: string, format: string): ProblemError {
  return new ProblemError({
    code: 'option.header_line',
    message: `--header-line does not apply to '${name}': ${format} has no header.`,
    where: name,
    hint: 'Omit --header-line, or read the file as CSV with `--format csv`.',
  });
}
