/**
 * How the values of a column become those of a field: what the contract's kinds require of them, whatever the header says. A
 * date field gets dates, a domain field domains; several readings, or a doubt, leave the decision to the user.
 */
import type { Field } from '../../contract/index.ts';
import type { FieldMapping } from '../document-schema.ts';
import { numberConverter } from '../parse-number.ts';
import type { Column } from './column.ts';
import { type ColumnProfile, share } from './column-facts.ts';
import { type DateFormats, detectDateFormat, mostFrequentFormat, orderOf, statedOrder } from './date-format.ts';
import { allowedValue, MAX_VALUES, matchEnumValues, tableOfForms, tableOfKnown } from './enum-values.ts';
import * as kinds from './text-kinds.ts';
import { networkOf, urlKind } from './url-kinds.ts';

export interface Reading {
  /** The likeliest first. */
  readonly ways: readonly FieldMapping[];
  /** Why only the user can decide, as a clause. */
  readonly doubt?: string | undefined;
}

export interface ReadAs {
  /** The column has the name of the field: most values decide, and ISO 8601 stays valid. */
  readonly isNamed?: boolean | undefined;
  /** The language of the headers writes the day before the month. */
  readonly dayFirst: boolean;
}

/** Minimum share of matching values, because a cell can be wrong now and then. */
const NEARLY_ALL = 0.9;

/** The share of values that can be read from which the user decides about the others. */
const SOME = 0.4;

type Read = (column: Column, field: Field, as: ReadAs) => Reading | undefined;

const READERS: Readonly<Record<string, Read>> = {
  company_name: readCompanies,
  engager_company: readCompanies,
  signal_title: readTitles,
  engager_name: ofTexts((text) => kinds.isProse(text) || /^\S{2,30}$/u.test(text), 0.8),
  engagement_content: ofTexts((text) => /\p{L}|\p{Extended_Pictographic}|^\+1$/u.test(text), 0.7),
  engagement_date: readMoments,
  company_domain: readDomains,
  source_url: readPages,
  post_url: readPages,
  engager_profile_url: readProfiles,
  funding_amount: readAmounts,
  employee_count: ofTexts(kinds.isHeadcount, NEARLY_ALL),
  location: ofTexts((text) => kinds.isProse(text) || /^(?:\p{Lo}+|\p{Lu})$/u.test(text), 0.8),
};

const ANSWER = /^(?:@.*|yes|no|true|false|ja|nein|oui|non|si|sì|sí|sim|nee|none|unknown)$/iu;

/** Undefined if the values cannot be the field's. */
export function readingOf(column: Column, field: Field, as: ReadAs): Reading | undefined {
  const { name, profile } = column;
  if (profile.nested) return undefined;
  if (field.kind.name === 'date-time') return readDates(column, as);
  if (profile.texts.length === 0) {
    return { ways: [field.name === 'company_domain' ? { column: name, as: 'domain' } : { column: name }] };
  }
  if (field.kind.name === 'enum' || field.kind.name === 'open') return readKinds(column, field);
  if (field.kind.name === 'integer') return ofTexts(kinds.isPercentage, 1)(column, field, as);
  if (field.kind.name === 'number')
    return ofTexts((text) => Number.isFinite(Number(text)), NEARLY_ALL)(column, field, as);
  return (READERS[field.name] ?? ofTexts(kinds.isProse, 0.7))(column, field, as);
}

/** Names, of which some can be people's, or one is everybody's: the user decides. */
function readCompanies({ name, profile }: Column): Reading | undefined {
  if (!isEnough(profile, (text) => kinds.isProse(text) && !ANSWER.test(text), 0.8)) return undefined;
  const people = share(profile, kinds.isPerson);
  if (people > 0.6) return undefined;
  return { ways: [{ column: name }], doubt: people > 0.3 ? 'some values are names of people' : sameInAll(profile, 3) };
}

/** A title says what happened to one company. */
function readTitles(column: Column, field: Field, as: ReadAs): Reading | undefined {
  const reading = ofTexts(kinds.isProse, 0.7)(column, field, as);
  return reading && { doubt: sameInAll(column.profile, 2), ...reading };
}

function sameInAll({ texts, distinct }: ColumnProfile, least: number): string | undefined {
  return distinct.length === 1 && texts.length >= least ? 'all rows have the same' : undefined;
}

/** A column is used as it is if enough values pass the test. */
function ofTexts(test: (text: string) => boolean, least: number): Read {
  return ({ name, profile }) => {
    if (isEnough(profile, test, least)) return { ways: [{ column: name }] };
    return least < 1 && share(profile, test) >= 0.5
      ? { ways: [{ column: name }], doubt: 'some values do not fit' }
      : undefined;
  };
}

/** In a sample of five values, one can be wrong. */
function isEnough({ texts }: ColumnProfile, test: (text: string) => boolean, least = NEARLY_ALL): boolean {
  const count = texts.filter(test).length;
  return count >= least * texts.length || (least < 1 && texts.length >= 5 && count === texts.length - 1);
}

/** A closed list must know all values; an open one takes others as they are. */
function readKinds({ name, profile }: Column, field: Field): Reading | undefined {
  const match = matchEnumValues(field, profile);
  if (match?.kind === 'known') return { ways: [{ column: name }] };
  if (match?.kind === 'table') return { ways: [{ column: name, values: match.values }] };
  const known = profile.distinct.filter((text) => allowedValue(field.name, text) !== undefined).length;
  if (field.kind.name === 'open') {
    if (profile.distinct.length > MAX_VALUES || share(profile, kinds.isProse) < NEARLY_ALL) return undefined;
    const values = tableOfForms(field, profile);
    const way = values === undefined ? { column: name } : { column: name, values };
    return { ways: [way], doubt: known * 2 >= profile.distinct.length ? undefined : 'its words are not known' };
  }
  if (known * 2 < profile.distinct.length) return undefined;
  return { ways: [{ column: name, ...tableOfKnown(field, profile) }], doubt: 'some values are not allowed' };
}

/** Websites and hosts, of which most are not those of a network, a directory or a mail provider, and not one site for all. */
function readDomains({ name, meanings, profile }: Column): Reading | undefined {
  const isOwn = (text: string): boolean =>
    text.split(/[\s,;]+/u).some((part) => kinds.isOwnDomain(kinds.domainIn(part)) && networkOf(part) === undefined);
  const ways = [{ column: name, as: 'domain' } as const];
  const isMail = share(profile, (text) => text.includes('@')) > 0.5;
  if (!isEnough(profile, isOwn)) {
    return share(profile, isOwn) >= SOME ? { ways, doubt: 'some values are not companies’ own domains' } : undefined;
  }
  const domains = new Set(profile.texts.map((text) => kinds.domainIn(text)));
  const isPages = share(profile, (text) => urlKind(text) === 'page') === 1;
  if (domains.size === 1 && (profile.distinct.length > 1 || isPages)) return undefined;
  const isOfPerson = meanings.known.has('person') && !meanings.known.has('company');
  if (isMail) return { ways, doubt: 'e-mail addresses can be private' };
  return { ways, doubt: isOfPerson ? 'the sites can be those of people' : undefined };
}

/** Pages and posts. A URL without "https://" gets it. */
function readPages({ name, profile }: Column, { name: field }: Field): Reading | undefined {
  const isPage = (text: string): boolean => kinds.isUrl(text) && urlKind(text) !== 'site';
  if (isEnough(profile, kinds.isUrl)) {
    const sites = 1 - share(profile, isPage);
    if (sites > 0.5) return undefined;
    return { ways: [{ column: name }], doubt: sites > 0.25 ? 'some values are sites, not pages' : undefined };
  }
  const isBare = (text: string): boolean => !kinds.isUrl(text) && ['page', 'post'].includes(urlKind(text) ?? '');
  if (isEnough(profile, isBare) && !/[{}]/u.test(name) && field === 'source_url')
    return { ways: [{ template: `https://{${name}}` }] };
  if (isEnough(profile, isBare)) return { ways: [{ column: name }] };
  return share(profile, kinds.isUrl) >= SOME
    ? { ways: [{ column: name }], doubt: 'some values are not URLs' }
    : undefined;
}

/** Profiles of people, on networks or all on one site. A handle is no URL, but a template can make one of it. */
function readProfiles({ name, profile }: Column): Reading | undefined {
  const people = share(profile, (text) => urlKind(text) === 'person');
  const pages = share(profile, (text) => ['person', 'page'].includes(urlKind(text) ?? ''));
  const sites = new Set(profile.texts.map(kinds.domainIn));
  const isOneSite = sites.size === 1 && profile.distinct.length > 1 && [...sites].every(kinds.isOwnDomain);
  if (people >= NEARLY_ALL || (pages >= NEARLY_ALL && isOneSite)) return { ways: [{ column: name }] };
  if (pages >= SOME) return { ways: [{ column: name }], doubt: 'some values are perhaps not profiles of people' };
  const isHandle = isEnough(profile, (text) => /^@?[\p{L}\p{N}_.-]{2,40}$/u.test(text));
  return isHandle ? { ways: [{ column: name }], doubt: 'values are user names, not URLs' } : undefined;
}

type NumberMapping = Extract<FieldMapping, { as: 'number' }>;

/** Units in headers, as powers of ten. The first that matches counts. */
const UNITS: readonly (readonly [number, RegExp])[] = [
  [9, /\b(?:in )?(?:bn|billions?|mrd|milliarden|milliards)\b/iu],
  [8, /亿|億|억/u],
  [6, /百万/u],
  [7, /\b(?:cr|crores?)\b|천만/iu],
  [
    6,
    /\b(?:mm|mn|mio|millions?|millionen|millones|milioni|milhoes|miljoen|mln|milj|mkr|msek|mdkk|mnok|meur|musd)\b|(?:[$€£¥]|\b(?:usd|eur|gbp))[\s_]?m\b|\bm[\s_]?(?:[$€£¥]|(?:usd|eur|gbp)\b)|[([]m[)\]]/iu,
  ],
  [5, /\b(?:lakhs?|lacs?)\b/iu],
  [4, /万|만/u],
  [3, /\b(?:k|000s?|'000|tsd|thousands?|tausend|milliers|miles|tys)\b|[$€£]k\b|千|천/iu],
];

/** Amounts below are too small for a round: a unit that the header does not state is likely. */
const SMALL = 1000;

/** An amount with a unit is never used as it is: 12 in a column "(mm)" is 12,000,000. */
function readAmounts({ name, profile }: Column): Reading | undefined {
  const readable = profile.texts.filter(kinds.isAmount);
  if (readable.length < SOME * profile.texts.length) return undefined;
  const isWhole = isEnough(profile, kinds.isAmount);
  const found = numberMapping(name, readable);
  const asNumber: NumberMapping | undefined = found === undefined || isWhole ? found : { ...found, invalid: 'omit' };
  const asWays: readonly FieldMapping[] = asNumber === undefined ? [] : [asNumber];
  const split = name.replace(/_/gu, ' ').normalize('NFC');
  const zeros = UNITS.find(([, unit]) => unit.test(split))?.[0];
  if (zeros !== undefined) {
    const scaled: NumberMapping = { ...(asNumber ?? { column: name, as: 'number' }), scale: 10 ** zeros };
    return {
      ways: [scaled, ...asWays],
      doubt: `the header has a unit: multiply by ${(10 ** zeros).toLocaleString('en-US')}`,
    };
  }
  if (share(profile, (text) => /\p{L}/u.test(text.replace(kinds.CURRENCY, ''))) > 0) {
    // The unit stays in the text: 65億円.
    if (asNumber === undefined && readable.length === profile.texts.length) return { ways: [{ column: name }] };
    return { ways: [...asWays, { column: name }], doubt: 'values have units' };
  }
  if (!isWhole) return { ways: [...asWays, { column: name }], doubt: 'some values are not amounts' };
  const read = asNumber === undefined ? Number : numberConverter(asNumber);
  const amounts = readable.map(read).filter((each) => typeof each === 'number' && each > 0);
  const isSmall = amounts.filter((each) => typeof each === 'number' && each < SMALL).length > amounts.length / 2;
  if (!isSmall) return { ways: [{ column: name }] };
  return {
    ways: [{ column: name, as: 'number', scale: 1_000_000 }, { column: name }],
    doubt: 'the amounts are small, perhaps millions',
  };
}

/** `as: number` with the decimal mark that the values need; undefined if no mark allows nearly all of them. */
function numberMapping(column: string, texts: readonly string[]): NumberMapping | undefined {
  const ways = [{}, { decimal: '.' }, { decimal: ',' }] as const;
  const way = ways.find((each) => {
    const read = numberConverter(each);
    return texts.filter((text) => typeof read(text) === 'number').length >= NEARLY_ALL * texts.length;
  });
  return way === undefined ? undefined : { column, as: 'number', ...way };
}

function readDates({ name, profile }: Column, { isNamed = false, dayFirst }: ReadAs): Reading | undefined {
  if (profile.texts.length > 0 && !profile.texts.some((text) => /\d/u.test(text))) return undefined;
  const stated = statedOrder(name);
  const all = detectDateFormat(profile, stated);
  const dates = all.kind === 'none' && profile.texts.length > 0 ? (mostFrequentFormat(profile, stated) ?? all) : all;
  const way = (format: string | readonly string[], more: object = {}): FieldMapping =>
    withIso({ column: name, as: 'date', format: typeof format === 'string' ? format : [...format], ...more }, isNamed);
  switch (dates.kind) {
    case 'iso':
      return { ways: [{ column: name }] };
    case 'format':
      return { ways: [way(dates.format, localeOf(dates))] };
    case 'formats':
      return { ways: [way(dates.formats)] };
    case 'ambiguous':
      return ambiguous(dates.formats, dayFirst, way);
    case 'mostly': {
      if (isNamed) return { ways: [dates.format === 'iso' ? { column: name } : way(dates.format, localeOf(dates))] };
      const count = `${dates.readable.length} of ${profile.texts.length}`;
      const doubt = `dates such as ${dates.readable[0]} in ${count} sampled values; the others would be left out`;
      return { ways: [way(dates.format, { ...localeOf(dates), invalid: 'omit' })], doubt };
    }
    case 'none':
      if (profile.texts.length === 0)
        return { ways: [{ column: name }], doubt: 'the sample has no values, so the date format is unknown' };
      return dates.some
        ? { ways: [{ column: name }], doubt: 'the values do not have one known date format' }
        : undefined;
  }
}

function localeOf(dates: Extract<DateFormats, { kind: 'format' | 'mostly' }>): object {
  return dates.locale === undefined ? {} : { locale: dates.locale };
}

function withIso(mapping: Extract<FieldMapping, { as: 'date' }>, isNamed: boolean): FieldMapping {
  if (!isNamed) return mapping;
  const [only = 'iso', ...others] = new Set(['iso', ...[mapping.format].flat()]);
  return { ...mapping, format: others.length === 0 ? only : [only, ...others] };
}

/** The user decides; the order of the headers' language comes first. */
function ambiguous(formats: readonly string[], dayFirst: boolean, way: (format: string) => FieldMapping): Reading {
  const isLikely = (format: string): boolean => dayFirst === orderOf(format).startsWith('d');
  const ordered = [...formats].sort((one, other) => Number(isLikely(other)) - Number(isLikely(one)));
  return { ways: ordered.map(way), doubt: `the format could be ${ordered.join(' or ')}` };
}

/**
 * The API specifies no format for engagement_date, so dates are sent unchanged, but not counts of seconds, and not dates
 * that the service could read in two ways.
 */
function readMoments({ name, profile }: Column, _field: Field, { dayFirst }: ReadAs): Reading | undefined {
  const dates = detectDateFormat(profile, statedOrder(name));
  if (dates.kind === 'format' && !/[a-z]\W|\W[a-z]/iu.test(dates.format)) {
    return { ways: [{ column: name, as: 'date', format: dates.format, ...localeOf(dates) }] };
  }
  if (dates.kind === 'ambiguous')
    return ambiguous(dates.formats, dayFirst, (format) => ({ column: name, as: 'date', format }));
  const isClear = profile.distinct.every((text) => CLEAR.test(text));
  if (dates.kind !== 'none' || isClear) return { ways: [{ column: name }] };
  return dates.some ? { ways: [{ column: name }], doubt: 'the values do not have one known date format' } : undefined;
}

/** Year, month and day in this order, or a month's name between a day and a year, whatever else the text has. */
const CLEAR =
  /^\d{4}([-/.]|年 ?)\d{1,2}(?:\1|月 ?)\d{1,2}(?!\d)|^\p{Lu}\p{Ll}{2},? \p{Lu}\p{Ll}{2} \d{1,2} [\d:]+ \S+ \d{4}$/u;
