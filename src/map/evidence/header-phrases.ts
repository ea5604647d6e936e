/**
 * Phrases that match headers. Commas separate phrases; each is in lower case and without accents.
 *
 * - `round type`: the header has both words, in any order, and perhaps others
 * - `stellen*`: a word begins with it
 * - `=like count`: the header has these words and no others, apart from articles
 * - `会社名`: the header contains it; scripts without spaces have no words
 * - `?`: the header is a question
 */
import { bag, words } from '../discover/header-words.ts';

/** Scripts that are written without spaces, or with endings that change the word. */
const WITHOUT_WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

export interface Header {
  readonly words: readonly string[];
  readonly bag: string;
  /** All words without separators. */
  readonly text: string;
  readonly question: boolean;
}

type Matcher = (header: Header) => boolean;

/** @param without words that do not count */
export function headerOf(name: string, without: ReadonlySet<string> = new Set()): Header {
  const all = words(name).filter((word) => !without.has(word));
  return { words: all, bag: bag(all.join(' ')), text: all.join(''), question: /[?？]\s*$/u.test(name) };
}

const matchers = new Map<string, Matcher>();

/** Made once for each list. */
export function phraseMatcher(list: string): Matcher {
  const known = matchers.get(list) ?? listMatcher(list);
  matchers.set(list, known);
  return known;
}

function listMatcher(list: string): Matcher {
  const matchers = list.split(',').map(matcherOf);
  return (header) => matchers.some((matches) => matches(header));
}

function matcherOf(phrase: string): Matcher {
  if (phrase === '?') return ({ question }) => question;
  if (phrase.startsWith('=')) {
    const wanted = bag(phrase);
    return (header) => header.bag === wanted;
  }
  if (WITHOUT_WORDS.test(phrase)) {
    const text = phrase.replaceAll(/[ *]/gu, '');
    return (header) => header.text.includes(text);
  }
  const parts = phrase.split(' ').map((part) => {
    const stem = part.endsWith('*') ? part.slice(0, -1) : undefined;
    return stem === undefined ? (word: string) => word === part : (word: string) => word.startsWith(stem);
  });
  return (header) => parts.every((part) => header.words.some(part));
}
