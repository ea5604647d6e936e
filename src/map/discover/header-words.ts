/**
 * Headers as words and as meanings, so that "Company Name", "companyName", "name_of_company" and "Firmenname" are equal.
 *
 * lexicon.json is the only list of such words, in 26 languages: the scorer (features.ts) learns what its meanings say.
 * Each line is a meaning and its words, in lower case and without accents;
 * "_" joins the words of a phrase, which also matches when they are written together. A word has one meaning. `post/tweet`
 * means a post, and more precisely a tweet. Plurals, compounds (Firmenname, 会社名)
 * and longer forms of a word need no entry.
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
  /** Meanings of lexicon.json, and `happened` for "acquired". */
  readonly known: ReadonlySet<string>;
  /** The same with the narrower ones: `tweet` beside `post`; and `question` for a header that is one. */
  readonly precise: ReadonlySet<string>;
  /** Words without a known meaning, or of which only the beginning is known. */
  readonly unknown: readonly string[];
}

/** Objects around the columns of an export. */
const CONTAINER =
  /^(?:(?:data|attributes|properties|fields|node|item|record|result|payload|snippet|included|_source|raw)\.)+/i;

/** The name in a reference to another record: funded_organization_identifier.value. */
const NAME_OF_KEY = /[._]?identifier\.value$/i;

/** The text of a code, in the path of an object: `industry.label`. */
const LABEL = /(?<=.)[./]label$/i;

/** Words between the words of a phrase: chiffre d'affaires, nom de la famille. */
const ARTICLES = setOf(lists.articles);

/** A remark after a header. Unknown words in it change nothing, and no word of a long one does. */
const REMARK = /^[^([]*[^([\s][^([]*[([](.*)[)\]]\s*$/su;

/** Words of a phrase that are looked up together. */
const PHRASE = 3;

/** What the words of a header mean. */
export function meaningsOf(header: string): Meanings {
  const remark = words(REMARK.exec(header)?.[1] ?? '');
  const remarks = new Set(remark);
  const bare = remark.length > 2 ? header.replace(/[([].*$/s, '') : header;
  const all = words(bare.replace(CONTAINER, '').replace(NAME_OF_KEY, '.name').replace(LABEL, ''));
  const list = all.length === 1 ? all : all.filter((word) => !ARTICLES.has(word));
  const found = new Set<string>();
  const unknown: string[] = [];
  for (let at = 0; at < list.length; ) {
    const length = [PHRASE, 2, 1].find(
      (each) => lexicon().has(list.slice(at, at + each).join('')) && at + each <= list.length,
    );
    const word = list[at] ?? '';
    // A Turkish name stands alone; in "Ad ID" and "AD_ACCOUNT" it is an advertisement.
    if (word === 'ad' && length === 1 && list.length > 1) {
      found.add('advertising');
      at += 1;
      continue;
    }
    if (length !== undefined && !(length === 1 && STOP.has(word) && list.length > 1)) {
      found.add(lexicon().get(list.slice(at, at + length).join('')) ?? '');
    } else if (!STOP.has(word) && !UNITS.has(word) && !/^\d+$/.test(word)) {
      const parts = meaningsOfWord(word);
      for (const meaning of parts ?? meaningOfStem(word)) found.add(meaning);
      if (parts === undefined && !remarks.has(word)) unknown.push(word);
    }
    // "isReply" is a yes or no. In Turkish, "iş" begins phrases about jobs.
    if (at === 0 && list.length > 1 && (word === 'is' || word === 'has') && length !== 2 && length !== 3)
      found.add('state_of');
    at += length ?? 1;
  }
  const levels = [...found].map((meaning) => meaning.split('/'));
  const known = new Set(levels.flatMap(([broad = '']) => broad));
  const asks = /[?？]\s*$/u.test(header);
  // A question of a survey is a sentence: "Was?" and "Worth a call?" are what somebody notes.
  const asked = all.length > 3 || WITHOUT_SPACES.test(header) ? ['question'] : [];
  return { known, precise: new Set(asks ? asked : levels.flat()), unknown };
}

/** A plural, a compound (Firmenname, jobtitle, 会社名), or an English participle. */
function meaningsOfWord(word: string): readonly string[] | undefined {
  const single = singular(word);
  if (single !== undefined) return [single];
  // Umlauts are also written with an "e".
  const parts = compound(word) ?? (FOREIGN.test(word) ? undefined : compound(word.replace(/([aou])e/g, '$1')));
  if (parts !== undefined) return parts;
  return /^[a-z]{3,}ed$/.test(word) && !NOT_EVENTS.test(word) ? ['happened'] : undefined;
}

/** Shorter words begin too many others. */
const MIN_STEM = 6;
const MAX_STEM = 20;

/** Shorter words end too many others. */
const MIN_HEAD = 5;

/** Meanings that say what the values are, whatever the first part of a compound is. */
const OF_HEADS = 'date time name title url type count amount text summary code role'.split(' ');

/**
 * The meaning of a longer form whose ending is not known (investeringsmaatschappij), and of a compound's last part if it says
 * what the values are: Anmeldedatum, 發言日期.
 */
function meaningOfStem(word: string): readonly string[] {
  const spaceless = WITHOUT_SPACES.test(word);
  const lengths = Array.from({ length: Math.min(word.length - 1, MAX_STEM) }, (_, index) => index + 1);
  const stem = lengths
    .filter((length) => length >= (spaceless ? 2 : MIN_STEM))
    .flatMap((length) => lexicon().get(word.slice(0, length)) ?? []);
  const head = lengths
    .filter((length) => length >= (spaceless ? 2 : MIN_HEAD))
    .flatMap((length) => lexicon().get(word.slice(-length)) ?? [])
    .filter((meaning) => OF_HEADS.includes(meaning.split('/')[0] ?? ''));
  return [...stem.slice(-1), ...head.slice(-1)];
}

/** Scripts that are written without spaces, or with endings that change the word. */
const WITHOUT_SPACES = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー]/u;

/** Not participles, or what is done with a record instead of a company. */
const NOT_EVENTS = new RegExp(`^(?:${lists.not_events})$`);

const ENDINGS = ['', 's', 'es', 'n', 'en', 'e', 'er', 'et', 'a', 'i', 'y', 'u', 'ow', 'si'];

/** Endings of the nominative, to which a declined word is brought back: пользователя, комментарии. */
const NOMINATIVE = ['', 'ь', 'й', 'а', 'я', 'е', 'ие'];

function singular(word: string): string | undefined {
  const isShort = word.length < (/^[\p{sc=Arabic}\p{sc=Hebrew}]+$/u.test(word) ? 4 : 5);
  const forms = isShort ? [word] : [word, ...formsOf(word)];
  return lexicon().get(forms.find((form) => lexicon().has(form)) ?? '');
}

function formsOf(word: string): readonly string[] {
  const isLong = (stem: string): boolean => stem.length >= 4;
  if (/^\p{sc=Cyrillic}+$/u.test(word))
    return [word.slice(0, -1), word.slice(0, -2)].filter(isLong).flatMap((stem) => NOMINATIVE.map((end) => stem + end));
  // Arabic and Hebrew write their articles and prepositions with the word: المنشور, החברה.
  if (FOREIGN.test(word)) return [word.replace(/^(?:[ولب]?ال|لل|[הלב])(?=\p{L}{2})/u, '')];
  // Umlauts are also written with an "e": Unternehmensgroesse.
  return [word, word.replace(/([aou])e/g, '$1')]
    .flatMap((form) => ENDINGS.flatMap((end) => (form.endsWith(end) ? form.slice(0, form.length - end.length) : [])))
    .filter(isLong);
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
