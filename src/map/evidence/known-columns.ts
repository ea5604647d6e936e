/** The columns of a table as evidence sees them, and the facts about the whole table. */
import type { Column } from '../discover/column.ts';
import { headerMatcher } from '../discover/header-matcher.ts';
import type { Meanings } from '../discover/header-words.ts';
import { rowsArePeople } from '../discover/table-topic.ts';
import type { TableFacts } from './kinds.ts';

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

const ofAuthors = headerMatcher('author !editor, handle, nickname, =user, user name, commenter');

export function factsOf(columns: readonly Known[]): TableFacts {
  return {
    people: rowsArePeople(columns.map(({ column }) => column)),
    authors: columns.some(
      ({ column: { meanings, profile } }) =>
        ofAuthors(meanings) && !profile.texts.every((text) => /^\d{1,6}$/u.test(text)),
    ),
    asks: columns.filter(({ column }) => column.meanings.precise.has('question')).length > 1,
  };
}
