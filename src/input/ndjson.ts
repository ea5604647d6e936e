/**
 * NDJSON: one JSON object per line. line-scanner.ts finds the lines; a line that is not an object breaks only that row. A
 * column is a path, `company.name` or `tags.0`; the mapping looks up its values.
 */
import { plural } from '../lib/units.ts';
import { isCells } from '../model/data.ts';
import { ProblemError } from '../model/problem.ts';
import type { Format, ParsedRow } from './format.ts';
import { headerLineProblem, ObjectSample, parseObject, repeatedKey } from './json-object.ts';
import { hasCarriageReturnLineEnds, LineScanner } from './line-scanner.ts';

export const ndjson: Format = {
  recognises: (start) => start.startsWith('{'),

  detect(head, options) {
    if (options.headerLine !== undefined) throw headerLineProblem(head.name, 'NDJSON');
    const body = { byte: head.offset, line: 1 };
    const lineEnd = hasCarriageReturnLineEnds(head.bytes, '') ? ('\r' as const) : undefined;
    const scanner = new LineScanner({ lineEnd, maxRowBytes: options.maxRowBytes, start: body });
    const sample = new ObjectSample();
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

  createScanner: ({ lineEnd }, start, { maxRowBytes }) => new LineScanner({ lineEnd, maxRowBytes, start }),

  parse: (rows) => rows.map((row) => parseLine(row.toString().trimEnd())),
};

/** A rejects file has the text of a line that could not be parsed in `_raw`. The user may have corrected it there. */
function parseLine(text: string): ParsedRow {
  const parsed = parseObject(text, true);
  if ('issue' in parsed || isCells(parsed.content) || !('_reason' in parsed.content)) return parsed;
  const { _raw: raw } = parsed.content;
  return typeof raw === 'string' ? parseObject(raw, true) : parsed;
}

function notNdjson(name: string, { rows, problem }: ObjectSample): ProblemError {
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
