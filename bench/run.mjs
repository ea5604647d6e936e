/**
 * `npm run bench`: compares this program with others, and reports which targets it reaches. docs/internals/performance.md explains
 * the figures. Tables go to stdout, progress to stderr.
 *
 * Exit code 1 if a contestant failed: it did not deliver every record once. A missed target is not a failure.
 */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findContestants } from './contestants.mjs';
import { DATA_FOLDER } from './data.mjs';
import { describeMachine, machineText } from './machine.mjs';
import { seriesText, targetsText } from './report.mjs';
import { keep, kept, plainCell, writePage } from './results.mjs';
import { CONNECTIONS, LATENCIES, series } from './series.mjs';
import { startSink } from './sink.mjs';
import { judge, reached } from './targets.mjs';

const USAGE = `usage: npm run bench -- [options]

  --series NAME[,NAME]   ${Object.keys(series).join(', ')} (default: all)
  --rows N               rows of csv, ndjson, check and of latency 0; the largest of size (default: 1000000)
  --rounds N             rounds of each series (default: csv, ndjson, check 5; latency, size 3; start 20)
  --only TEXT[,TEXT]     contestants whose name begins with a text
  --latency MS[,MS]      of the latency series (default: ${LATENCIES})
  --connections N[,N]    of the latency series (default: ${CONNECTIONS})
  --seconds N            length of a run of the latency series that its rows are chosen for (default: 24)
  --large                ten million rows too, in size
  --json                 everything measured, as JSON
  --report               measure nothing: show what was measured last, series by series
  --write                put the CSV series, as measured last, into docs/internals/performance.md
`;

async function main() {
  const options = readOptions();
  if (options === undefined) return 2;
  const print = options.json ? () => {} : (text) => process.stdout.write(`${text}\n\n`);
  const results = options.report ? await kept(options.series) : await measureAll(options, print);
  const targets = judge(cellsOf(results));
  const tables = [...Object.entries(results).map(([name, result]) => resultText(name, result)), targetsText(targets)];
  if (options.json) process.stdout.write(`${JSON.stringify(plain(results, targets), null, 1)}\n`);
  // While it measures, each series is printed as it ends.
  else print(options.report ? tables.join('\n\n') : (tables.at(-1) ?? ''));
  if (options.write) {
    const { csv } = await kept(['csv']);
    if (csv === undefined) throw new Error('the CSV series was not measured');
    await writePage(resultText('csv', csv));
  }
  const runs = Object.values(cellsOf(results)).flatMap((cells) =>
    cells.flatMap((cell) => [...cell.runs.values()].flat()),
  );
  return runs.some(({ fault }) => fault !== undefined) ? 1 : 0;
}

/** Runs the series one after the other. */
async function measureAll(options, print) {
  const wanted = (name) => options.chosen(name) && options.series.some((one) => series[one].names.includes(name));
  const { contestants, missing } = await findContestants(wanted);
  await mkdir(DATA_FOLDER, { recursive: true });
  const sink = await startSink();
  const say = (text) => process.stderr.write(`${text}\n`);
  const results = {};
  try {
    for (const name of options.series) {
      const machine = await describeMachine();
      const rounds = options.rounds ?? series[name].rounds;
      const cells = await series[name].run({ ...options, contestants, sink, say }, rounds);
      const absent = series[name].names.filter((one) => options.chosen(one) && missing.has(one));
      results[name] = {
        machine,
        absent: absent.map((one) => `${one} took no part: ${missing.get(one)}.`),
        cells,
      };
      await keep(name, results[name]);
      print(resultText(name, results[name]));
    }
  } finally {
    sink.close();
    await rm(path.join(DATA_FOLDER, 'work'), { recursive: true, force: true });
  }
  return results;
}

const cellsOf = (results) => Object.fromEntries(Object.entries(results).map(([name, { cells }]) => [name, cells]));

const resultText = (name, { machine, absent, cells }) =>
  seriesText(name, series[name].title, [machineText(machine), ...absent].join('\n'), cells);

/** What was asked for; undefined, and the usage on stderr, where it cannot be understood. */
function readOptions() {
  const list = { type: 'string' };
  try {
    const { values } = parseArgs({
      options: {
        series: list,
        rows: list,
        rounds: list,
        only: list,
        latency: list,
        connections: list,
        seconds: list,
        large: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        report: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
      },
    });
    const names = values.series?.split(',') ?? Object.keys(series);
    const unknown = names.find((name) => !Object.hasOwn(series, name));
    if (unknown !== undefined) throw new Error(`there is no series ${unknown}`);
    const only = values.only?.split(',').map((text) => text.trim());
    return {
      series: names,
      rows: count(values.rows ?? '1000000'),
      rounds: values.rounds === undefined ? undefined : count(values.rounds),
      chosen: (name) => only?.some((text) => name.startsWith(text)) ?? true,
      latencies: values.latency?.split(',').map((text) => (text === '0' ? 0 : count(text))) ?? LATENCIES,
      connections: values.connections?.split(',').map(count) ?? CONNECTIONS,
      seconds: count(values.seconds ?? '24'),
      large: values.large,
      json: values.json,
      report: values.report,
      write: values.write,
    };
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    return undefined;
  }
}

function count(text) {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${text} is not a whole number above 0`);
  return Number(text);
}

/** What `--json` writes. Figures that were not measured are null. */
function plain(results, targets) {
  const goal = (target, one) => (one === undefined ? undefined : { ...one, reached: reached(target, one) ?? null });
  return {
    series: Object.fromEntries(
      Object.entries(results).map(([name, { machine, cells }]) => [name, { machine, cells: cells.map(plainCell) }]),
    ),
    targets: targets.map((target) => ({
      figure: target.figure,
      kind: target.kind,
      ambition: target.ambition === true,
      plain: goal(target, target.plain),
      transforms: goal(target, target.transforms),
    })),
  };
}

process.exitCode = await main();
