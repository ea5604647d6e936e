/** The data quality of a check (quality.ts) as text. */
import { count, plural } from '../lib/units.ts';
import type { Variant } from '../model/record.ts';
import type { FieldQuality, QualityResult, VariantQuality } from './quality.ts';
import { bullets, plain, type Style, section, table } from './text-layout.ts';

/** Sections with headings; none if no row could be read. */
export function qualitySections(
  quality: QualityResult,
  variant: Variant | undefined,
  style: Style = plain,
): readonly string[] {
  if (quality.rows === 0) return [];
  const rows = plural(quality.rows, 'readable row');
  return [
    ...section(`Fields with a value, in ${rows}`, fieldLines(quality, variant), style),
    ...section('Recommended fields without a value', bullets(recommendedLines(quality)), style),
    ...section('Valid rows per variant', variantLines(quality), style),
  ];
}

function fieldLines({ fields, rows }: QualityResult, variant: Variant | undefined): readonly string[] {
  const remark = ({ sent, required }: FieldQuality): string => {
    if (!sent) return `omitted: variant ${variant ?? ''} has no such field`;
    return required ? 'required' : '';
  };
  return table(
    fields.filter(({ mapped }) => mapped).map((field) => [field.field, percent(field.filled, rows), remark(field)]),
  );
}

/** Five characters wide. Shows 0% only for none and 100% only for all. */
function percent(part: number, whole: number): string {
  if (part === whole) return ' 100%';
  const tenths = part === 0 ? 0 : Math.min(999, Math.max(1, Math.round((1000 * part) / whole)));
  return `${(tenths / 10).toFixed(1).padStart(4)}%`;
}

function recommendedLines({ fields, rows }: QualityResult): readonly string[] {
  return fields.flatMap(({ field, recommended, mapped, sent, filled }) => {
    if (recommended === undefined || !sent || filled === rows) return [];
    const reason = `The API recommends it: ${recommended}.`;
    if (!mapped) return [`${field}: not mapped, so no record has it. ${reason}`];
    const empty = filled === 0 ? 'every row' : `${count(rows - filled)} of ${plural(rows, 'row')}`;
    return [`${field}: empty in ${empty}. ${reason}`];
  });
}

function variantLines({ variants }: QualityResult): readonly string[] {
  return table(
    variants.map((each) => [
      `${each.variant}${each.chosen ? ' (this check)' : ''}`,
      each.valid,
      each.valid === 1 ? 'valid row' : 'valid rows',
      consequences(each),
    ]),
  );
}

function consequences({ lacks, leavesOut }: VariantQuality): string {
  const missing = lacks.length === 0 ? [] : [`requires ${lacks.join(', ')}, which is not mapped`];
  const omitted = leavesOut.map(({ field, rows }) => `${field} (${plural(rows, 'row')})`).join(', ');
  return [...missing, omitted === '' ? 'omits nothing' : `omits ${omitted}`].join('; ');
}
