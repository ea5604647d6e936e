/**
 * Issues, problems and notes (model/problem.ts) as sentences, and what to do about a stop. The message of a problem, and of a stop,
 * is where it arises. An issue is one line, which fits into a cell of the rejects file. Text of files and servers is made printable.
 */
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { FOUND_LIMIT, formatList, isSystemError } from '../lib/text.ts';
import { count, plural } from '../lib/units.ts';
import type { SentRows } from '../model/batch.ts';
import type { Stop, StopCode } from '../model/outcome.ts';
import { type Note, OTHER_NOTES, type Problem, ProblemError, parseNoteKey } from '../model/problem.ts';
import type { Variant } from '../model/record.ts';
import type { Issue, IssueCode } from '../model/row.ts';
import type { RunState } from '../model/run-state.ts';
import { place, plain, type Style } from './text-layout.ts';

const NAME_LIMIT = 80;

/** Issues whose `found` is an excerpt of the input, and not a description such as "5 cells" or "an object". */
export const EXCERPTS: ReadonlySet<IssueCode> = new Set(['enum', 'number', 'range', 'date', 'domain', 'value', 'cell']);

/**
 * One sentence without a full stop: what is wrong with which field, what was found and what was expected.
 *
 * - `company_name is missing (column Company has no value)`
 * - `signal_source (column Kind): found "Job Postin", expected one of funding, news; did you mean news?`
 * - `found 5 cells, expected 7 cells`
 */
export function describeIssue(issue: Issue): string {
  // A hint may be a clause or a sentence.
  const hint = issue.hint === undefined ? '' : `${/^\p{Lu}/u.test(issue.hint) ? '. ' : '; '}${printable(issue.hint)}`;
  const expected = `expected ${printable(issue.expected)}`;
  if (issue.code === 'missing') {
    const { column } = issue;
    const part = column !== undefined && isTemplate(column) ? 'a part of ' : '';
    const empty = column === undefined ? '' : ` (${part}${named(column)} has no value)`;
    // After "is missing", "expected a text" adds nothing.
    const wanted = issue.expected === 'a text' ? '' : `, ${expected}`;
    return `${printable(issue.field ?? 'the row', NAME_LIMIT)} is missing${empty}${wanted}${hint}`;
  }
  return `${subject(issue)}${found(issue)}${expected}${hint}`;
}

export function describeIssues(issues: readonly Issue[]): string {
  return issues.map(describeIssue).join('; ');
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

/** `column Company`, or `template {A} {B}`. */
function named(column: string): string {
  return `${isTemplate(column) ? 'template' : 'column'} ${printable(column, NAME_LIMIT)}`;
}

function isTemplate(column: string): boolean {
  return /\{[^{}]+\}/.test(column);
}

/**
 * A problem for the terminal: where and what on the first line, the hint on the next one. Every further line is
 * indented, so that quoted text cannot look like output of the program.
 */
export function describeProblem(problem: Problem, style: Style = plain): string {
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

/** Why a run stopped early: what happened, and on the next line how to fix it. */
export function describeStop(stop: Stop, suggest: Suggest, style: Style = plain): string {
  const hint = stop.hint ?? STOP_HINTS[stop.code]?.(suggest);
  return describeProblem({ code: `stop.${stop.code}`, message: stop.message, hint }, style);
}

/** For stops without a hint of their own. A run that knows where its key comes from has one (send-run.ts). */
const STOP_HINTS: Readonly<Partial<Record<StopCode, (suggest: Suggest) => string>>> = {
  key: (suggest) =>
    `The key came from the first of these that is set: the file of --api-key-file, SIGNALS_API_KEY, the file of SIGNALS_API_KEY_FILE, the profile (\`${suggest('config', 'set', 'api_key')}\`). If none is set, you typed it.`,
  address: (suggest) => `To diagnose the connection: \`${suggest('doctor')}\`.`,
  files: () => 'Lower --concurrency, or raise the limit of open files (`ulimit -n`).',
  wait: () => 'Resume after that time, or allow a longer wait with max_wait.',
  rate: () => 'Check rate_store (SIGNALS_RATE_STORE) and --rate, then resume.',
  answers: () => 'A login page or a proxy may have answered in place of the service.',
  refusals: () => 'Ask the operator of the service why it refuses these records.',
  storage: () => 'Free disk space.',
  lost: () => 'Let the other process finish the run.',
  input: () => 'Fix the input so that it can be read to the end.',
  changed: () => 'Wait until the program that writes the input has finished, or upload a copy.',
};

const VALUE_LIMIT = 10;

/** One sentence per kind of note and field. A key with an unknown code is shown unchanged. @param names of the inputs */
export function describeNotes(
  { notes, firstNotes, variant }: Pick<RunState, 'variant' | 'notes' | 'firstNotes'>,
  names: readonly string[],
): readonly string[] {
  const sentences: string[] = [];
  const openValues = new Map<string, (readonly [value: string, rows: number])[]>();
  for (const [key, rows] of notes) {
    const note = parseNoteKey(key);
    if (note?.code === 'open_value') {
      openValues.set(note.field, [...(openValues.get(note.field) ?? []), [note.value, rows]]);
    } else if (note !== undefined) {
      const at = firstNotes.get(key);
      const first = at && place(names, at);
      sentences.push(`${printable(note.field, 80)}: ${describeNote(note, rows, { variant, first })}`);
    } else {
      const name = key === OTHER_NOTES ? 'Other notes' : printable(key, 80);
      sentences.push(`${name}: ${plural(rows, 'row')}.`);
    }
  }
  for (const [field, values] of openValues) {
    sentences.push(`${printable(field, 80)}: values that the API does not name: ${describeOpenValues(values)}.`);
  }
  return sentences;
}

function describeNote(
  { code }: Exclude<Note, { code: 'open_value' }>,
  rows: number,
  { variant, first }: { readonly variant: Variant | undefined; readonly first: string | undefined },
): string {
  switch (code) {
    case 'date_only':
      return `${plural(rows, 'date')} without a time ${rows === 1 ? 'was' : 'were'} set to midnight UTC.`;
    case 'no_seconds':
      return `${plural(rows, 'date-time')} without seconds ${rows === 1 ? 'was' : 'were'} completed with :00.`;
    case 'no_offset':
      return `${plural(rows, 'date-time')} without a time zone ${rows === 1 ? 'was' : 'were'} left as written.`;
    case 'omitted': {
      const at = first === undefined ? '' : rows === 1 ? `, at ${first}` : `, first at ${first}`;
      return `${plural(rows, 'invalid value was', 'invalid values were')} omitted${at} (\`invalid: omit\` in the mapping).`;
    }
    case 'free_mail':
      return `${plural(rows, 'address', 'addresses')} at a free e-mail provider such as gmail.com ${rows === 1 ? 'identifies' : 'identify'} no company; the field was omitted.`;
    case 'nul':
      return `${plural(rows, 'value')} with the character U+0000 (NUL) ${rows === 1 ? 'was' : 'were'} left unchanged; many databases refuse it. To find it: \`grep -naP '\\x00|\\\\u0000' FILE\`.`;
    case 'left_out':
      return `omitted from ${plural(rows, 'row')}; ${variant === undefined ? 'the API' : `variant ${variant}`} has no such field.`;
  }
}

function describeOpenValues(values: readonly (readonly [value: string, rows: number])[]): string {
  const shown = values
    .toSorted(([, one], [, other]) => other - one)
    .map(([value, rows]) => `${printable(value, 40)} (${count(rows)})`);
  return formatList(shown, '', VALUE_LIMIT);
}

/** One sentence for each earlier run that has sent rows of this one. */
export function describeSentBefore(sentBefore: readonly SentRows[]): readonly string[] {
  return sentBefore.map(({ state, run, rows }) => {
    const them = rows === 1 ? 'it' : 'them';
    const name = printable(run, 80);
    return state === 'delivered'
      ? `${plural(rows, 'row was', 'rows were')} already delivered by ${name} and not sent again (--again resends ${them}).`
      : `${plural(rows, 'row was', 'rows were')} already sent by ${name}, may have arrived, and ${rows === 1 ? 'was' : 'were'} not sent again.`;
  });
}

/** Why a row is invalid, as a clause without its values: `company_name (from Company) is missing`. */
export function describeReason(group: Pick<Issue, 'code' | 'field' | 'column'>): string {
  return `${reasonSubject(group, 'from ')} ${PROBLEMS[group.code]}`;
}

/** The same in two cells: `company_name (Company)`, `missing`. */
export function reasonCells(group: Pick<Issue, 'code' | 'field' | 'column'>): readonly [string, string] {
  return [reasonSubject(group, ''), PROBLEMS[group.code].replace(/^is /, '')];
}

function reasonSubject({ field = 'the row', column }: Pick<Issue, 'field' | 'column'>, from: string): string {
  return `${printable(field, 80)}${column === undefined || column === field ? '' : ` (${from}${printable(column, 80)})`}`;
}

const PROBLEMS: Readonly<Record<IssueCode, string>> = {
  missing: 'is missing',
  constants: 'has no value in a mapped column',
  type: 'is not a plain value',
  enum: 'is not an allowed value',
  number: 'is not a number',
  range: 'is out of range',
  date: 'is not a date',
  domain: 'contains no domain',
  value: "is not in the mapping's value table",
  columns: 'has too few or too many cells',
  cell: 'is an error in the workbook',
  quote: 'has an unclosed quote, or text after a closing quote',
  encoding: "has bytes that the input's encoding does not allow",
  json: 'is not a JSON object with unique keys',
  transform: 'failed in the transform',
  size: 'exceeds the size limit',
};

/** The problems and the exit code of any exception. */
export function reportOf(error: unknown): { readonly exitCode: number; readonly problems: readonly Problem[] } {
  if (error instanceof ProblemError) return error;
  if (!isSystemError(error)) return { exitCode: 1, problems: [{ code: 'bug', message: String(error) }] };
  return {
    exitCode: 6,
    problems: [
      {
        code: 'system',
        message: `The operating system refused a call: ${error.message}.`,
        where: error.path,
        hint: 'Check the disk, free space and permissions. If a run had begun, resume it.',
      },
    ],
  };
}
