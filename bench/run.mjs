/**
 * `npm run bench`: measures this program against what it could be compared with, and says what it reaches of what it
 * set out to reach. docs/performance.md explains the figures. Tables go to stdout, progress to stderr.
 *
 * Exit code 1 where a contestant failed: it did not deliver every record once. A missed target is no failure.
 */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findContestants } from './contestants.mjs';
import { DATA_FOLDER } from './data.mjs';
import { describeMachine, machineText } from './machine.mjs';
import { seriesText, targetsText } from './report.mjs';
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
  --seconds N            length of a run of the latency series that its rows are chosen for (default: 12)
  --large                ten million rows too, in size
  --json                 everything measured, as JSON
`;

async function main() {
  const options = readOptions();
  if (options === undefined) return 2;
  const machine = describeMachine();
  const names = options.series;
  const wanted = (name) => options.chosen(name) && names.some((one) => series[one].names.includes(name));
  const { contestants, missing } = await findContestants(wanted);
  await mkdir(DATA_FOLDER, { recursive: true });
  const sink = await startSink();
  const context = { ...options, contestants, sink, say: (text) => process.stderr.write(`${text}\n`) };
  const results = {};
  const print = options.json ? () => {} : (text) => process.stdout.write(`${text}\n\n`);
  try {
    print(machineText(machine));
    for (const [name, reason] of missing) if (wanted(name)) print(`${name} takes no part: ${reason}.`);
    for (const name of names) {
      results[name] = await series[name].run(context, options.rounds ?? series[name].rounds);
      print(seriesText(name, series[name], results[name], contestants));
    }
    const targets = judge(results);
    print(targetsText(targets));
    if (options.json)
      process.stdout.write(
        `${JSON.stringify(plain(machine, contestants, missing, results, targets), null, 1)}\n`,
      );
  } finally {
    sink.close();
    await rm(path.join(DATA_FOLDER, 'work'), { recursive: true, force: true });
    await rm(path.join(DATA_FOLDER, 'home'), { recursive: true, force: true });
  }
  const runs = Object.values(results).flatMap((cells) =>
    cells.flatMap((cell) => [...cell.runs.values()].flat()),
  );
  return runs.some(({ fault }) => fault !== undefined) ? 1 : 0;
}

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
      seconds: count(values.seconds ?? '12'),
      large: values.large,
      json: values.json,
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
function plain(machine, contestants, missing, results, targets) {
  const goal = (target, one) =>
    one === undefined ? undefined : { ...one, reached: reached(target, one) ?? null };
  return {
    machine,
    contestants: Object.fromEntries([...contestants.values()].map(({ name, about }) => [name, about])),
    missing: Object.fromEntries(missing),
    series: Object.fromEntries(
      Object.entries(results).map(([name, cells]) => [
        name,
        cells.map(({ setting, runs }) => ({ setting, runs: Object.fromEntries(runs) })),
      ]),
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
