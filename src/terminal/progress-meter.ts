/**
 * The progress of a run. A meter measures what is done and left, the speed, and what sending waits for, from events, the run
 * state and a clock; the rest is its text: lines with fixed columns for a terminal, or one plain line. For programs:
 * `progressEntry` in report/log-entry.ts. Pure.
 */

import { contracts } from '../contract/index.ts';
import { cutToWidth, printable } from '../lib/printable.ts';
import { capitalised } from '../lib/text.ts';
import { count, humanBytes, humanDuration, plural, UNKNOWN } from '../lib/units.ts';
import type { RunEvent, ThrottleChanged } from '../model/event.ts';
import { failure } from '../model/outcome.ts';
import type { RunState } from '../model/run-state.ts';
import { bytesRead } from '../report/run-summary.ts';

export interface ProgressMeterOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Bytes of all inputs; undefined if one of them is a pipe. */
  readonly totalBytes: number | undefined;
  /** Rows after this one are skipped (`--skip` and `--limit`). */
  readonly lastRow?: number | undefined;
  /** In a check, a row that was read is done, and deliveries are not shown. */
  readonly checking?: boolean | undefined;
}

interface Sample {
  readonly at: number;
  readonly done: number;
  readonly delivered: number;
}

/** A pause of all sending. An outage lasts until the next delivery, also while a request probes. */
interface Wait {
  readonly until: number;
  readonly why: string;
  readonly giveUpAt: number | undefined;
}

/** The speed is measured over this many changes. */
const SAMPLES = 60;
/** Shortest time between two of them. */
const SAMPLE_MS = 250;
/** Shortest time for a meaningful speed. */
const MIN_WINDOW_MS = 2_000;
const MAX_ESTIMATE_MS = 99 * 3_600_000;

export class ProgressMeter {
  readonly #options: ProgressMeterOptions;
  #runState: RunState | undefined;
  #wait: Wait | undefined;
  #samples: readonly Sample[] = [];

  constructor(options: ProgressMeterOptions) {
    this.#options = options;
  }

  update(event: RunEvent, runState: RunState): void {
    this.#runState = runState;
    if (event.event === 'throttle.changed' && event.state === 'paused') this.#pause(event);
    const { paused, outage } = runState.throttle;
    if (this.#wait !== undefined && !paused && !outage) this.#endWait();
  }

  /** Takes a sample and returns what to show; undefined before the first event. */
  view(): ProgressView | undefined {
    const runState = this.#runState;
    if (runState === undefined) return undefined;
    const { checking, lastRow = Number.POSITIVE_INFINITY } = this.#options;
    const { rows } = runState;
    const allRows = this.#allRows(runState);
    const total = allRows && Math.min(lastRow, allRows);
    const done = Math.min(lastRow, rows.read) - (checking === true ? 0 : rows.pending);
    const speed = this.#speed(done, checking === true ? done : rows.delivered);
    return {
      runState,
      checking,
      share: total === undefined ? undefined : done / Math.max(1, total),
      throughput: runState.throttle.outage ? undefined : speed && speed.delivered * 1000,
      msLeft: total === undefined ? undefined : this.#msLeft(total - done, speed?.done ?? 0, runState),
      waiting: this.#waiting(),
    };
  }

  /** Rows of all inputs, estimated from those read; undefined while an input of unknown size is read. */
  #allRows(runState: RunState): number | undefined {
    const { rows, sources } = runState;
    if (sources.every(({ ended }) => ended)) return rows.read;
    const { totalBytes } = this.#options;
    if (totalBytes === undefined) return undefined;
    const read = bytesRead(runState);
    return read === 0 ? Number.POSITIVE_INFINITY : rows.read * Math.max(1, totalBytes / read);
  }

  #pause({ ms = 0, giveUpMs, why = 'sending is paused' }: ThrottleChanged): void {
    const now = this.#options.now();
    const giveUpAt = giveUpMs === undefined ? this.#wait?.giveUpAt : now + giveUpMs;
    this.#wait = { until: now + ms, why, giveUpAt };
  }

  #endWait(): void {
    // How long an outage lasts says nothing about the speed.
    if (this.#wait?.giveUpAt !== undefined) this.#samples = [];
    this.#wait = undefined;
  }

  /** Adds a sample if something is done since the last one. Returns the speed per millisecond; undefined at first. */
  #speed(done: number, delivered: number): { readonly done: number; readonly delivered: number } | undefined {
    const at = this.#options.now();
    const newest = this.#samples.at(-1);
    if (newest === undefined || (done !== newest.done && at - newest.at >= SAMPLE_MS)) {
      this.#samples = [...this.#samples, { at, done, delivered }].slice(-SAMPLES);
    }
    const [first] = this.#samples;
    const ms = at - (first?.at ?? at);
    if (first === undefined || ms < MIN_WINDOW_MS) return undefined;
    return { done: (done - first.done) / ms, delivered: (delivered - first.delivered) / ms };
  }

  /** Estimated milliseconds for these rows; undefined without progress, in an outage, or for a very long time. */
  #msLeft(rows: number, speed: number, { throttle }: RunState): number | undefined {
    if (rows <= 0) return 0;
    if (throttle.outage || speed <= 0) return undefined;
    const ms = rows / speed + Math.max(0, (this.#wait?.until ?? 0) - this.#options.now());
    return ms <= MAX_ESTIMATE_MS ? ms : undefined;
  }

  #waiting(): Waiting | undefined {
    if (this.#wait === undefined) return undefined;
    const { why, until, giveUpAt } = this.#wait;
    const now = this.#options.now();
    const giveUp = giveUpAt === undefined ? undefined : new Date(Date.now() + giveUpAt - now);
    return { why, retryMs: Math.max(0, until - now), giveUpAt: giveUp };
  }
}

export interface ProgressView {
  readonly runState: RunState;
  /** Rows done of all rows, from 0 to 1; undefined while their number is unknown. */
  readonly share: number | undefined;
  readonly checking?: boolean | undefined;
  /** Rows delivered per second, or read per second in a check; undefined in the first seconds. */
  readonly throughput: number | undefined;
  readonly msLeft: number | undefined;
  readonly waiting: Waiting | undefined;
}

/** Why nothing is sent, and until when. */
export interface Waiting {
  readonly why: string;
  readonly retryMs: number;
  /** When the run stops, if this outage lasts so long. */
  readonly giveUpAt?: Date | undefined;
}

const WHY_LIMIT = 120;
const WHY_MIN = 16;
/** Columns for when the next try begins, after the reason. */
const OTHER_STATUS = 50;
const BAR_MAX = 40;
/** A count has at least a column of this width, if the screen has space. */
const CELL_MAX = 14;

/** Four lines, none wider than `columns`: bar and speed, names of the counts, counts, and what sending waits for. */
export function renderLive(view: ProgressView, columns: number): readonly string[] {
  const { share } = view;
  const facts = `${done(view).padStart(5)}${throughput(view).padStart(16)}${left(view).padStart(18)}`;
  const bar = share === undefined ? '' : drawBar(share, Math.min(BAR_MAX, columns - facts.length));
  const cells = counts(view);
  const width = Math.min(CELL_MAX, Math.floor(columns / cells.length));
  const widths = cells.map(([name]) => Math.max(width, name.length + 1));
  const line = (texts: readonly string[]): string => texts.map((text, n) => text.padStart(widths[n] ?? 0)).join('');
  return [
    bar + facts,
    line(cells.map(([name]) => name)),
    line(cells.map(([, value], n) => (count(value).length < (widths[n] ?? 0) ? count(value) : String(value)))),
    statusTexts(view, localTime, Math.max(WHY_MIN, columns - OTHER_STATUS)).join(' · '),
  ].map((text) => cutToWidth(text, columns));
}

export function renderPlain(view: ProgressView): string {
  const [rows, ...others] = counts(view);
  const facts = [
    done(view),
    plural(rows?.[1] ?? 0, 'row'),
    ...others.map(([name, value]) => `${count(value)} ${value === 1 ? name.replace('batches', 'batch') : name}`),
    throughput(view),
    left(view),
  ];
  // In UTC, as the lines of a log.
  const clock = (time: Date): string => `${time.toISOString().slice(11, 16)}Z`;
  return [facts.join(', '), ...statusTexts(view, clock, WHY_LIMIT)].join('. ');
}

function counts({ runState, checking }: ProgressView): readonly (readonly [string, number])[] {
  const { type, rows, batches, service } = runState;
  const read: readonly (readonly [string, number])[] = [
    ['rows', rows.read],
    ['invalid', rows.invalid],
    ['batches', batches.sealed],
  ];
  if (checking === true) return read;
  const counted = contracts[type].counts.map((name) => [name, service[name]] as const);
  const isAccepted = counted.some(([name]) => name === 'accepted');
  return [...read, ...(isAccepted ? [] : [['delivered', rows.delivered] as const]), ...counted];
}

/** Rounded down, so that 100% means everything. */
function done({ share, runState }: ProgressView): string {
  if (share === undefined) return `${humanBytes(bytesRead(runState))} read`;
  return `${Math.floor(Math.min(1, Math.max(0, share)) * 100)}%`;
}

function drawBar(share: number, width: number): string {
  if (width < 1) return '';
  const full = Math.min(width, Math.max(0, Math.floor(share * width)));
  return '█'.repeat(full) + '░'.repeat(width - full);
}

function throughput({ throughput: perSecond }: ProgressView): string {
  return `${perSecond === undefined ? UNKNOWN : count(Math.max(0, perSecond))} rows/s`;
}

function left({ msLeft }: ProgressView): string {
  return `${msLeft === undefined ? UNKNOWN : wholeSeconds(msLeft)} left`;
}

type Clock = (time: Date) => string;

/** For people at a screen. */
function localTime(time: Date): string {
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

function statusTexts(view: ProgressView, clock: Clock, whyLimit: number): readonly string[] {
  const { waiting, runState } = view;
  const { rows, throttle } = runState;
  return [
    ...(waiting === undefined ? [] : [waitingText(waiting, clock, whyLimit)]),
    // In an outage, single requests probe the service.
    ...(throttle.concurrency === undefined || waiting?.giveUpAt !== undefined
      ? []
      : [`Concurrency limited to ${throttle.concurrency}`]),
    ...failure.options.filter((state) => rows[state] > 0).map((state) => `${count(rows[state])} ${state}`),
  ];
}

/** `HTTP 503 · retry in 3 s · gives up at 18:17` */
function waitingText({ why, retryMs, giveUpAt }: Waiting, clock: Clock, whyLimit: number): string {
  const start = capitalised(printable(why, whyLimit));
  const retry = retryMs <= 0 ? 'retrying' : `retry in ${wholeSeconds(retryMs)}`;
  return [start, retry, ...(giveUpAt === undefined ? [] : [`gives up at ${clock(giveUpAt)}`])].join(' · ');
}

/** Without tenths, which would flicker. */
function wholeSeconds(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : humanDuration(seconds * 1000);
}
