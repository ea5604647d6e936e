/** The columns of a sample, with what their headers mean and facts about their cells. */
import { isRejectsColumn, normalise } from '../column-match.ts';
import type { Column } from './column.ts';
import { profileColumn } from './column-facts.ts';
import { meaningsOf, meaningsOfLast, meaningsOfPath } from './header-words.ts';
import type { Sample } from './proposal.ts';

/** Headers with the same unknown word, from which the word is ignored. */
const REPEATED = 3;

export function columnsIn({ columns, rows }: Sample): readonly Column[] {
  const meanings = columns.map(meaningsOf);
  const noise = repeatedWords(meanings.map(({ unknown }) => unknown));
  const telling = (all: readonly string[]): readonly string[] => all.filter((word) => !noise.has(word));
  return columns.flatMap((name, index) => {
    if (isRejectsColumn(name)) return [];
    const { known = new Set<string>(), unknown = [] } = meanings[index] ?? {};
    const byPath = meaningsOfPath(name);
    return [
      {
        name,
        key: normalise(name),
        meanings: { known, unknown: telling(unknown) },
        meaningsOfPath: byPath === undefined ? undefined : { known: byPath.known, unknown: telling(byPath.unknown) },
        meaningsOfLast: meaningsOfLast(name),
        profile: profileColumn(rows.map((row) => row[index])),
      },
    ];
  });
}

/** Words without a known meaning in several headers: the name of the tool, which says nothing about a column. */
function repeatedWords(headers: readonly (readonly string[])[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const word of headers.flatMap((list) => [...new Set(list)])) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Set([...counts].flatMap(([word, count]) => (count >= REPEATED ? [word] : [])));
}
