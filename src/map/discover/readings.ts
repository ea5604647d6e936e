/**
 * How the values of a column become those of a field: what the contract's kinds require of them, whatever the header says. A
 * date field gets dates, a domain field domains; several readings, or a doubt, leave the decision to the user.
 */
import { type Field, squash } from '../../contract/index.ts';
import { numericCell } from '../../lib/exact-number.ts';
import { isSpreadsheetDate } from '../../lib/text.ts';
import { plural } from '../../lib/units.ts';
import type { FieldMapping } from '../document-schema.ts';
import { numberConverter } from '../parse-number.ts';
import { type Column, type ColumnProfile, share } from './column.ts';
import { type DateWay, detectDates, orderOf, someDate, statedOrder } from './date-format.ts';
import { knownForms, knownValues, MAX_VALUES } from './enum-values.ts';
import { words } from './header-words.ts';
import * as kinds from './text-kinds.ts';
import lists from './words.json' with { type: 'json' };

export interface Reading {
  /** The likeliest first. Of several, the doubt says that only the user can choose. */
  readonly ways: readonly FieldMapping[];
  /** Why only the user can decide, as a clause. */
  readonly doubt?: string | undefined;
  /** The few values that the field would omit, as a clause. */
  readonly omits?: string | undefined;
}

export interface ReadAs {
  /** The column has the name of the field: most values decide, and ISO 8601 stays valid. */
  readonly isNamed?: boolean | undefined;
  /** The language of the headers writes the day before the month. */
  readonly dayFirst: boolean;
  /** The column with the currencies of the amounts, if they have several. */
  readonly currencies?: string | undefined;
}

/** What the other columns say of how to read one. */
export function readingHints(columns: readonly Column[]): ReadAs {
  const ofCurrencies = columns.find(({ name, profile }) => {
    return profile.distinct.length > 1 && !/[{}]/u.test(name) && profile.distinct.every(kinds.isCurrency);
  });
  return { dayFirst: isDayFirst(columns), currencies: ofCurrencies?.name };
}

/** Words of headers in languages that write the day before the month, of which none is an English word too. */
const DAY_FIRST = new Set(lists.headers_day_first.split(' '));

/** Scripts whose languages write the year first. */
const YEAR_FIRST = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

/** Two headers decide, because a table in English can have one foreign name. */
function isDayFirst(columns: readonly Column[]): boolean {
  const isForeign = ({ name }: Column): boolean =>
    /[^\P{L}A-Za-z]/u.test(name) || words(name).some((word) => DAY_FIRST.has(word));
  return !columns.some(({ name }) => YEAR_FIRST.test(name)) && columns.filter(isForeign).length >= 2;
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
  employee_count: readHeadcounts,
  location: ofTexts((text) => kinds.isProse(text) || /^(?:\p{Lo}+|\p{Lu})$/u.test(text), 0.8),
};

/** Names have fewer words. */
const LONG_NAME = /^(?:\S+\s+){7}/u;

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
  const isProse = share(profile, (text) => LONG_NAME.test(text)) > 0.3;
  const doubt = people > 0.3 ? 'some values are names of people' : isProse ? 'some values are sentences' : undefined;
  return { ways: [{ column: name }], doubt: doubt ?? sameInAll(profile, 3) };
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
      ? { ways: [{ column: name }], doubt: 'some values cannot be used' }
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
  const { distinct } = profile;
  const known = knownValues(field, profile);
  const way = (values: Readonly<Record<string, string>>): FieldMapping =>
    Object.entries(values).every(([value, sent]) => squash(value) === squash(sent))
      ? { column: name }
      : { column: name, values };
  const count = Object.keys(known).length;
  if (count === distinct.length) return { ways: [way(known)] };
  const isMostly = 2 * count >= distinct.length;
  if (field.kind.name === 'enum')
    return isMostly ? { ways: [{ column: name, values: known }], doubt: 'some values are not allowed' } : undefined;
  if (distinct.length > MAX_VALUES || share(profile, kinds.isProse) < NEARLY_ALL) return undefined;
  return { ways: [way(knownForms(field, profile))], doubt: isMostly ? undefined : 'its words are not known' };
}

/** Websites and hosts, of which most are not those of a network, a directory or a mail provider, and not one site for all. */
function readDomains({ name, meanings, profile }: Column): Reading | undefined {
  const isOwn = (text: string): boolean =>
    text
      .split(/[\s,;]+/u)
      .some((part) => kinds.isOwnDomain(kinds.domainIn(part)) && kinds.networkOf(part) === undefined);
  const ways = [{ column: name, as: 'domain' } as const];
  const isMail = share(profile, (text) => text.includes('@')) > 0.5;
  if (!isEnough(profile, isOwn)) {
    return share(profile, isOwn) >= SOME ? { ways, doubt: 'some values are not companies’ own domains' } : undefined;
  }
  const domains = new Set(profile.texts.map((text) => kinds.domainIn(text)));
  const isPages = share(profile, (text) => kinds.urlKind(text) === 'page') === 1;
  if (domains.size === 1 && (profile.distinct.length > 1 || isPages)) return undefined;
  const isOfPerson = meanings.known.has('person') && !meanings.known.has('company');
  if (isMail) return { ways, doubt: 'e-mail addresses can be private' };
  return { ways, doubt: isOfPerson ? 'the sites can be those of people' : undefined };
}

/** Pages and posts. A URL without "https://" gets it. */
function readPages({ name, profile }: Column, { name: field }: Field): Reading | undefined {
  const isPage = (text: string): boolean => kinds.isUrl(text) && kinds.urlKind(text) !== 'site';
  if (isEnough(profile, kinds.isUrl)) {
    const sites = 1 - share(profile, isPage);
    if (sites > 0.5) return undefined;
    const isOther = field === 'post_url' && share(profile, (text) => kinds.urlKind(text) === 'post') < 0.5;
    const doubt = sites > 0.25 ? 'some values are sites, not pages' : isOther ? 'most are pages, not posts' : undefined;
    return { ways: [{ column: name }], doubt };
  }
  const isBare = (text: string): boolean => !kinds.isUrl(text) && ['page', 'post'].includes(kinds.urlKind(text) ?? '');
  if (isEnough(profile, isBare) && !/[{}]/u.test(name) && field === 'source_url')
    return { ways: [{ template: `https://{${name}}` }] };
  if (isEnough(profile, isBare)) return { ways: [{ column: name }] };
  return share(profile, kinds.isUrl) >= SOME
    ? { ways: [{ column: name }], doubt: 'some values are not URLs' }
    : undefined;
}

/** Profiles of people, on networks or all on one site. A handle is no URL, but a template can make one of it. */
function readProfiles({ name, profile }: Column): Reading | undefined {
  const people = share(profile, (text) => kinds.urlKind(text) === 'person');
  const pages = share(profile, (text) => ['person', 'page'].includes(kinds.urlKind(text) ?? ''));
  const sites = new Set(profile.texts.map(kinds.domainIn));
  const isOneSite = sites.size === 1 && profile.distinct.length > 1 && [...sites].every(kinds.isOwnDomain);
  if (people >= NEARLY_ALL || (pages >= NEARLY_ALL && isOneSite)) return { ways: [{ column: name }] };
  if (pages >= SOME) return { ways: [{ column: name }], doubt: 'some values are perhaps not profiles of people' };
  const isHandle = isEnough(profile, (text) => /^@?[\p{L}\p{N}_.-]{2,40}$/u.test(text));
  return isHandle ? { ways: [{ column: name }], doubt: 'values are user names, not URLs' } : undefined;
}

type NumberMapping = Extract<FieldMapping, { as: 'number' }>;

/** Units in headers, as powers of ten. The first that matches counts. */
const UNITS = lists.powers_of_ten.map(([zeros, unit]) => [Number(zeros), new RegExp(String(unit), 'iu')] as const);

/** Amounts below are too small for a round: a unit that the header does not state is likely. */
const SMALL = 1000;

/** An amount with a unit is never used as it is: 12 in a column "(mm)" is 12,000,000. */
function readAmounts({ name, profile }: Column, _field: Field, { currencies }: ReadAs): Reading | undefined {
  const readable = profile.texts.filter(kinds.isAmount);
  if (readable.length < SOME * profile.texts.length) return undefined;
  const isWhole = isEnough(profile, kinds.isAmount);
  const numbers = numberWays(name, readable).map((way) => (isWhole ? way : { ...way, invalid: 'omit' as const }));
  const plain = { column: name };
  const split = name.replace(/_/gu, ' ').normalize('NFC');
  const zeros = UNITS.find(([, unit]) => unit.test(split))?.[0];
  if (new Set(readable.flatMap((text) => text.match(/[$€£¥₹₩₺₽]/u) ?? [])).size > 1) {
    return { ways: [plain], doubt: 'the amounts are in several currencies' };
  }
  // An amount whose header names a currency is in that one: "Amount (USD)" beside "Currency".
  if (currencies !== undefined && isWhole && split.search(kinds.CURRENCY) < 0 && !/[{}]/u.test(name)) {
    return { ways: [{ template: `{${name}} {${currencies}}` }] };
  }
  if (zeros !== undefined) {
    const scaled: NumberMapping = { ...(numbers[0] ?? { column: name, as: 'number' }), scale: 10 ** zeros };
    return {
      ways: [scaled, ...numbers],
      doubt: `the header has a unit: multiply by ${(10 ** zeros).toLocaleString('en-US')}`,
    };
  }
  if (readable.some((text) => /\p{L}/u.test(text.replace(kinds.CURRENCY, '')))) {
    // The unit stays in the text: 65億円.
    if (numbers.length === 0 && readable.length === profile.texts.length) return { ways: [plain] };
    return { ways: [...numbers, plain], doubt: 'values have units' };
  }
  if (!isWhole) return { ways: [...numbers, plain], doubt: 'some values are not amounts' };
  const read = numbers[0] === undefined ? Number : numberConverter(numbers[0]);
  const amounts = readable.map(read).filter((each) => typeof each === 'number' && each > 0);
  const isSmall = amounts.filter((each) => typeof each === 'number' && each < SMALL).length > amounts.length / 2;
  if (!isSmall) return ofOneKind(name, profile, numbers);
  return {
    ways: [{ ...(numbers[0] ?? { column: name, as: 'number' }), scale: 1_000_000 }, plain],
    doubt: 'the amounts are small, perhaps millions',
  };
}

/** 1.200 people are not 1.2: of the readings, that without fractions. */
function readHeadcounts({ name, profile }: Column): Reading | undefined {
  if (!isEnough(profile, kinds.isHeadcount)) {
    const date = profile.texts.find(isSpreadsheetDate);
    const isSome = share(profile, (text) => kinds.isHeadcount(text) || isSpreadsheetDate(text)) >= 0.5;
    const doubt =
      date === undefined ? 'some values cannot be used' : `a spreadsheet made dates of numbers, such as "${date}"`;
    return isSome ? { ways: [{ column: name }], doubt } : undefined;
  }
  const isWhole = (way: NumberMapping): boolean => profile.texts.map(numberConverter(way)).every(Number.isInteger);
  return ofOneKind(name, profile, numberWays(name, profile.texts).filter(isWhole));
}

/** A column is sent as numbers or as text, but never as both. A decimal comma that no value proves is for the user to confirm. */
function ofOneKind(column: string, { texts }: ColumnProfile, numbers: readonly NumberMapping[]): Reading {
  if (texts.every((text) => typeof numericCell(text) === 'number')) return { ways: [{ column }] };
  const text = asText(column, texts);
  const [number, other] = numbers;
  if (number === undefined) return { ways: [text], doubt: texts.map(twoNumbers).find(Boolean) };
  const isProven = number.decimal !== ',' || texts.some((each) => typeof numberConverter({})(each) !== 'number');
  if (other === undefined && isProven) return { ways: [number] };
  const example = texts.find((each) => /[.,]/u.test(each)) ?? '';
  const read = numbers.map((way) => String(numberConverter(way)(example)));
  return { ways: [...numbers, text], doubt: `"${example}" is read as ${read.join(' or ')}` };
}

/** Of a text such as 1.200, which people read as two numbers. */
function twoNumbers(text: string): string | undefined {
  const [one, other] = [numberConverter({ decimal: ',' })(text), numberConverter({ decimal: '.' })(text)];
  const isOpen = typeof one === 'number' && typeof other === 'number' && one !== other;
  return isOpen ? `"${text}" can mean ${Math.max(one, other)} or ${Math.min(one, other)}` : undefined;
}

/** A column as it is, or as a text made of it if some of its cells would be sent as numbers and others not. */
export function asText(column: string, texts: readonly string[]): FieldMapping {
  const numbers = texts.filter((text) => typeof numericCell(text) === 'number').length;
  const isMixed = numbers > 0 && numbers < texts.length;
  return isMixed && !/[{}]/u.test(column) ? { template: `{${column}}` } : { column };
}

/** `as: number` with each decimal mark that nearly all values allow, and that gives other numbers; whole numbers first. */
function numberWays(column: string, texts: readonly string[]): readonly NumberMapping[] {
  const found = new Map<string, NumberMapping & { readonly whole: number }>();
  for (const mark of [{}, { decimal: '.' }, { decimal: ',' }] as const) {
    const read = texts.map(numberConverter(mark)).map((each) => (typeof each === 'number' ? each : undefined));
    if (read.filter((each) => each !== undefined).length < NEARLY_ALL * texts.length) continue;
    const key = read.join(' ');
    const whole = read.filter(Number.isInteger).length;
    if (!found.has(key)) found.set(key, { column, as: 'number', ...mark, whole });
  }
  const ways = [...found.values()].sort((one, other) => other.whole - one.whole);
  return ways.map(({ whole: _, ...way }) => way);
}

function readDates({ name, profile }: Column, { isNamed = false, dayFirst }: ReadAs): Reading | undefined {
  const { texts } = profile;
  const plain = { column: name };
  if (texts.length === 0) return { ways: [plain], doubt: 'the sample has no values, so the date format is unknown' };
  const { ways, unread } = detectDates(profile, statedOrder(name), isNamed);
  if (2 * unread.length > texts.length || ways.length === 0) {
    return someDate(profile.distinct) && share(profile, kinds.isRelative) < 0.5
      ? { ways: [plain], doubt: 'the values do not have one known date format' }
      : undefined;
  }
  const omit = unread.length > 0 && !isNamed;
  const mappings = orderedWays(ways, dayFirst).map(({ formats, locale }): FieldMapping => {
    const all = [...new Set([...(isNamed ? ['iso'] : []), ...formats])];
    const [only = 'iso', ...others] = all;
    if (only === 'iso' && others.length === 0 && !omit) return plain;
    const format = others.length === 0 ? only : all;
    return { column: name, as: 'date', format, ...(locale && { locale }), ...(omit && { invalid: 'omit' }) };
  });
  const orders = new Set(ways.flatMap(({ formats }) => formats.map(orderOf)));
  const are = unread.length === 1 ? 'is not a date' : 'are not dates';
  const unfit = `${unread.length} of ${plural(texts.length, 'sampled value')} ${are} and will be left out, such as "${unread[0]}"`;
  const omits = omit ? unfit : undefined;
  const isFew = isEnough(profile, (text) => !unread.includes(text));
  const doubts = [
    ...(ways.length > 1 ? [`the format could be ${mappings.map(formatIn).join(' or ')}`] : []),
    ...(ways.length === 1 && orders.size > 1
      ? [`dates are written in several ways: ${mappings.map(formatIn).join()}`]
      : []),
    ...(omits === undefined || isFew ? [] : [omits]),
  ];
  return { ways: mappings, doubt: doubts.join(', and ') || undefined, ...(isFew && { omits }) };
}

/** The order of the headers' language first. */
function orderedWays(ways: readonly DateWay[], dayFirst: boolean): readonly DateWay[] {
  const isLikely = ({ formats }: DateWay): boolean =>
    formats.some((format) => orderOf(format).startsWith(dayFirst ? 'dM' : 'Md'));
  return ways.toSorted((one, other) => Number(isLikely(other)) - Number(isLikely(one)));
}

function formatIn(mapping: FieldMapping): string {
  return 'format' in mapping ? [mapping.format].flat().join(', ') : 'iso';
}

/**
 * The API specifies no format for engagement_date, so dates are sent unchanged, but not counts of seconds, and not dates
 * that the service could read in two ways.
 */
function readMoments(column: Column, _field: Field, as: ReadAs): Reading | undefined {
  const { name, profile } = column;
  const reading = readDates(column, as);
  const [first] = reading?.doubt === undefined && reading?.omits === undefined ? (reading?.ways ?? []) : [];
  const format = first !== undefined && 'format' in first ? first.format : 'iso';
  const isClear = first !== undefined && typeof format === 'string' && CLEAR_FORMAT.test(format);
  return isClear || profile.distinct.every((text) => CLEAR.test(text)) ? { ways: [{ column: name }] } : reading;
}

/** The year has four digits, and comes first or beside a month's name. */
const CLEAR_FORMAT = /^(?:iso|sql|yyyy\W.*|.*MMM.*yyyy.*)$/u;

/** Year, month and day in this order, or a month's name between a day and a year, whatever else the text has. */
const CLEAR =
  /^\d{4}([-/.]|年 ?)\d{1,2}(?:\1|月 ?)\d{1,2}(?!\d)|^\p{Lu}\p{Ll}{2},? \p{Lu}\p{Ll}{2} \d{1,2} [\d:]+ \S+ \d{4}$/u;
