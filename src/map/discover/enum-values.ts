/**
 * Matches values with the allowed values of a field by synonyms ("Series B" is funding). All sampled values must be known: an
 * incomplete table would reject rows.
 */
import { contracts, type Field, squash } from '../../contract/index.ts';
import { type Meanings, meaningsOf } from './header-words.ts';
import { isRound } from './text-kinds.ts';

export type EnumMatch =
  /** All values are allowed as they are; validation converts them. */
  | { readonly kind: 'known' }
  /** All values have synonyms: a table from sampled values to allowed ones. */
  | { readonly kind: 'table'; readonly values: Readonly<Record<string, string>> };

/** The different values of a column. */
interface Distinct {
  readonly distinct: readonly string[];
}

/** Shorter words begin too many others. */
const MIN_STEM = 6;

/** Characters of a value of an enumeration. */
const LONGEST = 40;

/** A column with more distinct values is not an enumeration. */
export const MAX_VALUES = 25;

interface Vocabulary {
  /** By allowed value: synonyms that are no words of lexicon.json with such a meaning. */
  readonly synonyms: Readonly<Record<string, string>>;
  /** From a meaning of lexicon.json, which knows it in many languages, to the allowed value. */
  readonly meant: Readonly<Record<string, string>>;
  /** Values outside an open list that are sent unchanged. */
  readonly others: string;
}

const VOCABULARIES: Readonly<Record<string, Vocabulary>> = {
  signal_source: {
    synonyms: {
      funding: 'funding round,grant,levée de fonds,finanzierungsrunde',
      job_posting: 'hiring,hiring signal,open role,open roles,recruiting,recrutement',
      linkedin: 'linked in,linkedin post,linkedin activity,linkedin.com',
      news: 'media,media mention',
      review_site: 'product review,review site,trustradius',
      tech_install:
        'technographic,technographics,tech change,technology change,technology install,install,new technology,new tool',
      twitter: 'x,tweet,tweets,x (twitter),twitter/x,twitter.com,x.com',
      web_visit: 'website visit,web visits,site visit,page visit,pageview,website visitor,webseitenbesuch',
      other: 'others,misc,miscellaneous,sonstige,sonstiges,andere,autre,autres,otro,otros,altro,outro,outros,overig',
    },
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
    others: '',
  },
  engagement_type: {
    synonyms: {
      celebrate: '👏,🎉',
      love: '❤️,❤,♥️,♥',
      support: '🤗,🫶,🤝',
      insightful: '💡',
      funny: '😂,🤣,😆',
      curious: '🤔',
      like: '👍,thumbs up,curtir,recomendar,recomendación,recomendado',
      comment: 'commented,replied,kommentiert',
      repost: 'reposted,retweeted,rt',
      mention: 'mentioned,tag',
    },
    meant: { like: 'like', comment: 'comment', reply: 'comment', repost: 'repost', mention: 'mention' },
    others: 'praise,empathy,interest,entertainment,appreciation,follow,followed,quote,click,view,save,reaction',
  },
  platform: {
    synonyms: {
      linkedin: 'linked in,linkedin.com,li,링크드인,لينكدإن,לינקדאין',
      twitter: 'x,twitter.com,x.com,x (twitter),twitter/x,ツイッター,트위터,твиттер,تويتر,טוויטר',
      facebook: 'fb,フェイスブック,페이스북,фейсбук,فيسبوك,פייסבוק',
      instagram: 'ig,insta,インスタグラム,インスタ,인스타그램,인스타,инстаграм,إنستغرام,انستقرام,אינסטגרם',
      tiktok: 'tt,tik tok,틱톡,тикток,تيك توك,טיקטוק',
      youtube: 'yt,ユーチューブ,유튜브,ютуб,يوتيوب,יוטיוב',
    },
    meant: {},
    others:
      'youtube,reddit,facebook,instagram,tiktok,threads,bluesky,mastodon,xing,github,medium,slack,discord,pinterest,hackernews,quora,telegram,whatsapp,snapchat,twitch,producthunt,stackoverflow,vk,вконтакте,weibo,微博,xiaohongshu,小红书,douyin,抖音,bilibili,知乎,微信,naver,네이버,kakao,line,facebook business,facebook page,facebook group,instagram business',
  },
};

const { values: named = [], usual: others = [] } = contracts.social.field('platform')?.kind ?? {};

/** Offered to users: the examples of the API, and others. */
export const usualNetworks: readonly string[] = [...named, ...others];

/** Meanings that change nothing: "Kommentar zum Beitrag" is a comment, "Finanzierungsrunde" is funding. */
const NEUTRAL = ['type', 'post', 'text', 'announced', 'round', 'money'];

/** The values of a field that a user can choose from. */
export function usualValues({ name, kind }: Field): readonly string[] {
  return name === 'platform' ? usualNetworks : (kind.values ?? []);
}

/** From the squashed forms of words to the allowed values of each field; "" for a value that is sent as it is. */
const WORDS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(VOCABULARIES).map(([field, { synonyms, others }]) => [
    field,
    new Map([
      ...Object.entries(synonyms).flatMap(([value, list]) =>
        [value, ...list.split(',')].map((word) => [squash(word), value] as const),
      ),
      ...others.split(',').flatMap((word) => (word === '' ? [] : [[squash(word), ''] as const])),
    ]),
  ]),
);

/** For the enum and open fields with words here. Undefined if a value is not known. */
export function matchEnumValues(field: Field, { distinct }: Distinct): EnumMatch | undefined {
  if (distinct.length === 0 || distinct.length > MAX_VALUES) return undefined;
  const values: Record<string, string> = {};
  for (const value of distinct) {
    const target = allowedValue(field.name, value);
    if (target === undefined) return undefined;
    values[value] = target;
  }
  const isSame = Object.entries(values).every(([value, target]) => squash(value) === squash(target));
  return isSame ? { kind: 'known' } : { kind: 'table', values };
}

/** The known values of a column that has others too, each of which the user is asked about. */
export function tableOfKnown({ name }: Field, { distinct }: Distinct): Readonly<Record<string, string>> | undefined {
  if (distinct.length > MAX_VALUES) return undefined;
  const known = distinct.flatMap((value) => {
    const target = allowedValue(name, value);
    return target === undefined ? [] : [[value, target] as const];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** A table for an open list, which takes other values unchanged. Undefined if no value is a form of a known one. */
export function tableOfForms({ name }: Field, { distinct }: Distinct): Readonly<Record<string, string>> | undefined {
  const targets = VOCABULARIES[name]?.meant ?? {};
  const sent = (value: string): string => {
    const meant = new Set([...meaningsOf(value).known].flatMap((each) => targets[each] ?? []));
    return allowedValue(name, value) ?? (meant.size === 1 ? [...meant][0] : undefined) ?? value;
  };
  const values = Object.fromEntries(distinct.map((value) => [value, sent(value)]));
  return Object.entries(values).every(([value, target]) => squash(value) === squash(target)) ? undefined : values;
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

/** Several questions about one text follow each other. */
let last: { readonly text: string; readonly meanings: Meanings } | undefined;

function wordMeanings(text: string): Meanings {
  if (last?.text !== text) last = { text, meanings: meaningsOf(text) };
  return last.meanings;
}

/** Longer ones are no names of kinds. */
function isShort(text: string): boolean {
  return text.length <= LONGEST && text.split(' ').length <= 4;
}

/** The value that all words of the text mean. "3 comments" is a count. */
function meant(field: string, text: string): string | undefined {
  if (!isShort(text) || /\d/u.test(text)) return undefined;
  const { known, unknown } = wordMeanings(text);
  const told = [...known].filter((each) => !NEUTRAL.includes(each));
  const values = new Set(told.map((each) => VOCABULARIES[field]?.meant[each]));
  return unknown.length === 0 && values.size === 1 ? [...values][0] : undefined;
}

/** The allowed value that a text is a form of. For a proposal that the user sees. */
export function enumSynonym({ name, kind }: Field, text: string): string | undefined {
  const key = squash(text);
  // An inflected form has another end: Stellenanzeigen.
  const inflected = (): string | undefined =>
    [...(WORDS.get(name) ?? [])].find(
      ([word]) => word.length >= MIN_STEM && key.length - word.length <= 3 && key.startsWith(word),
    )?.[1];
  return allowedValue(name, text) ?? kind.values?.find((value) => squash(value) === key) ?? inflected();
}

const EVENTS =
  'funding investment raised acquisition layoff insolvency award job_change patent milestone announced happened'.split(
    ' ',
  );

/** Whether a text names a kind of event of companies, such as "Insolvenz" or "funding round". */
export function isKindOfEvent(text: string): boolean {
  if (!isShort(text)) return false;
  const { known, precise } = wordMeanings(text);
  return isKindOfSource(text) || EVENTS.some((each) => known.has(each) || precise.has(each));
}

/** Whether a text names a kind of source, such as "Funding" or "Press release". */
export function isKindOfSource(text: string): boolean {
  return allowedValue('signal_source', text) !== undefined;
}

/** Whether a text names a kind of engagement, in any language. */
export function isEngagement(text: string): boolean {
  return allowedValue('engagement_type', text) !== undefined;
}

/** Whether a text names a social network. An "x" is also a mark. */
export function isNetwork(text: string): boolean {
  return text !== 'x' && allowedValue('platform', text) !== undefined;
}
