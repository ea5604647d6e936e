/** The metrics of a run in the Prometheus text format, for the textfile collector of node_exporter (`--metrics-file`). Pure. */
import { version } from '../lib/version.ts';
import type { RunState } from '../model/run-state.ts';
import { bytesRead } from './run-summary.ts';

const STATES = ['running', 'complete', 'stopped', 'interrupted'] as const;

type Labels = Readonly<Record<string, string | undefined>>;
type Sample = readonly [labels: Labels, value: number];
type Metric = readonly [name: string, type: 'counter' | 'gauge', help: string, readonly Sample[]];

export interface MetricsEnd {
  readonly exitCode: number;
  /** Unix time in seconds. */
  readonly at: number;
}

/**
 * @param upload tells apart the files that one collector reads
 * @param lastSuccess Unix time in seconds of the end of the last run with exit code 0
 */
export function metricsText(
  upload: string,
  runState: RunState,
  lastSuccess: number | undefined,
  end: MetricsEnd | undefined,
): string {
  const lines = metricsOf(runState, lastSuccess, end).flatMap(([name, type, help, samples]) => {
    if (samples.length === 0) return [];
    return [
      `# HELP signals_upload_${name} ${help}`,
      `# TYPE signals_upload_${name} ${type}`,
      ...samples.map(([labels, value]) => `signals_upload_${name}${labelText({ upload, ...labels })} ${value}`),
    ];
  });
  return `${lines.join('\n')}\n`;
}

/** Without samples, a metric is left out. */
function metricsOf(
  runState: RunState,
  lastSuccess: number | undefined,
  end: MetricsEnd | undefined,
): readonly Metric[] {
  const { run, type, variant, startedAt, throttle, rows, batches, service, requests, retries, bytesSent } = runState;
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
    ['requests_total', 'counter', 'Requests.', one(requests)],
    ['retries_total', 'counter', 'Requests that repeated an earlier one.', one(retries)],
    ['sent_bytes_total', 'counter', 'Bytes of request bodies.', one(bytesSent)],
    ['read_bytes_total', 'counter', 'Bytes of the inputs whose rows are accounted for.', one(bytesRead(runState))],
    ['last_success_timestamp_seconds', 'gauge', 'When the last run with exit code 0 ended.', one(lastSuccess)],
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
