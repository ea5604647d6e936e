/** The output of `signals check`, and the options that it suggests. Pure. */
import { printable } from '../lib/printable.ts';
import { type Suggest, shellQuote } from '../lib/shell.ts';
import { formatList } from '../lib/text.ts';
import { count, humanBytes, humanDuration, percentage, plural } from '../lib/units.ts';
import { parseNoteKey } from '../model/problem.ts';
import type { Reasons, RunState } from '../model/run-state.ts';
import type { CheckSummary, QualityResult, Suggestions } from '../model/summary.ts';
import { moreReasons, reasonLines, skippedClause } from './ending-text.ts';
import { describeNotes, describeProblem, describeSentBefore } from './problem-text.ts';
import { bullets, jsonLines, place, plain, type Style, section, table, when } from './text-layout.ts';

/** What `check` found. */
export interface CheckResult {
  /** The object of `--json`. */
  readonly summary: CheckSummary;
  /** What was detected, in few lines. */
  readonly brief: readonly string[];
  readonly runState: Pick<RunState, 'variant' | 'notes' | 'firstNotes' | 'sentBefore'>;
  readonly reasons: Reasons;
}

export interface CheckContext {
  readonly suggest: Suggest;
  /** Arguments of the upload that was checked. */
  readonly upload: readonly string[];
  /** Whether an input is a pipe: the user must then pipe the same data again. */
  readonly isPiped: boolean;
  /** With every field, variant and remark, and a record. */
  readonly isDetailed: boolean;
}

const LINES_SHOWN = 3;

/** At most 25 lines, without details. No line break at the end. */
export function checkText(
  { summary: check, brief, runState, reasons }: CheckResult,
  context: CheckContext,
  style: Style = plain,
): string {
  const { isDetailed } = context;
  const names = check.inputs.map((input) => input.name);
  // The mapping's description names the fields that are left out, and the details their rows.
  const noted = new Map([...runState.notes].filter(([key]) => parseNoteKey(key)?.code !== 'left_out'));
  const notes = [...describeSentBefore(runState.sentBefore), ...describeNotes({ ...runState, notes: noted }, names)];
  const warnings = check.warnings.map((warning) => style.yellow(describeProblem(warning, style)));
  const some = (lines: readonly string[]) => (isDetailed ? lines : firstLines(lines));
  const sections = [
    ...section('Notes', some(bullets(notes)), style),
    ...section('Warnings', some(bullets(warnings)), style),
    ...section(
      'Suggestions',
      some(bullets([...otherVariantLines(check.quality), ...suggestionLines(check.suggestions, names)])),
      style,
    ),
    ...(isDetailed ? detailSections(check, style) : section('Fields', fieldLines(check.quality), style)),
  ];
  return [
    [
      ...(isDetailed ? detectedLines(check) : brief.map((line) => printable(line))),
      style.bold(wouldSend(check)),
      ...reasonLines(
        { reasons, sources: check.inputs, type: check.type, variant: check.variant },
        isDetailed ? undefined : context.suggest('check', '-v', ...context.upload.slice(1)),
      ),
      ...when(isDetailed, ...moreReasons({ reasons, rows: check.rows })),
    ].join('\n'),
    ...sections,
    next(check, context, style),
  ].join(isDetailed ? '\n\n' : '\n');
}

function firstLines(lines: readonly string[]): readonly string[] {
  const more = lines.length - LINES_SHOWN;
  return [...lines.slice(0, LINES_SHOWN), ...when(more > 0, `  ${count(more)} more with -v`)];
}

function detectedLines(check: CheckSummary): readonly string[] {
  const inputs = check.inputs.map(({ name, description }) =>
    [printable(name, 120), description.map((part) => printable(part)).join(', ')].filter(Boolean).join(': '),
  );
  return [...inputs, ...check.description.map((sentence) => printable(sentence))];
}

/** `6 of 13 rows would be sent in 1 request (2.0 kB); 7 invalid.` */
function wouldSend({ rows, sentBefore, requests, bytes, atLeastSeconds = 0 }: CheckSummary): string {
  const time = atLeastSeconds < 1 ? '' : `, which takes at least ${humanDuration(atLeastSeconds * 1000)}`;
  const how = requests === 0 ? '' : ` in ${plural(requests, 'request')} (${humanBytes(bytes)})${time}`;
  const others = [
    ...when(rows.invalid > 0, `${count(rows.invalid)} invalid`),
    ...when(rows.duplicate > 0, `${count(rows.duplicate)} duplicate`),
    ...when(rows.skipped > 0, skippedClause(rows.skipped, sentBefore)),
  ].join(', ');
  const all = `${count(rows.valid)} of ${plural(rows.read, 'row')} would be sent${how}`;
  return `${all}${others === '' ? '' : `; ${others}`}.`;
}

function next(check: CheckSummary, context: CheckContext, style: Style): string {
  const { rows, suggestions } = check;
  const options = suggestedOptions(suggestions);
  if (rows.valid === 0) return rows.invalid === 0 ? 'Nothing to upload.' : 'Fix the input or the mapping.';
  const [, ...words] = context.upload;
  // Before the files: after a `--`, everything is a file.
  const command =
    options.length > 0 ? context.suggest('check', ...options, ...words) : context.suggest(...context.upload);
  const label = context.isPiped ? 'Pipe the same data into:\n        ' : options.length > 0 ? 'Try    ' : 'Upload ';
  return `${label}  ${style.bold(command)}`;
}

/** A variant that would send more rows, because it requires less. */
function otherVariantLines({ variants }: QualityResult): readonly string[] {
  const chosen = variants.find((each) => each.chosen);
  const better = variants.find((each) => each.lacks.length === 0 && each.valid > (chosen?.valid ?? each.valid));
  if (chosen === undefined || better === undefined) return [];
  const omitted = better.leavesOut.filter(({ rows }) => rows > 0).map(({ field }) => field);
  const without = omitted.length === 0 ? '' : `, but leave out ${formatList(omitted, '')}`;
  return [
    `Variant ${better.variant} would send ${plural(better.valid - chosen.valid, 'more row')}${without}: \`--variant ${better.variant}\`.`,
  ];
}

/** Mapped fields that are not always filled, and recommended ones, in one line each. */
function fieldLines({ fields, rows }: QualityResult): readonly string[] {
  const partly = fields.filter(({ mapped, filled }) => mapped && filled < rows);
  const rates = partly.map(({ field, filled }) => `${field} ${percentage(filled, rows)}`).join(', ');
  const missing = fields.filter(({ recommended, mapped, sent }) => recommended !== undefined && sent && !mapped);
  return [
    ...when(partly.length > 0, `  partly filled: ${rates}`),
    ...missing.map(({ field, recommended }) => `  not mapped, but recommended: ${field} (${recommended})`),
  ];
}

/** Every field and variant, and one record. */
function detailSections({ quality, variant, sample }: CheckSummary, style: Style): readonly string[] {
  const { rows, fields, variants } = quality;
  const record = section('One record, as it would be sent', sample === undefined ? [] : jsonLines(sample), style);
  if (rows === 0) return record;
  const rates = fields
    .filter(({ mapped }) => mapped)
    .map(({ field, filled, sent, required }) => {
      const remark = sent ? (required ? 'required' : '') : `omitted: variant ${variant ?? ''} has no such field`;
      return [field, percentage(filled, rows).padStart(5), remark];
    });
  const variantLines = variants.map((each) => [
    `${each.variant}${each.chosen ? ' (this check)' : ''}`,
    each.valid,
    each.valid === 1 ? 'valid row' : 'valid rows',
    consequences(each),
  ]);
  return [
    ...section(`Fields with a value, in ${plural(rows, 'readable row')}`, table(rates), style),
    ...section('Recommended fields without a value', bullets(recommendedLines(fields, rows)), style),
    ...section('Valid rows per variant', table(variantLines), style),
    ...record,
  ];
}

function recommendedLines(fields: QualityResult['fields'], rows: number): readonly string[] {
  return fields.flatMap(({ field, recommended, required, mapped, sent, filled }) => {
    if (recommended === undefined || required || !sent || filled === rows) return [];
    const reason = `The API recommends it: ${recommended}.`;
    if (!mapped) return [`${field}: not mapped, so no record has it. ${reason}`];
    const empty = filled === 0 ? 'every row' : `${count(rows - filled)} of ${plural(rows, 'row')}`;
    return [`${field}: empty in ${empty}. ${reason}`];
  });
}

function consequences({ lacks, leavesOut }: QualityResult['variants'][number]): string {
  const missing =
    lacks.length === 0 ? [] : [`requires ${lacks.join(', ')}, which ${lacks.length === 1 ? 'is' : 'are'} not mapped`];
  const omitted = leavesOut.map(({ field, rows }) => `${field} (${plural(rows, 'row')})`).join(', ');
  return [...missing, omitted === '' ? 'omits nothing' : `omits ${omitted}`].join('; ');
}

/** The options that follow all suggestions. */
export function suggestedOptions({ empty, omitInvalid }: Suggestions): readonly string[] {
  return [
    ...empty.flatMap(({ word }) => ['--empty', word]),
    ...(omitInvalid.length === 0 ? [] : ['--setting', `omit_invalid=${omitInvalid.map(({ field }) => field).join()}`]),
  ];
}

/** One sentence each. */
export function suggestionLines(
  { empty, omitInvalid, zone }: Suggestions,
  names: readonly string[],
): readonly string[] {
  const words = empty.map(({ word }) => `"${printable(word)}"`).join(', ');
  const fields = [...new Set(empty.flatMap((each) => each.fields))].join(', ');
  const [look, them] = empty.length === 1 ? ['looks', 'it'] : ['look', 'them'];
  const options = empty.map(({ word }) => `--empty ${shellQuote(word, 'posix')}`).join(' ');
  return [
    ...empty
      .slice(0, 1)
      .map(
        ({ first }) =>
          `${fields}: ${words} ${look} like "no value" (first at ${place(names, first)}). To treat ${them} as empty: \`${options}\`.`,
      ),
    ...omitInvalid.map(
      (each) =>
        `${each.field} is optional and has ${plural(each.values, 'invalid value')} (${each.values === 1 ? '' : 'first '}at ${place(names, each.first)}). To send these rows without it: \`--setting omit_invalid=${each.field}\`.`,
    ),
    ...Object.entries(zone).map(
      ([field, column]) =>
        `${field}: for date-times with a time zone, map it as { column: ${printable(column, 80)}, as: date, format: iso, zone: Europe/Berlin }, with your zone.`,
    ),
  ];
}
