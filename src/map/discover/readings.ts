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
import { detectDates, orderOf, SOME_DATE } from './date-format.ts';
import { knownValues, MAX_VALUES } from './enum-values.ts';
import * as kinds from './text-kinds.ts';
import lists from './word-lists.json' with { type: 'json' };

export interface Reading {
  /** The likeliest first. Of several, the doubt says that only the user can choose. */
  readonly ways: readonly FieldMapping[];
  /** Why only the user can decide, as a clause. */
  readonly doubt?: string | undefined;
}

export interface ReadAs {
  /** The column has the name of the field: each row is judged, and ISO 8601 stays valid. */
  readonly isNamed?: boolean | undefined;
  /** The column with the currencies of the amounts, if they have several. */
  readonly currencies?: string | undefined;
}

/** What the other columns say of how to read one. */
export function readingHints(columns: readonly Column[]): ReadAs {
  const ofCurrencies = columns.find(({ name, profile }) => {
    return profile.distinct.length > 1 && !/[{}]/u.test(name) && profile.distinct.every(kinds.isCurrency);
  });
  return { currencies: ofCurrencies?.name };
}

/** Minimum share of matching values, because a cell can be wrong now and then. */
const NEARLY_ALL = 0.9;

/** The share of values that can be read from which the user decides about the others. */
const SOME = 0.4;

type Read = (column: Column, field: Field, as: ReadAs) => Reading | undefined;

const READERS: Readonly<Record<string, Read>> = {
  engagement_date: readDates,
  company_domain: readDomains,
  source_url: ofValues(kinds.isUrl),
  post_url: ofValues(kinds.isUrl),
  engager_profile_url: ofValues(kinds.isUrl),
  funding_amount: readAmounts,
  employee_count: readHeadcounts,
};

const BY_KIND: Readonly<Record<string, Read>> = {
  enum: readKinds,
  open: readKinds,
  integer: ofValues(kinds.isPercentage),
  number: ofValues((text) => Number.isFinite(Number(text))),
};

/** Undefined if the values cannot be the field's. */
export function readingOf(column: Column, field: Field, as: ReadAs): Reading | undefined {
  const { name, profile } = column;
  if (profile.nested) return undefined;
  const isDate = field.kind.name === 'date-time';
  if (profile.texts.length === 0) {
    const doubt = isDate ? 'the sample has no values, so the date format is unknown' : undefined;
    return { ways: [field.name === 'company_domain' ? { column: name, as: 'domain' } : { column: name }], doubt };
  }
  if (isDate) return readDates(column, field, as);
  return (READERS[field.name] ?? BY_KIND[field.kind.name] ?? ofValues(kinds.isWords))(column, field, as);
}

/** A column is used as it is if enough values pass the test. What else they can be, the scorer judges. */
function ofValues(test: (text: string) => boolean): Read {
  return ({ name, profile }) => {
    if (share(profile, test) < SOME) return undefined;
    return { ways: [{ column: name }], doubt: isEnough(profile, test) ? undefined : 'some values cannot be used' };
  };
}

/** In a sample of five values, one can be wrong. */
function isEnough({ texts }: ColumnProfile, test: (text: string) => boolean): boolean {
  const count = texts.filter(test).length;
  return count >= NEARLY_ALL * texts.length || (texts.length >= 5 && count === texts.length - 1);
}

/** A closed list must know all values; an open one takes others as they are. */
function readKinds({ name, profile }: Column, field: Field): Reading | undefined {
  const { distinct } = profile;
  const known = knownValues(field, profile.distinct);
  const way = (values: Readonly<Record<string, string>>): FieldMapping =>
    Object.entries(values).every(([value, sent]) => squash(value) === squash(sent))
      ? { column: name }
      : { column: name, values };
  const count = Object.keys(known).length;
  if (count === distinct.length) return { ways: [way(known)] };
  const isMostly = 2 * count >= distinct.length;
  if (field.kind.name === 'enum')
    return isMostly ? { ways: [{ column: name, values: known }], doubt: 'some values are not allowed' } : undefined;
  if (distinct.length > MAX_VALUES || share(profile, kinds.isWords) < NEARLY_ALL) return undefined;
  const all = Object.fromEntries(distinct.map((value) => [value, known[value] ?? value]));
  return { ways: [way(all)], doubt: isMostly ? undefined : 'its words are not known' };
}

/** Websites and hosts, of which some are not those of a network, a directory or a mail provider. */
function readDomains({ name, profile }: Column): Reading | undefined {
  const isOwn = (text: string): boolean =>
    text
      .split(/[\s,;]+/u)
      .some((part) => kinds.isOwnDomain(kinds.domainIn(part)) && kinds.pageOf(part)?.network === undefined);
  if (share(profile, isOwn) < SOME) return undefined;
  const isMail = share(profile, (text) => text.includes('@')) > 0.5;
  const doubt = isMail ? 'e-mail addresses can be private' : 'some values are not companies’ own domains';
  return {
    ways: [{ column: name, as: 'domain' }],
    doubt: isMail || !isEnough(profile, isOwn) ? doubt : undefined,
  };
}

type NumberMapping = Extract<FieldMapping, { as: 'number' }>;

/** Units in headers, as powers of ten. The first that matches counts. */
const UNITS = lists.powers_of_ten.map(([zeros, unit]) => [Number(zeros), new RegExp(String(unit), 'iu')] as const);

/** Amounts below are too small for a round: they are likely millions. */
const SMALL = 1000;
const MILLIONS = 6;

/** An amount with a unit is never used as it is: 12 in a column "(mm)" is 12,000,000. */
function readAmounts({ name, profile }: Column, _field: Field, { currencies }: ReadAs): Reading | undefined {
  const { texts } = profile;
  const readable = texts.filter(kinds.isAmount);
  if (readable.length < SOME * texts.length) return undefined;
  const isWhole = isEnough(profile, kinds.isAmount);
  const numbers = numberWays(name, readable).map((way) => (isWhole ? way : { ...way, invalid: 'omit' as const }));
  const plain = asText(name, texts);
  const header = name.replace(/_/gu, ' ').normalize('NFC');
  if (new Set(readable.flatMap((text) => text.match(/[$€£¥₹₩₺₽]/u) ?? [])).size > 1) {
    return { ways: [plain], doubt: 'the amounts are in several currencies' };
  }
  // An amount whose header names a currency is in that one: "Amount (USD)" beside "Currency".
  if (currencies !== undefined && isWhole && header.search(kinds.CURRENCY) < 0 && !/[{}]/u.test(name)) {
    return { ways: [{ template: `{${name}} {${currencies}}` }] };
  }
  const [first = { column: name, as: 'number' as const }] = numbers;
  const amounts = readable.map(numberConverter(first)).filter((each) => typeof each === 'number' && each > 0);
  const isSmall = 2 * amounts.filter((each) => Number(each) < SMALL).length > amounts.length;
  const zeros = UNITS.find(([, unit]) => unit.test(header))?.[0] ?? (isSmall ? MILLIONS : undefined);
  if (zeros !== undefined) {
    const factor = (10 ** zeros).toLocaleString('en-US');
    return { ways: [{ ...first, scale: 10 ** zeros }, ...numbers], doubt: `the unit is perhaps ${factor}` };
  }
  // A unit that no number has stays in the text: 65億円.
  if (numbers.length === 0 && isWhole) return { ways: [plain] };
  const isPlain = isWhole && !readable.some((text) => /\p{L}/u.test(text.replace(kinds.CURRENCY, '')));
  return isPlain
    ? ofOneKind(name, profile, numbers)
    : { ways: [...numbers, plain], doubt: 'some values are not plain amounts' };
}

function readHeadcounts({ name, profile }: Column): Reading | undefined {
  const { texts } = profile;
  if (isEnough(profile, kinds.isHeadcount)) {
    // 1.200 people are not 1.2.
    const isWhole = (way: NumberMapping): boolean => texts.map(numberConverter(way)).every(Number.isInteger);
    return ofOneKind(name, profile, numberWays(name, texts).filter(isWhole));
  }
  if (share(profile, (text) => kinds.isHeadcount(text) || isSpreadsheetDate(text)) < SOME) return undefined;
  const date = texts.find(isSpreadsheetDate);
  const doubt = date && `a spreadsheet made dates of numbers, such as "${date}"`;
  return { ways: [{ column: name }], doubt: doubt ?? 'some values cannot be used' };
}

/** A column is sent as numbers or as text, but never as both. */
function ofOneKind(column: string, { texts }: ColumnProfile, numbers: readonly NumberMapping[]): Reading {
  if (texts.every((text) => typeof numericCell(text) === 'number')) return { ways: [{ column }] };
  const [number, other] = numbers;
  // A decimal comma that no value proves is for the user to confirm.
  const isProven = number?.decimal !== ',' || texts.some((each) => typeof numberConverter({})(each) !== 'number');
  if (number !== undefined && other === undefined && isProven) return { ways: [number] };
  return { ways: [...numbers, asText(column, texts)], doubt: texts.map(twoNumbers).find(Boolean) };
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

/** Dates as the service reads them. Undefined if most values are none. */
function readDates({ name, profile }: Column, _field: Field, { isNamed = false }: ReadAs): Reading | undefined {
  const { texts } = profile;
  const { ways, unread } = detectDates(texts);
  if (2 * unread.length > texts.length || ways.length === 0) {
    return texts.some((text) => SOME_DATE.test(text)) && share(profile, kinds.isRelative) < 0.5
      ? { ways: [{ column: name }], doubt: 'the values do not have one known date format' }
      : undefined;
  }
  // Rows with open dates among ISO 8601 are invalid until `fix` has asked.
  if (isNamed && ways.length > 1 && ways[0]?.formats.includes('iso')) return { ways: [{ column: name }] };
  const omit = unread.length > 0 && !isNamed;
  const mappings = ways.map(({ formats, locale }): FieldMapping => {
    const all = [...new Set([...(isNamed ? ['iso'] : []), ...formats])];
    const [only = 'iso', ...others] = all;
    if (only === 'iso' && others.length === 0 && !omit) return { column: name };
    const format = others.length === 0 ? only : all;
    return { column: name, as: 'date', format, ...(locale && { locale }), ...(omit && { invalid: 'omit' }) };
  });
  const orders = new Set(ways.flatMap(({ formats }) => formats.map(orderOf)));
  const formats = mappings.map((mapping) => ('format' in mapping ? [mapping.format].flat().join(', ') : 'iso'));
  const doubts = [
    ...(ways.length > 1 ? [`the format could be ${formats.join(' or ')}`] : []),
    ...(ways.length === 1 && orders.size > 1 && !isNamed ? [`dates are written in several ways: ${formats[0]}`] : []),
    ...(omit && !isEnough(profile, (text) => !unread.includes(text))
      ? [`${unread.length} of ${plural(texts.length, 'sampled value')} will be left out, such as "${unread[0]}"`]
      : []),
  ];
  return { ways: mappings, doubt: doubts.join(', and ') || undefined };
}
