/**
 * JSON: one array of objects, `[ {…}, {…} ]`, read as a stream because it may be larger than memory. json-elements.ts
 * finds its elements; each is a row, like a line of NDJSON.
 */
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import type { Format, Head } from './format.ts';
import { ElementScanner } from './json-elements.ts';
import { headerLineProblem, parseObject, repeatedKey, Sample } from './ndjson.ts';
import { bytesOf } from './row-bounds.ts';

export const json: Format = {
  detect(head, options) {
    if (options.headerLine !== undefined) throw headerLineProblem(head.name, 'JSON');
    const body = arrayStart(head);
    const scanner = json.createScanner({ ...head, body }, options);
    const sample = new Sample();
    sample.add(scanner.push(head.bytes.subarray(body.byte - head.offset)));
    if (head.whole) sample.add(scanner.end());
    const { rows, objects, problem } = sample;
    if (rows > 0 && objects === 0) {
      if (problem?.issue.column !== undefined) throw repeatedKey(head.name, problem.line, problem.issue);
      throw new ProblemError({
        code: 'input.format',
        message: `'${head.name}' is not an array of objects: ${rows === 1 ? 'its first element is no object' : `none of its first ${rows} elements is an object`}. Found ${problem?.issue.found ?? 'nothing'}.`,
        where: `${head.name}:${problem?.line ?? 1}`,
        hint: 'Expected an array of objects: `[ {…}, {…} ]`.',
      });
    }
    const columns = [...sample.columns];
    return { format: 'json', columns, body, description: ['JSON', head.encoding, plural(columns.length, 'column')] };
  },

  createScanner: ({ body, name }, { maxRowBytes }) => new ElementScanner(maxRowBytes, body, name),

  parse: (slice, rows) =>
    rows.map((row) => {
      const text = bytesOf(slice, row).toString();
      const parsed = parseObject(text, 'a JSON object as each element of the array');
      // A JSON string cannot contain a line end, so this changes no value and makes the row a line of NDJSON.
      return 'issue' in parsed ? parsed : { ...parsed, text: text.replace(/[\r\n]+[ \t\r\n]*/g, ' ') };
    }),
};

/** The position after the opening bracket. */
function arrayStart({ name, bytes, offset }: Head): { byte: number; line: number } {
  const text = bytes.toString('latin1');
  const open = /^[ \t\r\n]*\[/.exec(text)?.[0];
  if (open !== undefined) return { byte: offset + open.length, line: open.split('\n').length };
  throw new ProblemError({
    code: 'input.format',
    message: `'${name}' is not a JSON array; expected an array of objects, such as \`[ {…}, {…} ]\`.`,
    where: name,
    hint: /^[ \t\r\n]*\{/.test(text)
      ? 'If it has one object per line, use `--format ndjson`. If the rows are in an array inside an object, extract it: `jq .items FILE.json`.'
      : 'For CSV, use `--format csv`.',
  });
}
