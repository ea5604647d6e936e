/**
 * NDJSON: one JSON object per line. row-bounds.ts finds the lines; a line that is not an object breaks only that row. A
 * column is a path, `company.name` or `tags.0`; the mapping looks up its values.
 */
import { ProblemError } from '../model/problem.ts';
import type { Issue } from '../model/row.ts';
import { byteDialect, hasCarriageReturnLineEnds } from './csv-layout.ts';
import { type DuplicateKey, findDuplicateKey } from './duplicate-key.ts';
import type { Format, ParsedRow } from './format.ts';
import { jsonErrorIndex } from './json-error.ts';
import { createRowScanner, type RowSlice } from './row-bounds.ts';
import { count, excerptOf } from './utf8-text.ts';

/** Limits of the search for columns: rows, depth and number of columns. */
const SAMPLE_ROWS = 100;
const PATH_DEPTH = 32;
const COLUMN_LIMIT = 5000;

/** Deepest nesting of an object. JSON.parse accepts any depth, but JSON.stringify overflows the stack. */
const DEPTH_LIMIT = 500;

/** Longest text, in characters, in which the position of an error is searched. */
const SEARCH_LIMIT = 2 ** 20;

export const ndjson: Format = {
  name: 'ndjson',
  extensions: ['.ndjson', '.jsonl'],

  detect(head, options) {
    if (options.headerLine !== undefined) throw headerLineProblem(head.name, 'NDJSON');
    const start = { byte: head.offset, line: 1 };
    const lineEnd = hasCarriageReturnLineEnds(head.bytes, '') ? ('\r' as const) : undefined;
    const scanner = createRowScanner({
      ...byteDialect({ lineEnd }),
      maxRowBytes: options.maxRowBytes,
      start,
    });
    const sample = createSample();
    sample.add(scanner.push(head.bytes), lineOf);
    if (head.whole) sample.add(scanner.end(), lineOf);
    if (sample.objects === 0) throw notNdjson(head.name, sample);
    return {
      format: 'ndjson',
      lineEnd,
      columns: sample.columns(),
      body: start,
      description: ['NDJSON', head.encoding, count(sample.columns().length, 'column')],
    };
  },

  createScanner: ({ body, lineEnd }, options) =>
    createRowScanner({
      ...byteDialect({ lineEnd }),
      maxRowBytes: options.maxRowBytes,
      start: body,
    }),

  parse: (slice, rows) =>
    rows.map((row) =>
      parseObject(lineOf(slice.bytes.subarray(row.start - slice.offset, row.end - slice.offset)), EXPECTED),
    ),
};

const EXPECTED = 'one JSON object per line';

/** The first rows of an input. */
export interface Sample {
  /** Rows added, and how many of them are objects. */
  readonly rows: number;
  readonly objects: number;
  /** The first row that is not an object. */
  readonly firstProblem:
    | { readonly line: number; readonly found: string; readonly hint?: string | undefined }
    | undefined;
  /** The paths of the objects' leaves, in order of appearance. */
  columns(): readonly string[];
  add(slice: RowSlice, text: (row: Buffer) => string): void;
}

export function createSample(): Sample {
  const columns = new Set<string>();
  let rows = 0;
  let objects = 0;
  let problem: Sample['firstProblem'];
  return {
    get rows() {
      return rows;
    },
    get objects() {
      return objects;
    },
    get firstProblem() {
      return problem;
    },
    columns: () => [...columns],
    add(slice, text) {
      for (const row of slice.rows) {
        if (rows === SAMPLE_ROWS) return;
        rows += 1;
        if (row.problem !== undefined) continue;
        const bytes = slice.bytes.subarray(row.start - slice.offset, row.end - slice.offset);
        const parsed = parseObject(text(bytes), EXPECTED);
        if ('content' in parsed) {
          objects += 1;
          addPaths(parsed.content, columns);
        } else {
          const { found = 'nothing', hint } = parsed.issue;
          problem ??= { line: row.line, found, hint };
        }
      }
    },
  };
}

/** The text of a row without its line end. */
function lineOf(bytes: Buffer): string {
  const lineFeed = bytes.at(-1) === 0x0a ? 1 : 0;
  const carriageReturn = bytes[bytes.length - lineFeed - 1] === 0x0d ? 1 : 0;
  return bytes.toString('utf8', 0, bytes.length - lineFeed - carriageReturn);
}

/** Parses one object. `expected`: for the issue if the text is not one. */
export function parseObject(text: string, expected: string): ParsedRow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A SyntaxError, or a RangeError if the nesting is too deep for V8.
    return { issue: notJson(text, expected) };
  }
  if (!isObject(value)) return { issue: notObject(value, text, expected) };
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
  const twice = findDuplicateKey(text, value);
  if (twice !== undefined) return { issue: keyTwice(twice) };
  return { content: value, text };
}

function keyTwice({ path, values }: DuplicateKey): Issue {
  return {
    code: 'json',
    column: path,
    found: excerptOf(values.join(' and ')),
    expected: `one value for the key "${excerptOf(path)}", which occurs twice`,
    hint: 'Remove or rename one of them.',
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function notObject(value: unknown, text: string, expected: string): Issue {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return {
    code: 'json',
    found: excerptOf(kind === 'null' ? kind : `${kind}: ${text.trim()}`),
    expected,
    ...(Array.isArray(value) && expected === EXPECTED
      ? { hint: 'Write each object of the array on a separate line.' }
      : {}),
  };
}

function notJson(text: string, expected: string): Issue {
  const issue = { code: 'json', found: excerptOf(text.trim()), expected } as const;
  // The search uses a regular expression, which overflows V8's stack on strings of many megabytes.
  if (text.length > SEARCH_LIMIT) return issue;
  const at = jsonErrorIndex(text);
  return {
    ...issue,
    hint:
      at >= text.trimEnd().length
        ? `It ends after character ${text.trimEnd().length}${expected === EXPECTED ? ': an object must be on one line' : ''}.`
        : `It is not JSON from character ${at + 1} on.`,
  };
}

function isTooDeep(value: object): boolean {
  const waiting: { value: object; depth: number }[] = [{ value, depth: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.depth > DEPTH_LIMIT) return true;
    for (const inner of Object.values(next.value)) {
      if (typeof inner === 'object' && inner !== null) waiting.push({ value: inner, depth: next.depth + 1 });
    }
  }
  return false;
}

/** Adds the paths of the leaves, in order. An empty object or array has none. */
function addPaths(content: object, columns: Set<string>, prefix = '', depth = 1): void {
  for (const [key, value] of Object.entries(content)) {
    if (columns.size >= COLUMN_LIMIT) return;
    const path = prefix + key;
    if (typeof value !== 'object' || value === null) columns.add(path);
    else if (depth < PATH_DEPTH) addPaths(value, columns, `${path}.`, depth + 1);
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

function notNdjson(name: string, { rows, firstProblem: problem }: Sample): ProblemError {
  if (problem === undefined) {
    return new ProblemError({
      code: 'input.format',
      message: `The first lines of '${name}' are too long to read; expected NDJSON, one JSON object per line.`,
      where: name,
      hint: 'Check that the file is NDJSON. For CSV, use `--format csv`.',
    });
  }
  return new ProblemError({
    code: 'input.format',
    message: `'${name}' is not NDJSON: none of its first ${count(rows, 'line')} is a JSON object. Found ${problem.found}.`,
    where: `${name}:${problem.line}`,
    hint: `${problem.hint ?? 'Expected one JSON object per line.'} For CSV, use \`--format csv\`; for one JSON array, \`--format json\`.`,
  });
}
