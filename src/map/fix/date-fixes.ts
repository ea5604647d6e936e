/** Date formats for values of several shapes: `11/20/2026` and `20. Nov 2026` in one column. */
import { profileColumn } from '../discover/column-facts.ts';
import { type DateFormats, detectDateFormat, shapesOf } from '../discover/date-format.ts';
import type { Locale } from '../months.ts';
import { type ColumnMapping, columnOf, type FieldFix } from './field-fix.ts';

/** Shapes that are tried, the most frequent first: parsing dates is slow. */
const MAX_SHAPES = 12;

/** Texts of a shape that are tried one by one. */
const MAX_TRIED = 60;

interface ShapeFormat {
  readonly format: string;
  readonly locale?: Locale | undefined;
}

export function dateFixes(mapping: ColumnMapping, texts: readonly string[]): readonly FieldFix[] {
  const certain: ShapeFormat[] = [];
  const ambiguous: (readonly string[])[] = [];
  for (const shape of shapesOf(texts).slice(0, MAX_SHAPES)) {
    const detected = formatsOf(shape);
    if (detected.kind === 'iso') certain.push({ format: 'iso' });
    else if (detected.kind === 'format') certain.push(detected);
    else if (detected.kind === 'ambiguous') ambiguous.push(detected.formats);
  }
  // One answer for all ambiguous shapes: "day first" or "month first".
  const [choices] = ambiguous;
  if (choices === undefined) return certain.length === 0 ? [] : [fixWith(mapping, certain)];
  return choices.map((_format, index) => {
    const chosen = ambiguous.map((formats) => ({ format: formats[index] ?? formats[0] ?? 'iso' }));
    return { ...fixWith(mapping, [...certain, ...chosen]), isAmbiguous: true };
  });
}

function fixWith(mapping: ColumnMapping, found: readonly ShapeFormat[]): FieldFix {
  const before = 'as' in mapping && mapping.as === 'date' ? mapping : undefined;
  const old = before === undefined ? ['iso'] : [before.format].flat();
  const formats = [...new Set([...old, ...found.map(({ format }) => format)])];
  const [format = 'iso', ...others] = formats;
  const locale = before?.locale ?? found.find((each) => each.locale !== undefined)?.locale;
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

/** Without the texts that no format reads, such as 31 February. */
function formatsOf(texts: readonly string[]): DateFormats {
  const all = detectDateFormat(profileColumn(texts));
  if (all.kind !== 'none') return all;
  const dates = texts.slice(0, MAX_TRIED).filter((text) => detectDateFormat(profileColumn([text])).kind !== 'none');
  return dates.length === 0 ? all : detectDateFormat(profileColumn(dates));
}
