/**
 * Several processes on one run: they start at the same moment, resume after kill -9, run in another PID namespace, or
 * have a clock that is wrong. Judged by the service's log: no record is missing, no social event arrives twice. Once each
 * with all tests; `npm run test:chaos` repeats them. One that is stopped and continued: test/acceptance/takeover.test.ts.
 */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { generator } from '../../src/sandbox/fault.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { LATER_HOST } from '../support/other-host.ts';
import {
  at,
  type Ended,
  type Running,
  recordsAt,
  service,
  start,
  summaryOf,
  timesDelivered,
  workspace,
  write,
} from '../support/program.ts';
import { between } from './random.ts';
import { rowsOf } from './rows.ts';

const rounds = Math.max(1, Math.floor(Number(process.env['SIGNALS_CHAOS_ROUNDS'] ?? 0) / 3 / 5));
const seed = Number(process.env['SIGNALS_CHAOS_SEED'] ?? Math.floor(Math.random() * 1e9));
const ROUND_MS = 150_000;

interface Scene {
  readonly cwd: string;
  readonly random: () => number;
  readonly there: Sandbox;
  readonly names: readonly string[];
  readonly upload: readonly string[];
  /** While it is true, each answer takes two seconds. */
  isSlow: boolean;
}

const OPTIONS = ['--json', '--concurrency', '4', '--yes'];

async function newScene(round: number, atLeast = 400): Promise<Scene> {
  const random = generator(seed + round * 104_729);
  const cwd = await workspace();
  const there = await service({ injectFault: () => ({ latencyMs: scene.isSlow ? 2000 : between(random, 5, 60) }) });
  const rows = rowsOf('social', between(random, atLeast, 2500), 1, Number.POSITIVE_INFINITY);
  await write(cwd, 'in.csv', rows.csv);
  const upload = ['upload', 'in.csv', ...OPTIONS];
  const scene: Scene = { cwd, random, there, names: rows.valid, upload, isSlow: false };
  return scene;
}

/** No event is missing, none arrived twice. Events that a kill left in flight may be unknown: they are held. */
async function judge({ there, names, cwd }: Scene, ends: readonly Ended[], unknown = 0): Promise<void> {
  const times = await timesDelivered(there, 'engager_name');
  const report = ends.map(({ code, stderr }) => `exit ${code}: ${stderr}`).join('\n');
  expect(
    [...times].filter(([, count]) => count > 1),
    `twice in ${cwd}\n${report}`,
  ).toEqual([]);
  const missing = names.filter((name) => !times.has(name));
  expect(missing.length, `missing in ${cwd}\n${report}`).toBeLessThanOrEqual(unknown);
}

/** Resolves when the service has received the first records. */
async function firstDelivery({ there }: Scene): Promise<void> {
  await vi.waitFor(async () => expect(await recordsAt(there)).not.toEqual([]), { timeout: 60_000, interval: 50 });
}

function codes(ends: readonly Ended[]): readonly (number | null)[] {
  return ends.map(({ code }) => code).toSorted((one, other) => (one ?? -1) - (other ?? -1));
}

/** Rows delivered by a process that printed its summary as JSON. */
function delivered(ended: Ended): number | undefined {
  return ended.code === 2 ? 0 : summaryOf(ended).rows['delivered'];
}

function together(scene: Scene, args: readonly string[], count: number): Promise<readonly Ended[]> {
  return Promise.all(Array.from({ length: count }, () => start(scene.cwd, args, { env: at(scene.there) }).ended));
}

const repeated = test.each(Array.from({ length: rounds }, (_, round) => round));

repeated(
  'of several uploads of one file at the same moment one sends (round %d)',
  { timeout: ROUND_MS },
  async (round) => {
    const scene = await newScene(round);
    const ends = await together(scene, scene.upload, round % 2 === 0 ? 2 : 4);
    // The others find a run that has begun, or skip the rows that it has delivered.
    for (const { code, stderr } of ends) expect([2, 3], stderr).toContain(code);
    expect(ends.map(delivered).toSorted((one = 0, other = 0) => other - one)).toEqual([
      scene.names.length,
      ...Array.from({ length: ends.length - 1 }, () => 0),
    ]);
    await judge(scene, ends);
  },
);

repeated('of several uploads with one --run-id one sends (round %d)', { timeout: ROUND_MS }, async (round) => {
  const scene = await newScene(round);
  const ends = await together(scene, [...scene.upload, '--run-id', 'nightly'], round % 2 === 0 ? 4 : 2);
  // The others found the run held, or complete.
  for (const { code, stderr } of ends) expect([3, 7], stderr).toContain(code);
  expect(codes(ends)).toContain(3);
  await judge(scene, ends);
});

repeated('of several resumes after kill -9 one sends (round %d)', { timeout: ROUND_MS }, async (round) => {
  const scene = await newScene(round);
  const first = start(scene.cwd, scene.upload, { env: at(scene.there) });
  await firstDelivery(scene);
  await sleep(between(scene.random, 0, 300));
  first.child.kill('SIGKILL');
  await first.ended;
  await sleep(120);
  const ends = await together(scene, ['resume', 'last', ...OPTIONS], round % 2 === 0 ? 4 : 2);
  for (const { code, stderr } of ends) expect([2, 3, 4, 7], stderr).toContain(code);
  expect(ends.some(({ code }) => code === 3 || code === 4)).toBe(true);
  // At most four batches were in flight at the kill.
  await judge(scene, ends, 400);
});

const canUnshare = spawnSync('unshare', ['-p', '-f', '--mount-proc', 'true']).status === 0;

/** The same command in a PID namespace of its own, with the same host name: as in two containers. */
function startElsewhere({ cwd, there }: Scene, args: readonly string[]): Running {
  return start(cwd, args, { env: at(there), under: ['unshare', '-p', '-f', '--mount-proc'] });
}

/** Other places from which a live run must not be taken over. */
const others: Readonly<Record<string, (scene: Scene, args: readonly string[]) => Running>> = {
  ...(canUnshare && { 'from another PID namespace': startElsewhere }),
  'by a host whose clock is two minutes ahead': ({ cwd, there }, args) =>
    start(cwd, args, { env: { ...at(there), NODE_OPTIONS: `--import ${LATER_HOST}` } }),
};

describe.each(Object.entries(others))('a run is not taken over %s', (place, startThere) => {
  repeated('while its process lives (round %d)', { timeout: ROUND_MS }, async (round) => {
    const scene = await newScene(round, 1500);
    const args = [...scene.upload, '--run-id', 'nightly', '--concurrency', '1'];
    scene.isSlow = true;
    const isElsewhere = round % 2 === 1 && place.includes('namespace');
    const first = isElsewhere ? startElsewhere(scene, args) : start(scene.cwd, args, { env: at(scene.there) });
    await firstDelivery(scene);
    const refused = await startThere(scene, args).ended;
    scene.isSlow = false;
    const ends = [await first.ended, refused];
    expect(ends.map(({ code }) => code)).toEqual([3, 7]);
    await judge(scene, ends);
  });
});

/** The same, and a clock by which the minute of watching a lock takes two seconds. */
const HASTY_HOST = `${LATER_HOST}${encodeURIComponent(`
  const monotonic = performance.now.bind(performance);
  performance.now = () => monotonic() * 30;
`)}`;

/** Resolves once the process is stopped, or has ended. */
async function stopped({ child, ended }: Running): Promise<void> {
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  for (;;) {
    const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8').catch(() => '');
    if (hasEnded || /\) T /.test(stat)) return;
    await sleep(20);
  }
}

const PRELOAD = new URL('failing-files.js', import.meta.url).href;

repeated(
  'a process whose write into the journal hangs until another host has finished the run writes and sends nothing (round %d)',
  { timeout: ROUND_MS },
  async (round) => {
    const scene = await newScene(round, 800);
    const args = [...scene.upload, '--run-id', 'nightly'];
    const journal = path.join(scene.cwd, 'signals-runs', 'nightly', 'journal.ndjson');
    // Until the first line is written, in the third call, there is no run to take over.
    const fault = { root: journal, log: path.join(scene.cwd, 'calls'), at: between(scene.random, 4, 40), code: 'STOP' };
    const env = { ...at(scene.there), NODE_OPTIONS: `--import ${PRELOAD}`, SIGNALS_FAULT: JSON.stringify(fault) };
    const first = start(scene.cwd, args, { env });
    await stopped(first);
    // The stop may come after the last line: then there was nothing to take over.
    const hasEnded = (await readFile(journal, 'utf8')).includes('"run.ended"');
    const hasty = { ...at(scene.there), NODE_OPTIONS: `--import ${HASTY_HOST}` };
    const second = await start(scene.cwd, args, { env: hasty }).ended;
    const requests = scene.there.requests().length;
    first.child.kill('SIGCONT');
    const ends = [await first.ended, second];
    expect(ends[0]?.code, ends[0]?.stderr).toBe(hasEnded ? 3 : 7);
    expect([3, 4], second.stderr).toContain(second.code);
    expect(scene.there.requests()).toHaveLength(requests);
    await judge(scene, ends, 400);
    const again = await start(scene.cwd, args, { env: at(scene.there) }).ended;
    expect(summaryOf(again).rows).toEqual(summaryOf(second).rows);
    expect(scene.there.requests()).toHaveLength(requests);
  },
);
