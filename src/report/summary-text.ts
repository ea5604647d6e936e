/**
 * The summary of a run for somebody who has never read the interface: what happened to every row, why, and last
 * what to do next, with a command to paste. It says what is known to have arrived, and what is not, and no more.
 */
import { contracts } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { count, humanBytes, humanDuration, plural } from '../lib/units.ts';
import type { Ledger, RowCounts } from '../model/ledger.ts';
import type { StopCode } from '../model/outcome.ts';
import type { RecordType, Variant } from '../model/record.ts';
import { describeReason, type Reasons } from './failure-reasons.ts';
import { describeNotes, describeSentBefore } from './note-text.ts';
import { describeProblem } from './problem-text.ts';
import { describeStop } from './stop-text.ts';
import { plain, type Style } from './style.ts';
import type { SentBefore, Summary } from './summary.ts';
import { bullets, nameList, place, section, table } from './text-layout.ts';

/** What the summary needs to know beside the books. Paths are as the user can type them. */
export interface SummaryContext {
  /** The base URL. */
  readonly destination: string;
  /** Whether the service was the one on this machine. */
  readonly sandbox: boolean;
  readonly suggest: Suggest;
  /** The arguments of this run, as typed. Absent where they cannot be repeated. */
  readonly again?: readonly string[];
  readonly files: SummaryFiles;
  readonly reasons: Reasons;
  /** What to do next, where somebody knows better than the books of this run alone. */
  readonly next?: readonly string[];
}

export interface SummaryFiles {
  readonly results: string;
  /** Absent for a replay: what it rejects are records, and needs none. */
  readonly mapping?: string;
  /** Rejects files that were written. */
  readonly rejects: readonly { readonly path: string; readonly rows: number }[];
  /** Absent where every batch was delivered. */
  readonly undelivered?: string;
}

/** Ends without a line end. Sections stand apart by one blank line, and those with nothing to say are left out. */
export function summaryText(
  ledger: Ledger,
  summary: Summary,
  context: SummaryContext,
  style: Style = plain,
): string {
  const names = summary.inputs.map((input) => input.source);
  return [
    ...brokenBooks(summary, style),
    ...headline(ledger, summary, context, style),
    ...(summary.rows.read === 0 ? [] : [rowTable(summary, style).join('\n')]),
    ...service(summary),
    ...section('Why rows are invalid', reasonLines(context.reasons, names), style),
    ...section('Why batches were not delivered', answerLines(context.reasons), style),
    ...section(
      'Worth knowing',
      bullets([...describeSentBefore(ledger.sentBefore), ...describeNotes(ledger.notes, ledger.variant)]),
      style,
    ),
    ...section('Warnings', warningLines(summary.warnings, style), style),
    ...section('Files', fileLines(context.files), style),
    section('What to do next', context.next ?? nextSteps(ledger, summary, context), style)[0] ??
      'Nothing is left to do.',
  ].join('\n\n');
}

function brokenBooks(summary: Summary, style: Style): readonly string[] {
  if (summary.balanced) return [];
  return [
    style.red(
      'The books do not balance: the numbers below do not account for every row. This is a fault of the program.',
    ),
  ];
}

function headline(
  ledger: Ledger,
  summary: Summary,
  context: SummaryContext,
  style: Style,
): readonly string[] {
  const { rows } = summary;
  const inputs = nameList(summary.inputs.map((input) => input.source));
  const time = humanDuration(summary.seconds * 1000);
  const where = printable(context.destination);
  const to = `${where} (${kind(summary.type, summary.variant)})`;
  const local = context.sandbox ? ['The service was the sandbox on this machine: nothing left it.'] : [];
  const lines: string[] = [];
  const before = (summary.sentBefore?.delivered ?? 0) + (summary.sentBefore?.unknown ?? 0);

  if (summary.state === 'complete') {
    if (rows.read === 0) lines.push(style.bold(`Nothing to send: there are no rows in ${inputs}.`));
    else if (rows.delivered === 0 && before > 0 && before === rows.read - rows.invalid - rows.duplicate) {
      lines.push(
        style.bold(`Nothing new in ${inputs}: ${beforeText(summary)}, and nothing was sent to ${to}.`),
      );
    } else if (rows.delivered === 0) {
      lines.push(style.bold(`Nothing of ${inputs} was delivered to ${to}.`), `It took ${time}.`);
    } else {
      const what =
        rows.delivered === rows.read
          ? `all ${plural(rows.read, 'row')}`
          : `${count(rows.delivered)} of ${plural(rows.read, 'row')}`;
      const good =
        rows.delivered === rows.read && summary.service.rejected === 0 && summary.service.unaccounted === 0;
      const text = `Delivered ${rows.read === 1 ? 'the only row' : what} of ${inputs} to ${to} in ${time}.`;
      lines.push(style.bold(good ? style.green(text) : text));
      if (summary.service.rejected > 0) {
        lines.push(style.red(`The service rejected ${plural(summary.service.rejected, 'record')} of them.`));
      }
      if (before > 0) lines.push(`Of the others ${beforeText(summary)}: these were not sent again.`);
    }
  } else {
    const word = summary.state === 'interrupted' ? 'Interrupted' : 'Stopped';
    lines.push(
      style.bold(style.red(`${word} after ${time}: the upload of ${inputs} to ${to} is not complete.`)),
    );
    if (ledger.stop !== undefined) lines.push(describeStop(ledger.stop, context.suggest, style));
  }
  return [[...lines, ...local].join('\n')];
}

function kind(type: RecordType, variant: Variant | undefined): string {
  if (type === 'social') return 'social engagement events';
  if (variant === undefined) return 'market signals';
  return variant === 'both' ? 'market signals, both variants' : `market signals, variant ${variant}`;
}

/** Why a row is where it is, in a clause, and how bad that is. */
const STATES: readonly (readonly [Exclude<keyof RowCounts, 'read'>, string, keyof Style | undefined])[] = [
  ['delivered', 'sent, and a valid answer came', 'green'],
  ['invalid', 'became no record, so not sent', 'yellow'],
  ['skipped', '', undefined],
  ['duplicate', 'the same as an earlier row, so not sent', undefined],
  ['refused', 'sent, and the service answered that it will not take them', 'red'],
  ['exhausted', 'tried until the retries were spent, and certainly not processed', 'red'],
  ['unknown', 'sent, but no valid answer came: they may have arrived or not', 'red'],
  ['pending', 'not delivered, because the run ended first', 'yellow'],
];

function rowTable({ rows, sentBefore }: Summary, style: Style): readonly string[] {
  const states = STATES.filter(([state]) => rows[state] !== 0 || state === 'delivered');
  const [head = '', ...lines] = table([
    [rows.read, rows.read === 1 ? 'row' : 'rows', 'read, of these:'],
    ...states.map(([state, clause]) => [
      rows[state],
      state,
      state === 'skipped' ? skippedClause(rows.skipped, sentBefore) : clause,
    ]),
  ]);
  const coloured = lines.map((line, index) => {
    const [state, , colour] = states[index] ?? [];
    return state === undefined || colour === undefined || rows[state] === 0 ? line : style[colour](line);
  });
  return [head, ...coloured];
}

/** Why rows were skipped, in a clause. */
export function skippedClause(skipped: number, before: SentBefore | undefined): string {
  const asked = 'passed over, as --skip, --limit or --transform asks';
  if (before === undefined) return asked;
  const sent = before.delivered + before.unknown;
  const how = before.unknown === 0 ? 'delivered' : 'sent';
  if (sent === skipped) return `${how} by an earlier run, so not sent`;
  return `passed over: ${count(sent)} ${how} by an earlier run, ${count(skipped - sent)} as --skip, --limit or --transform asks`;
}

/** `all 250 rows were delivered before`, for the headline. */
function beforeText({ rows, sentBefore }: Summary): string {
  const { delivered = 0, unknown = 0 } = sentBefore ?? {};
  const all = delivered + unknown === rows.read;
  const parts = [
    ...(delivered === 0
      ? []
      : [
          `${all && unknown === 0 && delivered > 1 ? 'all ' : ''}${plural(delivered, 'row was', 'rows were')} delivered before`,
        ]),
    ...(unknown === 0 ? [] : [`${plural(unknown, 'row was', 'rows were')} sent before and may have arrived`]),
  ];
  return parts.join(' and ');
}

function service({ type, service, batches }: Summary): readonly string[] {
  if (batches.delivered === 0) return [];
  const lines =
    type === 'social'
      ? [`The service promoted ${plural(service.promoted, 'lead')} to the sales pipeline.`]
      : [
          `The service counted ${count(service.accepted)} accepted, ${count(service.deduplicated)} deduplicated, ${count(service.rejected)} rejected.`,
        ];
  if (service.rejected > 0) {
    lines.push('Rejected records failed its own validation.');
  }
  if (service.unaccounted !== 0) {
    lines.push(`Its counts differ from what was sent by ${plural(service.unaccounted, 'record')}.`);
  }
  return [lines.join('\n')];
}

function reasonLines(reasons: Reasons, names: readonly string[]): readonly string[] {
  const groups = reasons.invalid();
  const lines = table(
    groups.map((group) => {
      const [first] = group.examples;
      const at = first === undefined ? '' : place(names, first);
      return [group.rows, describeReason(group), group.rows === 1 ? at : `first at ${at}`];
    }),
  );
  return withRest(lines, reasons.more());
}

function withRest(lines: readonly string[], more: number): readonly string[] {
  return more === 0 ? lines : [...lines, `  and ${plural(more, 'fault')} of other kinds`];
}

function answerLines(reasons: Reasons): readonly string[] {
  return table(
    reasons
      .answers()
      .map((group) => [
        group.records,
        `${group.outcome}, in ${plural(group.batches, 'batch', 'batches')}: ${group.error === '' ? 'no answer' : group.error}`,
      ]),
  );
}

function warningLines(warnings: Summary['warnings'], style: Style): readonly string[] {
  return bullets(warnings.map((warning) => describeProblem(warning, style))).map(style.yellow);
}

function fileLines(files: SummaryFiles): readonly string[] {
  return table([
    [printable(files.results), 'one line for each batch'],
    ...files.rejects.map(({ path, rows }) => [
      printable(path),
      `${plural(rows, 'row')} to correct, with the reason${rows === 1 ? '' : 's'}`,
    ]),
    ...(files.undelivered === undefined
      ? []
      : [[printable(files.undelivered), 'batches that were not delivered, as they would be sent']]),
    ...(files.mapping === undefined ? [] : [[printable(files.mapping), 'how columns became fields; for -m']]),
  ]);
}

/** A step is one or more lines, its command the last of them. The rejects come last: theirs is the surest command. */
function nextSteps(ledger: Ledger, summary: Summary, context: SummaryContext): readonly string[] {
  const { rows } = summary;
  const { files } = context;
  const steps: (readonly string[])[] = [];

  if (!summary.balanced) {
    steps.push(['Report this, with the numbers above. What is said to be delivered is in the results log.']);
  }
  // Rows that were refused one by one stand in the rejects files: correcting these is the step for them.
  const listed = files.rejects.reduce((sum, file) => sum + file.rows, 0) - rows.invalid;
  if (rows.refused > Math.max(0, listed)) {
    steps.push([
      `The ${rows.refused === 1 ? 'refused row needs' : `${count(rows.refused)} refused rows need`} a change before ${rows.refused === 1 ? 'it is' : 'they are'} sent again. ${inUndelivered(files)}The results log has their lines and what the service said.`,
    ]);
  }
  const { rejected, unaccounted } = summary.service;
  if (rejected > 0 || unaccounted !== 0) {
    steps.push([
      `The service does not say which records it ${rejected > 0 ? 'rejected' : 'counted'}: the columns rejected and unaccounted of the results log show in which batches, and so in which lines, they are.`,
    ]);
  }
  const judged = summary.service.rejected > 0 || listed > 0;
  const other = judged && tookNothing(summary) ? otherVariant(summary, context) : undefined;
  if (other !== undefined) steps.push(other);
  const rest = sendTheRest(ledger, summary, context);
  if (rest !== undefined) steps.push(rest);
  const rejects = files.rejects.filter((file) => file.rows > 0);
  if (rejects.length > 0) {
    const total = rejects.reduce((sum, file) => sum + file.rows, 0);
    steps.push([
      `Correct the ${plural(total, 'row')} in the rejects ${rejects.length === 1 ? 'file' : 'files'}, then:`,
      command(context, [
        'upload',
        ...(files.mapping === undefined ? formOf(summary) : ['-m', files.mapping]),
        ...rejects.map((file) => file.path),
      ]),
    ]);
  }
  return steps.map((lines) => lines.map((line) => `  ${line}`).join('\n'));
}

function command(context: SummaryContext, words: readonly string[]): string {
  return `  ${context.suggest(...words)}`;
}

/** What a mapping would say of records that have the interface's own names. */
function formOf({ type, variant }: Summary): readonly string[] {
  return ['--type', type, ...(variant === undefined ? [] : ['--variant', variant])];
}

function inUndelivered(files: SummaryFiles): string {
  return files.undelivered === undefined ? '' : `The requests are in ${printable(files.undelivered)}. `;
}

/** Whether the service answered, and took no record at all: the mark of a mapping that is wrong as a whole. */
function tookNothing({ rows, service }: Summary): boolean {
  return rows.delivered + rows.refused > 0 && rows.unknown === 0 && service.rejected === rows.delivered;
}

/** Signals have two name sets, and the interface does not say which of them the service takes. */
function otherVariant(summary: Summary, context: SummaryContext): readonly string[] | undefined {
  const { variant } = summary;
  if (variant === undefined) return undefined;
  const other = variant === 'a' ? 'b' : 'a';
  const said = `The service took no record under ${variant === 'both' ? 'the names of both variants' : `the names of variant ${variant}`}; it may want those of variant ${other}`;
  const { again } = context;
  if (again === undefined) return [`${said}: add --variant ${other}, and send the same data again.`];
  // What was not sent makes this run unfinished, and its name is taken: without these words the program would refuse.
  const anew = summary.state === 'complete' || again.includes('--again') ? [] : ['--again'];
  const words = without(again, ['--variant', '--run-id']);
  const end = words.indexOf('--');
  const options = end < 0 ? words : words.slice(0, end);
  const names = end < 0 ? [] : words.slice(end);
  return [`${said}:`, command(context, [...options, '--variant', other, ...anew, ...names])];
}

/** The words of a command line without these options and their values. */
function without(words: readonly string[], options: readonly string[]): readonly string[] {
  const isOne = (word: string | undefined): boolean => word !== undefined && options.includes(word);
  return words.filter(
    (word, index) =>
      !isOne(word) && !isOne(words[index - 1]) && !options.some((option) => word.startsWith(`${option}=`)),
  );
}

/** Stops by what is in the rows: they are there still when the run goes on. */
const AGAIN_IS_THE_SAME: ReadonlySet<StopCode> = new Set(['canary', 'invalid', 'rows']);

/** About rows that a second try could deliver: those that were not sent, exhausted, or unknown. */
function sendTheRest(
  ledger: Ledger,
  summary: Summary,
  context: SummaryContext,
): readonly string[] | undefined {
  const { rows } = summary;
  const unread = summary.inputs.filter((input) => input.bytesUnread !== 0);
  if (rows.pending + rows.exhausted + rows.unknown === 0 && unread.length === 0) return undefined;

  const lines: string[] = [];
  const { type } = summary;
  for (const { source, bytesUnread } of unread) {
    const rest = bytesUnread === null ? 'The rest' : `The last ${humanBytes(bytesUnread)}`;
    lines.push(`${rest} of ${printable(source, 120)} was not read, and so not sent.`);
  }
  if (rows.pending > 0) {
    lines.push(
      `${plural(rows.pending, 'pending row was', 'pending rows were')} read and not delivered; nothing of ${rows.pending === 1 ? 'it' : 'them'} was taken by the service.`,
    );
  }
  if (rows.exhausted > 0) {
    lines.push(
      `${plural(rows.exhausted, 'exhausted row', 'exhausted rows')} did not arrive. ${inUndelivered(context.files)}`.trimEnd(),
    );
  }
  if (rows.unknown > 0) {
    lines.push(
      `${plural(rows.unknown, 'unknown row', 'unknown rows')} may have arrived or not: nobody can tell from here. ${inUndelivered(context.files)}`.trimEnd(),
    );
  }

  const { stop } = ledger;
  // What a pipe has not given by now it never will.
  const isAllThereIs = stop?.code === 'input' && unread.every(({ bytesUnread }) => bytesUnread === null);
  if (isAllThereIs && rows.pending + rows.exhausted + rows.unknown === 0) {
    lines.push('Nothing is left to go on with: export what is missing again, and upload that.');
    return lines;
  }
  // The same again would end in the same way, and only the user knows whether this is what was meant.
  if (stop !== undefined && AGAIN_IS_THE_SAME.has(stop.code)) {
    const more = stop.code === 'canary' ? ['--no-canary'] : [];
    lines.push('To send what is left all the same:', command(context, ['resume', summary.run, ...more]));
    return lines;
  }
  const mended = stop === undefined || stop.code === 'signal' ? '' : ', once the cause is mended';
  const harmlessTwice = contracts[type].deduplicates;
  // A complete run has nothing left to go on with: what it did not deliver is replayed.
  const done = summary.state === 'complete';
  const words = [done ? 'replay' : 'resume', summary.run];
  if (rows.pending + rows.exhausted > 0 || unread.length > 0 || harmlessTwice) {
    const how =
      rows.unknown === 0
        ? ', without sending anything twice'
        : harmlessTwice
          ? '; of what is unknown the service may get some a second time, which by its interface it recognises'
          : '; what is unknown stays as it is';
    const all = harmlessTwice || rows.unknown === 0;
    const what = !done ? 'go on' : all ? 'send them again' : 'send what is exhausted again';
    lines.push(`To ${what}${mended}${how}:`, command(context, words));
  }
  if (rows.unknown > 0 && !harmlessTwice) {
    lines.push(
      'The interface documents no deduplication of events, so what is unknown is held. To send it again at the risk that it is counted twice:',
      command(context, [...words, ...(done ? ['--only', 'unknown'] : []), '--on-unknown', 'resend']),
    );
  }
  return lines;
}
