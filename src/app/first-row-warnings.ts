/** What the first rows show before anything is sent: records that occur twice, and values that are not what their field means. */
import { isSpreadsheetDate } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import type { Problem } from '../model/problem.ts';
import { Duplicates, firstRows, type PrepareJob } from '../prepare/index.ts';

/** The field whose values are often ranges such as 1-10. */
const HEADCOUNT = 'employee_count';

interface Found {
  readonly first: string;
  readonly example: string;
  rows: number;
}

type Code = keyof typeof warningOf;

export async function firstRowWarnings(job: PrepareJob, dedupe: boolean): Promise<readonly Problem[]> {
  const duplicates = job.contract.deduplicates || dedupe ? undefined : new Duplicates();
  const hasHeadcount = job.inputs.some(({ mapping }) => mapping.columnOf(HEADCOUNT) !== undefined);
  if (duplicates === undefined && !hasHeadcount) return [];
  const found = new Map<Code, Found>();
  for await (const { input, row } of firstRows(job)) {
    const mapped = input.mapping.apply(row);
    const add = (code: Code, example: string): void => {
      const one = found.get(code) ?? { rows: 0, first: `${input.source.name}:${row.position.line}`, example };
      found.set(code, one);
      one.rows += 1;
    };
    const { [HEADCOUNT]: headcount } = mapped.candidate;
    if (typeof headcount === 'string' && isSpreadsheetDate(headcount)) add('input.spreadsheet_date', headcount);
    if (duplicates === undefined) continue;
    const result = input.readRecord(mapped);
    const of = 'json' in result ? duplicates.find(result.json, row.position) : undefined;
    if (of !== undefined) add('input.repeated', `line ${of.line}`);
  }
  return [...found].map(([code, one]) => ({ code, ...warningOf[code](one) }));
}

const warningOf = {
  'input.repeated': ({ rows, first, example }: Found) => ({
    message: `${plural(rows, 'row repeats', 'rows repeat')} an earlier one, such as ${first} (as on ${example}). The service stores such an event twice.`,
    hint: 'To send identical records only once, add --dedupe.',
  }),
  'input.spreadsheet_date': ({ rows, first, example }: Found) => ({
    message: `${HEADCOUNT}: ${plural(rows, 'value is a date', 'values are dates')} that a spreadsheet made of a number, such as "${example}" at ${first} (10-Jan is 1-10).`,
    hint: 'Export the data again and do not open it in a spreadsheet, or correct these cells.',
  }),
};
