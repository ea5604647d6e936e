/** The output of `signals runs`: the list of runs, a run with its replays, and rows by file and line. Pure. */
import { contracts } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { count, plural } from '../lib/units.ts';
import type { Span } from '../model/batch.ts';
import type { RunState } from '../model/event.ts';
import type { RowCounts } from '../model/ledger.ts';
import type { Problem } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import { describeProblem } from './problem-text.ts';
import { nameList, place, plain, type Style, table } from './text-layout.ts';

/** A run in the list. */
export interface ListedRun {
  readonly run: string;
  readonly folder: string;
  readonly startedAt: string;
  /** The run that was replayed. */
  readonly parent?: string | undefined;
  readonly type: RecordType;
  readonly variant?: Variant | undefined;
  readonly inputs: readonly string[];
  /** `running`: a process works on it now. A killed run is interrupted. */
  readonly state: RunState | 'running';
  readonly rows: Readonly<RowCounts>;
  /** Undelivered rows, without those that a replay has claimed. */
  readonly left: Readonly<Pick<RowCounts, 'refused' | 'exhausted' | 'unknown' | 'pending'>>;
  /** When it was packed for another person to finish. */
  readonly handedOver?: string | undefined;
  /** Arguments of the next command; null if nothing is left to send. */
  readonly next: readonly string[] | null;
}

/** A run folder whose journal or run.json cannot be read. */
export interface UnreadableRun extends Pick<ListedRun, 'run' | 'folder'> {
  readonly problem: Problem;
}

/**
 * Arguments of the command that continues a run. Null if nothing is left, or if the user must decide first: about
 * refused rows, and about social events whose outcome is unknown.
 */
export function nextArguments(
  run: Pick<ListedRun, 'run' | 'type' | 'state' | 'left' | 'handedOver'>,
): readonly string[] | null {
  if (run.handedOver !== undefined || run.state === 'running') return null;
  if (run.state !== 'complete') return ['resume', run.run];
  const { exhausted, unknown } = run.left;
  const again = exhausted + (contracts[run.type].deduplicates ? unknown : 0);
  return again > 0 ? ['replay', run.run] : null;
}

/** The list, the newest run last, so that it is visible above the prompt. */
export function listText(runs: readonly (ListedRun | UnreadableRun)[], suggest: Suggest, style: Style = plain): string {
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
      if ('problem' in run) return `${head}\n  ${describeProblem(run.problem, style).replaceAll('\n', '\n  ')}`;
      const from = run.parent === undefined ? nameList(run.inputs) : `batches of ${printable(run.parent, 120)}`;
      return [head, `  ${whenText(run.startedAt)}, ${from}`, ...stepsOf(run, suggest)].join('\n');
    })
    .join('\n\n');
}

/** The next steps for a run: the lines under it. */
export function stepsOf(
  run: Pick<ListedRun, 'run' | 'type' | 'state' | 'left' | 'handedOver' | 'next'>,
  suggest: Suggest,
): readonly string[] {
  const command = (args: readonly string[]): string => `    ${suggest(...args)}`;
  if (run.handedOver !== undefined) {
    return [`  Handed over on ${whenText(run.handedOver)}; finish it from the archive.`];
  }
  if (run.state === 'running') return ['  A process is working on it now.'];
  const { refused, exhausted, unknown } = run.left;
  const held = contracts[run.type].deduplicates ? 0 : unknown;
  const isComplete = run.state === 'complete';
  const lines: string[] = [];
  if (run.next !== null) {
    const what = counts({ exhausted, unknown: unknown - held }, ' and ');
    const rows = exhausted + unknown - held === 1 ? 'row' : 'rows';
    lines.push(isComplete ? `  To resend ${what} ${rows}:` : '  To resume:', command(run.next));
  }
  if (held > 0) {
    // An unfinished run cannot be replayed yet.
    const args = isComplete ? ['replay', run.run, '--only', 'unknown'] : ['resume', run.run];
    lines.push(
      `  ${plural(held, 'row')} may or may not have arrived. To resend them (they may be counted twice):`,
      command([...args, '--on-unknown', 'resend']),
    );
  }
  if (refused > 0 && isComplete) {
    lines.push(
      `  The service refused ${plural(refused, 'row')}. To resend them once the cause is fixed:`,
      command(['replay', run.run, '--only', 'refused']),
    );
  }
  return lines;
}

/** `5 exhausted, 2 unknown`: the states that have rows. */
function counts(rows: Readonly<Partial<RowCounts>>, separator = ', '): string {
  return Object.entries(rows)
    .flatMap(([state, number]) => (number === 0 ? [] : [`${count(number)} ${state}`]))
    .join(separator);
}

/** A run and its replays: the outcome of each, and the current state of all rows of the root run. */
export function lineageText(
  runs: readonly Pick<ListedRun, 'run' | 'state' | 'rows'>[],
  whole: Readonly<RowCounts>,
  style: Style = plain,
): string {
  const outcomes = ({ delivered, refused, exhausted, unknown, pending }: Readonly<RowCounts>): string =>
    counts({ delivered, refused, exhausted, unknown, pending }) || 'nothing sent';
  const { invalid, skipped, duplicate } = whole;
  const total = [outcomes(whole), counts({ invalid, skipped, duplicate })].filter(Boolean).join(', ');
  return [
    style.bold('This run and its replays'),
    ...table([
      ...runs.map(({ run, state, rows }) => [printable(run), state, plural(rows.read, 'row'), outcomes(rows)]),
      ['total', '', plural(whole.read, 'row'), total],
    ]),
  ].join('\n');
}

/** Consecutive rows in the same state for the same reason. */
export interface RowStretch {
  readonly source: number;
  readonly span: Span;
  readonly batch?: string | undefined;
  readonly reason: string;
  /** Line of the last row, for skipped rows: the lines between were not parsed. */
  readonly lastLine?: number | undefined;
}

/** One line per row: `in.csv:12  the reason`. One line for all if the lines of the rows are unknown. */
export function* rowLines(names: readonly string[], stretch: RowStretch): Generator<string> {
  const reason = printable(stretch.reason, 400);
  const { source, span, lastLine } = stretch;
  const [, line, rows] = span;
  if (hasUnknownLines(stretch)) {
    yield `${place(names, { source, line })} to ${lastLine}  ${plural(rows, 'row')}, ${reason}`;
    return;
  }
  for (let n = 0; n < rows; n += 1) yield `${place(names, { source, line: line + n })}  ${reason}`;
}

/** Like {@link rowLines}, as objects. */
export function* rowObjects(names: readonly string[], stretch: RowStretch): Generator<object> {
  const { source, span, lastLine, batch, reason } = stretch;
  const [row, line, rows] = span;
  const facts = { source: names[source] ?? '', batch, reason };
  if (hasUnknownLines(stretch)) {
    yield { ...facts, row, line, lastLine, rows };
    return;
  }
  for (let n = 0; n < rows; n += 1) yield { ...facts, row: row + n, line: line + n };
}

function hasUnknownLines({ span: [, line, rows], lastLine }: RowStretch): boolean {
  return lastLine !== undefined && lastLine - line + 1 !== rows;
}

/** `2026-11-20 09:15 UTC` */
function whenText(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}
