/**
 * NDJSON: one JSON object per line. row-bounds.ts finds the lines; a line that is not an object breaks only that row. A
 * column is a path, `company.name` or `tags.0`; the mapping looks up its values.
 */
import { excerpt } from '../lib/excerpt.ts';
import { isCells } from '../lib/is-cells.ts';
import { addPaths } from '../lib/json-paths.ts';
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import type { Issue } from '../model/row.ts';
import { byteDialect, hasCarriageReturnLineEnds } from './csv-layout.ts';
import { findDuplicateKey } from './duplicate-key.ts';
import type { Format, ParsedRow } from './format.ts';
import { bytesOf, createRowScanner, type RowSlice } from './row-bounds.ts';

/** Limits of the search for columns: rows, depth and number of columns. */
const SAMPLE_ROWS = 100;

/** Deepest nesting of an object. JSON.parse accepts any depth, but JSON.stringify overflows the stack. */
const DEPTH_LIMIT = 500;

export const ndjson: Format = {
  detect(head, options) {
    if (options.headerLine !== undefined) throw headerLineProblem(head.name, 'NDJSON');
    const body = { byte: head.offset, line: 1 };
    const lineEnd = hasCarriageReturnLineEnds(head.bytes, '') ? ('\r' as const) : undefined;
    const scanner = createRowScanner({ ...byteDialect({ lineEnd }), maxRowBytes: options.maxRowBytes, start: body });
    const sample = new Sample();
    sample.add(scanner.push(head.bytes));
    if (head.whole) sample.add(scanner.end());
    if (sample.objects === 0) throw notNdjson(head.name, sample);
    const columns = [...sample.columns];
    return {
      format: 'ndjson',
      lineEnd,
      columns,
      body,
      description: ['NDJSON', head.encoding, plural(columns.length, 'column')],
    };
  },

  createScanner: ({ body, lineEnd }, { maxRowBytes }) =>
    createRowScanner({ ...byteDialect({ lineEnd }), maxRowBytes, start: body }),

  parse: (slice, rows) => rows.map((row) => parseLine(bytesOf(slice, row).toString().trimEnd())),
};

const EXPECTED = 'one JSON object per line';

/** A rejects file has the text of a line that could not be parsed in `_raw`. The user may have corrected it there. */
function parseLine(text: string): ParsedRow {
  const parsed = parseObject(text, EXPECTED);
  if ('issue' in parsed || isCells(parsed.content) || !('_reason' in parsed.content)) return parsed;
  const { _raw: raw } = parsed.content;
  return typeof raw === 'string' ? parseObject(raw, EXPECTED) : parsed;
}

/** The first rows of an input. */
export class Sample {
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
      const parsed = parseObject(bytesOf(slice, row).toString(), EXPECTED);
      if ('issue' in parsed) this.problem ??= { line: row.line, issue: parsed.issue };
      else {
        this.objects += 1;
        addPaths(parsed.content, this.columns);
      }
    }
  }
}

/** Parses one object. `expected`: for the issue if the text is not one. */
export function parseObject(text: string, expected: string): ParsedRow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { issue: { code: 'json', found: excerpt(text.trim()), expected, hint: syntaxHint(error, text, expected) } };
  }
  if (!isObject(value)) {
    const found =
      value === null ? 'null' : `${Array.isArray(value) ? 'an array' : `a ${typeof value}`}: ${text.trim()}`;
    const isArrayLine = Array.isArray(value) && expected === EXPECTED;
    const hint = isArrayLine ? 'Write each object on its own line, without the array.' : undefined;
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
  const duplicate = findDuplicateKey(text, value);
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
function syntaxHint(error: unknown, text: string, expected: string): string | undefined {
  // A RangeError if the nesting is too deep for V8.
  if (!(error instanceof SyntaxError)) return undefined;
  const { message } = error;
  const end = text.trimEnd().length;
  const at = message.endsWith('end of JSON input') ? end : Number(/ at position (\d+)/.exec(message)?.[1]);
  if (Number.isNaN(at)) return `${message}.`;
  if (at < end) return `The JSON error is at character ${at + 1}.`;
  return `The JSON is incomplete: it ends after character ${end}.${expected === EXPECTED ? ' An object must be on one line.' : ''}`;
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

export function headerLineProblem(name: string, format: string): ProblemError {
  return new ProblemError({
    code: 'option.header_line',
    message: `--header-line does not apply to '${name}': ${format} has no header.`,
    where: name,
    hint: 'Omit --header-line, or read the file as CSV with `--format csv`.',
  });
}

/** No row of an input can be read, because a key occurs twice in its first ones. */
export function repeatedKey(name: string, line: number, { column = '', found = '' }: Issue): ProblemError {
  return new ProblemError({
    code: 'input.format',
    message: `The key "${column}" occurs twice in one object: found ${found}.`,
    where: `${name}:${line}`,
    hint: 'Remove or rename one of them.',
  });
}

function notNdjson(name: string, { rows, problem }: Sample): ProblemError {
  if (problem === undefined) {
    return new ProblemError({
      code: 'input.format',
      message: `The first lines of '${name}' are too long to read; expected NDJSON, one JSON object per line.`,
      where: name,
      hint: 'Check that the file is NDJSON. For CSV, use `--format csv`.',
    });
  }
  const { line, issue } = problem;
  if (issue.column !== undefined) return repeatedKey(name, line, issue);
  const which = rows === 1 ? 'its first line is no JSON object' : `none of its first ${rows} lines is a JSON object`;
  const wrapped = issue.found?.startsWith('{')
    ? '; for an array inside an object, extract it: `jq .items FILE.json`'
    : '';
  return new ProblemError({
    code: 'input.format',
    message: `'${name}' is not NDJSON: ${which}. Found ${issue.found ?? 'nothing'}.`,
    where: `${name}:${line}`,
    hint: `${issue.hint ?? 'Expected one JSON object per line.'} For CSV, use \`--format csv\`; for one JSON array, \`--format json\`${wrapped}.`,
  });
}
