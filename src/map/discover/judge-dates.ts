/** Judges columns of dates: the format that all values have, or that the header states. */
import type { FieldMapping } from '../document-schema.ts';
import type { Column } from './column.ts';
import { type DateFormats, detectDateFormat, mostFrequentFormat, orderOf, statedOrder } from './date-format.ts';
import { inSample, unfit, type Verdict } from './verdict.ts';

/**
 * @param isNamed the column has the field's name: most values decide, a row with another value is invalid, and ISO 8601 stays
 * valid
 */
export function judgeDate(column: Column, isNamed = false): Verdict {
  const verdict = judgeFormat(column, isNamed);
  const { mapping, alternatives } = verdict;
  return isNamed
    ? { ...verdict, mapping: mapping && withIso(mapping), alternatives: alternatives?.map(withIso) }
    : verdict;
}

function withIso(mapping: FieldMapping): FieldMapping {
  if (!('as' in mapping) || mapping.as !== 'date') return mapping;
  const [only = 'iso', ...others] = new Set(['iso', ...[mapping.format].flat()]);
  return { ...mapping, format: others.length === 0 ? only : [only, ...others] };
}

function judgeFormat(column: Column, isNamed: boolean): Verdict {
  const { name, profile } = column;
  const total = profile.texts.length;
  const stated = statedOrder(name);
  const all = detectDateFormat(profile, stated);
  const dates = isNamed && all.kind === 'none' ? (mostFrequentFormat(profile, stated) ?? all) : all;
  switch (dates.kind) {
    case 'iso':
      return { factor: 1, why: inSample('ISO 8601 dates', total, total) };
    case 'format': {
      const language = dates.locale === undefined ? '' : `, with month names in "${dates.locale}"`;
      const why = `${inSample(formatOf(dates, profile.texts), total, total)}${language}`;
      return { factor: 0.98, why, mapping: dateMapping(name, dates) };
    }
    case 'formats': {
      const why = inSample(`the formats ${dates.formats.join(' and ')}`, total, total);
      return { factor: 0.98, why, mapping: { column: name, as: 'date', format: [...dates.formats] } };
    }
    case 'ambiguous':
      return ambiguous(column, dates.formats);
    case 'mostly': {
      const mapping = dateMapping(name, dates);
      const why = inSample(formatOf(dates, dates.readable), dates.readable.length, total);
      if (isNamed) return { factor: 0.98, why, mapping: dates.format === 'iso' ? undefined : mapping };
      return {
        factor: 0.7,
        why: `${why}; the other values would be left out`,
        mapping: { ...mapping, invalid: 'omit' },
      };
    }
    case 'none':
      if (total === 0) return { factor: 0.6, why: 'no values in the sample, so the date format is unknown' };
      return dates.some
        ? {
            factor: 0.5,
            why: 'values do not all have one known date format',
            mapping: mostFrequent(name, profile, stated),
          }
        : unfit('values are not dates');
  }
}

/** Reads half of the values or more, and leaves the others out. */
function mostFrequent(
  column: string,
  profile: Column['profile'],
  stated: string | undefined,
): FieldMapping | undefined {
  const dates = mostFrequentFormat(profile, stated);
  return dates?.kind === 'mostly' ? withIso({ ...dateMapping(column, dates), invalid: 'omit' }) : undefined;
}

/** The user decides; the order of the headers' language comes first. */
function ambiguous({ name, dayFirst }: Column, formats: readonly string[]): Verdict {
  const isLikely = (format: string): boolean => dayFirst === orderOf(format).startsWith('d');
  const ordered = [...formats].sort((one, other) => Number(isLikely(other)) - Number(isLikely(one)));
  return {
    factor: 0.6,
    why: `the format could be ${ordered.join(' or ')}`,
    alternatives: ordered.map((format) => ({ column: name, as: 'date', format })),
  };
}

/** Named formats such as `sql` say nothing to a user, so an example is shown instead. */
function formatOf({ format }: { readonly format: string }, [example]: readonly string[]): string {
  return /^[a-z_]+$/.test(format) ? `dates such as ${example}` : `the format ${format}`;
}

function dateMapping(
  column: string,
  { format, locale }: Extract<DateFormats, { kind: 'format' | 'mostly' }>,
): Extract<FieldMapping, { as: 'date' }> {
  return { column, as: 'date', format, ...(locale === undefined ? {} : { locale }) };
}

/**
 * The API specifies no format for engagement_date, so dates are sent unchanged, but not counts of seconds, and not dates
 * that the service could read in two ways.
 */
export function judgeMoment(column: Column): Verdict {
  const { name, profile } = column;
  const dates = detectDateFormat(profile, statedOrder(name));
  if (dates.kind === 'format' && !/[a-z]\W|\W[a-z]/iu.test(dates.format)) {
    return {
      factor: 1,
      why: inSample(formatOf(dates, profile.texts), profile.texts.length, profile.texts.length),
      mapping: dateMapping(name, dates),
    };
  }
  if (dates.kind === 'ambiguous') return ambiguous(column, dates.formats);
  if (dates.kind === 'none') {
    if (profile.distinct.length > 0 && profile.distinct.every(isUnambiguous))
      return { factor: 0.9, why: 'values are dates' };
    return { factor: dates.some ? 0.7 : 0, why: 'values might be dates' };
  }
  return { factor: 1, why: inSample('dates', profile.texts.length, profile.texts.length) };
}

/** Year, month and day in this order, or a month's name between a day and a year, whatever else the text has. */
function isUnambiguous(text: string): boolean {
  return /^\d{4}([-/.]|年 ?)\d{1,2}(?:\1|月 ?)\d{1,2}(?!\d)|^\p{Lu}\p{Ll}{2},? \p{Lu}\p{Ll}{2} \d{1,2} [\d:]+ \S+ \d{4}$/u.test(
    text,
  );
}

/** Whether the moments of a column are clear to anybody. */
export function hasMoments(column: Column): boolean {
  return column.profile.distinct.every(isUnambiguous) || detectDateFormat(column.profile).kind !== 'none';
}
