/** The output of `signals check`. Pure. */
import { contracts } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { count, humanBytes, humanDuration, plural } from '../lib/units.ts';
import { parseNoteKey } from '../model/problem.ts';
import type { Reasons, RunState } from '../model/run-state.ts';
import type { CheckSummary } from '../model/summary.ts';
import { reasonLines, skippedClause } from './ending-text.ts';
import { describeNotes, describeProblem, describeSentBefore } from './problem-text.ts';
import { bullets, plain, type Style, section, when } from './text-layout.ts';

export interface CheckResult {
  readonly summary: CheckSummary;
  /** What was detected, in few lines. */
  readonly brief: readonly string[];
  readonly runState: Pick<RunState, 'variant' | 'notes' | 'firstNotes' | 'sentBefore' | 'undelivered'>;
  readonly reasons: Reasons;
}

export interface CheckContext {
  readonly suggest: Suggest;
  readonly upload: readonly string[];
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
  const { sample } = check;
  const names = check.inputs.map((input) => input.name);
  // The mapping's description names the fields that are left out, and the details their rows.
  const noted = new Map([...runState.notes].filter(([key]) => isDetailed || parseNoteKey(key)?.code !== 'left_out'));
  const notes = [...describeSentBefore(runState.sentBefore), ...describeNotes({ ...runState, notes: noted }, names)];
  const warnings = check.warnings.map((warning) => style.yellow(describeProblem(warning, style)));
  const some = (lines: readonly string[]) => (isDetailed ? lines : firstLines(lines));
  const json = isDetailed && sample !== undefined ? JSON.stringify(sample, null, 2).split('\n') : [];
  const record = json.map((line) => `  ${printable(line)}`);
  const sections = [
    ...section('Notes', some(bullets(notes)), style),
    ...section('Warnings', some(bullets(warnings)), style),
    ...section('One record, as it would be sent', record, style),
  ];
  return [
    [
      ...(isDetailed ? detectedLines(check) : brief.map((line) => printable(line))),
      style.bold(wouldSend(check)),
      ...reasonLines(
        { reasons, undelivered: runState.undelivered, sources: check.inputs, type: check.type, variant: check.variant },
        isDetailed ? undefined : context.suggest('check', '-v', ...context.upload.slice(1)),
      ),
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
function wouldSend({ type, rows, sentBefore, requests, bytes, atLeastSeconds = 0 }: CheckSummary): string {
  const time = atLeastSeconds < 1 ? '' : `, which takes at least ${humanDuration(atLeastSeconds * 1000)}`;
  const how = requests === 0 ? '' : ` in ${plural(requests, 'request')} (${humanBytes(bytes)})${time}`;
  const others = [
    ...when(rows.invalid > 0, `${count(rows.invalid)} invalid`),
    ...when(rows.duplicate > 0, `${count(rows.duplicate)} duplicate`),
    ...when(rows.skipped > 0, skippedClause(rows.skipped, sentBefore)),
  ].join(', ');
  const all = `${count(rows.valid)} of ${plural(rows.read, contracts[type].unit)} would be sent${how}`;
  return `${all}${others === '' ? '' : `; ${others}`}.`;
}

function next({ rows }: CheckSummary, { suggest, upload }: CheckContext, style: Style): string {
  if (rows.valid === 0) return rows.invalid === 0 ? 'Nothing to upload.' : 'Fix the input or the mapping.';
  return `Upload   ${style.bold(suggest(...upload))}`;
}
