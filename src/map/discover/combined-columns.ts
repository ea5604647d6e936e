/** Fields that are made of two columns: a name of first and last name, a moment of date and time. */
import type { Column } from './column.ts';
import { share } from './column-facts.ts';
import { means } from './field-headers.ts';
import type { Proposal } from './proposal.ts';

/** A template of first and last name. */
export function personName(columns: readonly Column[]): Proposal | undefined {
  const first = columns.filter(({ name }) => means(name, 'first_name'));
  const last = columns.filter(({ name }) => means(name, 'last_name'));
  const [one, other] = [first[0]?.name, last[0]?.name];
  if (one === undefined || other === undefined || first.length > 1 || last.length > 1) return undefined;
  const reason = 'first and last name are in separate columns';
  return isQuotable(one + other) ? template('engager_name', [one, other], 0.9, reason) : undefined;
}

/** The same proposal with the time of day, if one other column has it: "Data" and "Hora". */
export function withTime(proposal: Proposal, columns: readonly Column[]): Proposal {
  const { field, mapping, confidence } = proposal;
  const date = columns.find(({ name }) => name === proposal.columns[0]);
  if (field !== 'engagement_date' || !('column' in mapping) || 'as' in mapping || date === undefined) return proposal;
  const times = columns.filter(({ profile }) => profile.texts.length > 0 && share(profile, isTime) === 1);
  const [time, ...others] = times.filter(({ profile: { cells } }) =>
    cells.every((cell, row) => cell !== '' || date.profile.cells[row] === ''),
  );
  if (time === undefined || others.length > 0 || times.length > 1 || !date.profile.texts.every(isDay)) return proposal;
  if (!isTimeOf(time, date) || !isQuotable(date.name + time.name)) return proposal;
  return template(field, [date.name, time.name], confidence, 'date and time are in separate columns');
}

/** "Time" beside "Date", "Post Time" beside "Post Date". */
function isTimeOf(time: Column, date: Column): boolean {
  const rest = ({ meanings: { known } }: Column): string =>
    [...known]
      .filter((each) => each !== 'date' && each !== 'time')
      .sort()
      .join(' ');
  return rest(time) === rest(date) || rest(time) === '';
}

function isTime(text: string): boolean {
  return /^\d{1,2}[:.h]\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\.?)?$/iu.test(text);
}

/** A date without a time of day. */
function isDay(text: string): boolean {
  return !/\d:\d/u.test(text);
}

/** A template cannot use a column whose name contains a brace. */
function isQuotable(names: string): boolean {
  return !/[{}]/u.test(names);
}

function template(field: string, columns: readonly string[], confidence: number, reason: string): Proposal {
  return { field, mapping: { template: columns.map((name) => `{${name}}`).join(' ') }, columns, confidence, reason };
}
