/**
 * Scores how well a column fits a field: how far its header is trusted (field-headers.ts), lowered or raised by its cells
 * (judge-*.ts). Values alone never use a column: a cell that looks like a date is not necessarily *the* date. They make a
 * question of a column whose header says nothing.
 */
import type { Contract, Field } from '../../contract/index.ts';
import type { RecordType } from '../../model/record.ts';
import { normalise } from '../column-names.ts';
import type { FieldMapping } from '../document-schema.ts';
import { ASK } from './assign.ts';
import { type Column, type ColumnCandidate, columnsIn } from './column.ts';
import * as values from './column-facts.ts';
import { type ColumnProfile, isFilled, most } from './column-facts.ts';
import {
  isEngagement,
  isKindOfSource,
  isNetwork,
  knownShare,
  MAX_VALUES,
  matchEnumValues,
  tableOfForms,
  tableOfKnown,
} from './enum-values.ts';
import { trustInHeader } from './field-headers.ts';
import { judgeAmount, judgeHeadcount } from './judge-amounts.ts';
import { judgeDate, judgeMoment } from './judge-dates.ts';
import {
  isPersonName,
  judgeCompany,
  judgeFamily,
  judgeIndustry,
  judgePerson,
  judgeRole,
  judgeText,
  judgeTitle,
  judgeWords,
} from './judge-names.ts';
import { isNamedLikeSite, judgeDomain, judgePage, judgePost, judgeProfile } from './judge-urls.ts';
import type { Sample } from './proposal.ts';
import { shareOfKinds } from './url-kinds.ts';
import { dates } from './value-forms.ts';
import { EMPTY, judgeValues, unfit, type Verdict } from './verdict.ts';

/** Different values from which a column is no list of kinds. */
const MAX_OPEN = 12;

/** Trust in a header from which its values can be words that are not known. */
const VAGUE = 0.75;

/** Minimum share of allowed values in a column with the name of an enum field. */
const HALF = 0.5;

/** Sampled rows from which the share of empty cells tells something. */
const SEVERAL = 10;

/** Fields of every variant without which a row is invalid. */
const ALWAYS_REQUIRED: ReadonlySet<string> = new Set([
  'company_name',
  'signal_title',
  'signal_source',
  'platform',
  'engagement_type',
]);

/** Makes a question of a column with more than a third empty cells, if the field is required. */
const SPARSE = 0.7;

/** Raises a vague header with values of an enum: "Kind" (0.75) is the source if all its values are sources. */
const KNOWN = 1.15;

/** As {@link KNOWN}, if the values need a table of synonyms. */
const SYNONYMS = 1.08;

/** A column "Type" (0.6) of several kinds of sources. One kind is what the whole list is about. */
const KINDS = 1.4;

/** For pages of the site that the header names: "Dealroom URL". */
const OF_SITE = 0.9;

/** For a column whose header has no known word, and whose values fit the field. */
const BY_VALUES = 0.55;

/** For a column whose values fit the field, and whose header means something else. */
const AGAINST_HEADER = 0.45;

/** Verdicts from here on make a question of such a column, and none below. */
const DOUBTFUL = 0.6;

/** The factor that is enough for a question. */
const ASKED = 0.9;

/** @param names the column of company names, for comparison */
export function candidateFor(
  column: Column,
  field: Field,
  type: RecordType,
  names?: Column,
): ColumnCandidate | undefined {
  const byHeader = candidateByHeader(column, field, type, names);
  // One word of a path can say less than the values.
  if (byHeader !== undefined && byHeader.confidence >= ASK) return byHeader;
  return candidateByValues(column, field, names) ?? byHeader;
}

function candidateByHeader(
  column: Column,
  field: Field,
  type: RecordType,
  names?: Column,
): ColumnCandidate | undefined {
  const named = field.name === 'source_url' && isNamedLikeSite(column) ? OF_SITE : 0;
  const trust = Math.max(headerTrust(column, type, field.name) ?? 0, named) || undefined;
  if (trust === undefined || isTooEmpty(column, field)) return undefined;
  const verdict = judge(column, field, trust, names);
  const { texts, rows } = column.profile;
  const isSparse = ALWAYS_REQUIRED.has(field.name) && texts.length > 0 && texts.length < (rows * 2) / 3;
  const [sure, because] = isSparse ? [trust * SPARSE, 'many cells are empty'] : [trust, 'header fits'];
  return verdict.factor === 0 ? undefined : candidate(column, field, verdict, { trust: sure, because });
}

/** A header alone is enough in a file without rows. In others, a row without a required value is invalid. */
function isTooEmpty({ profile }: Column, { name }: Field): boolean {
  const { rows, texts, nested } = profile;
  return rows >= SEVERAL && !nested && texts.length <= (ALWAYS_REQUIRED.has(name) ? rows / 2 : 0);
}

function candidate(
  column: Column,
  field: Field,
  verdict: Verdict,
  { trust, because }: { readonly trust: number; readonly because: string },
): ColumnCandidate {
  return {
    field: field.name,
    column: column.name,
    mapping: verdict.mapping ?? { column: column.name },
    confidence: Math.min(1, trust * verdict.factor),
    reason: `${because}; ${verdict.why}`,
    alternatives: verdict.alternatives,
  };
}

/** A question: the header does not fit, but the values do. */
function candidateByValues(column: Column, field: Field, names: Column | undefined): ColumnCandidate | undefined {
  const { meanings, profile } = column;
  if (isTooEmpty(column, field) || !fitsByValues(field.name, meanings.known, profile)) return undefined;
  const trust = meanings.known.size > 0 ? AGAINST_HEADER : BY_VALUES;
  const verdict = judge(column, field, trust, names);
  if (verdict.factor < DOUBTFUL) return undefined;
  const factor = Math.min(1, Math.max(ASKED, verdict.factor));
  return candidate(column, field, { ...verdict, factor }, { trust, because: 'values fit' });
}

/** The column that certainly contains names of companies. "company_name" is meant for this program, whatever it holds. */
export function companyNames(columns: readonly Column[]): Column | undefined {
  return columns.find(
    (column) =>
      column.name === 'company_name' ||
      ((column.key === 'companyname' || (trustInHeader(column.meanings, 'signals', 'company_name') ?? 0) > 0.85) &&
        judgeCompany(column).factor === 1),
  );
}

/** The same for a column with the field's own name. Undefined if its cells fit or do not decide. */
export function checkNamedColumn(
  column: Column,
  field: Field,
  contract: Contract,
  names?: Column,
): Verdict | undefined {
  const { profile } = column;
  if (profile.distinct.length === 0) return undefined;
  if (field.kind.name === 'enum') {
    const match = matchEnumValues(field, profile);
    if (match?.kind === 'table') return judge(column, field);
    // "signal_source" is meant for this program; "source" is common in other exports, and one row proves nothing.
    const meant = column.key === normalise(field.name) || profile.texts.length < 2;
    const known = knownShare(field, profile);
    // "Source" in a list that is perhaps not about companies: the network of a post, for example.
    if (!meant && names === undefined && known >= HALF && known < 1) {
      const alternatives = [{ column: column.name, ...tableOfKnown(field, profile) }];
      return { factor: 0.7, why: 'not all values are sources of signals', alternatives };
    }
    if (meant || known >= HALF) return undefined;
    return unfit('most values are not allowed');
  }
  if (field.name === 'company_domain') {
    const changes = profile.distinct.some((text) => values.domainIn(text) !== text.toLowerCase());
    const verdict = changes ? judge(column, field) : undefined;
    if (verdict === undefined || verdict.factor === 0) return undefined;
    return column.name === field.name ? { ...verdict, factor: 1 } : verdict;
  }
  // "funding_amount" is meant for this program, "Funding Amount" is a header of many tools.
  if (field.kind.name === 'date-time' || (field.name === 'funding_amount' && column.name !== field.name)) {
    const isNamed = contract.field(column.name) !== undefined;
    const verdict = field.kind.name === 'date-time' ? judgeDate(column, isNamed) : judge(column, field);
    return verdict.mapping !== undefined || verdict.alternatives !== undefined ? verdict : undefined;
  }
  // "company_name" is meant for this program, whatever it holds; "source_url" is a column of other exports too.
  if (contract.field(column.name) !== undefined && field.name !== 'source_url') return undefined;
  // One row proves nothing. A fuller column can be better than one with few values.
  const isWeak = values.isSparse(profile) && trustInHeader(column.meanings, contract.type, field.name) !== undefined;
  const fits = profile.texts.length < 2 || judge(column, field, 1, names).factor >= DOUBTFUL;
  return fits && !isWeak ? undefined : unfit('values do not fit, or are few');
}

/** How the values of a column become those of a field, whatever its header: several ways if its dates are ambiguous. */
function waysToMap(column: Column, field: Field): readonly FieldMapping[] {
  const { mapping, alternatives } = judge(column, field);
  return alternatives ?? [mapping ?? { column: column.name }];
}

function headerTrust({ meanings, ofParts }: Column, type: RecordType, field: string): number | undefined {
  const trusts = [{ meanings, trust: 1 }, ...ofParts].flatMap((part) => {
    const trust = trustInHeader(part.meanings, type, field);
    return trust === undefined ? [] : [trust * part.trust];
  });
  return trusts.length === 0 ? undefined : Math.max(...trusts);
}

type Judge = (column: Column, trust: number, names: Column | undefined, field: Field) => Verdict;

const JUDGES: Readonly<Record<string, Judge>> = {
  company_name: judgeCompany,
  engager_company: judgeCompany,
  engager_name: judgePerson,
  engager_title: judgeRole,
  engager_profile_url: judgeProfile,
  employee_count: judgeHeadcount,
  funding_amount: judgeAmount,
  hotness_score: ({ profile }) => judgeValues(profile, 'numbers', (text) => Number.isFinite(Number(text))),
  warmth_hint: ({ profile }) => judgeValues(profile, 'integers from 0 to 100', values.isPercentage, 1),
  signal_source: judgeListed,
  platform: judgeListed,
  engagement_type: judgeListed,
  engagement_date: judgeMoment,
  signal_title: judgeTitle,
  industry: judgeIndustry,
  location: judgeWords,
  signal_family: judgeFamily,
  source_url: judgePage,
  post_url: judgePost,
};

function judge(column: Column, field: Field, trust = 1, names?: Column): Verdict {
  if (column.profile.nested) return unfit('values are objects');
  if (field.name === 'company_domain') return judgeDomain(column, trust, names);
  if (field.kind.name === 'date-time') return judgeDate(column);
  if (column.profile.texts.length === 0) return EMPTY;
  return (JUDGES[field.name] ?? judgeText)(column, trust, names, field);
}

function judgeListed({ name, profile }: Column, trust: number, _names: Column | undefined, field: Field): Verdict {
  const match = matchEnumValues(field, profile);
  if (match?.kind === 'known') return { factor: KNOWN, why: 'all values are known' };
  if (match?.kind === 'table') {
    return {
      factor: field.name === 'signal_source' && new Set(Object.values(match.values)).size > 1 ? KINDS : SYNONYMS,
      why: 'all values are synonyms of known ones',
      mapping: { column: name, values: match.values },
    };
  }
  const isOpen = field.kind.name === 'open';
  const some = knownShare(field, profile) >= HALF;
  if (some && isOpen && profile.distinct.length <= MAX_VALUES) {
    const table = tableOfForms(field, profile);
    const mapping = table === undefined ? { column: name } : { column: name, values: table };
    // Tweets and retweets: a tweet is no engagement, or a mention.
    const isOfPosts = profile.distinct.every((text) => [text, 'repost'].includes(table?.[text] ?? ''));
    const why = 'some values are known, and others are allowed';
    return { factor: table !== undefined && isOfPosts ? ASKED : SYNONYMS, why, mapping };
  }
  const table = isOpen ? undefined : tableOfKnown(field, profile);
  const mapping = table && { column: name, ...table };
  if (some) return { factor: 0.7, why: 'some values are known', mapping };
  // An open list takes other values: "J'aime".
  return isOpen && trust >= VAGUE && profile.distinct.length <= MAX_OPEN && values.share(profile, values.isName) === 1
    ? { factor: 0.6, why: 'values are words that are not known' }
    : { ...unfit('values are not known'), mapping };
}

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
function fitsByValues(field: string, header: ReadonlySet<string>, profile: ColumnProfile): boolean {
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

export interface ColumnChoice {
  readonly column: string;
  /** Different values of the sample, in the order of the rows. */
  readonly values: readonly string[];
  /** How the column's values become the field's: several if its dates can be read in several ways. */
  readonly ways: readonly FieldMapping[];
}

export function columnsForField(sample: Sample, contract: Contract, field: Field): readonly ColumnChoice[] {
  return columnsIn(sample)
    .map((column) => ({ column, confidence: candidateFor(column, field, contract.type)?.confidence ?? 0 }))
    .sort((one, other) => other.confidence - one.confidence)
    .map(({ column }) => ({
      column: column.name,
      values: [...column.profile.distinct, ...column.profile.placeholders],
      ways: waysToMap(column, field),
    }));
}
