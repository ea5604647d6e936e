/**
 * Candidate mappings of one field for rows that its mapping does not repair: other date formats, numbers, values of a list,
 * other columns. Each is tried on the rows (propose-fix.ts), and offered only if it repairs some. Pure.
 */
import type { Field } from '../contract/index.ts';
import { detectDates } from '../map/discover/date-format.ts';
import { OTHER, similarValue } from '../map/discover/enum-values.ts';
import type { FieldMapping } from '../map/index.ts';

export interface FieldFix {
  readonly mapping: FieldMapping;
  /** Whether only the user knows if it is right: another proposal reads the same values differently, or it is a constant. */
  readonly isAmbiguous?: boolean | undefined;
}

type ColumnMapping = Extract<FieldMapping, { readonly column: string }>;

/**
 * The likeliest first. None for a field that is not made from one column.
 *
 * @param invalid distinct values, as in the input, that the mapping or the contract cannot read
 */
export function proposeFieldFixes(
  field: Field,
  mapping: FieldMapping,
  invalid: readonly unknown[],
): readonly FieldFix[] {
  if (!('column' in mapping)) return [];
  const texts = invalid.filter((value) => typeof value === 'string');
  if ('as' in mapping) return otherReadings[mapping.as](mapping, texts);
  const { name } = field.kind;
  if (name === 'enum') return valueFixes(field, mapping, texts);
  if (name === 'date-time') return dateFixes(mapping, texts);
  return name === 'integer' || name === 'number' ? numberFixes(mapping, texts) : [];
}

type Transform = Extract<ColumnMapping, { readonly as: string }>['as'];

/** By transform: other ways to read the values that are invalid. */
const otherReadings: Readonly<
  Record<Transform, (mapping: ColumnMapping, texts: readonly string[]) => readonly FieldFix[]>
> = {
  date: dateFixes,
  number: numberFixes,
  // Another column may have the domain: `missingFixes`.
  domain: () => [],
};

/** @param others mappings of other columns that seem to contain the field, the likeliest first */
export function missingFixes(field: Field, mapping: FieldMapping, others: readonly FieldFix[]): readonly FieldFix[] {
  const values = field.kind.name === 'enum' ? (field.kind.values ?? []) : [];
  // The API's own value for everything else says nothing wrong of a row.
  const constants = values.toSorted((one, other) => Number(other === OTHER) - Number(one === OTHER));
  const fixes = [
    ...others.map(({ mapping: other, isAmbiguous }) => ({ mapping: withOther(mapping, other), isAmbiguous })),
    ...constants.map((value) => ({ mapping: withConstant(field, mapping, value), isAmbiguous: value !== OTHER })),
  ];
  return fixes.flatMap(({ mapping: way, isAmbiguous }) => (way === undefined ? [] : [{ mapping: way, isAmbiguous }]));
}

/** Another column, if it needs no other transform than the first. */
function withOther(mapping: FieldMapping, other: FieldMapping): FieldMapping | undefined {
  if (!('column' in other) || 'values' in other) return undefined;
  if (!('as' in other)) return withColumn(mapping, other.column);
  // Of an address such as ann@acme.com, only the domain is meant; a domain stays a domain.
  return other.as === 'domain' ? withColumn(mapping, other.column, 'domain') : undefined;
}

/** The same mapping, with another column where it has no value. Undefined if its transform allows one column only. */
function withColumn(mapping: FieldMapping, column: string, as?: 'domain'): FieldMapping | undefined {
  const before = 'first' in mapping ? mapping : asList(mapping);
  if (before === undefined || before.first.includes(column)) return undefined;
  return { ...before, first: [...before.first, column], as: as ?? before.as };
}

function asList(mapping: FieldMapping): Extract<FieldMapping, { first: unknown }> | undefined {
  if (!('column' in mapping) || 'values' in mapping) return undefined;
  const { column, ...more } = mapping;
  return 'as' in more && more.as !== 'domain' ? undefined : { first: [column], ...more };
}

/** The same mapping, with a constant where it has no value. Undefined if its transform allows none. */
function withConstant({ kind }: Field, mapping: FieldMapping, value: string | number): FieldMapping | undefined {
  if ('first' in mapping) return { ...mapping, otherwise: value };
  if (!('column' in mapping) || 'as' in mapping) return undefined;
  const values = 'values' in mapping ? mapping.values : undefined;
  if (kind.name === 'enum') return { ...mapping, values: { ...values, '': value } };
  return values === undefined ? { first: [mapping.column], otherwise: value } : undefined;
}

/** A column with more distinct values is not a list of kinds. */
const MAX_VALUES = 200;

/** A table for a closed list: synonyms in several languages, misspellings, and last "other". */
function valueFixes(
  field: Field,
  mapping: Exclude<ColumnMapping, { as: unknown }>,
  texts: readonly string[],
): readonly FieldFix[] {
  const distinct = [...new Set(texts.map((text) => text.trim()))];
  if (distinct.length > MAX_VALUES) return [];
  const similar = distinct.flatMap((text) => {
    const value = similarValue(field, text);
    return value === undefined ? [] : [[text, value] as const];
  });
  const hasOther = field.kind.values?.includes(OTHER) === true;
  const entries = similar.length > 0 ? similar : hasOther ? distinct.map((text) => [text, OTHER] as const) : [];
  const before = 'values' in mapping ? mapping.values : {};
  return entries.length === 0
    ? []
    : [{ mapping: { ...mapping, values: { ...before, ...Object.fromEntries(entries) } } }];
}

/** Units that do not change the number. Not "Mio" or "k": as a unit, 1.5 Mio would be 1.5. */
const UNIT = /\d\s*(%|percent|pct|prozent|points?|pts|punkte|employees|people|staff|fte|mitarbeiter|empleados)$/iu;
const MARKS = [undefined, '.', ','] as const;

/** `as: number` with a decimal mark and a unit, for numbers as people write them. */
function numberFixes(mapping: ColumnMapping, texts: readonly string[]): readonly FieldFix[] {
  const { column, invalid } = mapping;
  const unit = texts.map((text) => UNIT.exec(text.trim())?.[1]).find((each) => each !== undefined);
  const scale = 'as' in mapping && mapping.as === 'number' ? mapping.scale : undefined;
  const isAmbiguous = texts.some((text) => /^\D*\d{1,3}[.,]\d{3}\D*$/u.test(text));
  const units = unit === undefined ? [undefined] : [undefined, unit];
  return units.flatMap((each) =>
    MARKS.map((decimal) => ({
      mapping: { column, as: 'number' as const, decimal, unit: each, scale, invalid },
      isAmbiguous,
    })),
  );
}

/** With the formats so far: they read the other rows. */
function dateFixes(mapping: ColumnMapping, texts: readonly string[]): readonly FieldFix[] {
  const { column, invalid } = mapping;
  const before = 'as' in mapping && mapping.as === 'date' ? mapping : undefined;
  const { ways } = detectDates(texts);
  return ways.map((way) => {
    const formats = [...new Set([before?.format ?? 'iso', way.formats].flat())];
    const [format = 'iso', ...others] = formats;
    const all = others.length === 0 ? format : formats;
    const locale = before?.locale ?? way.locale;
    const read: FieldMapping = { column, as: 'date', format: all, zone: before?.zone, locale, invalid };
    return { mapping: read, isAmbiguous: ways.length > 1 };
  });
}
