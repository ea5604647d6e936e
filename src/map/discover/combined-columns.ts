/** Fields that are made of two columns: a name of first and last name, a moment of date and time. */
import type { Contract } from '../../contract/index.ts';
import { isPlain } from '../field-transforms.ts';
import { type Assigned, SURE } from './assign.ts';
import { type Column, meaningsWithout } from './column.ts';
import { share } from './column-facts.ts';
import { means } from './field-headers.ts';
import type { Proposal } from './proposal.ts';

/** A template of first and last name, if no column has the whole name. */
export function personName(
  columns: readonly Column[],
  contract: Contract,
  { used, questions }: Assigned,
): Proposal | undefined {
  const field = 'engager_name';
  if (contract.field(field) === undefined) return undefined;
  const asked = questions.find((question) => question.field === field)?.options[0];
  const first = columns.filter(({ name }) => means(name, 'first_name'));
  const last = columns.filter(({ name }) => means(name, 'last_name'));
  // "Nome" beside "Cognome", "Nom" beside "Prénom".
  const bare = columns.filter(
    (column) => means(column.name, 'name') && share(column.profile, (text) => /\s/u.test(text)) < 0.3,
  );
  const [one, ...otherFirst] = first.length > 0 ? first : bare;
  const [two, ...otherLast] = last.length > 0 ? last : bare;
  if (one === undefined || two === undefined || one === two) return undefined;
  if (otherFirst.length + otherLast.length > 0) return undefined;
  const isWhole = ({ columns: [name] }: Proposal): boolean => name !== one.name && name !== two.name;
  if (used.some((each) => each.field === field && isWhole(each))) return undefined;
  if (asked !== undefined && asked.confidence >= SURE && isWhole(asked)) return undefined;
  return template(field, [one.name, two.name], 0.9, 'first and last name are in separate columns');
}

/** The same with the time of day, if another column has it: "Data" and "Hora". Only engagement_date has no format. */
export function withTimes({ used, questions }: Assigned, columns: readonly Column[]): Assigned {
  const complete = (proposal: Proposal): Proposal =>
    proposal.field === 'engagement_date' ? (withTime(proposal, columns) ?? proposal) : proposal;
  return {
    used: used.map(complete),
    questions: questions.map((each) => ({ ...each, options: each.options.map(complete) })),
  };
}

function withTime(
  { field, mapping, columns: [name], confidence }: Proposal,
  columns: readonly Column[],
): Proposal | undefined {
  const date = columns.find((each) => each.name === name);
  const [time, ...others] = columns.filter(({ profile }) => profile.texts.length > 0 && share(profile, isTime) === 1);
  if (date === undefined || time === undefined || others.length > 0 || !isPlain(mapping)) return undefined;
  // A template with an empty part gives no value.
  const isWhole = time.profile.cells.every((cell, row) => cell !== '' || date.profile.cells[row] === '');
  return isWhole && date.profile.texts.every(isDay) && isTimeOf(time, date)
    ? template(field, [date.name, time.name], confidence, 'date and time are in separate columns')
    : undefined;
}

/** "Time" beside "Date", "Post Time" beside "Post Date". */
function isTimeOf(time: Column, date: Column): boolean {
  const rest = meaningsWithout(time, 'date', 'time');
  return rest === '' || rest === meaningsWithout(date, 'date', 'time');
}

function isTime(text: string): boolean {
  return /^\d{1,2}[:.h]\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\.?)?$/iu.test(text);
}

/** A date without a time of day. */
function isDay(text: string): boolean {
  return !/\d:\d/u.test(text);
}

function template(field: string, columns: readonly string[], confidence: number, reason: string): Proposal | undefined {
  // A template cannot use a column whose name has a brace.
  if (columns.some((name) => /[{}]/u.test(name))) return undefined;
  return { field, mapping: { template: columns.map((name) => `{${name}}`).join(' ') }, columns, confidence, reason };
}
