/**
 * Matches values with the allowed values of a field by synonyms ("Series B" is funding). All sampled values must be known: an
 * incomplete table would reject rows.
 */
import { contracts, type Field, squash } from '../../contract/index.ts';
import { nearest } from '../../lib/nearest.ts';
import { rememberLast } from '../../lib/resources.ts';
import { meaningsOf } from './header-words.ts';
import { isRound } from './text-kinds.ts';
import synonymsFile from './value-synonyms.json' with { type: 'json' };

/** Characters of a value of an enumeration. */
const LONGEST = 40;

/** A column with more distinct values is not an enumeration. */
export const MAX_VALUES = 25;

/**
 * Of each field, synonyms by allowed value that are no words of header-meanings.json with such a meaning; under "", values outside an open
 * list that are sent unchanged; and from a meaning of header-meanings.json, which knows it in many languages, to the allowed value.
 */
const SYNONYMS: Readonly<Record<string, { readonly words: Synonyms; readonly meant: Synonyms }>> = synonymsFile;

type Synonyms = Readonly<Record<string, string>>;

/** The API's own value for everything else. */
export const OTHER = 'other';

/** Meanings that change nothing: "Kommentar zum Beitrag" is a comment, "Finanzierungsrunde" is funding. */
const NEUTRAL = ['type', 'post', 'text', 'announced', 'round', 'money'];

/** The values of a field that a user can choose from: of networks, also those that the API does not name. */
export function usualValues({ name, kind: { values = [], usual = [] } }: Field): readonly string[] {
  return name === 'platform' ? [...values, ...usual] : values;
}

/** From the squashed forms of words to the allowed values of each field; "" for a value that is sent as it is. */
const WORDS = new Map(
  Object.entries(SYNONYMS).map(([field, { words }]) => {
    const forms = Object.entries(words).flatMap(([value, list]) =>
      [value, ...list.split(',')].filter(Boolean).map((word) => [squash(word), value] as const),
    );
    return [field, new Map(forms)] as const;
  }),
);

/** Of the values of a column those that are known, with the allowed ones. None of a column that is no list. */
export function knownValues({ name }: Field, distinct: readonly string[]): Synonyms {
  const all = distinct.length > MAX_VALUES ? [] : distinct.map((value) => [value, allowedValue(name, value)] as const);
  return Object.fromEntries(all.flatMap(([value, target]) => (target === undefined ? [] : [[value, target]])));
}

/** The allowed value that a text is, is a synonym of, or means; the text itself if it is sent unchanged. */
export function allowedValue(field: string, text: string): string | undefined {
  const known = WORDS.get(field)?.get(squash(text));
  if (known === undefined && field === 'signal_source') {
    if (isRound(text)) return 'funding';
    const read = contracts.signals.field(field)?.kind.read(text);
    if (read !== undefined) return String(read);
  }
  return known === '' ? text : (known ?? meant(field, text));
}

const wordMeanings = rememberLast(meaningsOf);

/** The value that all words of the text mean. "3 comments" is a count. */
function meant(field: string, text: string): string | undefined {
  const targets = SYNONYMS[field]?.meant;
  if (targets === undefined || text.length > LONGEST || text.split(' ').length > 4 || /\d/u.test(text))
    return undefined;
  const { known, unknown } = wordMeanings(text);
  const told = [...known].filter((each) => !NEUTRAL.includes(each));
  const values = new Set(told.map((each) => targets[each]));
  return unknown.length === 0 && values.size === 1 ? [...values][0] : undefined;
}

/** The allowed value that a text, or one of its words, resembles. For a proposal that the user sees. */
export function similarValue({ name, kind }: Field, text: string): string | undefined {
  const { values = [] } = kind;
  const meaningOf = (part: string): string | undefined =>
    allowedValue(name, part) ?? values.find((value) => squash(value) === squash(part));
  const whole = meaningOf(text);
  if (whole !== undefined) return whole;
  const found = new Set(text.split(/[\s/,;:()|_-]+/u).flatMap((word) => (word === '' ? [] : (meaningOf(word) ?? []))));
  const [only] = found;
  if (found.size > 0) return found.size === 1 ? only : undefined;
  // "other" is in "brother", and fits everything anyway.
  return nearest(
    text,
    values.filter((value) => value !== OTHER),
  );
}
