/**
 * The summary of a run as text, for a reader who does not know the API: what happened to every row, why, and what
 * to do next. It claims delivery only for what the service acknowledged.
 */
import { contracts } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { count, humanDuration, plural } from '../lib/units.ts';
import type { RecordType, Variant } from '../model/record.ts';
import type { RunState } from '../model/run-state.ts';
import type { SentBefore } from '../model/summary.ts';
import { type AnswerGroup, describeReason, type Reasons } from './failure-reasons.ts';
import { describeSteps, type NextStep, nameIn, type SummaryFiles, stepText } from './next-step.ts';
import { describeNotes, describeProblem, describeSentBefore, describeStop } from './problem-text.ts';
import type { Counts } from './summary.ts';
import { bullets, nameList, place, plain, type Style, section, table, when } from './text-layout.ts';

/** What the summary needs besides the counts. */
export interface SummaryContext {
  readonly suggest: Suggest;
  readonly files: SummaryFiles;
  /** The base URL, or `the sandbox`. */
  readonly destination: string;
  readonly sandbox: boolean;
  readonly reasons: Reasons;
  readonly next: readonly NextStep[];
}

/** Sections are separated by one blank line; empty ones are omitted. No line break at the end. */
export function summaryText(
  runState: RunState,
  summary: Counts,
  context: SummaryContext,
  style: Style = plain,
): string {
  const names = summary.inputs.map((input) => input.source);
  return [
    ...(summary.balanced ? [] : [style.red(NOT_BALANCED)]),
    headline(runState, summary, context, style).join('\n'),
    ...(summary.rows.read === 0 ? [] : [rowTable(summary.rows.read, statesOf(summary), style)]),
    ...serviceCounts(summary),
    ...deliveryFacts(runState),
    ...section('Why rows are invalid', reasonLines(context.reasons, names, summary.rows.invalid), style),
    ...section('Why batches were not delivered', answerLines(context.reasons, names), style),
    ...section(
      'Notes',
      bullets([...describeSentBefore(runState.sentBefore), ...describeNotes(runState, names)]),
      style,
    ),
    ...section('Warnings', warningLines(summary.warnings, style), style),
    ...section(
      `Files in ${printable(context.files.folder)}`,
      runState.stop?.code === 'folder' ? [] : fileLines(context.files),
      style,
    ),
    section(
      'What to do next',
      describeSteps(context.next, context.suggest).map((step) => stepText(step, style)),
      style,
    )[0] ?? (summary.warnings.length === 0 ? 'Nothing left to do.' : 'No row is left to send. See the warnings.'),
  ].join('\n\n');
}

const NOT_BALANCED =
  'The row counts do not reconcile: the counts below do not account for every row. This is a bug in signals.';

/** What happened: sentences, of which the first one is the summary of the summary. */
export function headline(
  runState: RunState,
  summary: Counts,
  context: SummaryContext,
  style: Style,
): readonly string[] {
  const { shard } = runState;
  const names = nameList(summary.inputs.map((input) => input.source));
  const inputs = shard === undefined ? names : `shard ${shard.index}/${shard.of} of ${names}`;
  const time = humanDuration(summary.seconds * 1000);
  const to = `${printable(context.destination)} (${kind(summary.type, summary.variant)})`;
  const local = context.sandbox ? ['The service was the local sandbox: nothing left this machine.'] : [];
  if (summary.state === 'complete')
    return [...completeLines(summary, { inputs, time, to, resent: runState.resent }, style), ...local];
  const taken = summary.rows.delivered === 0 ? 'no row' : plural(takenRows(summary), 'row');
  const word = summary.state === 'interrupted' ? 'Interrupted' : 'Stopped';
  return [
    style.bold(
      style.red(`${word} after ${time}: the service took ${taken} of ${inputs}. The upload to ${to} is incomplete.`),
    ),
    ...(runState.stop === undefined ? [] : [describeStop(runState.stop, context.suggest, style)]),
    ...local,
  ];
}

function completeLines(
  summary: Counts,
  {
    inputs,
    time,
    to,
    resent,
  }: { readonly inputs: string; readonly time: string; readonly to: string; readonly resent: number },
  style: Style,
): readonly string[] {
  const { rows, service, sentBefore } = summary;
  const before = (sentBefore?.delivered ?? 0) + (sentBefore?.unknown ?? 0);
  if (rows.read === 0) return [style.bold(`Nothing to send: there are no rows in ${inputs}.`)];
  if (rows.delivered === 0 && before > 0 && before === rows.read - rows.invalid - rows.duplicate) {
    return [
      style.bold(
        `Nothing new in ${inputs}: earlier runs have sent ${plural(before, 'row')}${withoutAnswer(sentBefore)}. Nothing was sent to ${to}.`,
      ),
    ];
  }
  if (rows.delivered === 0) {
    return [style.bold(`No row of ${inputs} was delivered to ${to} in ${time}.`)];
  }
  const isAll = rows.delivered === rows.read;
  const total = plural(rows.read, 'row');
  const some = isAll ? `all ${total}` : `${count(rows.delivered)} of ${total}`;
  if (service.rejected > 0) {
    const text = `The service took ${count(takenRows(summary))} of ${total} of ${inputs} and rejected ${count(service.rejected)}.`;
    return [style.bold(style.red(`${text} Sent to ${to} in ${time}.`))];
  }
  const known = resent === 0 && service.deduplicated === rows.delivered ? '; the service had received them before' : '';
  const text = `Delivered ${rows.read === 1 ? 'the only row' : some} of ${inputs} to ${to} in ${time}${known}.`;
  const isGood = isAll && service.unaccounted === 0;
  return [style.bold(isGood ? style.green(text) : text)];
}

/** Delivered rows that the service did not reject. It may count more records than were sent. */
function takenRows({ rows, service }: Counts): number {
  return Math.max(0, rows.delivered - service.rejected);
}

function kind(type: RecordType, variant: Variant | undefined): string {
  if (type === 'social') return 'social engagement events';
  if (variant === undefined) return 'market signals';
  return variant === 'both' ? 'market signals, both variants' : `market signals, variant ${variant}`;
}

/** The states of rows, in the order of the summary. */
export function statesOf({ rows, service, sentBefore }: Counts): readonly RowState[] {
  const { rejected, unaccounted } = service;
  const isRejected = rejected > 0 && rejected >= rows.delivered;
  return [
    [
      rows.delivered,
      'delivered',
      rejected === 0 ? 'acknowledged by the service' : `answered by the service, which rejected ${count(rejected)}`,
      isRejected ? 'red' : rejected > 0 || unaccounted > 0 ? 'yellow' : 'green',
    ],
    [rows.invalid, 'invalid', 'failed validation; not sent', 'yellow'],
    [rows.skipped, 'skipped', skippedClause(rows.skipped, sentBefore)],
    [rows.duplicate, 'duplicate', 'identical to an earlier row; not sent'],
    [rows.refused, 'refused', 'sent, but refused by the service', 'red'],
    [rows.exhausted, 'exhausted', 'retries exhausted; not processed by the service', 'red'],
    [rows.unknown, 'unknown', 'sent without a valid answer; may or may not have arrived', 'red'],
    [rows.pending, 'pending', 'not delivered before the run ended', 'yellow'],
  ];
}

export type RowState = readonly [rows: number, state: string, clause: string, colour?: keyof Style];

/** The rows read, and how many are in each state. States without rows are omitted, except for the first. */
export function rowTable(read: number, states: readonly RowState[], style: Style): string {
  const shown = states.filter(([rows], index) => rows !== 0 || index === 0);
  const [head = '', ...lines] = table([
    [read, read === 1 ? 'row' : 'rows', 'read, of these:'],
    ...shown.map(([rows, state, clause]) => [rows, state, clause]),
  ]);
  const coloured = lines.map((line, index) => {
    const [rows, , , colour] = shown[index] ?? [];
    return rows === 0 || colour === undefined ? line : style[colour](line);
  });
  return [head, ...coloured].join('\n');
}

/** Why rows were skipped. */
export function skippedClause(skipped: number, before: SentBefore | undefined): string {
  if (before === undefined) return 'skipped by --skip, --limit or --transform';
  const sent = before.delivered + before.unknown;
  const how = before.unknown === 0 ? 'delivered' : 'sent';
  if (sent === skipped) return `already ${how} by an earlier run${withoutAnswer(before)}; not sent again`;
  return `${count(sent)} already ${how} by an earlier run${withoutAnswer(before)}, ${count(skipped - sent)} skipped by --skip, --limit or --transform`;
}

function withoutAnswer(before: SentBefore | undefined): string {
  const unknown = before?.unknown ?? 0;
  return unknown === 0 ? '' : ` (${count(unknown)} without a valid answer)`;
}

/** What the service counted, in one paragraph or none. */
export function serviceCounts({ type, service, batches }: Counts): readonly string[] {
  if (batches.delivered === 0) return [];
  const { accepted, deduplicated, rejected, promoted, unaccounted } = service;
  const lines = [
    type === 'social'
      ? `The service promoted ${plural(promoted, 'lead')} to the sales pipeline.`
      : `The service counted ${count(accepted)} accepted, ${count(deduplicated)} deduplicated, ${count(rejected)} rejected.`,
    ...when(rejected > 0, "Rejected records failed the service's own validation."),
    ...when(unaccounted !== 0, `The service's counts differ from the records sent by ${count(unaccounted)}.`),
  ];
  return [lines.join('\n')];
}

/** Why the delivery took more than one request per batch, and what that explains. */
export function deliveryFacts({ type, requests, retries, resent, batches, service }: RunState): readonly string[] {
  const explained = Math.min(resent, service.deduplicated);
  const arrived = !contracts[type].deduplicates
    ? ' (counted twice if they had arrived)'
    : explained === 0
      ? ''
      : `, which explains up to ${count(explained)} of the ${count(service.deduplicated)} deduplicated`;
  const facts = [
    ...when(retries > 0, plural(retries, 'retry', 'retries')),
    ...when(batches.split > 0, `${plural(batches.split, 'batch', 'batches')} split after a refusal`),
    ...when(resent > 0, `${plural(resent, 'row')} resent after a lost answer${arrived}`),
  ];
  return when(facts.length > 0, `Delivery took ${plural(requests, 'request')}: ${facts.join(', ')}.`);
}

function reasonLines(reasons: Reasons, names: readonly string[], invalid: number): readonly string[] {
  const lines = table(
    reasons.invalid().map((group) => {
      const [first] = group.examples;
      const at = first === undefined ? '' : place(names, first);
      return [group.rows, describeReason(group), group.rows === 1 ? at : `first at ${at}`];
    }),
  );
  return [...lines, ...moreReasons(reasons, invalid)];
}

/**
 * What the lines of the reasons leave open: the problems that did not fit into any group, and why their sum is larger than
 * the number of invalid rows.
 */
export function moreReasons(reasons: Reasons, invalid: number): readonly string[] {
  const more = reasons.more();
  const sum = reasons.invalid().reduce((total, { rows }) => total + rows, more);
  return [
    ...when(more > 0, `  and ${plural(more, 'other problem')}`),
    ...when(
      sum > invalid,
      `  A row with several problems is counted in each: ${plural(invalid, 'row is', 'rows are')} invalid.`,
    ),
  ];
}

/** Where the outcome became unknown first. */
function firstUnknown({ outcome, batches, first: { batch, range } }: AnswerGroup, names: readonly string[]): string {
  if (outcome !== 'unknown' || range === undefined) return '';
  const { source, firstLine, lastLine } = range;
  const lines = `${place(names, { source, line: firstLine })}${lastLine === firstLine ? '' : `-${lastLine}`}`;
  return ` (${batches === 1 ? '' : 'first '}at batch ${printable(batch, 40)}, ${lines})`;
}

function answerLines(reasons: Reasons, names: readonly string[]): readonly string[] {
  const answers = reasons.answers();
  const lines = table(
    answers.map((group) => [
      group.records,
      `${group.outcome}, in ${plural(group.batches, 'batch', 'batches')}: ${group.error === '' ? 'no answer' : group.error}${firstUnknown(group, names)}`,
    ]),
  );
  const isCut = answers.some(({ error }) => error.endsWith('…'));
  return isCut ? [...lines, '  The results log has longer excerpts of these answers.'] : lines;
}

export function warningLines(warnings: Counts['warnings'], style: Style): readonly string[] {
  return bullets(warnings.map((warning) => describeProblem(warning, style))).map(style.yellow);
}

function fileLines(files: SummaryFiles): readonly string[] {
  const { results, rejects, undelivered, mapping } = files;
  const rows: readonly (readonly [path: string | undefined, about: string])[] = [
    [results, 'one line per batch'],
    ...rejects.map(({ path, rows, upload }): [string, string] => [
      path,
      [
        ...when(
          upload !== undefined,
          `uploaded by ${printable(upload?.run ?? '')}, which delivered ${count(upload?.delivered ?? 0)} of ${plural(upload?.read ?? 0, 'row')}`,
        ),
        ...when(
          rows > 0 && upload === undefined,
          `${plural(rows, 'row')} to fix, with the ${rows === 1 ? 'reason' : 'reasons'}`,
        ),
      ].join('; '),
    ]),
    [undelivered, 'batches that were not delivered, ready to send'],
    [mapping, 'the mapping used; reuse it with -m'],
  ];
  return table(rows.flatMap(([path, about]) => (path === undefined ? [] : [[printable(nameIn(files, path)), about]])));
}
