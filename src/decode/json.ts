/**
 * JSON: one array of objects, `[ {…}, {…} ]`, read as a stream: it may be larger than the memory. Where its
 * elements begin and end is decided by elements.ts; each is a row, as a line of NDJSON is.
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
      torn(head.name, problem),
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
      torn(name, problem),
    ),

  parse: (slice, rows) =>
    rows.map((row) => {
      const text = slice.bytes.toString('utf8', row.start - slice.offset, row.end - slice.offset);
      const parsed = parseObject(text, 'a JSON object, as the elements of the array are');
      // Line ends stand between tokens only: a string of JSON cannot hold one. So this changes no value, and the
      // row can be written as a line of NDJSON.
      return 'issue' in parsed ? parsed : { ...parsed, text: text.replace(/[\r\n]+[ \t\r\n]*/g, ' ') };
    }),
};

/** Behind the opening bracket. */
function arrayStart(head: Head): { byte: number; line: number } {
  const text = head.bytes.toString('latin1');
  const open = /^[ \t\r\n]*\[/.exec(text)?.[0];
  if (open !== undefined) {
    return { byte: head.offset + open.length, line: open.split('\n').length };
  }
  const object = /^[ \t\r\n]*\{/.test(text);
  throw new ProblemError({
    code: 'input.format',
    message: `'${head.name}' is no JSON array; expected \`[\` at its beginning, and objects in it.`,
    where: head.name,
    hint: object
      ? 'Where it is one object a line, give `--format ndjson`; where the rows are an array inside an object, take that out: `jq .items FILE.json`.'
      : 'For CSV, give `--format csv`.',
  });
}

function noObjects(
  name: string,
  { rows, firstProblem }: { rows: number; firstProblem?: { line: number; found: string } | undefined },
): ProblemError {
  return new ProblemError({
    code: 'input.format',
    message: `'${name}' is no array of objects: of its first ${count(rows, 'element')} none is one. Found ${firstProblem?.found ?? 'nothing'}.`,
    where: `${name}:${firstProblem?.line ?? 1}`,
    hint: 'Expected an array of objects: `[ {…}, {…} ]`.',
  });
}

function torn(name: string, { kind, at, line }: ArrayProblem): ProblemError {
  return new ProblemError({
    code: 'input.failed',
    message:
      kind === 'open'
        ? `'${name}' ends at byte ${at}, before its array is closed: it is torn.`
        : `In '${name}' something stands behind the end of the array, from byte ${at} on; expected one array and nothing else.`,
    where: `${name}:${line}`,
    hint:
      kind === 'open'
        ? 'Export it again. The elements before are rows; the last one, which is cut, is not.'
        : 'Put all objects into one array, or write one object a line and give `--format ndjson`.',
  });
}
