/**
 * Headers as words and as meanings, so that "Company Name", "companyName", "name_of_company" and "Firmenname" are equal.
 *
 * header-meanings.json is the only list of such words, in 26 languages: the scorer (features.ts) learns what its meanings say,
 * and weights.json has what it learned.
 * Each line is a meaning and its words, in lower case and without accents;
 * "_" joins the words of a phrase, which also matches when they are written together. A word has one meaning. `post/tweet`
 * means a post, and more precisely a tweet. Plurals and compounds (Firmenname, 会社名)
 * need no entry.
 */

import { once } from '../../lib/resources.ts';
import lexiconFile from './header-meanings.json' with { type: 'json' };
import lists from './word-lists.json' with { type: 'json' };

const setOf = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Words without meaning in a header, in the languages of header-meanings.json. */
const STOP = setOf(lists.stop);

/** Currencies, units and date formats: they distinguish rival columns, but not what a column is. */
const UNITS = setOf(lists.units);

/** Abbreviations in headers. */
const SHORT = new Map(Object.entries(lists.short));

/** Letters that have no decomposition. */
const LETTERS = new Map(Object.entries(lists.letters));

/** Traditional Chinese characters of headers, each followed by the simplified one that the lexicon has. */
const TRADITIONAL = new Map(lists.traditional.match(/../gu)?.map(([from = '', to = '']) => [from, to] as const));

/** Scripts without spaces, where a word can begin at any character. */
const SPACELESS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;

/** Letters with accents, and other scripts. */
const FOREIGN = /[^ -~]/;

export interface Meanings {
  /** Meanings of header-meanings.json. */
  readonly known: ReadonlySet<string>;
  /** The same with the narrower ones: `tweet` beside `post`. */
  readonly precise: ReadonlySet<string>;
  /** Words without a known meaning, of which the scorer knows the letters. */
  readonly unknown: readonly string[];
}

/** Objects around the columns of an export. */
const CONTAINER =
  /^(?:(?:data|attributes|properties|fields|node|item|record|result|payload|snippet|included|_source|raw)\.)+/i;

/** What the words of a header mean. */
export function meaningsOf(header: string): Meanings {
  const list = words(header.replace(CONTAINER, ''));
  const found = new Set<string>();
  const unknown: string[] = [];
  for (const { word, entries } of phrasesIn(list, lexicon(), true)) {
    const isStop = STOP.has(word) && list.length > 1;
    if (isStop) continue;
    if (entries === undefined && !UNITS.has(word) && !/^\d+$/.test(word)) unknown.push(word);
    for (const meaning of entries ?? []) found.add(meaning);
  }
  const levels = [...found].map((meaning) => meaning.split('/'));
  const known = new Set(levels.flatMap(([broad = '']) => broad));
  return { known, precise: new Set(levels.flat()), unknown };
}

/** The entries of each word, and of each phrase, whose words are joined; "*" stands for any ending. */
type Dictionary = ReadonlyMap<string, readonly string[]>;

/** By entry: its words in lower case and without accents; "_" joins those of a phrase. */
export function dictionaryOf(lists: Readonly<Record<string, string>>): Dictionary {
  const result = new Map<string, string[]>();
  for (const [entry, list] of Object.entries(lists)) {
    for (const word of list.split(' ')) {
      const key = FOREIGN.test(word)
        ? anyWords(word).join('') + (word.endsWith('*') ? '*' : '')
        : word.replaceAll('_', '');
      result.set(key, [...(result.get(key) ?? []), entry]);
    }
  }
  return result;
}

const lexicon = once(() => dictionaryOf(lexiconFile));

/** Words of the longest phrase. */
const PHRASE = 4;

interface Phrase {
  readonly word: string;
  readonly entries: readonly string[] | undefined;
}

/**
 * The phrases of the dictionary, the longest first, and the words between them.
 *
 * @param hasCompounds whether a word in Latin letters can be made of several: Stellentitel
 */
export function phrasesIn(list: readonly string[], dictionary: Dictionary, hasCompounds = false): readonly Phrase[] {
  const found: Phrase[] = [];
  for (let at = 0; at < list.length; ) {
    let length = Math.min(PHRASE, list.length - at);
    while (length > 1 && !dictionary.has(list.slice(at, at + length).join(''))) length -= 1;
    const word = list.slice(at, at + length).join('');
    const entries = dictionary.get(word) ?? inflected(word, dictionary);
    const isSplit = entries === undefined && (hasCompounds || SPACELESS.test(word));
    const parts = isSplit ? partsOf(word, dictionary) : [];
    found.push(...(parts.length === 0 ? [{ word, entries }] : parts));
    at += length;
  }
  return found;
}

/** Letters of the shortest stem, and of the longest ending that any word can have. */
const [STEM, ENDING] = [4, 2];

/** The entries of a form of the word. Umlauts are also written with an "e": Unternehmensgroesse. */
function inflected(word: string, dictionary: Dictionary): readonly string[] | undefined {
  for (let end = word.length; end >= STEM; end -= 1) {
    const stem = word.slice(0, end);
    const entries = (word.length - end <= ENDING && dictionary.get(stem)) || dictionary.get(`${stem}*`);
    if (entries !== undefined) return entries;
  }
  const plain = word.replace(/([aou])e/g, '$1');
  return plain === word ? undefined : inflected(plain, dictionary);
}

/** Characters of the longest part of a word. */
const PART = 16;

/**
 * The words that a word is made of, with other letters between them: Stelle-n-titel, 会社-の-名前. In scripts without spaces, the rest
 * can be any words.
 */
function partsOf(word: string, dictionary: Dictionary): readonly Phrase[] {
  const isSpaceless = SPACELESS.test(word);
  const least = isSpaceless ? 1 : 4;
  const found: Phrase[] = [];
  for (let at = 0; at + least <= word.length; ) {
    let end = Math.min(word.length, at + PART);
    while (end - at > least && !dictionary.has(word.slice(at, end))) end -= 1;
    const part = word.slice(at, end);
    const entries = dictionary.get(part);
    if (entries !== undefined || SPACELESS.test(part)) found.push({ word: part, entries });
    at += entries === undefined ? 1 : part.length;
  }
  const length = found.reduce((sum, each) => sum + each.word.length, 0);
  return isSpaceless || length >= word.length - 2 ? found : [];
}

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
