/**
 * The targets of this program, and whether it reaches them. Each figure is a median of ratios within rounds, or a median.
 * A figure of a series that was not run is "not measured".
 */
import { good, median, ratio } from './rounds.mjs';

const PLAIN = 'upload';
const TRANSFORMS = 'upload, transforms';
const SCRIPTS = ['python, threads', 'python, processes'];
const MEGABYTE = 1e6;
const LATENCIES = [20, 100];

/**
 * @typedef {object} Goal one cell of the table
 * @property {number} limit
 * @property {number} value not a number where it was not measured
 *
 * @typedef {object} Target one line of the table
 * @property {string} figure
 * @property {'least' | 'most'} kind whether the limit is the least or the most that is allowed
 * @property {(value: number) => string} show
 * @property {Goal | undefined} plain
 * @property {Goal | undefined} transforms
 * @property {boolean} [ambition] beyond what must be reached
 */

const times = (value) => `${value.toFixed(2)} x`;
const percent = (value) => `${(value * 100).toFixed(1)}%`;
const seconds = (value) => `${value.toFixed(2)} s`;
const megabytes = (value) => `${value.toFixed(0)} MB`;

/**
 * The table of targets.
 * @param {Readonly<Record<string, import('./series.mjs').Cell[]>>} results by name of the series; some may be missing
 * @returns {Target[]}
 */
export function judge(results) {
  const csv = results.csv?.[0];
  const ndjson = results.ndjson?.[0];
  const check = results.check?.[0];
  const rows = rowsText(csv);
  const both = (plain, transforms, value) => ({
    plain: { limit: plain, value: value(PLAIN) },
    transforms: { limit: transforms, value: value(TRANSFORMS) },
  });
  const faster = (peer, names, plain, transforms) => ({
    figure: `CSV${rows}, times as fast as ${peer}`,
    kind: 'least',
    show: times,
    // Against the best of them: the smallest ratio.
    ...both(plain, transforms, (name) => least(names.map((one) => ratio(csv?.runs.get(one), csv?.runs.get(name))))),
  });
  const start = (name) => ({
    figure: `${name}, time against node -e 0`,
    kind: 'most',
    show: times,
    plain: {
      limit: 1.5,
      value: ratio(results.start?.[0]?.runs.get(name), results.start?.[0]?.runs.get('node -e 0')),
    },
    transforms: undefined,
  });
  const bareShare = (name) => ratio(csv?.runs.get('bare loop'), csv?.runs.get(name));
  const cpu = (name) => perMillion(csv, name);
  return [
    faster('mixpanel-import', ['mixpanel-import'], 6, 3),
    faster('helpers.bulk', ['helpers.bulk'], 7, 4),
    faster('the faster Python script', SCRIPTS, 5, 2.5),
    faster('mlr, awk and curl', ['mlr, awk, curl'], 5, 2.5),
    {
      figure: `NDJSON${rowsText(ndjson)}, times as fast as helpers.bulk on raw lines`,
      kind: 'least',
      show: times,
      plain: {
        limit: 3,
        value: ratio(ndjson?.runs.get('helpers.bulk, raw lines'), ndjson?.runs.get('upload ndjson')),
      },
      transforms: undefined,
    },
    ...latencyGoals(results.latency ?? [], both),
    {
      figure: `CSV${rows}, processor seconds for a million records`,
      kind: 'most',
      show: seconds,
      ...both(3, 4, cpu),
    },
    ...memoryGoals(results.size ?? [], both),
    {
      figure: '10,000 rows from start to exit, time against the faster Python script',
      kind: 'most',
      show: times,
      plain: { limit: 1.5, value: most(SCRIPTS.map((one) => ratio(...startPair(results, one)))) },
      transforms: undefined,
    },
    start('signals --help'),
    start('signals --version'),
    {
      figure: `check${rowsText(check)}, time against upload`,
      kind: 'most',
      show: times,
      plain: { limit: 1, value: ratio(check?.runs.get('check'), check?.runs.get('upload')) },
      transforms: undefined,
    },
    {
      figure: `CSV${rows}, distinct values, time against repeated ones`,
      kind: 'most',
      show: times,
      plain: { limit: 1.3, value: ratio(csv?.runs.get('upload, distinct values'), csv?.runs.get(PLAIN)) },
      transforms: undefined,
    },
    {
      figure: `CSV${rows}, reference engine, speed against a plain composition of its libraries`,
      kind: 'least',
      show: times,
      plain: { limit: 0.9, value: ratio(csv?.runs.get('plain composition'), csv?.runs.get('upload, reference')) },
      transforms: undefined,
    },
    { ...faster('mixpanel-import', ['mixpanel-import'], 10, 10), transforms: undefined, ambition: true },
    {
      figure: `CSV${rows}, share of the bare loop`,
      kind: 'least',
      show: percent,
      plain: { limit: 0.6, value: bareShare(PLAIN) },
      transforms: undefined,
      ambition: true,
    },
    {
      figure: `CSV${rows}, processor seconds for a million records`,
      kind: 'most',
      show: seconds,
      plain: { limit: 0.9, value: cpu(PLAIN) },
      transforms: undefined,
      ambition: true,
    },
  ];
}

/** Whether a goal is reached; undefined where it was not measured. */
export function reached(target, goal) {
  if (goal === undefined || Number.isNaN(goal.value)) return undefined;
  return target.kind === 'least' ? goal.value >= goal.limit : goal.value <= goal.limit;
}

function latencyGoals(cells, both) {
  const goals = [];
  for (const latencyMs of LATENCIES) {
    for (const connections of [8, 32, 64]) {
      const cell = cells.find(({ setting }) => setting.latencyMs === latencyMs && setting.connections === connections);
      goals.push({
        figure: `share of the bare loop at ${latencyMs} ms, ${connections} connections`,
        kind: 'least',
        show: percent,
        ...both(0.95, 0.95, (name) => ratio(cell?.runs.get('bare loop'), cell?.runs.get(name))),
      });
    }
  }
  return goals;
}

function memoryGoals(cells, both) {
  const peak = (rows, name) => {
    const runs = good(cells.find(({ setting }) => setting.rows === rows)?.runs.get(name));
    return median(runs.flatMap((run) => (run.peak === undefined ? [] : [run.peak / MEGABYTE])));
  };
  return [
    ...[1_000_000, 10_000_000].map((rows) => ({
      figure: `peak memory, ${rows.toLocaleString('en')} rows`,
      kind: 'most',
      show: megabytes,
      ...both(120, 120, (name) => peak(rows, name)),
    })),
    {
      figure: 'peak memory, how far ten million rows and one million are apart',
      kind: 'most',
      show: percent,
      ...both(0.1, 0.1, (name) => Math.abs(peak(10_000_000, name) / peak(1_000_000, name) - 1)),
    },
  ];
}

function startPair(results, script) {
  const cell = results.start?.[1];
  return [cell?.runs.get('upload'), cell?.runs.get(script)];
}

/** Processor seconds that a million records cost. */
export function perMillion(cell, name) {
  return median(good(cell?.runs.get(name)).map(({ cpu }) => (cpu / cell.setting.rows) * 1e6));
}

const rowsText = (cell) => (cell === undefined ? '' : ` of ${cell.setting.rows.toLocaleString('en')} rows`);

/** Extremes of what was measured; what was not measured plays no part. */
const least = (values) => extreme(values, Math.min);
const most = (values) => extreme(values, Math.max);

function extreme(values, choose) {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length === 0 ? Number.NaN : choose(...known);
}
