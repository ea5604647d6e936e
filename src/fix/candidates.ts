/**
 * Candidate mappings of one field for rows that its mapping does not repair: other date formats, numbers, values of a list,
 * other columns. Each is tried on the rejected rows (propose-fix.ts), and offered only if it repairs some. Pure.
 */
import type { Field } from '../contract/index.ts';
import { type DateWay, detectDates } from '../map/discover/date-format.ts';
import { OTHER, similarValue } from '../map/discover/enum-values.ts';
import type { FieldMapping } from '../map/index.ts';

export interface FieldFix {
  readonly mapping: FieldMapping;
  /** What it assumes, as a clause without a full stop. */
  readonly why: string;
  /** Whether only the user knows if it is right: another proposal reads the same values differently, or it is a constant. */
  readonly isAmbiguous?: true;
}

/** A mapping from one column, with or without a transform. */
type ColumnMapping = Extract<FieldMapping, { readonly column: string }>;

/** What all mappings from a column have in common. */
function columnOf({ column, invalid }: ColumnMapping): Pick<ColumnMapping, 'column' | 'invalid'> {
  return invalid === undefined ? { column } : { column, invalid };
}

/** Values of one field that its mapping or the contract refuses. */
interface RefusedValues {
  readonly field: Field;
  readonly mapping: FieldMapping;
  /** Distinct values, as in the input. */
  readonly values: readonly unknown[];
}

/** The likeliest first. None for a field that is not made from one column. */
export function proposeFieldFixes({ field, mapping, values }: RefusedValues): readonly FieldFix[] {
  if (!('column' in mapping)) return [];
  const texts = values.filter((value) => typeof value === 'string');
  const as = 'as' in mapping ? mapping.as : undefined;
  const { name } = field.kind;
  if (name === 'enum' && as === undefined) return valueFixes(field, mapping, texts);
  if (name === 'date-time' || as === 'date') return dateFixes(mapping, texts);
  if (name === 'integer' || name === 'number' || as === 'number') return numberFixes(mapping, texts);
  return [];
}

/** A mapping of another column that seems to contain the field. */
export interface OtherColumn {
  readonly mapping: FieldMapping;
  /** Whether it would be used without a question. */
  readonly isSure: boolean;
}

/** @param others the likeliest first */
export function missingFixes(field: Field, mapping: FieldMapping, others: readonly OtherColumn[]): readonly FieldFix[] {
  return [
    ...others.flatMap(({ mapping: other, isSure }) =>
      withOther(mapping, other).map((fix) => (isSure ? fix : { ...fix, isAmbiguous: true as const })),
    ),
    ...(field.kind.name === 'enum' ? (field.kind.values ?? []) : [])
      .toSorted((one, other) => Number(other === OTHER) - Number(one === OTHER))
      .flatMap((value) => withConstant(field, mapping, value)),
  ];
}

/** Another column, if it needs no other transform than the first. */
function withOther(mapping: FieldMapping, other: FieldMapping): readonly FieldFix[] {
  if (!('column' in other) || 'values' in other) return [];
  if (!('as' in other)) return withColumn(mapping, other.column);
  // Of an address such as ann@acme.com, only the domain is meant; a domain stays a domain.
  return other.as === 'domain' ? withColumn(mapping, other.column, 'domain') : [];
}

/** The same mapping, with another column where it has no value. */
export function withColumn(mapping: FieldMapping, column: string, as?: 'domain'): readonly FieldFix[] {
  const before = columnsBefore(mapping);
  if (before === undefined || before.first.includes(column)) return [];
  const first = before.first.join(', ');
  const why = `${column} has a value where ${first} has none`;
  return [{ mapping: { ...before, first: [...before.first, column], ...(as === undefined ? {} : { as }) }, why }];
}

/** The mapping as a list of columns. Undefined if its transform allows one column only. */
function columnsBefore(mapping: FieldMapping): Extract<FieldMapping, { first: unknown }> | undefined {
  if ('first' in mapping) return mapping;
  if (!('column' in mapping) || 'values' in mapping) return undefined;
  const { column, invalid } = mapping;
  const same = { first: [column], ...(invalid === undefined ? {} : { invalid }) };
  if (!('as' in mapping)) return same;
  return mapping.as === 'domain' ? { ...same, as: 'domain' } : undefined;
}

/** The same mapping, with a constant where it has no value. */
export function withConstant(field: Field, mapping: FieldMapping, value: string | number): readonly FieldFix[] {
  const why = `one value for the rows without ${field.name}`;
  // The API's own value for everything else says nothing wrong of a row.
  const isSafe = field.kind.name === 'enum' && value === OTHER;
  const fixWith = (changed: FieldMapping): readonly FieldFix[] => [
    { mapping: changed, why, ...(isSafe ? {} : { isAmbiguous: true }) },
  ];
  if ('first' in mapping) return fixWith({ ...mapping, otherwise: value });
  if (!('column' in mapping) || 'as' in mapping) return [];
  if (field.kind.name !== 'enum') {
    return 'values' in mapping ? [] : fixWith({ first: [mapping.column], otherwise: value });
  }
  return fixWith({ ...mapping, values: { ...('values' in mapping ? mapping.values : {}), '': value } });
}

/** A column with more distinct values is not a list of kinds. */
const MAX_VALUES = 200;

/** A table for a closed list: synonyms in several languages, misspellings, and last "other". */
function valueFixes(field: Field, mapping: ColumnMapping, texts: readonly string[]): readonly FieldFix[] {
  const distinct = [...new Set(texts.map((text) => text.trim()))];
  if (distinct.length > MAX_VALUES) return [];
  const similar = new Map(
    distinct.flatMap((text) => {
      const value = similarValue(field, text);
      return value === undefined ? [] : [[text, value] as const];
    }),
  );
  const before = 'values' in mapping ? mapping : undefined;
  const fix = (entries: ReadonlyMap<string, string>, why: string): FieldFix => ({
    mapping: {
      ...columnOf(mapping),
      values: { ...before?.values, ...Object.fromEntries(entries) },
      ...(before?.otherwise === undefined ? {} : { otherwise: before.otherwise }),
    },
    why,
  });
  if (similar.size > 0) return [fix(similar, 'these words mean an allowed value, or are similar to one')];
  if (!field.kind.values?.includes(OTHER)) return [];
  return [fix(new Map(distinct.map((text) => [text, OTHER])), 'no allowed value is similar, and the API has "other"')];
}

/** Units that do not change the number. Not "Mio" or "k": as a unit, 1.5 Mio would be 1.5. */
const UNIT = /\d\s*(%|percent|pct|prozent|points?|pts|punkte|employees|people|staff|fte|mitarbeiter|empleados)$/iu;
const FRACTION = /^0?[.,]\d+$/u;
const MARKS = [undefined, '.', ','] as const;

/** `as: number` with a decimal mark and a unit, for numbers as people write them. */
function numberFixes(mapping: ColumnMapping, texts: readonly string[]): readonly FieldFix[] {
  const unit = commonUnit(texts);
  const units = unit === undefined ? [undefined] : [undefined, unit];
  const given = 'as' in mapping && mapping.as === 'number' ? mapping.scale : undefined;
  // 0.85 for a field of 0 to 100.
  const scale = given ?? (texts.length > 0 && texts.every((text) => FRACTION.test(text)) ? 100 : undefined);
  const isAmbiguous = texts.some((text) => /^\D*\d{1,3}[.,]\d{3}\D*$/u.test(text));
  return units.flatMap((each) =>
    MARKS.map((decimal): FieldFix => {
      const why = [
        'the values are numbers',
        ...(decimal === undefined ? [] : [`"${decimal}" is the decimal mark`]),
        ...(each === undefined ? [] : [`"${each}" is a unit`]),
        ...(scale === given ? [] : ['they are shares of 100']),
      ];
      return {
        mapping: {
          ...columnOf(mapping),
          as: 'number',
          ...(decimal === undefined ? {} : { decimal }),
          ...(each === undefined ? {} : { unit: each }),
          ...(scale === undefined ? {} : { scale }),
        },
        why: why.join(', and '),
        ...(isAmbiguous ? { isAmbiguous } : {}),
      };
    }),
  );
}

/** The most frequent text after a number. */
function commonUnit(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const unit = UNIT.exec(text.trim())?.[1];
    if (unit !== undefined) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most?.[0];
}

function dateFixes(mapping: ColumnMapping, texts: readonly string[]): readonly FieldFix[] {
  const { ways } = detectDates({ texts, distinct: [...new Set(texts)] });
  return ways.map((way) => ({ ...fixWith(mapping, way), ...(ways.length > 1 && { isAmbiguous: true }) }));
}

function fixWith(mapping: ColumnMapping, way: DateWay): FieldFix {
  const before = 'as' in mapping && mapping.as === 'date' ? mapping : undefined;
  const old = before === undefined ? ['iso'] : [before.format].flat();
  const formats = [...new Set([...old, ...way.formats])];
  const [format = 'iso', ...others] = formats;
  const locale = before?.locale ?? way.locale;
  const zone = before?.zone;
  return {
    mapping: {
      ...columnOf(mapping),
      as: 'date',
      format: others.length === 0 ? format : formats,
      ...(zone === undefined ? {} : { zone }),
      ...(locale === undefined ? {} : { locale }),
    },
    why: `${others.length === 0 ? 'all dates have this format' : 'each date has one of these formats'}; the zone is ${zone ?? 'UTC'}`,
  };
}
