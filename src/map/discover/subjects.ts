/**
 * What a table is about: funding, vacancies, orders, patients. table-subjects.json has one subject a line with its words in 20 languages.
 * From the words of headers, the file's name and texts, the scorer learns which subjects speak for which type.
 */
import { once } from '../../lib/resources.ts';
import type { Column } from './column.ts';
import { bareName } from './features.ts';
import { dictionaryOf, phrasesIn, words } from './header-words.ts';
import subjectsFile from './table-subjects.json' with { type: 'json' };

const SUBJECTS = Object.keys(subjectsFile);

const subjects = once(() => dictionaryOf(subjectsFile));

/** Each subject's share of a text's words; a word of several subjects counts in part for each. */
function sharesOf(text: string): Float32Array {
  const list = words(text).filter((word) => !/^\d+$/u.test(word));
  const phrases = phrasesIn(list, subjects());
  const shares = new Float32Array(SUBJECTS.length);
  for (const { entries = [] } of phrases) {
    for (const each of entries) add(shares, SUBJECTS.indexOf(each), 1 / entries.length / phrases.length);
  }
  return shares;
}

function add(shares: Float32Array, at: number, share: number): void {
  shares[at] = (shares[at] ?? 0) + share;
}

/** Texts of a column, and characters of a text, that are read. */
const [TEXTS, CHARACTERS] = [20, 200];

/** Of each subject: its share of the headers' words, of the file's name, and of the texts of the column that has most of it. */
export function subjectFacts(columns: readonly Column[], file: string | undefined): Float32Array {
  const ofHeaders = new Float32Array(SUBJECTS.length);
  const ofTexts = new Float32Array(SUBJECTS.length);
  for (const { name, profile } of columns) {
    sharesOf(name).forEach((share, at) => {
      add(ofHeaders, at, share / columns.length);
    });
    const texts = profile.texts.slice(0, TEXTS);
    const ofColumn = new Float32Array(SUBJECTS.length);
    for (const text of texts) {
      if (!/\p{L}/u.test(text)) continue;
      sharesOf(text.replace(/https?:\/\/\S+/gu, ' ').slice(0, CHARACTERS)).forEach((share, at) => {
        add(ofColumn, at, share / texts.length);
      });
    }
    ofColumn.forEach((share, at) => {
      ofTexts[at] = Math.max(ofTexts[at] ?? 0, share);
    });
  }
  return Float32Array.from([...ofHeaders, ...sharesOf(bareName(file ?? '')), ...ofTexts]);
}
