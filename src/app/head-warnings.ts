/** What the first rows show before anything is sent: records that occur twice, and values that are not what their field means. */
import { isSpreadsheetDate } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import { isDomain } from '../map/index.ts';
import type { Problem } from '../model/problem.ts';
import { Duplicates, firstRows, type PrepareJob } from '../prepare/index.ts';

/** The field whose values are often ranges such as 1-10. */
const HEADCOUNT = 'employee_count';
const DOMAIN = 'company_domain';

/** Found rows, and the first of them. */
interface Found {
  rows: number;
  first: string;
  example: string;
}

/** @param dedupe whether identical records are sent only once */
export async function headWarnings(job: PrepareJob, dedupe: boolean): Promise<readonly Problem[]> {
  const duplicates = job.contract.deduplicates || dedupe ? undefined : new Duplicates();
  const isMapped = (field: string): boolean => job.inputs.some(({ mapping }) => mapping.columnOf(field) !== undefined);
  const hasDomains = isMapped(DOMAIN);
  if (duplicates === undefined && !hasDomains && !isMapped(HEADCOUNT)) return [];
  const repeated: Found = { rows: 0, first: '', example: '' };
  const dates: Found = { rows: 0, first: '', example: '' };
  const others: Found = { rows: 0, first: '', example: '' };
  for await (const { input, row } of firstRows(job)) {
    const mapped = input.mapping.apply(row);
    const place = `${input.source.name}:${row.position.line}`;
    const add = (found: Found, example: string): void => {
      if (found.rows === 0) Object.assign(found, { first: place, example });
      found.rows += 1;
    };
    const { [HEADCOUNT]: headcount, [DOMAIN]: domain } = mapped.candidate;
    if (typeof headcount === 'string' && isSpreadsheetDate(headcount)) add(dates, headcount);
    if (hasDomains && typeof domain === 'string' && !isDomain(domain)) add(others, domain);
    if (duplicates === undefined) continue;
    const result = input.readRecord(mapped);
    const of = 'json' in result ? duplicates.find(result.json, row.position) : undefined;
    if (of !== undefined) add(repeated, `line ${of.line}`);
  }
  return [
    ...(repeated.rows === 0
      ? []
      : [
          {
            code: 'input.repeated',
            message: `${plural(repeated.rows, 'row repeats', 'rows repeat')} an earlier one, such as ${repeated.first} (as on ${repeated.example}). The service stores such an event twice.`,
            hint: 'To send identical records only once, add --dedupe.',
          },
        ]),
    ...(dates.rows === 0
      ? []
      : [
          {
            code: 'input.spreadsheet_date',
            message: `${HEADCOUNT}: ${plural(dates.rows, 'value is a date', 'values are dates')} that a spreadsheet made of a number, such as "${dates.example}" at ${dates.first} (10-Jan is 1-10).`,
            hint: 'Export the data again and do not open it in a spreadsheet, or correct these cells.',
          },
        ]),
    ...(others.rows === 0
      ? []
      : [
          {
            code: 'input.no_domain',
            message: `${DOMAIN}: ${plural(others.rows, 'value is not a domain', 'values are not domains')}, such as ${JSON.stringify(others.example)} at ${others.first}, and sent unchanged.`,
            hint: `Map a column of domains; one of websites with \`-c '${DOMAIN}={ column: COLUMN, as: domain }'\`.`,
          },
        ]),
  ];
}
