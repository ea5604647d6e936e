/**
 * The series: which contestants run under which settings. Each gives cells; a cell has the rounds under one setting.
 * report.mjs and targets.mjs evaluate them.
 */
import { environment, PROGRAM } from './contestants.mjs';
import { DATA_FOLDER } from './data.mjs';
import { clock } from './measure.mjs';
import { runRounds } from './rounds.mjs';

export const LATENCIES = [0, 5, 20, 100];
export const CONNECTIONS = [8, 32, 64];
const SIZES = [10_000, 100_000, 1_000_000];
const LARGE = 10_000_000;
/** Sizes of files that the latency series chooses from, so that few files serve many settings. */
const LATENCY_ROWS = [10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 4_000_000, 10_000_000];

/**
 * @typedef {{ setting: import('./rounds.mjs').Setting, runs: Map<string, import('./rounds.mjs').Run[]> }} Cell
 *
 * @typedef {object} Series
 * @property {string} title
 * @property {number} rounds where the command line says nothing else
 * @property {readonly string[]} names of all contestants
 * @property {(context: Context, rounds: number) => Promise<Cell[]>} run
 */

/** Series of one cell: everybody in turn. */
function side(title, names) {
  return {
    title,
    rounds: 5,
    names,
    run: async (context, rounds) => {
      const setting = { rows: context.rows, rounds };
      return [{ setting, runs: await runRounds(context, names.filter(context.chosen), setting) }];
    },
  };
}

const sizeNames = ['upload', 'upload, transforms', 'upload ndjson', 'check'];
/** Ten million rows of NDJSON are five gigabytes; CSV is enough to see whether memory grows. */
const largeNames = ['upload', 'upload, transforms'];
const latencyNames = ['bare loop', 'upload', 'upload, transforms'];
const scripts = ['python, threads', 'python, processes'];

/** @type {Readonly<Record<string, Series>>} */
export const series = {
  csv: side('CSV', [
    'upload',
    'upload, transforms',
    'upload, distinct values',
    'upload, reference',
    'plain composition',
    'bare loop',
    'mixpanel-import',
    'helpers.bulk',
    ...scripts,
    'mlr, awk, curl',
  ]),
  ndjson: side('NDJSON', ['upload ndjson', 'upload ndjson, reference', 'bare loop', 'helpers.bulk, raw lines']),
  check: side('Checking against sending', [
    'upload',
    'check',
    'check, reference',
    'upload, transforms',
    'check, transforms',
  ]),
  latency: {
    title: 'A service that takes its time',
    rounds: 3,
    names: latencyNames,
    run: async (context, rounds) => {
      const cells = [];
      for (const latencyMs of context.latencies) {
        for (const connections of context.connections) {
          const rows = latencyMs === 0 ? context.rows : rowsFor(latencyMs, connections, context.seconds);
          const setting = { rows, latencyMs, connections, rounds };
          cells.push({
            setting,
            runs: await runRounds(context, latencyNames.filter(context.chosen), setting),
          });
        }
      }
      return cells;
    },
  },
  size: {
    title: 'Size and memory',
    rounds: 3,
    names: sizeNames,
    run: async (context, rounds) => {
      const cells = [];
      for (const rows of [...SIZES.filter((size) => size <= context.rows), ...(context.large ? [LARGE] : [])]) {
        // Ten million rows are one round: they differ little, and last long.
        const setting = { rows, rounds: rows === LARGE ? 1 : rounds };
        const names = rows === LARGE ? largeNames : sizeNames;
        cells.push({ setting, runs: await runRounds(context, names.filter(context.chosen), setting) });
      }
      return cells;
    },
  },
  start: {
    title: 'Start-up',
    rounds: 20,
    names: ['upload', ...scripts],
    run: async (context, rounds) => {
      const small = { rows: 10_000, rounds };
      return [
        { setting: { rows: 0, rounds }, runs: await startUps(context, rounds) },
        { setting: small, runs: await runRounds(context, series.start.names.filter(context.chosen), small) },
      ];
    },
  },
};

/** Rows that keep the connections busy for about that many seconds, so that start-up does not count. */
function rowsFor(latencyMs, connections, seconds) {
  const wanted = ((connections * 1000) / latencyMs) * seconds * 100;
  return LATENCY_ROWS.find((rows) => rows >= wanted) ?? LATENCY_ROWS.at(-1);
}

/** Commands that do nothing, against Node that does nothing. */
async function startUps(context, rounds) {
  const commands = {
    'node -e 0': ['-e', '0'],
    'signals --version': [PROGRAM, '--version'],
    'signals --help': [PROGRAM, '--help'],
  };
  const runs = new Map(Object.keys(commands).map((name) => [name, []]));
  // The round 0 is not counted: it brings the files into memory.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, args] of Object.entries(commands)) {
      const { wall, code, stderr } = await clock({
        file: process.execPath,
        args,
        env: environment(DATA_FOLDER),
        cwd: DATA_FOLDER,
      });
      const fault = code === 0 ? undefined : `FAILED, exit code ${code}: ${stderr.slice(0, 200)}`;
      if (round > 0) {
        runs.get(name)?.push({
          wall,
          cpu: Number.NaN,
          peak: undefined,
          requests: 0,
          sinkCpu: 0,
          inner: undefined,
          ...(fault === undefined ? {} : { fault }),
        });
      }
    }
  }
  context.say(`start-up: ${rounds} rounds`);
  return runs;
}
