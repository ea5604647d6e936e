/**
 * JSON: one array of objects, `[ {…}, {…} ]`, read as a stream because it may be larger than memory. json-elements.ts
 * finds its elements; each is a row, like a line of NDJSON.
 */
import { ProblemError } from '../model/problem.ts';
import type { Format, Head } from './format.ts';
import { type ArrayProblem, createElementScanner } from './json-elements.ts';
import { createSample, headerLineProblem, parseObject } from './ndjson.ts';
import { count } from './utf8-text.ts';

export const json: Format = {
  name: 'json',
  extensions: ['.json'],

  detect(head, options) {
    if (options.headerLine !== undefined) throw headerLineProblem(head.name, 'JSON');
    const start = arrayStart(head);
    const sample = createSample();
    const scan = createElementScanner({ maxRowBytes: options.maxRowBytes, start }, (problem) =>
      arrayError(head.name, problem),
    );
    const text = (bytes: Buffer): string => bytes.toString('utf8');
    let slice = scan.push(head.bytes.subarray(start.byte - head.offset));
    sample.add(slice, text);
    if (head.whole) {
      slice = scan.end();
      sample.add(slice, text);
    }
    if (sample.rows > 0 && sample.objects === 0) throw noObjects(head.name, sample);
    return {
      format: 'json',
      columns: sample.columns(),
      body: start,
      description: ['JSON', head.encoding, count(sample.columns().length, 'column')],
    };
  },

  createScanner: (detected, options, name) =>
    createElementScanner({ maxRowBytes: options.maxRowBytes, start: detected.body }, (problem) =>
      arrayError(name, problem),
    ),

  parse: (slice, rows) =>
    rows.map((row) => {
      const text = slice.bytes.toString('utf8', row.start - slice.offset, row.end - slice.offset);
      const parsed = parseObject(text, 'a JSON object as each element of the array');
      // A JSON string cannot contain a line end, so this changes no value and makes the row a line of NDJSON.
      return 'issue' in parsed ? parsed : { ...parsed, text: text.replace(/[\r\n]+[ \t\r\n]*/g, ' ') };
    }),
};

/** The position after the opening bracket. */
function arrayStart(head: Head): { byte: number; line: number } {
  const text = head.bytes.toString('latin1');
  const open = /^[ \t\r\n]*\[/.exec(text)?.[0];
  if (open !== undefined) {
    return { byte: head.offset + open.length, line: open.split('\n').length };
  }
  const object = /^[ \t\r\n]*\{/.test(text);
  throw new ProblemError({
    code: 'input.format',
    message: `'${head.name}' is not a JSON array; expected an array of objects: \`[ {…}, {…} ]\`.`,
    where: head.name,
    hint: object
      ? 'If it has one object per line, use `--format ndjson`. If the rows are in an array inside an object, extract it: `jq .items FILE.json`.'
      : 'For CSV, use `--format csv`.',
  });
}

function noObjects(
  name: string,
  { rows, firstProblem }: { rows: number; firstProblem?: { line: number; found: string } | undefined },
): ProblemError {
  return new ProblemError({
    code: 'input.format',
    message: `'${name}' is not an array of objects: none of its first ${count(rows, 'element')} is an object. Found ${firstProblem?.found ?? 'nothing'}.`,
    where: `${name}:${firstProblem?.line ?? 1}`,
    hint: 'Expected an array of objects: `[ {…}, {…} ]`.',
  });
}

function arrayError(name: string, { kind, at, line }: ArrayProblem): ProblemError {
  return new ProblemError({
    code: 'input.failed',
    message:
      kind === 'open'
        ? `'${name}' is truncated: it ends at byte ${at}, before its array is closed.`
        : `'${name}' contains data after the end of the array, from byte ${at} on; expected a single array.`,
    where: `${name}:${line}`,
    hint:
      kind === 'open'
        ? 'Export it again. The complete elements are rows; the truncated one is not.'
        : 'Put all objects into one array, or write one object per line and use `--format ndjson`.',
  });
}
