/** The columns of a sample: what their headers mean, and which share of their cells are URLs, dates, people. The scorer learns what it says. */
import { once } from '../../lib/resources.ts';
import { isPlaceholder } from '../../lib/text.ts';
import { isRejectsColumn } from '../../model/rejects-file.ts';
import { normalise } from '../match-names.ts';
import { allowedValue } from './enum-values.ts';
import { type Meanings, meaningsOf } from './header-words.ts';
import * as kinds from './text-kinds.ts';

/** The beginning of an input. */
export interface Sample {
  /** The input's name. */
  readonly name?: string | undefined;
  readonly columns: readonly string[];
  /** Cells in the order of the columns; JSON values for NDJSON, undefined if absent. */
  readonly rows: readonly (readonly unknown[])[];
}

export interface Column {
  readonly name: string;
  /** The name without regard to case, spaces and punctuation. */
  readonly key: string;
  readonly meanings: Meanings;
  readonly profile: ColumnProfile;
}

/** A sample's type, its mapping and its questions are asked for one after the other. */
const known = new WeakMap<Sample['rows'], { readonly names: readonly string[]; readonly columns: readonly Column[] }>();

export function columnsIn({ columns: names, rows }: Sample): readonly Column[] {
  const found = known.get(rows);
  if (found?.names === names) return found.columns;
  const columns = readColumns(names, rows);
  known.set(rows, { names, columns });
  return columns;
}

function readColumns(columns: readonly string[], rows: Sample['rows']): readonly Column[] {
  return columns.flatMap((name, index) => {
    if (isRejectsColumn(name)) return [];
    // The table of words is built only where a name does not say everything.
    const meanings = once(() => meaningsOf(name));
    const profile = profileColumn(rows.map((row) => row[index]));
    return [
      {
        name,
        key: normalise(name),
        profile,
        get meanings() {
          return meanings();
        },
      },
    ];
  });
}

/** Characters of a cell that are examined: enough to tell its kind, and a bound on the work for a hostile cell. */
const MAX_CELL = 500;

/** Texts that are examined, spread over the sample: more would change a share by little. */
const EXAMINED = 16;

export interface ColumnProfile {
  /** Trimmed texts and numbers in the order of the rows, without empty cells and placeholders. */
  readonly texts: readonly string[];
  readonly distinct: readonly string[];
  /** Distinct cells that stand for an empty one, such as N/A. */
  readonly placeholders: readonly string[];
  /** Number of sampled rows. */
  readonly rows: number;
  /** Whether more cells are objects or arrays, also as text, than anything else. No field allows them. */
  readonly nested: boolean;
}

/** JSON, or what a program prints of its objects: {'name': 'Acme'}. Long ones are cut off. */
const SERIALISED = /^(?:\{.*[:=]|\[\s*(?:['"{[]|\]$)|\[[^\]]*,[^\]]*\]$)/su;

function profileColumn(sampled: readonly unknown[]): ColumnProfile {
  const all = sampled.map((cell) =>
    typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean'
      ? String(cell).trim().slice(0, MAX_CELL)
      : '',
  );
  // NA is a country.
  const placeholders = new Set(all.filter((text) => isPlaceholder(text) && !/^[a-z.]{1,2}$/iu.test(text)));
  const texts = all.filter((text) => text !== '' && !placeholders.has(text));
  const objects = sampled.filter((cell) => typeof cell === 'object' && cell !== null).length;
  const serialised = texts.filter((text) => SERIALISED.test(text)).length;
  return {
    texts,
    distinct: [...new Set(texts)],
    placeholders: [...placeholders],
    rows: sampled.length,
    nested: objects + serialised > texts.length - serialised,
  };
}

/** The share of texts that pass the test, from 0 to 1. 0 without texts. */
export function share({ texts }: ColumnProfile, test: (text: string) => boolean): number {
  return texts.length === 0 ? 0 : texts.filter(test).length / texts.length;
}

/** Whether the text is, or means, a value of the field. */
const ofField = (field: string) => (text: string) => allowedValue(field, text) !== undefined;

const ofKind = (kind: kinds.UrlKind) => (text: string) => kinds.pageOf(text)?.kind === kind;

/** What a value can be. */
const TESTS: Readonly<Record<string, RegExp | ((text: string) => boolean)>> = {
  email: kinds.isEmail,
  url: kinds.isUrl,
  post: ofKind('post'),
  person_page: ofKind('person'),
  company_page: ofKind('company'),
  page: ofKind('page'),
  site: ofKind('site'),
  own_domain: (text) => kinds.isOwnDomain(kinds.domainIn(text)) && kinds.pageOf(text)?.network === undefined,
  iso: /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/u,
  date: /^(?:\d{4}[-/.年]\s?\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|20\d{6}$|\d{1,2}\.? (?:de )?\p{L}{3,}|\p{L}{3,9}\.?,? (?:\p{L}{3,9} )?(?:\d{1,2},? )?\d{4}|\d{1,2}-\p{L}{3}-\d{2,4})/u,
  currency: (text) => kinds.isAmount(text) && text.search(kinds.CURRENCY) >= 0,
  amount: kinds.isAmount,
  headcount: kinds.isHeadcount,
  percentage: kinds.isPercentage,
  integer: /^-?\d+$/u,
  number: /^[-+]?\d[\d.,'’\s]*(?:[kmKM%]|万)?$/u,
  relative: kinds.isRelative,
  // An "x" is also a mark.
  network: (text) => text !== 'x' && allowedValue('platform', text) !== undefined,
  engagement: ofField('engagement_type'),
  source: ofField('signal_source'),
  round: kinds.isRound,
  yes_no: /^(?:true|false|yes|no|ja|nein|nej|oui|non|s[iìí]|sim|nee|tak|nie|はい|いいえ|是|否)$/iu,
  person: kinds.isPerson,
  full_name: /^\p{Lu}[\p{L}.'’-]*(?:\s\p{Lu}[\p{L}.'’-]*){1,3}$/u,
  job_title: kinds.isJobTitle,
  long: /^.{160}/su,
  sentence:
    /^(?:\S+\s+){8}|\p{Ll}{3}[.!?]\s+\p{Lu}|[.!?。！？]$|^(?=.*[\p{sc=Han}\p{sc=Katakana}\p{sc=Hiragana}]{2}).{20}/u,
  phrase: /^(?=.*\p{L})(?:\S+\s+){3,8}\S+$|^\p{Lo}{9,19}$/u,
  few_words: /^(?=.*\p{L})(?:\S+\s+){1,2}\S+$|^\p{Lo}{4,8}$/u,
  one_word: /^\S*\p{L}\S*$/u,
};

/** Of the column as a whole. */
const OF_ALL = 'filled empty distinct constant length'.split(' ');

/** Names of facts, in the order of {@link columnFacts}. */
export const FACTS: readonly string[] = [...OF_ALL, ...Object.keys(TESTS)];

/** The share of values for which each of {@link FACTS} holds, from 0 to 1. */
export function columnFacts(profile: ColumnProfile): Float32Array {
  const { texts, distinct, rows } = profile;
  const step = Math.max(1, texts.length / EXAMINED);
  const count = Math.max(1, Math.min(EXAMINED, texts.length));
  const examined = texts.slice(0, count).map((_, at) => texts[Math.floor(at * step)] ?? '');
  const tests = Object.values(TESTS);
  // One text after the other: what tests have in common is found out once for each text.
  const passed = examined.map((text) => tests.map((test) => (test instanceof RegExp ? test.test(text) : test(text))));
  return Float32Array.from([
    rows === 0 ? 0 : texts.length / rows,
    Number(rows > 0 && texts.length === 0),
    texts.length === 0 ? 0 : distinct.length / texts.length,
    Number(texts.length > 1 && distinct.length === 1),
    examined.reduce((sum, text) => sum + Math.min(200, text.length), 0) / (200 * count),
    ...tests.map((_, at) => passed.filter((each) => each[at]).length / count),
  ]);
}
