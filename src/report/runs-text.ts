/** `signals runs`, in words: the list, a family's books, and rows by file and line. Pure. */
import { contracts } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { count, plural } from '../lib/units.ts';
import type { Span } from '../model/batch.ts';
import type { RowInvalid, RunState } from '../model/event.ts';
import type { RowCounts } from '../model/ledger.ts';
import type { Problem } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import { describeReason } from './failure-reasons.ts';
import { describeProblem } from './problem-text.ts';
import { plain, type Style } from './style.ts';
import { nameList, place, table } from './text-layout.ts';

/** A run in the list. */
export interface ListedRun {
  readonly run: string;
  readonly folder: string;
  readonly startedAt: string;
  /** The run of which it is a replay. */
  readonly parent?: string;
  readonly type: RecordType;
  readonly variant?: Variant;
  readonly inputs: readonly string[];
  /** `running`: a process works on it now. A run that was killed is interrupted. */
  readonly state: RunState | 'running';
  readonly rows: Readonly<RowCounts>;
  /** What is left of it, without what a replay has taken since. */
  readonly left: Left;
  /** When it was packed for somebody else to finish. */
  readonly handedOver?: string;
  /** The words behind the program's name that come next; null where nothing is to be sent. */
  readonly next: readonly string[] | null;
}

export type Left = Readonly<Pick<RowCounts, 'refused' | 'exhausted' | 'unknown' | 'pending'>>;

/** A folder in the place of runs whose journal or run.json can't be read. */
export interface UnreadableRun {
  readonly run: string;
  readonly folder: string;
  readonly problem: Problem;
}

/**
 * The words that go on with a run. Null where nothing is left, or where somebody has to decide first: what the
 * service refused, and events whose answer was lost.
 */
export function nextWords(
  run: Pick<ListedRun, 'run' | 'type' | 'state' | 'left' | 'handedOver'>,
): readonly string[] | null {
  if (run.handedOver !== undefined || run.state === 'running') return null;
  if (run.state !== 'complete') return ['resume', run.run];
  const { exhausted, unknown } = run.left;
  const again = exhausted + (contracts[run.type].deduplicates ? unknown : 0);
  return again > 0 ? ['replay', run.run] : null;
}

/** The words that send events again whose answer was lost. A run that has not come to its end cannot be replayed yet. */
function resendWords({ run, state }: Pick<ListedRun, 'run' | 'state'>): readonly string[] {
  const words = state === 'complete' ? ['replay', run, '--only', 'unknown'] : ['resume', run];
  return [...words, '--on-unknown', 'resend'];
}

/** The list, the newest last, where the eye is. */
export function listText(
  runs: readonly (ListedRun | UnreadableRun)[],
  suggest: Suggest,
  style: Style = plain,
): string {
  const rows = table(
    runs.map((run) =>
      'problem' in run
        ? [printable(run.run), 'cannot be read', '', '']
        : [
            printable(run.run),
            run.handedOver === undefined ? run.state : 'handed over',
            `${count(run.rows.delivered)} of ${plural(run.rows.read, 'row')} delivered`,
            run.parent === undefined ? run.type : `${run.type}, replay`,
          ],
    ),
  );
  return runs
    .map((run, index) => {
      const head = style.bold((rows[index] ?? '').trim());
      if ('problem' in run) return [head, indent(describeProblem(run.problem, style))].join('\n');
      const from =
        run.parent === undefined ? nameList(run.inputs) : `batches of ${printable(run.parent, 120)}`;
      return [head, `  ${whenText(run.startedAt)}, ${from}`, ...stepsOf(run, suggest)].join('\n');
    })
    .join('\n\n');
}

/** What is left to do with a run: lines that stand under it. */
export function stepsOf(
  run: Pick<ListedRun, 'run' | 'type' | 'state' | 'left' | 'handedOver' | 'next'>,
  suggest: Suggest,
): readonly string[] {
  const command = (typed: readonly string[]): string => `    ${suggest(...typed)}`;
  if (run.handedOver !== undefined) {
    return [`  Handed over on ${whenText(run.handedOver)}; finish it from the archive.`];
  }
  if (run.state === 'running') return ['  A process is working on it now.'];
  const { refused, exhausted, unknown } = run.left;
  const held = contracts[run.type].deduplicates ? 0 : unknown;
  return [
    ...(run.next === null ? [] : [`  ${whyNext(run.state, exhausted, unknown - held)}:`, command(run.next)]),
    ...(held === 0
      ? []
      : [
          `  ${plural(held, 'row')} may or may not have arrived. To resend them (they may be counted twice):`,
          command(resendWords(run)),
        ]),
    // Once it is complete: one that was killed cannot be replayed before.
    ...(refused === 0 || run.state !== 'complete'
      ? []
      : [
          `  The service refused ${plural(refused, 'row')}. To resend them once the cause is fixed:`,
          command(['replay', run.run, '--only', 'refused']),
        ]),
  ];
}

function whyNext(state: ListedRun['state'], exhausted: number, unknown: number): string {
  if (state !== 'complete') return 'To resume';
  const what = [
    ...(exhausted === 0 ? [] : [`${count(exhausted)} exhausted`]),
    ...(unknown === 0 ? [] : [`${count(unknown)} unknown`]),
  ];
  return `To resend ${what.join(' and ')} ${exhausted + unknown === 1 ? 'row' : 'rows'}`;
}

/** One run of a family, for its table. */
export interface FamilyLine {
  readonly run: string;
  readonly state: ListedRun['state'];
  readonly rows: Readonly<RowCounts>;
}

const OUTCOMES = ['delivered', 'refused', 'exhausted', 'unknown', 'pending'] as const;

/** A run with its replays: what each of them came to, and where every row of the first one is now. */
export function familyText(
  runs: readonly FamilyLine[],
  whole: Readonly<RowCounts>,
  style: Style = plain,
): string {
  const outcomes = (rows: Readonly<RowCounts>): string =>
    OUTCOMES.flatMap((state) => (rows[state] === 0 ? [] : [`${count(rows[state])} ${state}`])).join(', ') ||
    'nothing sent';
  const dropped = (['invalid', 'skipped', 'duplicate'] as const).flatMap((state) =>
    whole[state] === 0 ? [] : [`${count(whole[state])} ${state}`],
  );
  const now = [outcomes(whole), ...dropped].join(', ');
  return [
    style.bold('This run and its replays'),
    ...table([
      ...runs.map(({ run, state, rows }) => [
        printable(run),
        state,
        plural(rows.read, 'row'),
        outcomes(rows),
      ]),
      ['total', '', plural(whole.read, 'row'), now],
    ]),
  ].join('\n');
}

/** Rows of one state that stand one a line, with what there is to say about all of them. */
export interface RowStretch {
  readonly source: number;
  readonly span: Span;
  readonly batch?: string;
  readonly reason: string;
  /** Lines are known of the first and the last row only: rows that were passed over were never looked at. */
  readonly lastLine?: number;
}

/** `in.csv:12  the reason`, one line a row. */
export function* rowLines(names: readonly string[], stretch: RowStretch): Generator<string> {
  const reason = printable(stretch.reason, 400);
  const [, first, rows] = stretch.span;
  const { source, lastLine } = stretch;
  if (lastLine !== undefined && lastLine - first + 1 !== rows) {
    yield `${place(names, { source, line: first })} to ${lastLine}  ${plural(rows, 'row')}, ${reason}`;
    return;
  }
  for (let n = 0; n < rows; n += 1) yield `${place(names, { source, line: first + n })}  ${reason}`;
}

/** The same as data, one object a row. */
export function* rowObjects(names: readonly string[], stretch: RowStretch): Generator<object> {
  const [row, line, rows] = stretch.span;
  const { source, lastLine, batch, reason } = stretch;
  const about = { source: names[source] ?? '', ...(batch === undefined ? {} : { batch }), reason };
  if (lastLine !== undefined && lastLine - line + 1 !== rows) {
    yield { ...about, row, line, lastLine, rows };
    return;
  }
  for (let n = 0; n < rows; n += 1) yield { ...about, row: row + n, line: line + n };
}

/** Why a row is invalid, from the journal: the values found stand in the rejects file alone. */
export function invalidReason({ issues }: Pick<RowInvalid, 'issues'>): string {
  return issues.map((issue) => describeReason({ ...issue, rows: 1, examples: [] })).join('; ');
}

/** `2026-11-20 09:15 UTC` */
function whenText(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
