/**
 * What a run prints at its end, for a reader who does not know the API: cause and count first, then the one command to type; and
 * the details, for `--verbose` and `runs show`. It claims delivery only for what the service accepted or had before.
 */

import { contracts } from '../contract/index.ts';
import { displayWidth, printable } from '../lib/printable.ts';
import { briefAnswer, formatList } from '../lib/text.ts';
import { count, humanDuration, plural } from '../lib/units.ts';
import { sumOf } from '../model/counts.ts';
import { failure, type RowState } from '../model/outcome.ts';
import { parseNoteKey } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import type { ReasonGroup, RunFacts, RunState } from '../model/run-state.ts';
import type { SentBefore } from '../model/summary.ts';
import { type NextStep, nextStep, otherSteps, stepText } from './next-step.ts';
import {
  describeNotes,
  describeProblem,
  describeSentBefore,
  describeStop,
  EXCERPTS,
  reasonCells,
} from './problem-text.ts';
import {
  type AnswerGroup,
  answersOf,
  deliveredRows,
  isBalanced,
  type RunContext,
  sumSentBefore,
  unreadRows,
} from './run-summary.ts';
import { bullets, nameList, place, plain, type Style, section, table, when } from './text-layout.ts';

const REASONS_SHOWN = 3;
const WARNINGS_SHOWN = 2;
const LINE_WIDTH = 78;
/** Of lines that say more than the ending. */
const DETAIL_WIDTH = 110;

interface EndingOptions {
  /** Default: that of the run. */
  readonly step?: NextStep | undefined;
  readonly hasReasons?: boolean | undefined;
}

/** At most 3 lines if all rows are delivered, 4 for a stop and 10 for invalid rows. No line break at the end. */
export function endingText(
  runState: RunState,
  context: RunContext,
  style: Style = plain,
  { step: given, hasReasons = true }: EndingOptions = {},
): string {
  const { state, stop } = runState;
  const isDone = state === 'complete';
  const step = given ?? nextStep(runState, context);
  const others = given === undefined ? otherSteps(runState, context, step) : [];
  const shown = step === undefined || stop?.code === 'lost' ? others : [...others, step];
  // Two commands leave less room, and a stop has five lines.
  const isOfRows = stop?.code === 'invalid';
  const most = others.length === 0 && !isOfRows ? REASONS_SHOWN : 1;
  const [message = '', ...hint] = headline(runState, context, style);
  const isGood = isDone && leftRows(runState, context) + Math.abs(runState.service.unaccounted) === 0;
  return [
    ...when(
      !isBalanced(runState),
      style.red('The counts do not account for every row. This is a bug in signals: report it.'),
    ),
    style.bold(isGood ? style.green(message) : isDone ? message : style.red(message)),
    ...hint,
    ...when(
      (isDone || isOfRows) && hasReasons && repairedRows(context) === 0,
      ...reasonLines(runState, context.suggest('runs', 'show', ...context.name), most),
    ),
    ...warningLines(runState, context, style, hasReasons),
    ...when(isDone, ...rejectsLines(context)),
    ...shown.map((one) => stepText(one, context.suggest, style)),
  ].join('\n');
}

/** What happened in one sentence or two, and on the next line what helps. */
export function headline(runState: RunState, context: RunContext, style: Style = plain): readonly string[] {
  const { state, stop } = runState;
  const progress = `${progressText(runState, context)}.`;
  if (context.isRunning) return [`A process is working on this run. ${progress}`];
  if (state === 'running')
    return [`Interrupted: the process was stopped immediately or killed, or the machine went down. ${progress}`];
  if (state === 'complete') return [progress];
  if (stop === undefined || stop.code === 'signal') return [`Interrupted. ${progress}`];
  const [message = '', ...hint] = describeStop(stop, context.suggest, style).split('\n');
  return [`Stopped: ${uncapitalised(message)} ${progress}`, ...hint.map((line) => line.trim())];
}

/** The first letter of a sentence of this program. A name at its beginning stays as it is. */
function uncapitalised(sentence: string): string {
  return /^(?:The|A|An|No|More|Cannot|Too|Another|This) /.test(sentence)
    ? sentence.charAt(0).toLowerCase() + sentence.slice(1)
    : sentence;
}

/** `6 of 13 rows delivered to the sandbox in 0.1 s; 7 invalid, not sent` */
function progressText(runState: RunState, context: RunContext): string {
  const { rows, service, state, stop, sources, workedMs, requests } = runState;
  const names = nameList(sources.map(({ name }) => name));
  const before = sumSentBefore(runState.sentBefore);
  const sent = before === undefined ? 0 : before.delivered + before.unknown;
  const isDone = state === 'complete' && !context.isRunning;
  if (isDone && rows.read === 0) return `Nothing to send: ${names} has no rows`;
  if (isDone && sent > 0 && sent === rows.read - rows.invalid - rows.duplicate)
    return `Nothing new in ${names}: ${skippedClause(rows.skipped, before)}`;
  const delivered = deliveredRows(runState) + repairedRows(context);
  if (!isDone && delivered + rows.refused + rows.unknown + service.rejected === 0) {
    const nothing = `Nothing was ${requests === 0 ? 'sent' : 'delivered'}`;
    return rows.invalid === 0 || stop?.code === 'invalid' ? nothing : `${nothing}; ${count(rows.invalid)} invalid`;
  }
  const where = isDone ? ` to ${printable(context.sandbox ? 'the sandbox' : context.baseUrl)}` : '';
  const time = isDone && context.isReported !== true ? ` in ${humanDuration(Math.max(100, workedMs))}` : '';
  const others = clauses(runState, context, before).join(', ');
  return `${deliveredText(runState, delivered)} delivered${where}${time}${others === '' ? '' : `; ${others}`}`;
}

/** `6 of 13 rows`, `1,100 of about 3,000 rows`, `1,100 rows` if their number is unknown. */
function deliveredText(runState: RunState, delivered: number): string {
  const noun = contracts[runState.type].unit;
  const unread = unreadRows(runState);
  if (unread === undefined) return `${plural(delivered, noun)} of an unknown number`;
  const total = runState.rows.read + unread;
  return `${count(delivered)} of ${unread === 0 ? '' : 'about '}${plural(total, noun)}`;
}

/** Rejected rows that a later upload of the rejects file has delivered. */
export function repairedRows({ rejects }: Pick<RunContext, 'rejects'>): number {
  return rejects.reduce((sum, { rows, upload }) => sum + Math.min(rows, upload?.delivered ?? 0), 0);
}

/** Rows that are not delivered and should be, read or not. */
export function leftRows(
  { rows, service, unread }: Pick<RunFacts, 'rows' | 'service' | 'unread'>,
  context: Pick<RunContext, 'rejects' | 'replacedBy'>,
): number {
  if (context.replacedBy !== undefined) return 0;
  const { invalid, pending } = rows;
  const open = invalid + service.rejected + sumOf(rows, failure.options) + pending + (unread ?? 0);
  return Math.max(0, open - repairedRows(context));
}

/** What deviates from "all rows delivered". */
function clauses(runState: RunState, context: RunContext, before: SentBefore | undefined): readonly string[] {
  const { rows, service, type, state, resent } = runState;
  const isSafe = contracts[type].deduplicates;
  const repaired = repairedRows(context);
  const part = (number: number, text: string): readonly string[] => when(number > 0, `${count(number)} ${text}`);
  const clauses: Readonly<Record<RowState, readonly string[]>> = {
    delivered: [
      ...part(service.promoted, 'promoted to the pipeline'),
      ...part(resent === 0 ? service.deduplicated : 0, 'of them deduplicated by the service'),
      ...part(repaired, 'of them by the upload of the rejects file'),
    ],
    invalid: [
      ...part(Math.max(0, rows.invalid - repaired), 'invalid'),
      ...part(service.rejected, 'rejected by the service'),
      ...part(Math.abs(service.unaccounted), 'not accounted for by the service'),
    ],
    refused: part(rows.refused, 'refused by the service'),
    unknown: part(rows.unknown, `may have arrived${isSafe ? ' (resending is safe)' : ''}`),
    exhausted: part(state === 'complete' ? rows.exhausted : 0, 'not delivered after all retries'),
    duplicate: part(rows.duplicate, 'duplicate'),
    skipped: when(rows.skipped > 0, skippedClause(rows.skipped, before)),
    pending: [],
  };
  return Object.values(clauses).flat();
}

export function skippedClause(skipped: number, before: SentBefore | undefined): string {
  const sent = before === undefined ? 0 : before.delivered + before.unknown;
  const doubt = before === undefined || before.unknown === 0 ? '' : ` (${count(before.unknown)} may not have arrived)`;
  return [
    ...when(sent > 0, `${count(sent)} already sent by another run${doubt}`),
    ...when(skipped > sent, `${count(skipped - sent)} skipped`),
  ].join(', ');
}

/** The most frequent first, each in one line. @param more the command that shows the others; without it, all are shown */
export function reasonLines(
  {
    reasons,
    undelivered,
    sources,
    type,
    variant,
  }: Pick<RunState, 'reasons' | 'undelivered' | 'type' | 'variant'> & {
    readonly sources: readonly { readonly name: string }[];
  },
  more: string | undefined,
  most = REASONS_SHOWN,
): readonly string[] {
  const names = sources.length === 1 ? [''] : sources.map((source) => source.name);
  const all: readonly ReasonCells[] = [
    ...answersOf({ undelivered }).map((group) => answerCells(group, names, more === undefined)),
    ...reasons.invalid.map((group) => {
      const [what, why] = reasonCells(group);
      const needless = isNeedless(group, type, variant) ? ' (optional with --variant a)' : '';
      return [group.rows, what, `${why}${needless}`, exampleTexts(group, names)] as const;
    }),
  ];
  // A line that says "1 more" is no shorter than the reason.
  const shown = more === undefined || all.length + reasons.more === most + 1 ? all : all.slice(0, most);
  const heads = table(shown.map(([rows, what, why]) => [rows, what, why]));
  const widest = Math.max(0, ...heads.map(displayWidth));
  const lines = heads.map((head, index) => {
    const start = `${head}${' '.repeat(widest - displayWidth(head))}  `;
    const [first = '', ...others] = shown[index]?.[3] ?? [];
    return others.reduce((line, example) => {
      const longer = `${line}, ${example}`;
      return displayWidth(longer) > (more === undefined ? DETAIL_WIDTH : LINE_WIDTH) ? line : longer;
    }, `${start}${first}`.trimEnd());
  });
  const hidden = all.length - shown.length + reasons.more;
  const rest =
    more === undefined ? `and ${plural(hidden, 'other problem')}` : `${plural(hidden, 'more reason')}: ${more}`;
  return [...lines, ...when(hidden > 0, `  ${rest}`)];
}

/** Whether a row is invalid only because variant b, and not a, requires the field. */
export function isNeedless({ code, field }: ReasonGroup, type: RecordType, variant: Variant | undefined): boolean {
  const { wire } = contracts[type].field(field ?? '') ?? {};
  return code === 'missing' && variant === 'b' && wire?.a !== undefined && wire.a.required !== true;
}

type ReasonCells = readonly [rows: number, what: string, why: string, examples: readonly string[]];

/** `:5 "newspaper"` */
function exampleTexts({ code, examples }: ReasonGroup, names: readonly string[]): readonly string[] {
  return examples.map((example) => {
    const value = example.found === undefined ? '' : printable(example.found, 30);
    const found = value === '' ? '' : EXCERPTS.has(code) ? ` "${value}"` : ` ${value}`;
    return `${place(names, example)}${found}`;
  });
}

const FAILURES = { refused: 'refused', exhausted: 'not delivered', unknown: 'may have arrived' } as const;

/** Why batches were not delivered, in cells. @param isWhole with the whole answer */
export function answerCells(
  { outcome, error, records, range }: AnswerGroup,
  names: readonly string[],
  isWhole: boolean,
): ReasonCells {
  const start = range && place(names, { source: range.source, line: range.firstLine });
  // The lines between are named only if all of them are meant.
  const isRange = range?.lastRow === (range?.firstRow ?? 0) + records - 1;
  const last = range === undefined || range.lastLine === range.firstLine ? '' : `-${range.lastLine}`;
  const at = start === undefined ? [] : [isRange ? `${start}${last}` : `from ${start}`];
  const why = printable(isWhole ? error : briefAnswer(error), isWhole ? 600 : 60);
  return [records, FAILURES[outcome], why === '' ? 'no answer' : why, at];
}

function warningLines(
  runState: RunState,
  { warnings, name, suggest }: RunContext,
  style: Style,
  hasMore: boolean,
): readonly string[] {
  // Those about settings are told before the run.
  const late = warnings.filter(({ code }) => !code.startsWith('settings.'));
  const lines = late.slice(0, WARNINGS_SHOWN).map((warning) => {
    const [first = '', ...others] = describeProblem(warning, style).split('\n');
    return [`${style.yellow('Warning')}  ${first}`, ...others.map((line) => `         ${line.trim()}`)].join('\n');
  });
  const omitted = [...runState.notes].reduce((sum, [key, rows]) => {
    const code = parseNoteKey(key)?.code;
    return code === 'omitted' || code === 'free_mail' || code === 'left_out' ? sum + rows : sum;
  }, 0);
  const show = suggest('runs', 'show', ...name);
  return [
    ...lines,
    ...when(late.length > WARNINGS_SHOWN, `${plural(late.length - WARNINGS_SHOWN, 'more warning')}: ${show}`),
    ...when(omitted > 0 && hasMore, `${plural(omitted, 'value')} left out: ${show}`),
  ];
}

function rejectsLines({ rejects }: RunContext): readonly string[] {
  const [first, ...others] = rejects.filter(({ upload }) => upload === undefined);
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` and ${plural(others.length, 'other file')}`;
  return [`Rejects  ${printable(first.path)}${more}`];
}

type ShownState = RowState | 'corrected' | 'rejected' | 'unread';

export interface StateRows {
  readonly state: string;
  readonly rows: number;
  readonly about: string;
}

/** What became of every row, the unread ones too. States without rows are left out. */
export function statesOf(runState: RunState, context: Pick<RunContext, 'rejects'>): readonly StateRows[] {
  const { rows, service } = runState;
  const repaired = repairedRows(context);
  const all: Readonly<Record<ShownState, readonly [number, string]>> = {
    delivered: [deliveredRows(runState), 'accepted by the service, or known to it before'],
    corrected: [repaired, 'delivered by the upload of the rejects file'],
    rejected: [service.rejected, "failed the service's own validation"],
    invalid: [Math.max(0, rows.invalid - repaired), 'failed our validation; not sent'],
    skipped: [rows.skipped, 'already sent by another run, or left out by --skip, --limit or --transform'],
    duplicate: [rows.duplicate, 'identical to an earlier row; not sent'],
    refused: [rows.refused, 'sent, but refused by the service'],
    exhausted: [rows.exhausted, 'retries exhausted; not processed by the service'],
    unknown: [rows.unknown, 'sent without a valid answer; may or may not have arrived'],
    pending: [rows.pending, 'read, but not sent'],
    unread: [unreadRows(runState) ?? 0, 'not read (estimated)'],
  };
  return Object.entries(all).flatMap(([state, [number, about]]) =>
    number === 0 ? [] : [{ state, rows: number, about }],
  );
}

/** What the ending leaves out: every count, reason, remark and file. */
export function detailText(runState: RunState, context: RunContext, style: Style = plain): string {
  const { sources, sentBefore } = runState;
  const names = sources.map(({ name }) => name);
  const states = statesOf(runState, context);
  const atFirst = repairedRows(context) > 0 ? ' rows were not delivered at first' : '';
  return [
    ...section('Rows', table(states.map(({ state, rows, about }) => [rows, state, about])), style),
    ...section(`Why${atFirst}`, reasonLines(runState, undefined), style),
    ...section('Service', bullets(serviceFacts(runState)), style),
    ...section('Notes', bullets([...describeSentBefore(sentBefore), ...describeNotes(runState, names)]), style),
    ...section('Rejects files', rejectsTable(context), style),
  ].join('\n\n');
}

/** What the service counted, and why the delivery took more than one request per batch. */
export function serviceFacts({ type, service, requests, retries, resent, batches }: RunState): readonly string[] {
  const { unaccounted } = service;
  const facts = [
    ...when(retries > 0, plural(retries, 'retry', 'retries')),
    ...when(batches.split > 0, `${plural(batches.split, 'batch', 'batches')} split after a refusal`),
    ...when(resent > 0, `${plural(resent, 'row')} resent after a lost answer`),
  ];
  return [
    ...when(batches.delivered > 0, contracts[type].describeCounts(service)),
    ...when(unaccounted !== 0, `The counts of the service differ from the records sent by ${count(unaccounted)}.`),
    ...when(facts.length > 0, `${plural(requests, 'request')}, with ${formatList(facts, '')}.`),
  ];
}

function rejectsTable({ rejects }: RunContext): readonly string[] {
  const lines = rejects.map(({ path, rows, upload }) => {
    if (upload === undefined) return [printable(path), `${plural(rows, 'row')} to correct`];
    const { run, delivered, read } = upload;
    return [printable(path), `uploaded by ${printable(run)}: ${count(delivered)} of ${plural(read, 'row')} delivered`];
  });
  return table(lines);
}
