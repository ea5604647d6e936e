/**
 * Progress as text: lines with fixed columns for a terminal, or one plain line. For programs: `progressEntry` in
 * report/log-entry.ts. Pure.
 */
import { contracts } from '../contract/index.ts';
import { cutToWidth, displayWidth, printable } from '../lib/printable.ts';
import { capitalised } from '../lib/text.ts';
import { count, humanBytes, humanDuration, plural, UNKNOWN } from '../lib/units.ts';
import type { RunState } from '../model/run-state.ts';
import { bytesRead } from '../report/run-summary.ts';

/** What a display shows. */
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

/** Why nothing is sent, or nothing answered, and until when. Times are in milliseconds. */
export interface Waiting {
  readonly why: string;
  readonly retryMs?: number | undefined;
  /** When the run stops, if this outage lasts so long. */
  readonly giveUpAt?: Date | undefined;
  /** How long there was no answer, and when a request without an answer has failed. */
  readonly sinceMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

const WHY_LIMIT = 120;
const WHY_MIN = 16;
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
    liveStatus(view, columns),
  ].map((text) => cutToWidth(text, columns));
}

/** Of a status that is too wide, the reason is cut, and not when the next try begins. */
function liveStatus(view: ProgressView, columns: number): string {
  const texts = statusTexts(view, localTime).join(' · ');
  const { waiting } = view;
  const over = displayWidth(texts) - columns;
  if (over <= 0 || waiting === undefined) return texts;
  const why = printable(waiting.why, WHY_LIMIT);
  const short = cutToWidth(why, Math.max(WHY_MIN, displayWidth(why) - over));
  return statusTexts({ ...view, waiting: { ...waiting, why: short } }, localTime).join(' · ');
}

/** One line, without its line end. */
export function renderPlain(view: ProgressView): string {
  const [rows, ...others] = counts(view);
  const facts = [
    done(view),
    plural(rows?.[1] ?? 0, 'row'),
    ...others.map(([name, value]) => `${count(value)} ${value === 1 ? name.replace('batches', 'batch') : name}`),
    throughput(view),
    left(view),
  ];
  return [facts.join(', '), ...statusTexts(view, utcTime)].join('. ');
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

/** In a log, whose lines begin with the time in UTC. */
function utcTime(time: Date): string {
  return `${time.toISOString().slice(11, 16)}Z`;
}

function statusTexts(view: ProgressView, clock: Clock): readonly string[] {
  const { waiting, runState } = view;
  const { rows, throttle } = runState;
  return [
    ...(waiting === undefined ? [] : [waitingText(waiting, clock)]),
    // In an outage, single requests probe the service.
    ...(throttle.concurrency === undefined || waiting?.giveUpAt !== undefined
      ? []
      : [`Concurrency limited to ${throttle.concurrency}`]),
    ...(['refused', 'exhausted', 'unknown'] as const)
      .filter((state) => rows[state] > 0)
      .map((state) => `${count(rows[state])} ${state}`),
  ];
}

/** `HTTP 503 · retry in 3 s · gives up at 18:17` */
function waitingText({ why, retryMs = 0, giveUpAt, sinceMs, timeoutMs }: Waiting, clock: Clock): string {
  const text = printable(why, WHY_LIMIT);
  const start = capitalised(text);
  if (sinceMs !== undefined) {
    const until = timeoutMs === undefined ? '' : `; a request fails after ${wholeSeconds(timeoutMs)}`;
    return `${start} for ${wholeSeconds(sinceMs)}${until}`;
  }
  const retry = retryMs <= 0 ? 'retrying' : `retry in ${wholeSeconds(retryMs)}`;
  return [start, retry, ...(giveUpAt === undefined ? [] : [`gives up at ${clock(giveUpAt)}`])].join(' · ');
}

/** Without tenths, which would flicker. */
function wholeSeconds(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : humanDuration(seconds * 1000);
}
