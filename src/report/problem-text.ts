/**
 * Issues and problems as sentences. One issue is one sentence in one line, so that it fits a cell of the rejects
 * file as well as a line of the terminal; all that a file said in it is made printable here.
 */

import { FOUND_LIMIT } from '../lib/excerpt.ts';
import { printable } from '../lib/printable.ts';
import type { Problem } from '../model/problem.ts';
import type { Issue, IssueCode } from '../model/row.ts';
import { plain, type Style } from './style.ts';

const NAME_LIMIT = 80;

/** Issues whose `found` is an excerpt of the input, and not a description such as "5 cells" or "an object". */
const EXCERPTS: ReadonlySet<IssueCode> = new Set(['enum', 'number', 'range', 'date', 'domain', 'value']);

/**
 * One sentence without a full stop: what is wrong with which field, what was found and what was expected.
 *
 * - `company_name is missing (column Company is empty)`
 * - `signal_source (column Kind): found "Job Postin", expected one of funding, news; did you mean news?`
 * - `found 5 cells, expected 7 cells`
 */
export function describeIssue(issue: Issue): string {
  // A hint that is a sentence of its own begins one.
  const hint = issue.hint === undefined ? '' : `${/^\p{Lu}/u.test(issue.hint) ? '. ' : '; '}${printable(issue.hint)}`;
  const expected = `expected ${printable(issue.expected)}`;
  if (issue.code === 'missing') {
    const empty = issue.column === undefined ? '' : ` (${emptySource(issue.column)})`;
    // "expected a text" says nothing that "is missing" did not say.
    const wanted = issue.expected === 'a text' ? '' : `, ${expected}`;
    return `${printable(issue.field ?? 'the row', NAME_LIMIT)} is missing${empty}${wanted}${hint}`;
  }
  return `${subject(issue)}${found(issue)}${expected}${hint}`;
}

/** All issues of a row in one line. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues.map(describeIssue).join('; ');
}

/** Longest excerpt of the service's words in the reason of a reject, in characters. */
const WORDS_LIMIT = 300;

/** Why the service refused a row, in its own words, bounded and without a control character. */
export function describeRefusal(words: string): string {
  return `the service refused it: ${printable(words, WORDS_LIMIT)}`;
}

function subject({ code, field, column }: Issue): string {
  if (code === 'transform') return 'the transform: ';
  if (field === undefined) return column === undefined ? '' : `${named(column)}: `;
  const from = column === undefined || column === field ? '' : ` (${named(column)})`;
  return `${printable(field, NAME_LIMIT)}${from}: `;
}

function found({ code, found }: Issue): string {
  if (found === undefined) return '';
  const shown = printable(found, FOUND_LIMIT);
  return EXCERPTS.has(code) ? `found "${shown}", ` : `found ${shown}, `;
}

/** A template is shown as one: it has no column of its own that could be empty. */
function isTemplate(column: string): boolean {
  return /\{[^{}]+\}/.test(column);
}

function named(column: string): string {
  return `${isTemplate(column) ? 'template' : 'column'} ${printable(column, NAME_LIMIT)}`;
}

function emptySource(column: string): string {
  return isTemplate(column) ? `a part of ${named(column)} is empty` : `${named(column)} is empty`;
}

/**
 * A problem for the terminal: where and what in one line, and what to do on a line of its own, indented.
 * Line ends that are meant stay, but what follows one is indented, so no text can pose as a line of ours.
 */
export function describeProblem(problem: Problem, style: Style = plain): string {
  // A message that names the place needs it no second time.
  const isNamed = problem.where === undefined || problem.message.includes(problem.where);
  const where = isNamed ? '' : `${style.bold(printable(problem.where))}: `;
  const hint = problem.hint === undefined ? '' : `\n  ${lines(problem.hint)}`;
  return `${where}${lines(problem.message)}${hint}`;
}

function lines(text: string): string {
  return text
    .split('\n')
    .map((line) => printable(line))
    .join('\n  ');
}
