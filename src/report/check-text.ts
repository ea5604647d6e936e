/** The output of `signals check`: what would be sent, which problems there are, how long an upload would take. */
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { count, humanBytes, humanDuration, percentage, plural } from '../lib/units.ts';
import type { Variant } from '../model/record.ts';
import type { RunState } from '../model/run-state.ts';
import type { CheckSummary, QualityResult, Suggestions } from '../model/summary.ts';
import { describeReason, type Example, type Reasons } from './failure-reasons.ts';
import { describeNotes, describeSentBefore } from './note-text.ts';
import { suggestedOptions, suggestionLines } from './suggestions.ts';
import { moreReasons, rowTable, skippedClause, warningLines } from './summary-text.ts';
import { bullets, jsonLines, nameList, place, plain, type Style, section, table } from './text-layout.ts';

/** A hint may quote a value of the file. */
const HINT_LENGTH = 300;

/** What `check` found. */
export interface CheckResult {
  /** The object of `--json`. */
  readonly summary: CheckSummary;
  readonly runState: Pick<RunState, 'variant' | 'notes' | 'firstNotes' | 'sentBefore'>;
  readonly reasons: Reasons;
}

export interface CheckContext {
  readonly suggest: Suggest;
  /** Arguments of the upload that was checked. */
  readonly upload: readonly string[];
  /** Whether an input is a pipe: the user must then pipe the same data again. */
  readonly isPiped: boolean;
}

/** Without a line break at the end. */
export function checkText(
  { summary: check, runState, reasons }: CheckResult,
  context: CheckContext,
  style: Style = plain,
): string {
  const names = check.inputs.map((input) => input.name);
  return [
    [style.bold(`Checked ${nameList(names)}. Nothing was sent.`), ...detectedLines(check)].join('\n'),
    rowsText(check, style),
    wouldSend(check),
    ...section('Why rows are invalid', reasonLines(reasons, names, check.rows.invalid), style),
    ...qualitySections(check.quality, check.variant, style),
    ...section(
      'Notes',
      bullets([...describeSentBefore(runState.sentBefore), ...describeNotes(runState, names)]),
      style,
    ),
    ...section('Warnings', warningLines(check.warnings, style), style),
    ...section('Suggestions', suggestionSection(check.suggestions, names, context), style),
    ...section('One record, as it would be sent', check.sample === undefined ? [] : jsonLines(check.sample), style),
    next(check, context, style),
  ].join('\n\n');
}

function detectedLines(check: CheckSummary): readonly string[] {
  const inputs = check.inputs.map(({ name, description }) =>
    [printable(name, 120), description.map((part) => printable(part)).join(', ')].filter(Boolean).join(': '),
  );
  return [...inputs, ...check.description.map((sentence) => printable(sentence))].map((line) => `  ${line}`);
}

function rowsText({ rows, sentBefore }: CheckSummary, style: Style): string {
  return rowTable(
    rows.read,
    [
      [rows.valid, 'valid', 'would be sent'],
      [rows.invalid, 'invalid', 'would not be sent', 'yellow'],
      [rows.skipped, 'skipped', skippedClause(rows.skipped, sentBefore)],
      [rows.duplicate, 'duplicate', 'identical to an earlier row'],
    ],
    style,
  );
}

function wouldSend({ requests, bytes, atLeastSeconds }: CheckSummary): string {
  if (requests === 0) return 'An upload would send nothing.';
  const what = `An upload would send ${plural(requests, 'request')} (${humanBytes(bytes)} in total)`;
  if (atLeastSeconds === undefined) return `${what}, as fast as the service answers (see --rate).`;
  if (atLeastSeconds < 1) return `${what} in less than a second at the given rate.`;
  return `${what} in at least ${humanDuration(atLeastSeconds * 1000)} at the given rate.`;
}

function reasonLines(reasons: Reasons, names: readonly string[], invalid: number): readonly string[] {
  return [
    ...reasons
      .invalid()
      .flatMap((group) => [
        ...table([[group.rows, describeReason(group)]]),
        ...group.examples.map((example) => `      ${exampleText(example, names)}`),
        ...[...new Set(group.examples.flatMap(({ hint }) => hint ?? []))].map(
          (hint) => `      ${printable(hint, HINT_LENGTH)}`,
        ),
      ]),
    ...moreReasons(reasons, invalid),
  ];
}

function exampleText(example: Example, names: readonly string[]): string {
  const found = example.found === undefined ? '' : `: found ${printable(example.found, 80)}`;
  return `${place(names, example)}${found}`;
}

function suggestionSection(
  suggestions: Suggestions,
  names: readonly string[],
  context: CheckContext,
): readonly string[] {
  const lines = bullets(suggestionLines(suggestions, names));
  const options = suggestedOptions(suggestions);
  if (options.length === 0) return lines;
  const [, ...words] = context.upload;
  return [...lines, '  To check with these options:', `    ${context.suggest('check', ...words, ...options)}`];
}

function next({ rows, quality, warnings }: CheckSummary, context: CheckContext, style: Style): string {
  if (rows.valid === 0) {
    return rows.invalid === 0
      ? 'Nothing to upload.'
      : style.bold('Fix the input or the mapping: no row would be sent.');
  }
  const omitted = omittedFields(quality);
  const about =
    rows.invalid === 0
      ? `${omitted === undefined && warnings.length === 0 ? 'No problems found.' : 'No row is invalid.'} To upload`
      : `To upload the valid ${rows.valid === 1 ? 'row' : 'rows'} (the invalid ${rows.invalid === 1 ? 'one goes' : 'ones go'} to a rejects file for you to fix)`;
  const command = `${about}${context.isPiped ? ', pipe the same data into' : ''}:\n  ${context.suggest(...context.upload)}`;
  return omitted === undefined ? command : `${style.bold(omitted)}\n${command}`;
}

/** Values that the variant does not send, and the variant that sends them. */
function omittedFields({ variants }: QualityResult): string | undefined {
  const chosen = variants.find((each) => each.chosen);
  const omitted = chosen?.leavesOut.filter(({ rows }) => rows > 0) ?? [];
  if (chosen === undefined || omitted.length === 0) return undefined;
  const fields = omitted.map(({ field, rows }) => `${field} (${plural(rows, 'row')})`).join(', ');
  const other = variants.find(
    (each) => !omitted.some(({ field }) => each.leavesOut.some((left) => left.field === field)),
  );
  const [lacked] = other?.lacks ?? [];
  const how =
    lacked === undefined
      ? `pass \`--variant ${other?.variant ?? 'both'}\``
      : `map ${other?.lacks.join(', ')} with \`-c ${lacked}=COLUMN\``;
  const it = omitted.length === 1 ? 'it' : 'them';
  return `Not sent, because variant ${chosen.variant} does not have ${it}: ${fields}. To send ${it} in variant ${other?.variant ?? 'both'}, ${how}.`;
}

/** The data quality; nothing if no row could be read. */
export function qualitySections(
  { rows, fields, variants }: QualityResult,
  variant: Variant | undefined,
  style: Style = plain,
): readonly string[] {
  if (rows === 0) return [];
  const fieldLines = fields
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
    ...section(`Fields with a value, in ${plural(rows, 'readable row')}`, table(fieldLines), style),
    ...section('Recommended fields without a value', bullets(recommendedLines(fields, rows)), style),
    ...section('Valid rows per variant', table(variantLines), style),
  ];
}

function recommendedLines(fields: QualityResult['fields'], rows: number): readonly string[] {
  return fields.flatMap(({ field, recommended, mapped, sent, filled }) => {
    if (recommended === undefined || !sent || filled === rows) return [];
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
