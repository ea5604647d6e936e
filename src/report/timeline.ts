/**
 * How fast a run delivered and when it waited, from its events, and the chart of it. Time without a process, between an
 * interruption and a resume, is left out. The memory is bounded: when a run outgrows its steps, two become one. The chart shows
 * rows per second, waits and outages shaded, requests in flight: an SVG without a script and without a fixed width, in which lines
 * are stretched, and texts are not. Pure.
 */
import { type Html, html, htmlSection } from '../lib/page.ts';
import { count, humanDuration, plural } from '../lib/units.ts';
import type { RunReader, ThrottleState } from '../model/run-state.ts';
import { answerMs } from './metrics.ts';

const STEP_LIMIT = 200;
const FIRST_STEP_MS = 20;
/** Different reasons of waits. */
const WAIT_LIMIT = 20;
/** Latencies are counted in steps of 5%. */
const LATENCY_STEP = 1.05;

export interface TimelineFacts {
  readonly stepMs: number;
  readonly steps: readonly Readonly<Step>[];
  /** When the run was resumed: milliseconds since its start. */
  readonly resumedAt: readonly number[];
  readonly totalMs: number;
  /** Why nothing was sent, and how long: the longest first. */
  readonly waits: readonly (readonly [why: string, ms: number])[];
  readonly latency: Latency | undefined;
}

/** Of the requests that were answered, in milliseconds, accurate to 5%. */
export interface Latency {
  readonly median: number;
  readonly p95: number;
}

export interface Step {
  /** Rows delivered. */
  rows: number;
  /** In which nothing was sent because the service failed, and because it asked for that. */
  outageMs: number;
  askedMs: number;
  /** The sum of the times that requests were in flight. */
  inFlightMs: number;
}

export class Timeline {
  #stepMs = FIRST_STEP_MS;
  #steps: Step[] = [];
  readonly #resumedAt: number[] = [];
  readonly #latencies = new Map<number, number>();
  #throttle: ThrottleState = { paused: false, outage: false };
  #inFlight = 0;
  readonly #waits = new Map<string, number>();
  #sessionStart = 0;
  #before = 0;
  #last = 0;

  readonly on: RunReader = (event, { throttle }, changes) => {
    if (!('time' in event)) return;
    const time = Date.parse(event.time);
    if (event.event === 'run.started' || event.event === 'run.resumed') {
      this.#before = this.#last;
      this.#sessionStart = time;
      this.#inFlight = 0;
      if (event.event === 'run.resumed') this.#resumedAt.push(this.#last);
    }
    this.#advance(Math.max(this.#last, this.#before + time - this.#sessionStart));
    this.#throttle = { ...throttle, why: throttle.why ?? this.#throttle.why };
    if (event.event === 'attempt.started') this.#inFlight += 1;
    if (event.event === 'attempt.failed') this.#endAttempt();
    if (event.event === 'batch.settled' && event.outcome === 'delivered') {
      this.#endAttempt();
      for (const { batch } of changes) this.#stepAt(this.#last).rows += batch.records;
    }
    const ms = answerMs(event, changes);
    if (ms !== undefined) this.#countLatency(ms);
  };

  facts(): TimelineFacts {
    return {
      stepMs: this.#stepMs,
      steps: this.#steps,
      resumedAt: this.#resumedAt,
      totalMs: this.#last,
      waits: [...this.#waits].sort(([, one], [, other]) => other - one),
      latency: latencyOf(this.#latencies),
    };
  }

  /** The attempts of a process that was killed do not count. */
  #endAttempt(): void {
    this.#inFlight = Math.max(0, this.#inFlight - 1);
  }

  /** Counts the time since the last event as what it was spent on. */
  #advance(to: number): void {
    const { paused, outage, why = 'sending was paused' } = this.#throttle;
    const kind = outage ? 'outageMs' : paused ? 'askedMs' : undefined;
    const reason = outage ? `the service was unavailable (${why})` : why;
    if (kind !== undefined && (this.#waits.has(reason) || this.#waits.size < WAIT_LIMIT))
      this.#waits.set(reason, (this.#waits.get(reason) ?? 0) + to - this.#last);
    // The last step first: it may make the steps longer.
    this.#stepAt(to);
    for (let at = this.#last; at < to; ) {
      const end = Math.min(to, (Math.floor(at / this.#stepMs) + 1) * this.#stepMs);
      const step = this.#stepAt(at);
      if (kind !== undefined) step[kind] += end - at;
      step.inFlightMs += this.#inFlight * (end - at);
      at = end;
    }
    this.#last = to;
  }

  #stepAt(at: number): Step {
    while (at >= this.#stepMs * STEP_LIMIT) {
      this.#stepMs *= 2;
      this.#steps = mergeSteps(this.#steps, 2);
    }
    const index = Math.floor(at / this.#stepMs);
    while (this.#steps.length <= index) this.#steps.push(emptyStep());
    return this.#steps[index] ?? emptyStep();
  }

  #countLatency(ms: number): void {
    const step = Math.round(Math.log(Math.max(1, ms)) / Math.log(LATENCY_STEP));
    this.#latencies.set(step, (this.#latencies.get(step) ?? 0) + 1);
  }
}

function emptyStep(): Step {
  return { rows: 0, outageMs: 0, askedMs: 0, inFlightMs: 0 };
}

/** Each `by` steps become one. */
export function mergeSteps(steps: readonly Readonly<Step>[], by: number): Step[] {
  return Array.from({ length: Math.ceil(steps.length / by) }, (_, index) => {
    const merged = emptyStep();
    for (const step of steps.slice(index * by, (index + 1) * by)) {
      merged.rows += step.rows;
      merged.outageMs += step.outageMs;
      merged.askedMs += step.askedMs;
      merged.inFlightMs += step.inFlightMs;
    }
    return merged;
  });
}

function latencyOf(latencies: ReadonlyMap<number, number>): Latency | undefined {
  const sorted = [...latencies].sort(([one], [other]) => one - other);
  const total = sorted.reduce((sum, [, requests]) => sum + requests, 0);
  if (total === 0) return undefined;
  const at = (share: number): number => {
    let left = total * share;
    for (const [step, requests] of sorted) {
      left -= requests;
      if (left <= 0) return Math.round(LATENCY_STEP ** step);
    }
    return 0;
  };
  return { median: at(0.5), p95: at(0.95) };
}

/** With fewer requests, a chart shows chance. */
const MIN_REQUESTS = 20;
const MAX_POINTS = 100;
const MIN_POINTS = 20;
const REQUESTS_PER_POINT = 2;

/** In pixels. */
const TOP = 20;
const HEIGHT = 160;
const BOTTOM = 24;

/** Undefined if there are too few requests. */
export function timeSection(timeline: TimelineFacts, requests: number): Html | undefined {
  if (requests < MIN_REQUESTS || timeline.totalMs === 0) return undefined;
  return htmlSection(
    'time',
    'Why it took this long',
    html`<p>${explanation(timeline)}</p>\n`,
    chart(timeline, requests),
  );
}

const WAITS_SHOWN = 3;

function explanation({ totalMs, waits, latency }: TimelineFacts): string {
  const waitedMs = waits.reduce((sum, [, ms]) => sum + ms, 0);
  const shown = waits
    .slice(0, WAITS_SHOWN)
    .map(([why, ms]) => (waits.length === 1 ? why : `${why} ${humanDuration(ms)}`));
  const waited =
    waitedMs < totalMs / 100
      ? ''
      : ` Of ${humanDuration(totalMs)}, waits took ${humanDuration(waitedMs)}: ${shown.join(', ')}.`;
  const answered =
    latency === undefined
      ? 'No request was answered.'
      : ` Half of the answers came within ${shortTime(latency.median)}, 95% within ${shortTime(latency.p95)}.`;
  return `${answered}${waited}`.trim();
}

function chart({ steps, stepMs, totalMs, resumedAt }: TimelineFacts, requests: number): Html {
  const points = Math.min(MAX_POINTS, Math.max(MIN_POINTS, Math.round(requests / REQUESTS_PER_POINT)));
  const by = Math.max(1, Math.ceil(steps.length / points));
  const merged = mergeSteps(steps, by);
  const pointMs = stepMs * by;
  const rates = merged.map(({ rows }) => (rows * 1000) / pointMs);
  const [rateStep, rateTop] = scale(Math.max(4, ...rates));
  const inFlight = merged.map(({ inFlightMs }) => inFlightMs / pointMs);
  const mostInFlight = Math.max(1, Math.round(Math.max(...inFlight)));
  const at = (ms: number): string => `${((ms / totalMs) * 100).toFixed(2)}%`;
  const lines = Array.from({ length: Math.round(rateTop / rateStep) }, (_, index) => {
    const rate = (index + 1) * rateStep;
    const y = TOP + HEIGHT * (1 - rate / rateTop);
    return html`<line class="grid" x2="100%" y1="${y}" y2="${y}"/><text y="${y - 4}">${count(rate)}${rate === rateTop ? ' rows per second' : ''}</text>`;
  });
  const waits = (['outageMs', 'askedMs'] as const).flatMap((kind) =>
    stretches(merged, (step) => step[kind] > pointMs / 4).map(([from, to]) => {
      const width = at(Math.min(totalMs, to * pointMs) - from * pointMs);
      return html`<rect class="${kind === 'outageMs' ? 'outage' : 'wait'}" x="${at(from * pointMs)}" y="${TOP}" width="${width}" height="${HEIGHT}"/>`;
    }),
  );
  const viewWidth = totalMs / pointMs;
  const drawing = html`<svg y="${TOP}" width="100%" height="${HEIGHT}" viewBox="0 0 ${viewWidth.toFixed(3)} 1" preserveAspectRatio="none"><path class="rate" d="${steppedPath(rates.map((rate) => rate / rateTop))}V1H0Z"/><path class="in-flight" d="${steppedPath(inFlight.map((requests) => Math.min(1, requests / mostInFlight)))}"/></svg>`;
  const label = `Rows per second over ${humanDuration(totalMs)}, with waits, outages and requests in flight`;
  return html`<figure>
<svg class="chart" height="${TOP + HEIGHT + BOTTOM}" role="img" aria-label="${label}">
${waits}${drawing}${lines}<text class="in-flight-label" x="100%" y="${TOP - 4}">${plural(mostInFlight, 'request')} at a time</text>
<line class="axis" x2="100%" y1="${TOP + HEIGHT}" y2="${TOP + HEIGHT}"/>${timeAxis(totalMs, at)}${resumedAt.map((ms) => html`<line class="resumed" x1="${at(ms)}" x2="${at(ms)}" y1="${TOP}" y2="${TOP + HEIGHT}"/>`)}
</svg>
<figcaption>${legend(merged, pointMs, resumedAt)}</figcaption>
</figure>
`;
}

function legend(steps: readonly Step[], pointMs: number, resumedAt: readonly number[]): readonly Html[] {
  const entries: readonly (readonly [string, string, boolean])[] = [
    ['rate', 'rows per second', true],
    ['in-flight', 'requests in flight', true],
    ['outage', 'outage', steps.some(({ outageMs }) => outageMs > pointMs / 4)],
    ['wait', 'wait that the service asked for', steps.some(({ askedMs }) => askedMs > pointMs / 4)],
    ['resumed', 'resumed', resumedAt.length > 0],
  ];
  return entries
    .filter(([, , isThere]) => isThere)
    .map(
      ([name, text]) =>
        html`<span class="key"><svg class="swatch" aria-hidden="true"><rect class="${name}" width="100%" height="100%"/></svg>${text}</span>\n`,
    );
}

function timeAxis(totalMs: number, at: (ms: number) => string): readonly Html[] {
  const step = TIME_STEPS.find((each) => totalMs / each <= 5) ?? Math.ceil(totalMs / 5 / DAY) * DAY;
  const ticks = Array.from({ length: Math.floor(totalMs / step) + 1 }, (_, index) => index * step);
  // A text at the end would be cut.
  return ticks
    .filter((ms) => ms <= totalMs * 0.93)
    .map(
      (ms) =>
        html`<text class="${ms === 0 ? 'first' : 'tick'}" x="${at(ms)}" y="${TOP + HEIGHT + 17}">${ms === 0 ? '0' : shortTime(ms)}</text>`,
    );
}

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const TIME_STEPS = [
  ...[20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 240, 360, 720, 1440].map((minutes) => minutes * MINUTE),
];

/** Step and end of an axis up to a maximum: two to five steps of 1, 2 or 5. */
function scale(max: number): readonly [step: number, top: number] {
  const unit = 10 ** Math.floor(Math.log10(max));
  const step = [0.2, 0.5, 1, 2].map((factor) => factor * unit).find((each) => max / each <= 4) ?? unit * 2.5;
  return [step, Math.ceil(max / step) * step];
}

/** From the first to the last step for which it holds, without the end. */
function stretches(steps: readonly Step[], holds: (step: Step) => boolean): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const [index, step] of steps.entries()) {
    const last = found.at(-1);
    if (!holds(step)) continue;
    if (last !== undefined && last[1] === index) last[1] = index + 1;
    else found.push([index, index + 1]);
  }
  return found;
}

/** One step to the right for each share of the height. */
function steppedPath(shares: readonly number[]): string {
  return `M0 1${shares.map((share, index) => `V${(1 - share).toFixed(4)}H${index + 1}`).join('')}`;
}

/** `60 ms`, `1.5 s`, `2 min`. */
function shortTime(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 10_000 && ms % 1000 === 0 ? `${ms / 1000} s` : humanDuration(ms);
}
