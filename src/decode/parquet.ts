/** Parquet: source/parquet/ gives one JSON object per row and line, so that a line is the number of a row. */
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import type { Format } from './format.ts';
import { headerLineProblem, ndjson } from './ndjson.ts';

export const parquet: Format = {
  ...ndjson,

  detect(head, options) {
    if (options.headerLine !== undefined) throw headerLineProblem(head.name, 'Parquet');
    // The copy of a pipe has no table, only its text.
    if (!head.bytes.toString('latin1', 0, 1).startsWith('{')) {
      throw new ProblemError({
        code: 'input.format',
        message: `'${head.name}' is not a Parquet file.`,
        where: head.name,
        hint: 'Omit --format: the format is detected.',
      });
    }
    const found = ndjson.detect(head, options);
    return { ...found, format: 'parquet', description: ['Parquet', plural(found.columns.length, 'column')] };
  },
};
