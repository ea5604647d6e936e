/**
 * The metrics of a run in the Prometheus text format, for the textfile collector of node_exporter (`--metrics-file`). Reads
 * events. Requests are those of this process; rows and batches those of the whole run. Pure.
 */
import { version } from '../lib/version.ts';
import type { RunEvent } from '../model/event.ts';
import type { BatchChange, RunReader, RunState } from '../model/run-state.ts';
import { bytesRead } from './run-summary.ts';

/** Upper bounds of the latency histogram, in seconds. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

const STATES = ['running', 'complete', 'stopped', 'interrupted'] as const;

type Labels = Readonly<Record<string, string | undefined>>;
type Sample = readonly [labels: Labels, value: number, suffix?: '_bucket' | '_sum' | '_count'];
type Metric = readonly [name: string, type: 'counter' | 'gauge' | 'histogram', help: string, readonly Sample[]];

export interface MetricsEnd {
  readonly exitCode: number;
  /** Unix time in seconds. */
  readonly at: number;
}

export class RunMetrics {
  readonly #upload: string;
  #runState: RunState | undefined;
  readonly #requests = new Map<string, number>();
  /** Answered requests by bucket; the last one has no upper bound. */
  readonly #latencies: number[] = [...BUCKETS.map(() => 0), 0];
  #latencySum = 0;

  /** @param upload tells apart the files that one collector reads */
  constructor(upload: string) {
    this.#upload = upload;
  }

  readonly on: RunReader = (event, runState, changes) => {
    this.#runState = runState;
    const ms = answerMs(event, changes);
    if (event.event === 'attempt.failed' || (event.event === 'batch.settled' && ms !== undefined)) {
      const name = String(event.status ?? 'none');
      this.#requests.set(name, (this.#requests.get(name) ?? 0) + 1);
    }
    if (ms !== undefined) this.#count(ms / 1000);
  };

  #count(seconds: number): void {
    const found = BUCKETS.findIndex((bound) => seconds <= bound);
    const index = found < 0 ? BUCKETS.length : found;
    this.#latencies[index] = (this.#latencies[index] ?? 0) + 1;
    this.#latencySum += seconds;
  }

  /**
   * The text of the file; undefined before the first event.
   *
   * @param lastSuccess Unix time in seconds of the end of the last run with exit code 0
   */
  text(lastSuccess: number | undefined, end: MetricsEnd | undefined): string | undefined {
    if (this.#runState === undefined) return undefined;
    const byStatus = [...this.#requests].map(([status, requests]): Sample => [{ status }, requests]);
    const success: readonly Sample[] = lastSuccess === undefined ? [] : [[{}, lastSuccess]];
    const all: readonly Metric[] = [
      ...metricsOf(this.#runState, end),
      ['requests_total', 'counter', 'Requests by HTTP status; none if no answer came.', byStatus],
      ['request_duration_seconds', 'histogram', 'Time until a request was answered.', this.#histogram()],
      ['last_success_timestamp_seconds', 'gauge', 'When the last run with exit code 0 ended.', success],
    ];
    const lines = all.flatMap(([name, type, help, samples]) => {
      if (samples.length === 0) return [];
      return [
        `# HELP signals_upload_${name} ${help}`,
        `# TYPE signals_upload_${name} ${type}`,
        ...samples.map(([labels, value, suffix = '']) => {
          return `signals_upload_${name}${suffix}${labelText({ upload: this.#upload, ...labels })} ${value}`;
        }),
      ];
    });
    return `${lines.join('\n')}\n`;
  }

  #histogram(): readonly Sample[] {
    let total = 0;
    const buckets = this.#latencies.map((requests, index): Sample => {
      total += requests;
      return [{ le: String(BUCKETS[index] ?? '+Inf') }, total, '_bucket'];
    });
    return [...buckets, [{}, Math.round(this.#latencySum * 1000) / 1000, '_sum'], [{}, total, '_count']];
  }
}

/** Of a run. Without samples, a metric is left out. */
function metricsOf(runState: RunState, end: MetricsEnd | undefined): readonly Metric[] {
  const { run, type, variant, startedAt, throttle, rows, batches, service, retries, bytesSent } = runState;
  const { read, ...rowStates } = rows;
  const { sealed, ...batchStates } = batches;
  const state = end === undefined ? 'running' : runState.state;
  const one = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [[{}, value]]);
  const byLabel = (label: string, counts: Readonly<Record<string, number>>): readonly Sample[] =>
    Object.entries(counts).map(([name, value]) => [{ [label]: name }, value]);
  const states = STATES.map((each): Sample => [{ state: each }, each === state ? 1 : 0]);
  return [
    ['info', 'gauge', 'The run.', [[{ run, type, variant, version }, 1]]],
    ['state', 'gauge', 'The state of the run: 1 for the current one.', states],
    ['paused', 'gauge', 'Whether all sending is paused.', one(throttle.paused ? 1 : 0)],
    ['start_timestamp_seconds', 'gauge', 'When the run started.', one(Date.parse(startedAt) / 1000)],
    ['end_timestamp_seconds', 'gauge', 'When the run ended.', one(end?.at)],
    ['exit_code', 'gauge', 'The exit code of the run.', one(end?.exitCode)],
    ['rows', 'gauge', 'Rows by state.', byLabel('state', rowStates)],
    ['rows_read_total', 'counter', 'Rows read.', one(read)],
    ['batches', 'gauge', 'Batches by state.', byLabel('state', batchStates)],
    ['batches_sealed_total', 'counter', 'Batches made.', one(sealed)],
    ['service_records', 'gauge', 'Records by what the service counted.', byLabel('result', { ...service })],
    ['retries_total', 'counter', 'Requests that repeated an earlier one.', one(retries)],
    ['sent_bytes_total', 'counter', 'Bytes of request bodies.', one(bytesSent)],
    ['read_bytes_total', 'counter', 'Bytes of the inputs whose rows are accounted for.', one(bytesRead(runState))],
  ];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`],
  );
  return `{${pairs.join(',')}}`;
}

/** When the last run with exit code 0 ended, as an earlier file says: Unix time in seconds. */
export function readLastSuccess(text: string): number | undefined {
  const value = /^signals_upload_last_success_timestamp_seconds\{.*\} ([\d.]+)$/m.exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

/** In milliseconds. Undefined if the event is not about an answer. */
export function answerMs(event: RunEvent, [change]: readonly BatchChange[]): number | undefined {
  if (event.event === 'attempt.failed') return event.status === undefined ? undefined : event.ms;
  const sentAt = event.event === 'batch.settled' && event.outcome === 'delivered' ? change?.batch.sentAt : undefined;
  return sentAt === undefined || !('time' in event) ? undefined : Date.parse(event.time) - Date.parse(sentAt);
}
