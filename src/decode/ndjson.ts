/**
 * NDJSON: one JSON object a line. Where lines end is decided by bounds.ts; a line that is no object breaks that
 * row alone. An NDJSON column is a path, `company.name` or `tags.0`; finding values by path is map's work.
 */
import { ProblemError } from '../model/problem.ts';
import type { Issue } from '../model/row.ts';
import { bounds } from './bounds.ts';
import type { Format, Parsed } from './format.ts';
import { jsonFaultAt } from './json-fault.ts';
import { dialectOf, endsWithReturns } from './layout.ts';
import { count, excerptOf } from './text.ts';

/** How many lines are looked at for columns, how deep, and how many columns are listed at most. */
const SAMPLE_LINES = 100;
const PATH_DEPTH = 32;
const COLUMN_LIMIT = 5000;

/**
 * Deepest nesting of an object that is taken. JSON.parse takes any, but writing deep values back overflows the
 * stack, and no row of data is like that.
 */
const DEPTH_LIMIT = 500;

export const ndjson: Format = {
  name: 'ndjson',
  extensions: ['.ndjson', '.jsonl'],

  recognise(head, options) {
    if (options.headerLine !== undefined) throw noHeaderLine(head.name);
    const start = { byte: head.offset, line: 1 };
    const lineEnd = endsWithReturns(head.bytes, '') ? ('\r' as const) : undefined;
    const form = lineEnd === undefined ? {} : { lineEnd };
    const scan = bounds({ ...dialectOf(form), maxRowBytes: options.maxRowBytes, start });
    const columns = new Set<string>();
    let lines = 0;
    let objects = 0;
    let firstFault: { line: number; issue: Issue } | undefined;
    const look = (slice: ReturnType<typeof scan.push>): void => {
      for (const row of slice.rows) {
        if (lines === SAMPLE_LINES) return;
        lines += 1;
        if (row.fault !== undefined) continue;
        const parsed = parseLine(textOf(slice.bytes, row.start - slice.offset, row.end - slice.offset));
        if ('issue' in parsed) firstFault ??= { line: row.line, issue: parsed.issue };
        else {
          objects += 1;
          addPaths(parsed.content, columns);
        }
      }
    };
    look(scan.push(head.bytes));
    if (head.whole) look(scan.end());
    if (objects === 0) throw notNdjson(head.name, lines, firstFault);
    return {
      format: 'ndjson',
      ...form,
      columns: [...columns],
      body: start,
      said: ['NDJSON', head.encoding, count(columns.size, 'column')],
    };
  },

  dialect: ({ lineEnd }) => dialectOf(lineEnd === undefined ? {} : { lineEnd }),

  parse: (slice, rows) =>
    rows.map((row) => parseLine(textOf(slice.bytes, row.start - slice.offset, row.end - slice.offset))),
};

/** Without its line end. */
function textOf(bytes: Buffer, start: number, end: number): string {
  const feed = end > start && bytes[end - 1] === 0x0a ? 1 : 0;
  const back = end - feed > start && bytes[end - feed - 1] === 0x0d ? 1 : 0;
  return bytes.toString('utf8', start, end - feed - back);
}

function parseLine(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A SyntaxError, or a RangeError where the nesting is deeper than the engine takes.
    return { issue: notJson(text) };
  }
  if (!isObject(value)) return { issue: notObject(value, text) };
  // Each level takes two characters at least.
  if (text.length > 2 * DEPTH_LIMIT && isTooDeep(value)) {
    return {
      issue: {
        code: 'json',
        found: `an object nested deeper than ${DEPTH_LIMIT} levels`,
        expected: 'a JSON object of fields and values',
      },
    };
  }
  return { content: value, text };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function notObject(value: unknown, text: string): Issue {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return {
    code: 'json',
    found: excerptOf(kind === 'null' ? kind : `${kind}: ${text.trim()}`),
    expected: 'a JSON object, one a line',
    ...(Array.isArray(value) ? { hint: 'Write each object of the array on a line of its own.' } : {}),
  };
}

function notJson(text: string): Issue {
  const at = jsonFaultAt(text);
  return {
    code: 'json',
    found: excerptOf(text.trim()),
    expected: 'a JSON object, one a line',
    hint:
      at >= text.trimEnd().length
        ? `It breaks off behind character ${text.trimEnd().length}: an object must stand on one line.`
        : `It stops being JSON at character ${at + 1}.`,
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

/** Adds the paths of the leaves in order. An empty object or array has none. */
function addPaths(content: object, columns: Set<string>, prefix = '', depth = 1): void {
  for (const [key, value] of Object.entries(content)) {
    if (columns.size >= COLUMN_LIMIT) return;
    const path = prefix + key;
    if (typeof value !== 'object' || value === null) columns.add(path);
    else if (depth < PATH_DEPTH) addPaths(value, columns, `${path}.`, depth + 1);
  }
}

function noHeaderLine(name: string): ProblemError {
  return new ProblemError({
    code: 'option.header_line',
    message: `'${name}' is NDJSON, which has no header; --header-line names the line of one.`,
    where: name,
    hint: 'Leave --header-line away, or read the file as CSV with `--format csv`.',
  });
}

function notNdjson(
  name: string,
  lines: number,
  fault: { line: number; issue: Issue } | undefined,
): ProblemError {
  if (fault === undefined) {
    return new ProblemError({
      code: 'input.format',
      message: `'${name}' has no line of readable length at its beginning; expected NDJSON, one JSON object a line.`,
      where: name,
      hint: 'Check that the file is NDJSON; for CSV, give `--format csv`.',
    });
  }
  return new ProblemError({
    code: 'input.format',
    message: `'${name}' is not NDJSON: of its first ${count(lines, 'line')} none is a JSON object. Found ${fault.issue.found ?? 'nothing'}.`,
    where: `${name}:${fault.line}`,
    hint: `${fault.issue.hint ?? 'Expected one JSON object a line.'} For CSV, give \`--format csv\`.`,
  });
}
