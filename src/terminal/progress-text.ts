/** Progress as text: three lines for a terminal, or one plain line. Pure. */
import { cutToWidth, printable } from '../lib/printable.ts';
import { count, humanBytes, humanDuration, plural, UNKNOWN } from '../lib/units.ts';
import type { Ledger } from '../model/ledger.ts';
import type { RecordType } from '../model/record.ts';

/** What a display shows. */
export interface ProgressView {
  readonly type: RecordType;
  readonly rows: Ledger['rows'];
  readonly batches: Ledger['batches'];
  readonly service: Ledger['service'];
  readonly bytesRead: number;
  /** Undefined while an input of unknown size is read. */
  readonly bytesTotal: number | undefined;
  readonly checking?: boolean | undefined;
  /** Records delivered per second, or rows read per second in a check; undefined in the first seconds. */
  readonly throughput: number | undefined;
  readonly msLeft: number | undefined;
  /** Why all sending is paused, and for how long. */
  readonly paused: { readonly why: string; readonly ms: number } | undefined;
  /** Set while the throttle allows fewer concurrent requests than `--concurrency`. */
  readonly concurrency?: number | undefined;
}

const WHY_LIMIT = 120;
const BAR_MIN = 8;
const BAR_MAX = 30;

/** Three lines, none wider than `columns`. */
export function renderLive(view: ProgressView, columns: number): readonly string[] {
  const facts = [
    readText(view),
    view.throughput === undefined ? undefined : `${count(view.throughput)} ${throughputUnit(view)}`,
    `${humanLeft(view.msLeft)} left`,
  ]
    .filter((fact) => fact !== undefined)
    .join('  ');
  const share = shareRead(view);
  const width = columns - facts.length - 8;
  const bar = share === undefined || width < BAR_MIN ? '' : `${drawBar(share, Math.min(width, BAR_MAX))}  `;
  const percent = share === undefined ? '' : `${percentage(share)}  `;
  return [
    `${bar}${percent}${facts}`,
    [
      plural(view.rows.read, 'row'),
      `${count(view.rows.invalid)} invalid`,
      `${plural(view.batches.sealed, 'batch', 'batches')}`,
      ...deliveredText(view),
      ...failureText(view),
    ].join(' · '),
    [...pausedText(view), ...concurrencyText(view), ...serviceText(view)].join(' · '),
  ].map((line) => cutToWidth(line, columns));
}

/** One line, without its line end. */
export function renderPlain(view: ProgressView): string {
  const share = shareRead(view);
  return [
    ...pausedText(view),
    ...concurrencyText(view),
    share === undefined ? readText(view) : `${percentage(share)} (${readText(view)})`,
    plural(view.rows.read, 'row'),
    `${count(view.rows.invalid)} invalid`,
    plural(view.batches.sealed, 'batch', 'batches'),
    ...deliveredText(view),
    ...failureText(view),
    ...serviceText(view),
    `${view.throughput === undefined ? UNKNOWN : count(view.throughput)} ${throughputUnit(view)}`,
    `${humanLeft(view.msLeft)} left`,
  ].join(', ');
}

function readText({ bytesRead, bytesTotal }: ProgressView): string {
  return bytesTotal === undefined
    ? `${humanBytes(bytesRead)} read`
    : `${humanBytes(bytesRead)} of ${humanBytes(bytesTotal)}`;
}

/** From 0 to 1, also for an input that has grown; undefined if the total is unknown. */
function shareRead({ bytesRead, bytesTotal }: ProgressView): number | undefined {
  if (bytesTotal === undefined) return undefined;
  return bytesTotal === 0 ? 1 : Math.min(1, Math.max(0, bytesRead / bytesTotal));
}

/** Rounded down, so that 100% means everything. */
function percentage(share: number): string {
  return `${Math.floor(share * 100)}%`;
}

function drawBar(share: number, width: number): string {
  const full = Math.floor(share * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

function failureText({ rows }: ProgressView): readonly string[] {
  return (['refused', 'exhausted', 'unknown'] as const)
    .filter((state) => rows[state] > 0)
    .map((state) => `${count(rows[state])} ${state}`);
}

function deliveredText({ checking, rows }: ProgressView): readonly string[] {
  return checking === true ? [] : [`${count(rows.delivered)} delivered`];
}

function throughputUnit({ checking }: ProgressView): string {
  return checking === true ? 'rows/s' : 'records/s';
}

function serviceText({ type, service, checking }: ProgressView): readonly string[] {
  if (checking === true) return [];
  return type === 'social'
    ? [`${count(service.promoted)} promoted`]
    : [
        `${count(service.accepted)} accepted`,
        `${count(service.deduplicated)} deduplicated`,
        `${count(service.rejected)} rejected`,
      ];
}

function pausedText({ paused }: ProgressView): readonly string[] {
  if (paused === undefined) return [];
  const why = printable(paused.why, WHY_LIMIT);
  const retry = paused.ms > 0 ? `retry in ${wholeSeconds(paused.ms)}` : 'retrying';
  return [`${why.charAt(0).toUpperCase()}${why.slice(1)}; ${retry}`];
}

function concurrencyText({ concurrency }: ProgressView): readonly string[] {
  return concurrency === undefined ? [] : [`concurrency limited to ${concurrency}`];
}

function humanLeft(ms: number | undefined): string {
  return ms === undefined ? UNKNOWN : wholeSeconds(ms);
}

/** Without tenths, which would flicker. */
function wholeSeconds(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : humanDuration(seconds * 1000);
}
