/** The columns of a table as evidence sees them, and the facts about the whole table. */
import type { Column } from '../discover/column.ts';
import type { Meanings } from '../discover/header-words.ts';
import { detectTopic } from '../discover/table-topic.ts';
import type { TableFacts } from './kinds.ts';
import { personalEmails } from './value-forms.ts';

export interface Known {
  readonly column: Column;
  /** Without the meanings that most headers have: of `tweet.like_count`, only `like count`. */
  readonly own: Meanings;
}

/** An empty column shows what an export can contain, not what this one contains. */
export function knownColumns(all: readonly Column[]): readonly Known[] {
  const filled = all.filter(({ profile }) => profile.texts.length > 0 || profile.nested);
  const shown = filled.length === 0 ? all : filled;
  const times = new Map<string, number>();
  for (const meaning of shown.flatMap(({ meanings }) => [...meanings.precise])) {
    times.set(meaning, (times.get(meaning) ?? 0) + 1);
  }
  const most = Math.max(2, shown.length / 2);
  const without = (meanings: ReadonlySet<string>): ReadonlySet<string> =>
    new Set([...meanings].filter((meaning) => (times.get(meaning) ?? 0) <= most));
  return shown.map((column) => {
    const { known, precise, unknown } = column.meanings;
    return { column, own: { known: without(known), precise: without(precise), unknown } };
  });
}

/**
 * Whether a header has all meanings of one of the patterns: `deal name|size, comment text !reply, =stage`. `!` excludes one
 * meaning, and `=` all other meanings and words.
 */
export function headerMatcher(patterns: string): (header: Meanings) => boolean {
  const alternatives = patterns.split(', ').map((pattern) => ({
    exact: pattern.startsWith('='),
    parts: pattern.replace('=', '').split(' '),
  }));
  return ({ known, precise, unknown }) =>
    alternatives.some(
      ({ exact, parts }) =>
        (!exact || (known.size === 1 && unknown.length === 0)) &&
        parts.every((part) =>
          part.startsWith('!') ? !precise.has(part.slice(1)) : part.split('|').some((each) => precise.has(each)),
        ),
    );
}

/** Headers of people that a table of companies also has: its contacts. */
const ofContacts = headerMatcher('people_of, investor, job_change, contact');
const ofNames = headerMatcher('first_name, last_name, full_name');
/** A register of companies names their managers too. */
const ofRegisters = headerMatcher('register, legal');
const ofBareNames = headerMatcher('=name');
const ofJobs = headerMatcher('job_title, =title, =role, =job');
const ofAuthors = headerMatcher('author !editor, handle, =user, user name, commenter');

export function factsOf(columns: readonly Known[]): TableFacts {
  return {
    companies: detectTopic(columns.map(({ column }) => column)).companies,
    people: rowsArePeople(columns.map(({ column }) => column)),
    authors: columns.some(
      ({ column: { meanings, profile } }) =>
        ofAuthors(meanings) && !profile.texts.every((text) => /^\d{1,6}$/u.test(text)),
    ),
    asks: columns.filter(({ column }) => column.meanings.precise.has('question')).length > 1,
  };
}

function rowsArePeople(columns: readonly Column[]): boolean {
  const own = columns.filter(({ meanings }) => !ofContacts(meanings));
  const has = (fits: (header: Meanings) => boolean): boolean => own.some(({ meanings }) => fits(meanings));
  // Names of people are too many to be listed, but their addresses differ from those of companies.
  const addressed = own.some(({ profile }) => personalEmails(profile));
  return (
    (has(ofNames) && !has(ofRegisters)) || (addressed && has(ofBareNames) && has(ofJobs)) || detectTopic(own).people
  );
}
