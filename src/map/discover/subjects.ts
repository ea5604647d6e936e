/**
 * What a table is about: funding, vacancies, orders, patients. subjects.json has one subject a line with its words in 20 languages,
 * written as in lexicon.json; "*" stands for any ending. From the words of headers, the file's name and texts, the scorer learns
 * which subjects speak for which type.
 */
import { once } from '../../lib/resources.ts';
import type { Column } from './column.ts';
import { bareName } from './features.ts';
import { words } from './header-words.ts';
import subjectsFile from './subjects.json' with { type: 'json' };

const LISTS = Object.values(subjectsFile);

/** Scripts without spaces, where a word can begin at any character. */
const SPACELESS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;

/** Subjects by word or phrase. */
const subjects = once(() => {
  const found = new Map<string, number[]>();
  for (const [subject, list] of LISTS.entries()) {
    for (const word of list.split(' ')) {
      const known = found.get(word);
      if (known === undefined) found.set(word, [subject]);
      else known.push(subject);
    }
  }
  return found;
});

/** Words of the longest phrase, and characters of the longest spaceless word and of the shortest beginning. */
const [PHRASE, SPACELESS_WORD, BEGINNING] = [4, 8, 4];

function subjectsOf(phrase: string): readonly number[] | undefined {
  const whole = subjects().get(phrase) ?? subjects().get(phrase.replace(/(?<=...)s$/u, ''));
  if (whole !== undefined || phrase.includes('_')) return whole;
  for (let end = phrase.length; end >= BEGINNING; end -= 1) {
    const those = subjects().get(`${phrase.slice(0, end)}*`);
    if (those !== undefined) return those;
  }
  return undefined;
}

/** Words from this place on: how many, and their subjects. */
function wordAt(list: readonly string[], at: number): readonly [length: number, subjects?: readonly number[]] {
  const lengths = SPACELESS.test(list[at] ?? '') ? SPACELESS_WORD : PHRASE;
  for (let length = Math.min(lengths, list.length - at); length > 0; length -= 1) {
    const those = subjectsOf(list.slice(at, at + length).join(lengths === PHRASE ? '_' : ''));
    if (those !== undefined) return [length, those];
  }
  return [1];
}

/** Each subject's share of a text's words; a word of several subjects counts in part for each. */
function readText(text: string): { readonly shares: ReadonlyMap<number, number>; readonly count: number } {
  const list = words(text).flatMap((word) => (/^\d+$/u.test(word) ? [] : SPACELESS.test(word) ? [...word] : [word]));
  const sums = new Map<number, number>();
  let count = 0;
  for (let at = 0; at < list.length; count += 1) {
    const [length, those = []] = wordAt(list, at);
    for (const each of those) sums.set(each, (sums.get(each) ?? 0) + 1 / those.length);
    at += length;
  }
  return { shares: new Map([...sums].map(([subject, sum]) => [subject, sum / count])), count };
}

/** Texts of a column and characters of a text that are read, and words from which a text is a long one. */
const [TEXTS, CHARACTERS, LONG] = [20, 200, 5];

/** Of each subject: its share of the headers' words, of the file's name, of a column's short texts, and of its long texts that have it. */
export function subjectFacts(columns: readonly Column[], file: string | undefined): Float32Array {
  const all = LISTS.length;
  const facts = new Float32Array(4 * all);
  for (const [subject, share] of readText(bareName(file ?? '')).shares) facts[all + subject] = share;
  for (const { name, profile } of columns) {
    for (const [subject, share] of readText(name).shares)
      facts[subject] = (facts[subject] ?? 0) + share / columns.length;
    const texts = profile.texts.slice(0, TEXTS);
    const ofColumn = new Float32Array(2 * all);
    for (const text of texts) {
      if (!/\p{L}/u.test(text)) continue;
      const { shares, count } = readText(text.replace(/https?:\/\/\S+/gu, ' ').slice(0, CHARACTERS));
      for (const [subject, share] of shares) {
        const at = count < LONG ? subject : all + subject;
        ofColumn[at] = (ofColumn[at] ?? 0) + (count < LONG ? share : 1) / texts.length;
      }
    }
    for (const [at, share] of ofColumn.entries()) facts[2 * all + at] = Math.max(facts[2 * all + at] ?? 0, share);
  }
  return facts;
}
