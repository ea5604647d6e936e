/**
 * Interleaved rounds: A B C, A B C, … The speed of a machine drifts and other programs use it, but consecutive runs have
 * nearly the same conditions. So ratios are computed within a round, and the median of the ratios is reported.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { DATA_FOLDER, dataFile } from './data.mjs';
import { measure } from './measure.mjs';

/**
 * @typedef {object} Run one run of one contestant
 * @property {number} wall seconds
 * @property {number} cpu seconds
 * @property {number | undefined} peak bytes
 * @property {number} requests
 * @property {number} sinkCpu seconds that the sink used meanwhile: near `wall`, the sink is the limit
 * @property {number | undefined} inner seconds without start-up, where the contestant says so (the bare loop)
 * @property {string} [fault] why this run does not count
 *
 * @typedef {{ rows: number, connections?: number, latencyMs?: number, rounds: number }} Setting
 */

/**
 * Runs `names` in rounds under one setting.
 * @param {Context} context
 * @param {readonly string[]} names those that are missing are passed over
 * @param {Setting} setting
 * @returns {Promise<Map<string, Run[]>>} one run a round, for each contestant
 */
export async function runRounds(context, names, setting) {
  const present = names.flatMap((name) => context.contestants.get(name) ?? []);
  const files = new Map();
  for (const { form } of present) {
    if (form === undefined || files.has(form)) continue;
    files.set(form, await dataFile(form, setting.rows));
  }
  const batchBytes = await bytesOfBatch();
  const runs = new Map(present.map(({ name }) => [name, []]));
  for (let round = 1; round <= setting.rounds; round += 1) {
    for (const contestant of present) {
      const file = files.get(contestant.form);
      if (file !== undefined) await warm(file);
      const run = await runOnce(context, contestant, { ...setting, file, batchBytes });
      runs.get(contestant.name)?.push(run);
      context.say(
        `${settingText(setting)}, round ${round} of ${setting.rounds}: ${contestant.name} ${run.fault ?? `${run.wall.toFixed(2)} s`}`,
      );
    }
  }
  return runs;
}

export function settingText({ rows, connections, latencyMs }) {
  return [
    `${rows.toLocaleString('en')} rows`,
    ...(latencyMs === undefined ? [] : [`${latencyMs} ms`]),
    ...(connections === undefined ? [] : [`${connections} connections`]),
  ].join(', ');
}

async function runOnce(context, contestant, { rows, connections = 8, latencyMs = 0, file, batchBytes }) {
  const folder = path.join(DATA_FOLDER, 'work');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await context.sink.reset(latencyMs);
  const task = { url: context.sink.url, file, folder, rows, connections, batchBytes };
  const measured = await measure(contestant.command(task));
  const counts = await context.sink.counts();
  await rm(folder, { recursive: true, force: true });
  const fault = faultOf(contestant, measured, counts, rows, connections);
  return {
    wall: measured.wall,
    cpu: measured.cpu,
    peak: measured.peak,
    requests: counts.requests,
    sinkCpu: counts.cpu,
    inner: contestant.name === 'bare loop' && fault === undefined ? JSON.parse(measured.stdout).seconds : undefined,
    ...(fault === undefined ? {} : { fault }),
  };
}

/** A figure counts only where every record arrived once, in the way that everybody has to send them. */
function faultOf(contestant, measured, counts, rows, connections) {
  const expected = contestant.sends ? rows : 0;
  const largest = contestant.largest ?? 100;
  if (measured.code !== 0) {
    const output = `${measured.stderr}${measured.stdout}`.trim().split('\n').slice(0, 3).join(' | ');
    return `FAILED, exit code ${measured.code}: ${output.slice(0, 300)}`;
  }
  if (counts.records !== expected) return `FAILED: ${counts.records} records arrived instead of ${expected}`;
  if (counts.refused !== 0) return `FAILED: ${counts.refused} requests that the sink does not know`;
  if (counts.largest > largest) return `FAILED: ${counts.largest} records in one request`;
  if (counts.connections > connections) {
    return `FAILED: ${counts.connections} connections instead of ${connections}`;
  }
  return undefined;
}

/** Reads a file once: no contestant is to pay for the disk. */
async function warm(file) {
  for await (const _ of createReadStream(file, { highWaterMark: 1 << 20 }));
}

/** What 100 records take as lines of JSON with an action line each: the batch of a peer that counts bytes. */
async function bytesOfBatch() {
  const file = await dataFile('ndjson', 10_000);
  const handle = await open(file);
  const { size } = await handle.stat();
  await handle.close();
  return Math.round((size / 10_000 - 1 + '{"index":{"_index":"signals"}}'.length) * 100);
}

/** The middle of what was measured. Not a number where nothing was. */
export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Runs of which all rounds are good; a contestant that failed once has no figures. */
export function good(runs) {
  return runs === undefined || runs.some(({ fault }) => fault !== undefined) ? [] : runs;
}

/**
 * The median over the rounds of `figure` of `over` to that of `under`.
 * @param {Run[] | undefined} over
 * @param {Run[] | undefined} under
 * @param {(run: Run) => number} [figure] wall time, where nothing else is asked for
 */
export function ratio(over, under, figure = ({ wall }) => wall) {
  return median(ratios(over, under, figure));
}

export function ratios(over, under, figure = ({ wall }) => wall) {
  const [above, below] = [good(over), good(under)];
  if (above.length === 0 || below.length === 0) return [];
  return above.map((run, round) => figure(run) / figure(below[round]));
}
