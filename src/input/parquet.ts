/** Parquet: parquet/ gives one JSON object per row and line, so that a line is the number of a row. */
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import type { DetectedInput, Format } from './format.ts';
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
    return { ...found, format: 'parquet', description: describe(found.columns) };
  },
};

/** A file without rows. */
export function parquetColumns(name: string, columns: readonly string[]): DetectedInput {
  const body = { byte: 0, line: 1 };
  return { name, format: 'parquet', encoding: 'utf-8', columns, body, description: describe(columns) };
}

function describe(columns: readonly string[]): readonly string[] {
  return ['Parquet', plural(columns.length, 'column')];
}
