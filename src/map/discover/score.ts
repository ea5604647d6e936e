/**
 * Scores how well a column fits a field: how far its header is trusted (header-synonyms.ts), lowered by its cells. Values
 * alone never choose a column: a cell that looks like a date is not necessarily *the* date. They raise a vague header only if
 * they can be of no other field.
 */
import type { Field } from '../../contract/index.ts';
import type { RecordType } from '../../model/record.ts';
import { normalise } from '../column-match.ts';
import type { FieldMapping } from '../document-schema.ts';
import type { ColumnProfile } from './column-facts.ts';
import * as values from './column-facts.ts';
import { detectDateFormat } from './date-format.ts';
import { isKindOfSource, knownShare, matchEnumValues } from './enum-values.ts';
import { synonymsOf } from './header-synonyms.ts';

export interface Column {
  readonly name: string;
  /** The name without regard to case, spaces and punctuation. */
  readonly key: string;
  /** The words of the name (header-words.ts): all, without units, and of the path. */
  readonly bag: string;
  readonly bagWithoutUnits: string;
  readonly bagOfPath: string | undefined;
  readonly profile: ColumnProfile;
}

export interface Candidate {
  readonly field: string;
  readonly column: string;
  readonly mapping: FieldMapping;
  /** 0 to 1. */
  readonly confidence: number;
  /** In words, without a full stop. */
  readonly reason: string;
  /** Other mappings of the same column: the possible formats of an ambiguous date. */
  readonly alternatives?: readonly FieldMapping[] | undefined;
}

/** What the cells say about a field. The confidence is `factor` times the header's trust; 0 excludes the column. */
interface Verdict {
  readonly factor: number;
  readonly why: string;
  readonly mapping?: FieldMapping | undefined;
  readonly alternatives?: readonly FieldMapping[] | undefined;
}

/** Minimum share of matching cells, because a cell can be wrong now and then. */
const MIN_SHARE = 0.9;

/** For a column without a value in the sample. */
const EMPTY = 0.93;

/** Minimum share of allowed values in a column with the name of an enum field. */
const HALF = 0.5;

/** Raises a vague header with values that can be of no other field: "URL" (0.5) becomes certain. */
const ONLY_THIS = 1.8;

/** Raises a vague header with values of an enum: "Kind" (0.75) is the source if all its values are sources. */
const KNOWN = 1.15;

/** As {@link KNOWN}, if the values need a table of synonyms. */
const SYNONYMS = 1.08;

/** For headers known by their path. */
const PATH = 0.95;

export function candidateFor(column: Column, field: Field, type: RecordType): Candidate | undefined {
  const trust = headerTrust(column, type, field.name);
  if (trust === undefined) return undefined;
  const { factor, why, mapping, alternatives } = judge(column, field, trust);
  if (factor === 0) return undefined;
  return {
    field: field.name,
    column: column.name,
    mapping: mapping ?? { column: column.name },
    confidence: Math.min(1, trust * factor),
    reason: `header fits; ${why}`,
    alternatives,
  };
}

/** The same for a column with the field's own name. Undefined if its cells fit or do not decide. */
export function checkNamedColumn(column: Column, field: Field): Verdict | undefined {
  const { profile } = column;
  if (profile.distinct.length === 0) return undefined;
  if (field.kind.name === 'enum') {
    const match = matchEnumValues(field, profile);
    if (match?.kind === 'table') return judge(column, field);
    // "signal_source" is meant for this program; "source" is common in other exports, and one row proves nothing.
    const meant = column.key === normalise(field.name) || profile.texts.length < 2;
    if (meant || knownShare(field, profile) >= HALF) return undefined;
    return { factor: 0, why: 'most values are not allowed' };
  }
  if (field.name === 'company_domain') {
    const changes = profile.distinct.some((text) => values.domainIn(text) !== text.toLowerCase());
    const verdict = changes ? judge(column, field) : undefined;
    return verdict !== undefined && verdict.factor > 0 ? verdict : undefined;
  }
  if (field.kind.name === 'date-time') {
    const verdict = judge(column, field);
    return verdict.mapping !== undefined || verdict.alternatives !== undefined ? verdict : undefined;
  }
  return undefined;
}

/** How the values of a column become those of a field, whatever its header: several ways if its dates are ambiguous. */
export function waysToMap(column: Column, field: Field): readonly FieldMapping[] {
  const { mapping, alternatives } = judge(column, field);
  return alternatives ?? [mapping ?? { column: column.name }];
}

function headerTrust({ bag, bagWithoutUnits, bagOfPath }: Column, type: RecordType, field: string): number | undefined {
  const phrases = synonymsOf(type, field);
  const exact = phrases.get(bag) ?? phrases.get(bagWithoutUnits);
  const byPath = bagOfPath === undefined ? undefined : phrases.get(bagOfPath);
  return exact ?? (byPath === undefined ? undefined : byPath * PATH);
}

function judge(column: Column, field: Field, trust = 1): Verdict {
  const { profile } = column;
  if (profile.nested) return { factor: 0, why: 'values are objects' };
  if (field.name === 'company_domain') return domain(column, trust);
  if (field.kind.name === 'date-time') return date(column);
  if (profile.texts.length === 0) return { factor: EMPTY, why: 'no values in the sample' };
  switch (field.name) {
    case 'source_url':
    case 'post_url':
      return url(profile);
    case 'engager_profile_url':
      return profileUrl(profile);
    case 'company_name':
    case 'engager_company':
      return values.share(profile, values.isName) < 0.8 || values.share(profile, values.isPerson) > 0.6
        ? { factor: 0, why: 'values are not company names' }
        : { factor: 1, why: 'values are names' };
    case 'engager_name':
      if (values.share(profile, values.isName) < MIN_SHARE) return { factor: 0, why: 'values are not names of people' };
      return values.share(profile, values.isPerson) > 0
        ? { factor: 1, why: 'values are names of people' }
        : { factor: 0.95, why: 'values are names' };
    case 'employee_count':
      return all(profile, values.isHeadcount, 'values are employee counts or ranges');
    case 'funding_amount':
      return all(profile, values.isAmount, 'values are amounts');
    case 'hotness_score':
      return all(profile, (text) => Number.isFinite(Number(text)), 'values are numbers');
    case 'warmth_hint':
      return all(profile, values.isPercentage, 'values are integers from 0 to 100', 1);
    case 'signal_source':
    case 'platform':
    case 'engagement_type':
      return listed(column, field);
    case 'engagement_date':
      return moment(profile);
    case 'signal_title':
      return title(profile, trust);
    case 'industry':
    case 'location':
    case 'signal_family':
    case 'engager_title':
      return all(profile, values.isProse, 'values are words');
    default:
      return all(profile, (text) => values.isProse(text) || !values.isUrl(text), 'values are text');
  }
}

function all(profile: ColumnProfile, test: (text: string) => boolean, why: string, least = MIN_SHARE): Verdict {
  return { factor: values.share(profile, test) >= least ? 1 : 0, why };
}

/** A title distinguishes signals. Kinds of signals do not, and neither does a text that most rows share. */
function title(profile: ColumnProfile, trust: number): Verdict {
  if (values.share(profile, values.isProse) < MIN_SHARE) return { factor: 0, why: 'values are not titles' };
  const { texts, distinct } = profile;
  const alike =
    (texts.length >= 2 && distinct.length === 1) || (texts.length >= 5 && distinct.length <= texts.length / 4);
  // "Mr" and "CRM" are not titles of events.
  const short = trust < 0.95 && values.share(profile, (text) => /\S\s+\S/u.test(text)) < 0.25;
  return alike || short || distinct.every(isKindOfSource)
    ? { factor: 0.7, why: 'values do not distinguish one signal from another' }
    : { factor: 1, why: 'values are text' };
}

function domain({ name, profile }: Column, trust: number): Verdict {
  const mapping = { column: name, as: 'domain' } as const;
  if (profile.texts.length === 0) return { factor: EMPTY, why: 'no values in the sample', mapping };
  const own = values.share(profile, (text) => values.isOwnDomain(values.domainIn(text)));
  if (own < MIN_SHARE) return { factor: 0, why: 'values are not company websites' };
  const domains = new Set(profile.texts.map((text) => values.domainIn(text)));
  if (domains.size === 1 && profile.distinct.length > 1) return { factor: 0, why: 'all URLs are on one site' };
  // A column "URL" can contain pages of any site; a column "Website" contains the company's.
  if (trust < 0.9 && values.share(profile, values.isDeepUrl) > 0.5) {
    return { factor: 0.7, why: 'values are page URLs, perhaps not on the company website', mapping };
  }
  return { factor: 1, why: 'values are company websites', mapping };
}

function date({ name, profile }: Column): Verdict {
  const dates = detectDateFormat(profile);
  switch (dates.kind) {
    case 'iso':
      return { factor: 1, why: 'values are ISO 8601 dates' };
    case 'format': {
      const { kind: _, ...spec } = dates;
      const language = spec.locale === undefined ? '' : `, with month names in "${spec.locale}"`;
      return {
        factor: 0.98,
        why: `all values have the format ${spec.format}${language}`,
        mapping: { column: name, as: 'date', ...spec },
      };
    }
    case 'ambiguous':
      return {
        factor: 0.6,
        why: `the format could be ${dates.formats.join(' or ')}`,
        alternatives: dates.formats.map((format) => ({ column: name, as: 'date', format })),
      };
    case 'none':
      if (profile.texts.length === 0) {
        return { factor: 0.6, why: 'no values in the sample, so the date format is unknown' };
      }
      return dates.some
        ? { factor: 0.5, why: 'values do not all have one known date format' }
        : { factor: 0, why: 'values are not dates' };
  }
}

/** The interface specifies no format for engagement_date, so dates are sent unchanged. */
function moment(profile: ColumnProfile): Verdict {
  const dates = detectDateFormat(profile);
  if (dates.kind !== 'none') return { factor: 1, why: 'values are dates' };
  return { factor: dates.some ? 0.7 : 0, why: 'values might be dates' };
}

function url(profile: ColumnProfile): Verdict {
  if (values.share(profile, values.isUrl) < MIN_SHARE) return { factor: 0, why: 'values are not URLs' };
  return values.share(profile, values.isDeepUrl) >= MIN_SHARE
    ? { factor: 1, why: 'values are page URLs' }
    : { factor: 0.4, why: 'values are websites, not pages' };
}

function profileUrl(profile: ColumnProfile): Verdict {
  const address = (text: string): boolean => values.isUrl(text) || /^(?:www\.)?[\w-]+\.[a-z]{2,}\/\S+$/iu.test(text);
  if (values.share(profile, address) < MIN_SHARE || profile.texts.some(values.isCompanyPage)) {
    return { factor: 0, why: 'values are not profile URLs' };
  }
  return values.share(profile, values.isPersonPage) >= MIN_SHARE
    ? { factor: ONLY_THIS, why: 'values are LinkedIn profiles' }
    : { factor: 1, why: 'values are profile URLs' };
}

function listed({ name, profile }: Column, field: Field): Verdict {
  const match = matchEnumValues(field, profile);
  if (match?.kind === 'known') return { factor: KNOWN, why: 'all values are known' };
  if (match?.kind === 'table') {
    return {
      factor: SYNONYMS,
      why: 'all values are synonyms of known ones',
      mapping: { column: name, values: match.values },
    };
  }
  return knownShare(field, profile) >= HALF
    ? { factor: 0.7, why: 'some values are known' }
    : { factor: 0, why: 'values are not known' };
}
