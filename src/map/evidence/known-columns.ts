/** The columns of a table as evidence sees them, and the facts about the whole table. */
import type { Column } from '../discover/column.ts';
import { headerMatcher } from '../discover/header-matcher.ts';
import { detectTopic } from '../discover/table-topic.ts';
import type { TableFacts } from './kinds.ts';
import * as values from './value-forms.ts';

/** The least share of rows that have a value, of a column that is evidence. */
const FILLED = 0.2;

/** A nearly empty column shows what an export can contain, not what this one contains. */
export function filledColumns(all: readonly Column[]): readonly Column[] {
  const filled = all.filter(
    ({ profile: { texts, rows, nested } }) => (texts.length > 0 && texts.length >= FILLED * rows) || nested,
  );
  return filled.length === 0 ? all : filled;
}

/** A meaning of most headers counts in the first of them only: of `tweet.id` and `tweet.likes`, the latter are likes. */
export function withoutCommonMeanings(columns: readonly Column[]): readonly Column[] {
  const times = new Map<string, number>();
  for (const meaning of columns.flatMap(({ meanings }) => [...meanings.precise])) {
    times.set(meaning, (times.get(meaning) ?? 0) + 1);
  }
  const most = Math.max(2, columns.length / 2);
  const common = new Set([...times].flatMap(([meaning, count]) => (count > most ? [meaning] : [])));
  const seen = new Set<string>();
  return columns.map((column) => {
    const { known, precise, unknown } = column.meanings;
    const isKept = (meaning: string): boolean => !seen.has(meaning);
    const meanings = {
      known: new Set([...known].filter(isKept)),
      precise: new Set([...precise].filter(isKept)),
      unknown,
    };
    for (const meaning of precise) if (common.has(meaning)) seen.add(meaning);
    return { ...column, meanings };
  });
}

const ofAuthors = headerMatcher('author !editor, handle, nickname, =user, user name, commenter, who');

/** 3-sep, 10.09., 2025-09-17, Mon 3/9. */
const DAY = /^(?:\p{L}{2,3}\.? )?\d{1,4}[-./ ](?:\d{1,2}|\p{L}{3,9})\.?(?:[-./ ]\d{1,4})?$/u;

export function factsOf(columns: readonly Column[]): TableFacts {
  const isNumber = (text: string): boolean => /^\d{1,6}$/u.test(text);
  const { people, companies } = detectTopic(columns);
  return {
    people,
    companies,
    authors: columns.some(({ meanings, profile }) => ofAuthors(meanings) && !profile.texts.every(isNumber)),
    networks: columns.some(({ profile }) => values.mostlyNetworks(profile)),
    measures: areMeasures(columns),
    days: columns.filter(({ name }) => DAY.test(name)).length > 2,
    asks: columns.filter(({ meanings }) => meanings.precise.has('question')).length > 1,
  };
}

/** The share of columns with numbers in a table of measures. */
const MOSTLY_NUMBERS = 0.6;

/** Apart from numbers and dates, one column can name what is measured. */
function areMeasures(columns: readonly Column[]): boolean {
  const filled = columns.filter(({ profile }) => profile.texts.length > 0);
  const dates = filled.filter(({ profile }) => values.dates(profile)).length;
  const numbers = filled.filter(({ profile }) => values.counts(profile) && !values.dates(profile)).length;
  return filled.length >= 4 && filled.length - dates - numbers <= 1 && numbers >= MOSTLY_NUMBERS * filled.length;
}
