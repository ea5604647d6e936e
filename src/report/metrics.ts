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
    const runState = this.#runState;
    if (runState === undefined) return undefined;
    const lines: string[] = [];
    const add = (
      name: string,
      type: 'counter' | 'gauge' | 'histogram',
      help: string,
      samples: readonly Sample[],
    ): void => {
      if (samples.length === 0) return;
      lines.push(`# HELP signals_upload_${name} ${help}`, `# TYPE signals_upload_${name} ${type}`);
      for (const [labels, value, suffix = ''] of samples) {
        lines.push(`signals_upload_${name}${suffix}${labelText({ upload: this.#upload, ...labels })} ${value}`);
      }
    };
    this.#addRun(add, runState, end);
    addCounts(add, runState);
    const byStatus = [...this.#requests].map(([status, requests]): Sample => [{ status }, requests]);
    add('requests_total', 'counter', 'Requests by HTTP status; none if no answer came.', byStatus);
    add('request_duration_seconds', 'histogram', 'Time until a request was answered.', this.#histogram());
    if (lastSuccess !== undefined) {
      add('last_success_timestamp_seconds', 'gauge', 'When the last run with exit code 0 ended.', [[{}, lastSuccess]]);
    }
    return `${lines.join('\n')}\n`;
  }

  #addRun(add: Add, { run, type, variant, startedAt, state, throttle }: RunState, end: MetricsEnd | undefined): void {
    add('info', 'gauge', 'The run.', [[{ run, type, variant, version }, 1]]);
    const current = end === undefined ? 'running' : state;
    add('state', 'gauge', 'The state of the run: 1 for the current one.', [
      ...STATES.map((each): Sample => [{ state: each }, each === current ? 1 : 0]),
    ]);
    add('paused', 'gauge', 'Whether all sending is paused.', [[{}, throttle.paused ? 1 : 0]]);
    add('start_timestamp_seconds', 'gauge', 'When the run started.', [[{}, Date.parse(startedAt) / 1000]]);
    if (end === undefined) return;
    add('end_timestamp_seconds', 'gauge', 'When the run ended.', [[{}, end.at]]);
    add('exit_code', 'gauge', 'The exit code of the run.', [[{}, end.exitCode]]);
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

type Add = (name: string, type: 'counter' | 'gauge' | 'histogram', help: string, samples: readonly Sample[]) => void;

function addCounts(add: Add, runState: RunState): void {
  const { rows, batches, service, retries, bytesSent } = runState;
  const { read, ...rowStates } = rows;
  const { sealed, ...batchStates } = batches;
  const byLabel = (label: string, counts: Readonly<Record<string, number>>): readonly Sample[] =>
    Object.entries(counts).map(([name, value]) => [{ [label]: name }, value]);
  add('rows', 'gauge', 'Rows by state.', byLabel('state', rowStates));
  add('rows_read_total', 'counter', 'Rows read.', [[{}, read]]);
  add('batches', 'gauge', 'Batches by state.', byLabel('state', batchStates));
  add('batches_sealed_total', 'counter', 'Batches made.', [[{}, sealed]]);
  add('service_records', 'gauge', 'Records by what the service counted.', byLabel('result', { ...service }));
  add('retries_total', 'counter', 'Requests that repeated an earlier one.', [[{}, retries]]);
  add('sent_bytes_total', 'counter', 'Bytes of request bodies.', [[{}, bytesSent]]);
  add('read_bytes_total', 'counter', 'Bytes of the inputs whose rows are accounted for.', [[{}, bytesRead(runState)]]);
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
