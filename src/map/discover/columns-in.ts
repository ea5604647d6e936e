/** The columns of a sample, with what their headers mean and facts about their cells. */
import { once } from '../../lib/once.ts';
import { isRejectsColumn } from '../../lib/rejects-columns.ts';
import { normalise } from '../column-match.ts';
import type { Column } from './column.ts';
import { profileColumn } from './column-facts.ts';
import { isDayFirst } from './day-first.ts';
import { type Meanings, meaningsOf, meaningsOfParts } from './header-words.ts';
import type { Sample } from './proposal.ts';

/** Headers with the same unknown word, from which the word is ignored. */
const REPEATED = 3;

/** Meanings are looked up when they are asked for: columns that have the names of fields need none. */
export function columnsIn({ columns, rows }: Sample): readonly Column[] {
  const all = once(() => columns.map(meaningsOf));
  const dayFirst = once(() => isDayFirst(columns));
  const noise = once(() => repeatedWords(all().map(({ unknown }) => unknown)));
  const telling = (meanings: Meanings): Meanings => ({
    ...meanings,
    unknown: meanings.unknown.filter((word) => !noise().has(word)),
  });
  return columns.flatMap((name, index) => {
    if (isRejectsColumn(name)) return [];
    const meanings = once(() => telling(all()[index] ?? NO_MEANINGS));
    const ofParts = once(() => meaningsOfParts(name).map((part) => ({ ...part, meanings: telling(part.meanings) })));
    return [
      {
        name,
        key: normalise(name),
        get meanings() {
          return meanings();
        },
        get ofParts() {
          return ofParts();
        },
        profile: profileColumn(rows.map((row) => row[index])),
        get dayFirst() {
          return dayFirst();
        },
      },
    ];
  });
}

const NO_MEANINGS: Meanings = { known: new Set(), precise: new Set(), unknown: [] };

/** Words without a known meaning in several headers: the name of the tool, which says nothing about a column. */
function repeatedWords(headers: readonly (readonly string[])[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const word of headers.flatMap((list) => [...new Set(list)])) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Set([...counts].flatMap(([word, count]) => (count >= REPEATED ? [word] : [])));
}
