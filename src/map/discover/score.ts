/**
 * How well a column fits a field: what its header means (header-synonyms.ts), lowered by what its cells are not. Values
 * can rule a column out and can never rule one in alone: cells that look like dates are not yet *the* date. They
 * raise a vague header only where they can be nothing else.
 */
import type { Field } from '../../contract/index.ts';
import type { RecordType } from '../../model/record.ts';
import { normalise } from '../column-match.ts';
import type { FieldMapping } from '../document-schema.ts';
import type { Locale } from '../months.ts';
import type { ColumnProfile } from './column-facts.ts';
import * as values from './column-facts.ts';
import { type DateFormats, detectDateFormat } from './date-format.ts';
import { isKindOfSource, knownShare, matchEnumValues } from './enum-values.ts';
import { synonymsOf } from './header-synonyms.ts';
import { bag, bagOfPath, bagWithoutUnits } from './header-words.ts';

export interface Column {
  readonly name: string;
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
  /** Other ways to read the same column: formats of a date that could be two. */
  readonly alternatives?: readonly FieldMapping[];
}

/** What the cells say of a field. `factor` times the header's trust is the confidence; 0 rules the column out. */
interface Verdict {
  readonly factor: number;
  readonly why: string;
  readonly mapping?: FieldMapping;
  readonly alternatives?: readonly FieldMapping[];
}

/** Cells may be wrong now and then: so many must be right. */
const MIN_SHARE = 0.9;

/** Trust in a header whose column is empty in the whole sample. */
const EMPTY = 0.93;

/** A column that bears a closed list's name is taken where at least so many of its values are of that list. */
const HALF = 0.5;

/** Values that can be of no other field raise a vague header: "URL" (0.5) to a certain one. */
const ONLY_THIS = 1.8;

/** Values of a closed list raise a vague header: "Kind" (0.75) is the source where all of its values are sources. */
const KNOWN = 1.15;
/** The same where they are only near the list, so that a table has to be made of them. */
const NEAR = 1.08;

/** Headers that are known less well by their path, or without their unit. */
const PATH = 0.95;

export function candidateFor(column: Column, field: Field, type: RecordType): Candidate | undefined {
  const trust = headerTrust(column.name, type, field.name);
  if (trust === undefined) return undefined;
  const verdict = judge(column, field, trust);
  if (verdict.factor === 0) return undefined;
  return {
    field: field.name,
    column: column.name,
    mapping: verdict.mapping ?? { column: column.name },
    confidence: Math.min(1, trust * verdict.factor),
    reason: `header fits; ${verdict.why}`,
    ...(verdict.alternatives === undefined ? {} : { alternatives: verdict.alternatives }),
  };
}

/**
 * The same for a column with the field's own name. Undefined if its cells fit, or do not decide. `factor` 0: no cell can
 * be a value of this field.
 */
export function checkNamedColumn(column: Column, field: Field): Verdict | undefined {
  const { profile } = column;
  if (profile.distinct.length === 0) return undefined;
  if (field.kind.name === 'enum') {
    const near = matchEnumValues(field.name, field.kind.values ?? [], profile);
    if (near?.kind === 'table') return judge(column, field);
    // "signal_source" is meant for this program; "source" is a word of many exports, and one row proves nothing.
    const meant = normalise(column.name) === normalise(field.name) || profile.texts.length < 2;
    if (meant || knownShare(field.name, field.kind.values ?? [], profile) >= HALF) return undefined;
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

function headerTrust(name: string, type: RecordType, field: string): number | undefined {
  const phrases = synonymsOf(type, field);
  const path = bagOfPath(name);
  const exact = phrases.get(bag(name)) ?? phrases.get(bagWithoutUnits(name));
  const byPath = path === undefined ? undefined : phrases.get(path);
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
      return company(profile);
    case 'engager_name':
      return person(profile);
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

/** A title tells one signal from the next: kinds of signals, and a text that is the same in each row, do not. */
function title(profile: ColumnProfile, trust: number): Verdict {
  if (values.share(profile, values.isProse) < MIN_SHARE) return { factor: 0, why: 'values are not titles' };
  const kinds = profile.distinct.every((text) => isKindOfSource(text));
  const { texts, distinct } = profile;
  const alike =
    (texts.length >= 2 && distinct.length === 1) || (texts.length >= 5 && distinct.length <= texts.length / 4);
  // "Mr" and "CRM" are no titles of what happened.
  const short = trust < 0.95 && values.share(profile, (text) => /\S\s+\S/u.test(text)) < 0.25;
  if (kinds || alike || short) return { factor: 0.7, why: 'values do not distinguish one signal from another' };
  return { factor: 1, why: 'values are text' };
}

function domain({ name, profile }: Column, trust: number): Verdict {
  const mapping = { column: name, as: 'domain' } as const;
  if (profile.texts.length === 0) return { factor: EMPTY, why: 'no values in the sample', mapping };
  const own = values.share(profile, (text) => values.isOwnDomain(values.domainIn(text)));
  if (own < MIN_SHARE) return { factor: 0, why: 'values are not company websites' };
  const domains = new Set(profile.texts.map((text) => values.domainIn(text)));
  if (domains.size === 1 && profile.distinct.length > 1) return { factor: 0, why: 'all URLs are on one site' };
  // A column called URL may hold anybody's pages; one called Website holds the company's, whatever the page.
  if (trust < 0.9 && values.share(profile, values.isDeepUrl) > 0.5) {
    return { factor: 0.7, why: 'values are page URLs, perhaps not on the company website', mapping };
  }
  return { factor: 1, why: 'values are company websites', mapping };
}

function date({ name, profile }: Column): Verdict {
  const dates: DateFormats = detectDateFormat(profile);
  const as = (format: string, locale?: Locale): FieldMapping => ({
    column: name,
    as: 'date',
    format,
    ...(locale === undefined ? {} : { locale }),
  });
  switch (dates.kind) {
    case 'iso':
      return { factor: 1, why: 'values are ISO 8601 dates' };
    case 'format':
      return {
        factor: 0.98,
        why: `all values have the format ${dates.format}${dates.locale === undefined ? '' : `, with month names in "${dates.locale}"`}`,
        mapping: as(dates.format, dates.locale),
      };
    case 'ambiguous':
      return {
        factor: 0.6,
        why: `the format could be ${dates.formats.join(' or ')}`,
        alternatives: dates.formats.map((format) => as(format)),
      };
    case 'none':
      if (profile.texts.length === 0)
        return { factor: 0.6, why: 'no values in the sample, so the date format is unknown' };
      return dates.some
        ? { factor: 0.5, why: 'values do not all have one known date format' }
        : { factor: 0, why: 'values are not dates' };
  }
}

/** The interface names no format for engagement_date: what looks like a moment is sent as it is. */
function moment(profile: ColumnProfile): Verdict {
  const dates = detectDateFormat(profile);
  const fits = dates.kind !== 'none';
  return {
    factor: fits ? 1 : dates.some ? 0.7 : 0,
    why: fits ? 'values are dates' : 'values might be dates',
  };
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
  // A column that is called URL and holds people's pages alone can be nothing else.
  return values.share(profile, values.isPersonPage) >= MIN_SHARE
    ? { factor: ONLY_THIS, why: 'values are LinkedIn profiles' }
    : { factor: 1, why: 'values are profile URLs' };
}

function company(profile: ColumnProfile): Verdict {
  if (values.share(profile, values.isName) < 0.8 || values.share(profile, values.isPerson) > 0.6) {
    return { factor: 0, why: 'values are not company names' };
  }
  return { factor: 1, why: 'values are names' };
}

function person(profile: ColumnProfile): Verdict {
  if (values.share(profile, values.isName) < MIN_SHARE) {
    return { factor: 0, why: 'values are not names of people' };
  }
  const people = values.share(profile, values.isPerson);
  return people > 0 ? { factor: 1, why: 'values are names of people' } : { factor: 0.95, why: 'values are names' };
}

function listed({ name, profile }: Column, field: Field): Verdict {
  const near = matchEnumValues(field.name, field.kind.values ?? [], profile);
  if (near === undefined) {
    const known = knownShare(field.name, field.kind.values ?? [], profile);
    return known >= 0.5 ? { factor: 0.7, why: 'some values are known' } : { factor: 0, why: 'values are not known' };
  }
  // Values of a closed list say more than a vague header does.
  if (near.kind === 'known') return { factor: KNOWN, why: 'all values are known' };
  return {
    factor: NEAR,
    why: 'all values are synonyms of known ones',
    mapping: { column: name, values: near.values },
  };
}
