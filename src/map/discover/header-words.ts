/**
 * Headers as words and as meanings, so that "Company Name", "companyName", "name_of_company" and "Firmenname" are equal.
 *
 * lexicon.json is the only list of such words, in 26 languages: the scorer (features.ts) learns what its meanings say,
 * and weights.json has what it learned.
 * Each line is a meaning and its words, in lower case and without accents;
 * "_" joins the words of a phrase, which also matches when they are written together. A word has one meaning. `post/tweet`
 * means a post, and more precisely a tweet. Plurals and compounds (Firmenname, 会社名)
 * need no entry.
 */

import { once } from '../../lib/resources.ts';
import lexiconFile from './lexicon.json' with { type: 'json' };
import lists from './words.json' with { type: 'json' };

const setOf = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Words without meaning in a header, in the languages of lexicon.json. */
const STOP = setOf(lists.stop);

/** Currencies, units and date formats: they distinguish rival columns, but not what a column is. */
const UNITS = setOf(lists.units);

/** Abbreviations in headers. */
const SHORT = new Map(Object.entries(lists.short));

/** Letters that have no decomposition. */
const LETTERS = new Map(Object.entries(lists.letters));

/** Traditional Chinese characters of headers, each followed by the simplified one that the lexicon has. */
const TRADITIONAL = new Map(lists.traditional.match(/../gu)?.map(([from = '', to = '']) => [from, to] as const));

/** Letters with accents, and other scripts. */
const FOREIGN = /[^ -~]/;

export interface Meanings {
  /** Meanings of lexicon.json. */
  readonly known: ReadonlySet<string>;
  /** The same with the narrower ones: `tweet` beside `post`. */
  readonly precise: ReadonlySet<string>;
  /** Words without a known meaning, of which the scorer knows the letters. */
  readonly unknown: readonly string[];
}

/** Objects around the columns of an export. */
const CONTAINER =
  /^(?:(?:data|attributes|properties|fields|node|item|record|result|payload|snippet|included|_source|raw)\.)+/i;

/** Words of a phrase that are looked up together. */
const PHRASE = 3;

/** What the words of a header mean. */
export function meaningsOf(header: string): Meanings {
  const list = words(header.replace(CONTAINER, ''));
  const found = new Set<string>();
  const unknown: string[] = [];
  for (let at = 0; at < list.length; ) {
    const length = [PHRASE, 2, 1].find(
      (each) => lexicon().has(list.slice(at, at + each).join('')) && at + each <= list.length,
    );
    const word = list[at] ?? '';
    const isStop = STOP.has(word) && list.length > 1;
    if (length !== undefined && !(length === 1 && isStop)) {
      found.add(lexicon().get(list.slice(at, at + length).join('')) ?? '');
    } else if (!isStop && !UNITS.has(word) && !/^\d+$/.test(word)) {
      const single = singular(word);
      const parts = single === undefined ? compound(word) : [single];
      for (const meaning of parts ?? []) found.add(meaning);
      if (parts === undefined) unknown.push(word);
    }
    at += length ?? 1;
  }
  const levels = [...found].map((meaning) => meaning.split('/'));
  const known = new Set(levels.flatMap(([broad = '']) => broad));
  return { known, precise: new Set(levels.flat()), unknown };
}

const ENDINGS = ['', 's', 'es', 'n', 'en', 'e', 'er', 'et', 'a', 'i', 'y', 'u', 'ow', 'si'];

/** The meaning of a word or of its plural. Umlauts are also written with an "e": Unternehmensgroesse. */
function singular(word: string): string | undefined {
  const stems = [word, word.replace(/([aou])e/g, '$1')]
    .flatMap((form) => ENDINGS.flatMap((end) => (form.endsWith(end) ? form.slice(0, form.length - end.length) : [])))
    .filter((stem) => stem.length >= 4);
  return lexicon().get([word, ...stems].find((form) => lexicon().has(form)) ?? '');
}

/** Letters between the parts of a compound: Stelle-n-titel, 会社-の-名前. */
const LINKS = ['', 's', 'n', 'en', 'es', 'e', 'of', 'de', 'の', 'な', '的', '의'];

/** Shorter parts of a word in Latin letters would be found in any word. */
const MIN_PART = 3;

/** The meanings of a word's parts, if they make up the whole word. */
function compound(word: string): readonly string[] | undefined {
  const least = FOREIGN.test(word) ? 1 : MIN_PART;
  if (word.length < 2 * least) return undefined;
  for (let end = word.length - 1; end >= least; end -= 1) {
    const meaning = lexicon().get(word.slice(0, end));
    if (meaning === undefined) continue;
    for (const link of LINKS) {
      if (!word.startsWith(link, end)) continue;
      const rest = word.slice(end + link.length);
      const last = rest.length < least ? undefined : singular(rest);
      const tail = last === undefined ? compound(rest) : [last];
      if (tail !== undefined) return [meaning, ...tail];
    }
  }
  return undefined;
}

/** From a word, or the words of a phrase run together, to its meaning. */
const lexicon = once(() => {
  const result = new Map<string, string>();
  for (const [meaning, list] of Object.entries(lexiconFile)) {
    for (const word of list.split(' '))
      result.set(FOREIGN.test(word) ? anyWords(word).join('') : word.replaceAll('_', ''), meaning);
  }
  return result;
});

/** The words of a header in order: lower case, without accents, camel case split, abbreviations expanded. */
export function words(header: string): readonly string[] {
  const numbered = header.replaceAll('#', ' number ');
  return anyWords(numbered)
    .filter((word) => word !== '')
    .map((word) => SHORT.get(word) ?? word);
}

function anyWords(header: string): readonly string[] {
  return (
    header
      .replace(/linked[\s_-]?in/giu, 'Linkedin')
      .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .replace(/(\p{Lo})(?=[a-z])|([a-z])(?=\p{Lo})/giu, '$1$2 ')
      .normalize('NFKD')
      // Only the accents of Latin and Greek letters: a mark of another script makes a different letter.
      .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu, '')
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[ßæðøđıłœ]/gu, (letter) => LETTERS.get(letter) ?? letter)
      .replace(/\p{Script=Han}/gu, (character) => TRADITIONAL.get(character) ?? character)
      .split(/[^\p{L}\p{M}\p{N}]+/u)
  );
}
