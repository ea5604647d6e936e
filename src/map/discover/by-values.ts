/** Which fields the values of a column fit, whatever its header says. They make a question, never a used column. */
import { dates } from '../evidence/value-forms.ts';
import type { ColumnProfile } from './column-facts.ts';
import * as values from './column-facts.ts';
import { isFilled, most } from './column-facts.ts';
import { isEngagement, isKindOfSource, isNetwork, MAX_VALUES } from './enum-values.ts';
import { isPersonName } from './judge-names.ts';
import { shareOfKinds } from './url-kinds.ts';

/** Meanings of headers whose values are no field's, whatever they look like. */
const OTHERS =
  'code industry_code count measure media state_of email fax_phone salary person_detail investor people_of other_company agency booth assignee future'.split(
    ' ',
  );

/** A round amount from here on needs no sign of a currency. */
const LARGE = 10_000;

/** Short texts in most rows that differ: of five titles, one can be repeated. */
const VARIED = 0.8;

/** A few different words, half of them known. */
const isListOf =
  (test: (text: string) => boolean): values.ColumnTest =>
  ({ distinct }) =>
    distinct.length <= MAX_VALUES && distinct.filter(test).length >= distinct.length / 2;

const companies = most(values.isLikeCompany, 0.3);
const isJobs = most(values.isJobTitle, 0.5);

/** By fields. A header can mean something else. */
const FITS: Readonly<Record<string, values.ColumnTest>> = {
  company_domain: most((text) => values.domainIn(text) !== undefined, 1),
  company_name: companies,
  signal_title: (profile) => isFilled(profile) && isTitles(profile) && isOfNone(profile),
  signal_source: isListOf(isKindOfSource),
  source_url: (profile) =>
    most(values.isDeepUrl, 0.5)(profile) && shareOfKinds(profile, 'person', 'company', 'post') === 0,
  detected_at: dates,
  industry: most(values.isIndustry, 0.4),
  funding_amount: most((text) => values.isAmount(text) && isMuch(text)),
  employee_count: most(values.isHeadcountRange, 1),
  location: most(values.isPlace),
  engager_profile_url: (profile) => shareOfKinds(profile, 'person') > 0.9,
  engager_name: (profile) => most(isPersonName)(profile) && !companies(profile),
  engager_company: companies,
  engager_title: isJobs,
  engagement_type: isListOf(isEngagement),
  engagement_content: (profile) => isTexts(profile) && profile.distinct.length > profile.texts.length / 2,
  post_content: (profile) => isTexts(profile) && profile.distinct.length <= profile.texts.length / 2,
  engagement_date: dates,
  platform: isListOf(isNetwork),
  post_url: (profile) => shareOfKinds(profile, 'post') > 0.9,
};

/** Also by fields, if the header has no known word. */
const CAN_BE: Readonly<Record<string, values.ColumnTest>> = {
  company_name: isNames,
  description: isTexts,
  employee_count: most((text) => values.isHeadcount(text) && !/^(?:19|20)\d\d$/u.test(text), 1),
  engager_name: isNames,
  location: (profile) => most(isPlaceName)(profile) && isOfNone(profile) && !most(values.isIndustry, 0.5)(profile),
};

/** Whether the values can be the field's, if the header says nothing else. */
export function fitsByValues(field: string, header: ReadonlySet<string>, profile: ColumnProfile): boolean {
  if (profile.texts.length < 2 || profile.nested || OTHERS.some((each) => header.has(each))) return false;
  return FITS[field]?.(profile) === true || (header.size === 0 && CAN_BE[field]?.(profile) === true);
}

function isMuch(text: string): boolean {
  const round =
    /(?:00|[.,]\d\d)$/u.test(text) && Number(text.replace(/[.,]\d{1,2}$/u, '').replace(/\D/gu, '')) >= LARGE;
  return round || text.search(values.CURRENCY) >= 0;
}

function isVaried({ distinct, texts }: ColumnProfile): boolean {
  return distinct.length >= VARIED * texts.length;
}

/** Different texts of a few words. */
function isTitles(profile: ColumnProfile): boolean {
  return isVaried(profile) && most((text) => /\S\s+\S+\s+\S|\p{Lo}{6}/u.test(text) && values.isProse(text))(profile);
}

/** Texts, some of them long. */
function isTexts(profile: ColumnProfile): boolean {
  return (
    most((text) => /\p{L}/u.test(text))(profile) &&
    most((text) => /(?:\S+\s+){3}\S|\p{Lo}{8}/u.test(text), 0.3)(profile) &&
    isOfNone(profile)
  );
}

/** Different short names of anything. */
function isNames(profile: ColumnProfile): boolean {
  const isShort = (text: string): boolean =>
    values.isName(text) && text.split(/\s+/u).length <= 4 && !/[?!:/]|^\p{Ll}+$/u.test(text);
  return isVaried(profile) && most(isShort)(profile) && !isJobs(profile) && !most(values.isIndustry, 0.5)(profile);
}

/** One to three capitalised words, or a few letters of a script without capitals. */
function isPlaceName(text: string): boolean {
  return /^\p{Lu}[\p{L}.'’-]+(?: [\p{L}.'’-]+){0,2}(?: \(\d+\))?$|^[\p{Lo} ]{2,12}$/u.test(text);
}

/** Neither companies nor job titles. */
function isOfNone(profile: ColumnProfile): boolean {
  return !companies(profile) && !isJobs(profile);
}
