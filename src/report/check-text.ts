/** The output of `signals check`: what would be sent, which problems there are, how long an upload would take. */
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { humanBytes, humanDuration, plural } from '../lib/units.ts';
import type { SentRows } from '../model/batch.ts';
import type { Problem } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import { describeReason, type Example, type Reasons } from './failure-reasons.ts';
import { describeNotes, describeSentBefore } from './note-text.ts';
import type { QualityResult } from './quality.ts';
import { qualitySections } from './quality-text.ts';
import { sumSentBefore } from './summary.ts';
import { moreReasons, skippedClause, warningLines } from './summary-text.ts';
import { bullets, nameList, place, plain, type Style, section, table } from './text-layout.ts';

/** A hint may quote a value of the file. */
const HINT_LENGTH = 300;

export interface CheckResult {
  readonly type: RecordType;
  readonly variant?: Variant | undefined;
  /** What was detected in each input, as text. */
  readonly inputs: readonly { readonly name: string; readonly description: readonly string[] }[];
  /** What was detected or chosen for all inputs: the type, the variant, the mapping. */
  readonly description: readonly string[];
  readonly rows: {
    readonly read: number;
    readonly valid: number;
    readonly invalid: number;
    readonly skipped: number;
    readonly duplicate: number;
  };
  readonly quality: QualityResult;
  readonly requests: number;
  /** Sum of the request bodies. */
  readonly bytes: number;
  /** `--rate`: at most `count` requests in `perMs` milliseconds. */
  readonly rate?: { readonly count: number; readonly perMs: number } | undefined;
  readonly reasons: Reasons;
  readonly notes: ReadonlyMap<string, number>;
  readonly sentBefore: readonly SentRows[];
  /** One record, as the JSON text that would be sent. */
  readonly sample?: string | undefined;
  readonly warnings: readonly Problem[];
}

export interface CheckContext {
  readonly suggest: Suggest;
  /** Arguments of the upload that was checked. */
  readonly upload: readonly string[];
  /** Whether an input is a pipe: the user must then pipe the same data again. */
  readonly isPiped: boolean;
}

/** Without a line break at the end. */
export function checkText(check: CheckResult, context: CheckContext, style: Style = plain): string {
  const names = check.inputs.map((input) => input.name);
  return [
    [style.bold(`Checked ${nameList(names)}. Nothing was sent.`), ...detectedLines(check)].join('\n'),
    rowTable(check, style),
    wouldSend(check),
    ...section('Why rows are invalid', reasonLines(check.reasons, names), style),
    ...qualitySections(check.quality, check.variant, style),
    ...section(
      'Notes',
      bullets([...describeSentBefore(check.sentBefore), ...describeNotes(check.notes, check.variant)]),
      style,
    ),
    ...section('Warnings', warningLines(check.warnings, style), style),
    ...section('One record, as it would be sent', sampleLines(check.sample), style),
    next(check, context, style),
  ].join('\n\n');
}

function detectedLines(check: CheckResult): readonly string[] {
  const inputs = check.inputs.map(({ name, description }) =>
    [printable(name, 120), description.map((part) => printable(part)).join(', ')].filter(Boolean).join(': '),
  );
  return [...inputs, ...check.description.map((sentence) => printable(sentence))].map((line) => `  ${line}`);
}

function rowTable({ rows, sentBefore }: CheckResult, style: Style): string {
  const before = sumSentBefore(sentBefore);
  const states = (
    [
      ['valid', 'would be sent'],
      ['invalid', 'would not be sent'],
      ['skipped', skippedClause(rows.skipped, before)],
      ['duplicate', 'identical to an earlier row'],
    ] as const
  ).filter(([state]) => rows[state] !== 0 || state === 'valid');
  const [head = '', ...lines] = table([
    [rows.read, rows.read === 1 ? 'row' : 'rows', 'read, of these:'],
    ...states.map(([state, clause]) => [rows[state], state, clause]),
  ]);
  return [head, ...lines.map((line, index) => (states[index]?.[0] === 'invalid' ? style.yellow(line) : line))].join(
    '\n',
  );
}

function wouldSend(check: CheckResult): string {
  const { requests, bytes } = check;
  if (requests === 0) return 'An upload would send nothing.';
  const what = `An upload would send ${plural(requests, 'request')} (${humanBytes(bytes)} in total)`;
  const ms = minUploadMs(check);
  if (ms === undefined) return `${what}, as fast as the service answers (see --rate).`;
  if (ms < 1000) return `${what} in less than a second at the given rate.`;
  return `${what} in at least ${humanDuration(ms)} at the given rate.`;
}

/** The minimum duration of an upload at the given rate, in milliseconds; undefined without a rate. */
export function minUploadMs({ requests, rate }: Pick<CheckResult, 'requests' | 'rate'>): number | undefined {
  if (rate === undefined) return undefined;
  // The first request is sent immediately.
  return (Math.max(0, requests - 1) * rate.perMs) / rate.count;
}

function reasonLines(reasons: Reasons, names: readonly string[]): readonly string[] {
  return [
    ...reasons
      .invalid()
      .flatMap((group) => [
        ...table([[group.rows, describeReason(group)]]),
        ...group.examples.map((example) => `      ${exampleText(example, names)}`),
        ...hintsOf(group.examples).map((hint) => `      ${printable(hint, HINT_LENGTH)}`),
      ]),
    ...moreReasons(reasons),
  ];
}

/** The hints of the examples, each once. */
function hintsOf(examples: readonly Example[]): readonly string[] {
  return [...new Set(examples.flatMap(({ hint }) => hint ?? []))];
}

function exampleText(example: Example, names: readonly string[]): string {
  const found = example.found === undefined ? '' : `: found ${printable(example.found, 80)}`;
  return `${place(names, example)}${found}`;
}

function sampleLines(sample: string | undefined): readonly string[] {
  if (sample === undefined) return [];
  return JSON.stringify(JSON.parse(sample), null, 2)
    .split('\n')
    .map((line) => `  ${printable(line)}`);
}

function next({ rows }: CheckResult, context: CheckContext, style: Style): string {
  if (rows.valid === 0) {
    return rows.invalid === 0
      ? 'Nothing to upload.'
      : style.bold('Fix the input or the mapping: no row would be sent.');
  }
  const about =
    rows.invalid === 0
      ? 'No problems found. To upload'
      : `To upload the valid ${rows.valid === 1 ? 'row' : 'rows'} (the invalid ${rows.invalid === 1 ? 'one goes' : 'ones go'} to a rejects file for you to fix)`;
  const command = context.suggest(...context.upload);
  return `${about}${context.isPiped ? ', pipe the same data into' : ''}:\n  ${command}`;
}
