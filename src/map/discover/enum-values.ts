/**
 * Matches values with the allowed values of a field by synonyms ("Series B" is funding). All sampled values must be known: an
 * incomplete table would reject rows.
 */
import { type Field, squash } from '../../contract/index.ts';
import type { ColumnProfile } from './column-facts.ts';
import { meaningsOf } from './header-words.ts';

export type EnumMatch =
  /** All values are allowed as they are; validation converts them. */
  | { readonly kind: 'known' }
  /** All values have synonyms: a table from sampled values to allowed ones. */
  | { readonly kind: 'table'; readonly values: Readonly<Record<string, string>> };

/** Shorter words begin too many others. */
const MIN_STEM = 6;

/** Characters of a value of an enumeration. */
const LONGEST = 40;

/** A column with more distinct values is not an enumeration. */
export const MAX_VALUES = 25;

/** Synonyms that are no words of header-lexicon.ts with such a meaning. */
const SOURCES = synonyms({
  funding:
    'seed,pre-seed,seed round,angel,series a,series b,series c,series d,series e,series f,venture round,funding round,grant,levée de fonds,finanzierungsrunde',
  job_posting: 'hiring,hiring signal,open role,open roles,recruiting,recrutement',
  linkedin: 'linked in,linkedin post,linkedin activity,linkedin.com',
  news: 'media,media mention',
  review_site: 'product review,review site,trustradius',
  tech_install:
    'technographic,technographics,tech change,technology change,technology install,install,new technology,new tool',
  twitter: 'x,tweet,tweets,x (twitter),twitter/x,twitter.com,x.com',
  web_visit: 'website visit,web visits,site visit,page visit,pageview,website visitor,webseitenbesuch',
  other: 'others,misc,miscellaneous,sonstige,sonstiges,andere,autre,autres,otro,otros,altro,outro,outros,overig',
});

const ENGAGEMENTS = synonyms({
  like: 'thumbs up,curtir',
  comment: 'commented,replied,kommentiert',
  repost: 'reposted,retweeted,rt',
  mention: 'mentioned,tag',
});

/** Reactions that are sent unchanged: the interface's list of engagement types is open. */
const REACTIONS =
  'praise,empathy,celebrate,support,love,insightful,interest,funny,entertainment,appreciation,curious,follow,followed,quote,click,view,save,reaction'.split(
    ',',
  );

const NETWORKS = synonyms({
  linkedin: 'linked in,linkedin.com',
  twitter: 'x,twitter.com,x.com,x (twitter),twitter/x',
});
/** Offered to users. The interface has linkedin and twitter as examples, and takes others. */
export const NETWORKS_SHOWN = ['linkedin', 'twitter', 'youtube', 'reddit', 'facebook', 'instagram', 'tiktok'] as const;
const OTHER_NETWORKS = [
  ...NETWORKS_SHOWN.slice(2),
  ...['threads', 'bluesky', 'mastodon', 'xing', 'github', 'medium', 'slack', 'discord', 'pinterest'],
];

interface KnownWords {
  /** From a synonym to the allowed value. */
  readonly synonyms: ReadonlyMap<string, string>;
  /** From a meaning of header-lexicon.ts, which knows it in many languages, to the allowed value. */
  readonly meant: Readonly<Record<string, string>>;
  /** Values outside an open list that are sent unchanged. */
  readonly others: readonly string[];
}

const WORDS: Readonly<Record<string, KnownWords>> = {
  signal_source: {
    synonyms: SOURCES,
    meant: {
      funding: 'funding',
      investment: 'funding',
      raised: 'funding',
      job: 'job_posting',
      news: 'news',
      review: 'review_site',
      tech: 'tech_install',
      visit: 'web_visit',
    },
    others: [],
  },
  engagement_type: {
    synonyms: ENGAGEMENTS,
    meant: { like: 'like', comment: 'comment', repost: 'repost', mention: 'mention' },
    others: REACTIONS,
  },
  platform: { synonyms: NETWORKS, meant: {}, others: OTHER_NETWORKS },
};

/** Meanings that change nothing: "Kommentar zum Beitrag" is a comment, "Finanzierungsrunde" is funding. */
const NEUTRAL = ['type', 'post', 'text', 'announced', 'round', 'money'];

const NO_WORDS: KnownWords = { synonyms: new Map(), meant: {}, others: [] };

/** The values of a field that a user can choose from. */
export function usualValues({ name, kind }: Field): readonly string[] {
  return name === 'platform' ? NETWORKS_SHOWN : (kind.values ?? []);
}

/** For the enum and open fields with synonyms here. Undefined if a value is not known. */
export function matchEnumValues(field: Field, { distinct }: ColumnProfile): EnumMatch | undefined {
  if (distinct.length === 0 || distinct.length > MAX_VALUES) return undefined;
  const unchanged = unchangedValues(field);
  if (distinct.every((value) => unchanged.has(squash(value)))) return { kind: 'known' };
  const values: Record<string, string> = {};
  for (const value of distinct) {
    const target = synonymOf(field.name, value) ?? unchanged.get(squash(value)) ?? meant(field.name, value);
    if (target === undefined) return undefined;
    values[value] = target === '' ? value : target;
  }
  return { kind: 'table', values };
}

/** From the squashed form of a value that needs no change to the allowed value; "" for one that is sent as it is. */
function unchangedValues({ name, kind }: Field): ReadonlyMap<string, string> {
  const others = (WORDS[name] ?? NO_WORDS).others.map((value) => [squash(value), ''] as const);
  return new Map([...others, ...(kind.values ?? []).map((value) => [squash(value), value] as const)]);
}

function synonymOf(field: string, text: string): string | undefined {
  return (WORDS[field] ?? NO_WORDS).synonyms.get(squash(text));
}

/** The value that all words of the text mean. "3 comments" is a count. */
function meant(field: string, text: string): string | undefined {
  if (text.length > LONGEST || /\d/u.test(text)) return undefined;
  const { known, unknown } = meaningsOf(text);
  const told = [...known].filter((each) => !NEUTRAL.includes(each));
  const values = new Set(told.map((each) => (WORDS[field] ?? NO_WORDS).meant[each]));
  return unknown.length === 0 && values.size === 1 ? [...values][0] : undefined;
}

/** The allowed value that a text is a form or a synonym of. For a proposal that the user sees. */
export function enumSynonym({ name, kind }: Field, text: string): string | undefined {
  const key = squash(text);
  // An inflected form has another end: Stellenanzeigen.
  const inflected = (): string | undefined =>
    [...(WORDS[name] ?? NO_WORDS).synonyms].find(
      ([word]) => word.length >= MIN_STEM && key.length - word.length <= 3 && key.startsWith(word),
    )?.[1];
  return (
    synonymOf(name, text) ?? kind.values?.find((value) => squash(value) === key) ?? meant(name, text) ?? inflected()
  );
}

/** The share of sampled values that are known in any form, from 0 to 1. */
export function knownShare(field: Field, { distinct }: ColumnProfile): number {
  // "Mention in a story" has words that are not known.
  const targets = field.kind.name === 'open' ? (WORDS[field.name] ?? NO_WORDS).meant : {};
  const known = distinct.filter(
    (value) =>
      isWordOf(field.name, value) ||
      unchangedValues(field).has(squash(value)) ||
      [...meaningsOf(value).known].some((each) => Object.hasOwn(targets, each)),
  );
  return distinct.length === 0 ? 0 : known.length / distinct.length;
}

/** Whether a text names a kind of source, such as "Funding" or "Press release". */
export function isKindOfSource(text: string): boolean {
  return isWordOf('signal_source', text);
}

/** Whether a text names a kind of engagement, in any language. */
export function isEngagement(text: string): boolean {
  return isWordOf('engagement_type', text);
}

export function isComment(text: string): boolean {
  return [synonymOf('engagement_type', text), meant('engagement_type', text)].includes('comment');
}

/** Whether a text names a social network. */
export function isNetwork(text: string): boolean {
  return isWordOf('platform', text);
}

/** Whether a text is a value of the field, a synonym of one, or one that is sent unchanged. */
function isWordOf(field: string, text: string): boolean {
  const { synonyms, others } = WORDS[field] ?? NO_WORDS;
  const key = squash(text);
  return (
    synonyms.has(key) ||
    [...synonyms.values(), ...others].some((value) => squash(value) === key) ||
    meant(field, text) !== undefined
  );
}

function synonyms(lists: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(lists).flatMap(([target, list]) => list.split(',').map((word) => [squash(word), target] as const)),
  );
}
