/**
 * Requests and latency over the time of a run: read from events, as the data of the charts that page/index.ts draws, and as
 * tables. Time without a process, between an interruption and a resume, is left out. The memory is bounded: when a run outgrows its
 * buckets, two become one.
 */
import { humanDuration, plural } from '../lib/units.ts';
import type { ThrottleChanged } from '../model/event.ts';
import type { RunReader } from '../model/run-state.ts';
import type { ChartData } from './chart-data.ts';
import { fold, type Html, html, htmlSection, htmlTable, jsonElement, utc } from './html.ts';
import { answerMs } from './metrics.ts';

const BUCKET_LIMIT = 200;
const FIRST_WIDTH_MS = 250;
const MARK_LIMIT = 200;
/** Latencies are counted in steps of 5%. */
const STEP = 1.05;

/** All times in milliseconds since the start of the run, without the time between its sessions. */
export interface TimelineFacts {
  readonly widthMs: number;
  readonly buckets: readonly BucketFacts[];
  readonly marks: readonly Mark[];
  /** Marks beyond the limit. */
  readonly moreMarks: number;
  /** Of the whole run. */
  readonly latency: Latency | undefined;
}

export interface BucketFacts extends Omit<Readonly<Bucket>, 'latencies'> {
  /** Undefined if no answer came. */
  readonly latency: Latency | undefined;
}

/** Of the requests that were answered, accurate to 5%. */
export interface Latency {
  readonly median: number;
  readonly p95: number;
}

/** `throttled`: a pause that the service asked for. `outage`: a pause because it fails. */
export interface Mark {
  readonly kind: 'throttled' | 'outage' | 'slower' | 'resumed';
  readonly at: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Undefined for a moment, and for a pause that had not ended. */
  readonly end?: number | undefined;
  readonly why: string;
}

interface Bucket {
  /** ISO 8601, UTC. */
  readonly time: string;
  delivered: number;
  throttled: number;
  failed: number;
  /** Rows delivered. */
  rows: number;
  /** Requests by the step of their latency. */
  readonly latencies: Map<number, number>;
}

type Draft = { -readonly [K in keyof Mark]: Mark[K] };

export class Timeline {
  #widthMs = FIRST_WIDTH_MS;
  #buckets: (Bucket | undefined)[] = [];
  readonly #marks: Draft[] = [];
  #moreMarks = 0;
  /** The pause in effect. */
  #pause: Draft | undefined;
  readonly #all = new Map<number, number>();
  /** The limit of concurrent requests. */
  #concurrency = Number.POSITIVE_INFINITY;
  #sessionStart = 0;
  #before = 0;
  #last = 0;

  readonly on: RunReader = (event, _runState, changes) => {
    if (!('time' in event)) return;
    const time = Date.parse(event.time);
    if (event.event === 'run.started' || event.event === 'run.resumed') this.#startSession(event, time);
    const at = Math.max(this.#last, this.#before + time - this.#sessionStart);
    this.#last = at;
    switch (event.event) {
      case 'attempt.failed': {
        const bucket = this.#bucketAt(at, event.time);
        if (event.next === 'wait') bucket.throttled += 1;
        else bucket.failed += 1;
        // The throttle changes before the failure that changed it is recorded.
        if (event.next === 'wait' && this.#pause !== undefined) this.#pause.kind = 'throttled';
        this.#count(bucket, answerMs(event, changes));
        return;
      }
      case 'batch.settled': {
        if (event.outcome !== 'delivered') return;
        const bucket = this.#bucketAt(at, event.time);
        bucket.delivered += 1;
        for (const { batch } of changes) bucket.rows += batch.records;
        this.#count(bucket, answerMs(event, changes));
        return;
      }
      case 'throttle.changed':
        this.#throttle(event, at);
        return;
      default:
    }
  };

  facts(): TimelineFacts {
    return {
      widthMs: this.#widthMs,
      buckets: Array.from(this.#buckets, (bucket, index): BucketFacts => {
        const { latencies, ...counts } = bucket ?? emptyBucket(this.#timeBefore(index));
        return { ...counts, latency: latencyOf(latencies) };
      }),
      marks: this.#marks,
      moreMarks: this.#moreMarks,
      latency: latencyOf(this.#all),
    };
  }

  #startSession({ event, time }: { readonly event: string; readonly time: string }, startedAt: number): void {
    this.#before = this.#last;
    this.#sessionStart = startedAt;
    this.#endPause(this.#last);
    if (event === 'run.resumed') this.#mark({ kind: 'resumed', at: this.#last, time, why: 'the run was resumed' });
  }

  #throttle(change: ThrottleChanged, at: number): void {
    const { state, time, why = '', concurrency = Number.POSITIVE_INFINITY } = change;
    if (state === 'open') this.#endPause(at);
    else if (state === 'paused') this.#pause ??= this.#mark({ kind: 'outage', at, time, why });
    else {
      if (concurrency < this.#concurrency) {
        this.#mark({ kind: 'slower', at, time, why: `maximum ${plural(concurrency, 'concurrent request')}: ${why}` });
      }
      this.#concurrency = concurrency;
    }
  }

  #endPause(at: number): void {
    if (this.#pause !== undefined) this.#pause.end = at;
    this.#pause = undefined;
  }

  #mark(mark: Mark): Draft {
    const draft = { ...mark };
    if (this.#marks.length < MARK_LIMIT) this.#marks.push(draft);
    else this.#moreMarks += 1;
    return draft;
  }

  #bucketAt(at: number, time: string): Bucket {
    while (at >= this.#widthMs * BUCKET_LIMIT) this.#halve();
    const index = Math.floor(at / this.#widthMs);
    const bucket = this.#buckets[index] ?? emptyBucket(time);
    this.#buckets[index] = bucket;
    return bucket;
  }

  #halve(): void {
    this.#widthMs *= 2;
    const halved: (Bucket | undefined)[] = [];
    for (const [index, bucket] of this.#buckets.entries()) {
      const into = halved[index >> 1];
      if (bucket === undefined) continue;
      if (into === undefined) halved[index >> 1] = bucket;
      else merge(into, bucket);
    }
    this.#buckets = halved;
  }

  #count({ latencies }: Bucket, ms: number | undefined): void {
    if (ms === undefined) return;
    const step = Math.round(Math.log(Math.max(1, ms)) / Math.log(STEP));
    add(latencies, step, 1);
    add(this.#all, step, 1);
  }

  /** The time of an empty bucket, by the last one before it that is not empty. */
  #timeBefore(index: number): string {
    const before = this.#buckets.findLastIndex((bucket, at) => at < index && bucket !== undefined);
    const from = this.#buckets[before]?.time;
    const ms = from === undefined ? this.#sessionStart : Date.parse(from) + (index - before) * this.#widthMs;
    return new Date(ms).toISOString();
  }
}

function emptyBucket(time: string): Bucket {
  return { time, delivered: 0, throttled: 0, failed: 0, rows: 0, latencies: new Map() };
}

function merge(into: Bucket, from: Bucket): void {
  into.delivered += from.delivered;
  into.throttled += from.throttled;
  into.failed += from.failed;
  into.rows += from.rows;
  for (const [step, requests] of from.latencies) add(into.latencies, step, requests);
}

function add(counts: Map<number, number>, key: number, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function latencyOf(latencies: ReadonlyMap<number, number>): Latency | undefined {
  const sorted = [...latencies].sort(([one], [other]) => one - other);
  const total = sorted.reduce((sum, [, requests]) => sum + requests, 0);
  if (total === 0) return undefined;
  const at = (share: number): number => {
    let left = total * share;
    for (const [step, requests] of sorted) {
      left -= requests;
      if (left <= 0) return Math.round(STEP ** step);
    }
    return 0;
  };
  return { median: at(0.5), p95: at(0.95) };
}

const KINDS: Readonly<Record<Mark['kind'], string>> = {
  throttled: 'T: throttled',
  outage: 'O: outage',
  slower: 'S: slowed',
  resumed: 'R: resumed',
};

export function timeSection(timeline: TimelineFacts): Html | undefined {
  const { buckets, marks, latency, widthMs } = timeline;
  if (buckets.length === 0) return undefined;
  const start = buckets[0]?.time ?? '';
  const answered =
    latency === undefined
      ? html`<p>No request was answered.</p>`
      : html`<p>Half of the answers came within ${humanMs(latency.median)}, 95% within ${humanMs(latency.p95)}.</p>
`;
  return htmlSection(
    'time',
    'Requests over time',
    answered,
    ...charts(timeline, start),
    marks.length === 0 ? undefined : markTable(timeline),
    fold(`The figures of the charts as a table (steps of ${humanMs(widthMs)})`, figures(timeline)),
  );
}

function charts(timeline: TimelineFacts, start: string): readonly Html[] {
  if (timeline.buckets.length < 2) return [html`<p class="soft">The run was too short for a chart.</p>\n`];
  const from = `Horizontal axis: time since ${utc(start)} UTC.${legend(timeline)}`;
  return [
    html`<p class="soft" data-without-script>The charts need JavaScript. The tables have the same figures.</p>
`,
    chart('requests', 'Requests per second', `by their result. ${from}`),
    chart('latency', 'Latency', `of answered requests: median and 95th percentile. ${from}`),
    jsonElement('chart-data', chartData(timeline)),
  ];
}

/** What the letters in the charts mean. */
function legend({ marks }: TimelineFacts): string {
  const kinds = [...new Set(marks.map(({ kind }) => KINDS[kind]))];
  return kinds.length === 0 ? '' : ` Marks: ${kinds.join(', ')}.`;
}

function chart(id: string, name: string, about: string): Html {
  return html`<figure>
<figcaption><b>${name}</b> ${about}</figcaption>
<div data-chart="${id}" role="img" aria-label="${name}: chart. The table below has the figures."></div>
</figure>
`;
}

function chartData({ buckets, marks, widthMs }: TimelineFacts): ChartData {
  const perSecond = (requests: number): number => Number(((requests * 1000) / widthMs).toPrecision(4));
  const seconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1000);
  // The line of the last step needs an end.
  const last = { delivered: 0, throttled: 0, failed: 0, latency: undefined };
  const points = [...buckets, last];
  return {
    seconds: points.map((_point, index) => (index * widthMs) / 1000),
    delivered: points.map(({ delivered }) => perSecond(delivered)),
    throttled: points.map(({ throttled }) => perSecond(throttled)),
    failed: points.map(({ failed }) => perSecond(failed)),
    median: points.map(({ latency }) => seconds(latency?.median)),
    p95: points.map(({ latency }) => seconds(latency?.p95)),
    marks: marks.map(({ kind, at, end }) => ({
      kind,
      from: at / 1000,
      to: end === undefined ? undefined : end / 1000,
    })),
  };
}

function markTable({ marks, moreMarks }: TimelineFacts): Html {
  const rows = marks.map(({ kind, time, at, end, why }) => [
    utc(time),
    KINDS[kind],
    end === undefined ? '' : humanDuration(end - at),
    why,
  ]);
  const more = moreMarks === 0 ? undefined : html`<p class="soft">and ${plural(moreMarks, 'more mark')}</p>\n`;
  const columns = { 'Time (UTC)': 'time', Mark: 'name', For: 'number', Why: 'wide' } as const;
  return html`${htmlTable('Marks in the charts: pauses, outages and resumes', columns, rows, 'tall')}${more}`;
}

function figures({ buckets }: TimelineFacts): Html {
  const rows = buckets.map(({ time, delivered, throttled, failed, rows: sent, latency }) => [
    utc(time),
    delivered,
    throttled,
    failed,
    sent,
    latency === undefined ? '' : humanMs(latency.median),
    latency === undefined ? '' : humanMs(latency.p95),
  ]);
  const columns = {
    'From (UTC)': 'time',
    Delivered: 'number',
    Throttled: 'number',
    Failed: 'number',
    'Rows delivered': 'number',
    'Median latency': 'number',
    '95th percentile': 'number',
  } as const;
  return htmlTable('Requests by their result, and latency', columns, rows, 'tall');
}

/** `12 ms`, `1.5 s` */
function humanMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : humanDuration(ms);
}
