/** The data-quality sheet (quality.ts) in words: one section for each question that it answers. Pure. */
import { contracts } from '../contract/index.ts';
import { count, plural } from '../lib/units.ts';
import type { RecordType, Variant } from '../model/record.ts';
import type { FieldQuality, QualityResult, VariantQuality } from './quality.ts';
import type { Distinct } from './sketch.ts';
import { plain, type Style } from './style.ts';
import { bullets, place, section, table } from './text-layout.ts';

export interface SheetContext {
  /** Of the inputs. */
  readonly names: readonly string[];
  readonly type: RecordType;
  readonly variant: Variant | undefined;
}

/** Sections with their headings; none where no row could be read. */
export function sheet(
  quality: QualityResult,
  context: SheetContext,
  style: Style = plain,
): readonly string[] {
  if (quality.rows === 0) return [];
  return [
    ...section(
      `What the fields hold, in the ${plural(quality.rows, 'row')} that could be read`,
      fieldLines(quality, context),
      style,
    ),
    ...section('Recommended, and empty', bullets(recommendedLines(quality)), style),
    ...section('Likely duplicates', duplicateLines(quality, context), style),
    ...section('Under each variant', variantLines(quality), style),
  ];
}

function fieldLines({ fields, rows }: QualityResult, { variant }: SheetContext): readonly string[] {
  return table(
    fields
      .filter(({ mapped }) => mapped)
      .map((field) => [field.field, percent(field.filled, rows), different(field.distinct), remark(field)]),
  );

  function remark({ sent, required }: FieldQuality): string {
    if (!sent) return `left out: variant ${variant ?? ''} has no such field`;
    return required ? 'required' : '';
  }
}

function different({ count: values, exact }: Distinct): string {
  return exact ? plural(values, 'different value') : `about ${plural(rounded(values), 'different value')}`;
}

/** To three digits: an estimate that shows more pretends to know more. */
function rounded(estimate: number): number {
  return Number(estimate.toPrecision(3));
}

/** Five characters, so that the columns stand in line. */
function percent(part: number, whole: number): string {
  if (part === whole) return ' 100%';
  const tenths = (1000 * part) / whole;
  // Neither "none" nor "all" is said of what is only nearly so.
  const shown = part === 0 ? 0 : Math.min(999, Math.max(1, Math.round(tenths)));
  return `${(shown / 10).toFixed(1).padStart(4)}%`;
}

/** A field that the variant doesn't have costs nothing where it is empty. */
function recommendedLines({ fields, rows }: QualityResult): readonly string[] {
  return fields.flatMap(({ field, recommended, mapped, sent, filled }) => {
    if (recommended === undefined || !sent || filled === rows) return [];
    const cost = `The interface says of it: ${recommended}.`;
    if (!mapped) return [`${field}: nothing is mapped to it, so no record has it. ${cost}`];
    const empty = rows - filled;
    const missed = empty === rows ? 'every row' : `${count(empty)} of ${plural(rows, 'row')}`;
    return [`${field}: empty in ${missed}. ${cost}`];
  });
}

function duplicateLines(
  { duplicates: { rows, atLeast, by, examples } }: QualityResult,
  { names, type }: SheetContext,
): readonly string[] {
  if (rows === 0) return [];
  const agree = by.length === 0 ? 'in every field' : `in ${by.map(byDay).join(', ')}`;
  const consequence = contracts[type].deduplicates
    ? 'The service recognises duplicates by rules of its own and counts them as deduplicated.'
    : 'The interface documents no deduplication here: the service may count them twice.';
  return [
    `  ${atLeast ? 'At least ' : ''}${plural(rows, 'valid row agrees', 'valid rows agree')} with an earlier one ${agree}.`,
    `  ${consequence}`,
    ...examples.map((example) => `      ${place(names, example)} is like ${place(names, example.first)}`),
  ];

  function byDay(name: string): string {
    return contracts[type].field(name)?.kind.name === 'date-time' ? `the day of ${name}` : name;
  }
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
  const missing = lacks.length === 0 ? [] : [`needs ${lacks.join(', ')}, which nothing is mapped to`];
  const left = leavesOut.map(({ field, rows }) => `${field} (${plural(rows, 'row')})`);
  return [...missing, left.length === 0 ? 'leaves nothing out' : `leaves out ${left.join(', ')}`].join('; ');
}
