/**
 * One file-system call of a command fails, or the process is killed there, and the service's log judges: a sentence instead of a
 * stack trace, one JSON object, no event twice, and afterwards another command finishes the run. With all tests, one call in each
 * way, and one of those that are always tried; `npm run test:chaos` takes each call.
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { generator } from '../../src/sandbox/fault.ts';
import {
  at,
  type Ended,
  root,
  run,
  runInProcess,
  type Service,
  service,
  summaryOf,
  timesDelivered,
  workspace,
  write,
} from '../support/program.ts';
import { between } from './random.ts';

const seed = Number(process.env['SIGNALS_CHAOS_SEED'] ?? Math.floor(Math.random() * 1e9));
const isThorough = process.env['SIGNALS_CHAOS_ROUNDS'] !== undefined;
const AT_ONCE = 2;

const ERRORS = ['EIO', 'ENOSPC', 'EACCES', 'SHORT'];
const LAST = ['KILL'];
const PRELOAD = pathToFileURL(path.join(root, 'test', 'chaos', 'failing-files.js')).href;
const OPTIONS = ['--json', '--concurrency', '1', '--yes'];
const RESUME = ['resume', 'last', ...OPTIONS];
const UPLOAD = ['upload', 'in.csv', ...OPTIONS];
const PACK = ['runs', 'pack', 'last', '--to', 'run.tar.gz', '--json'];

const NUMBERS = Array.from({ length: 350 }, (_, n) => n);
const isFaulty = (n: number): boolean => n % 37 === 0;
const NAMES = NUMBERS.flatMap((n) => (isFaulty(n) ? [] : [`Name ${n}`]));
const ROWS = NUMBERS.map((n) => `${isFaulty(n) ? '' : 'linkedin'},like,Name ${n}\n`);

interface Played {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly there: Service;
  readonly ended: Ended;
  /** The file-system calls of the command. */
  readonly calls: readonly string[];
  /** Requests before the command. */
  readonly requests: number;
  readonly twice: ReadonlySet<string>;
}

interface Scene {
  readonly name: string;
  readonly args: readonly string[];
  /** What happens at a call: one of the codes. In the short form, at any call and at one of those that `also` matches. */
  readonly ways: readonly { readonly codes: readonly string[]; readonly also?: RegExp }[];
  /** What the service does to the upload that came before, if there was one. */
  readonly before?: Service['fault'];
}

/** The third batch meets an expired key. */
const expired: Service['fault'] = ({ n }) => (n === 3 ? { status: 401 } : undefined);
const refusing: Service['fault'] = ({ n }) => (n > 1 ? { status: 409 } : undefined);
/** One of two batches arrived. */
const lost: Service['fault'] = ({ n }) => {
  if (n === 2) return { status: 500, processed: true };
  return n === 3 ? { status: 500 } : undefined;
};

async function play({ args, before }: Scene, fault?: { readonly at: number; readonly code: string }): Promise<Played> {
  const cwd = await workspace();
  const there = await service();
  await write(cwd, 'in.csv', `platform,engagement_type,engager_name\n${ROWS.join('')}`);
  if (before !== undefined) {
    there.fault = before;
    const ended = await runInProcess(cwd, [...UPLOAD, '--setting', 'canary=no'], { env: at(there) });
    expect([3, 4, 5], ended.stderr).toContain(ended.code);
    there.fault = undefined;
  }
  const requests = there.requests().length;
  const twice = await namesTwice(there, args);
  const log = path.join(cwd, 'calls');
  const SIGNALS_FAULT = JSON.stringify({ root: `${cwd}/`, log, ...fault });
  const ended = await run(cwd, args, { env: { ...at(there), NODE_OPTIONS: `--import ${PRELOAD}`, SIGNALS_FAULT } });
  const calls = (await readFile(log, 'utf8')).trimEnd().split('\n');
  return { args, cwd, there, ended, calls, requests, twice };
}

/** Names of events that may arrive a second time, because the user asks for it. */
async function namesTwice(there: Service, args: readonly string[]): Promise<ReadonlySet<string>> {
  if (!args.includes('--unknown')) return new Set();
  const text = await (await fetch(`${there.url}/sandbox/records`)).text();
  const unknown = there.requests().flatMap(({ n, status }) => (status === 200 ? [] : [n]));
  const records = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return new Set(records.flatMap(({ n, record }) => (unknown.includes(n) ? [record.engager_name] : [])));
}

/** Sends what is missing, from wherever it may be sent. */
async function finish({ cwd, there, args, ended }: Played): Promise<readonly Ended[]> {
  const env = at(there);
  const isRepeated = ended.signal !== null && args.includes('--refused');
  const ends = [await run(cwd, isRepeated ? args : RESUME, { env })];
  const elsewhere = path.join(cwd, 'elsewhere');
  await mkdir(elsewhere);
  const archive = path.join(cwd, 'run.tar.gz');
  const isSent = (): boolean => [0, 3, 4].includes(ends.at(-1)?.code ?? 1);
  if (!isSent()) ends.push(await run(elsewhere, ['resume', archive, ...OPTIONS], { env }));
  // The run never began.
  if (!isSent()) ends.push(await run(cwd, UPLOAD, { env }));
  return ends;
}

/** What a command may say that met a failure. */
async function judgeReport({ ended, there, requests }: Played, what: string): Promise<void> {
  const { code, stderr } = ended;
  expect([0, 2, 3, 4, 5, 6], what).toContain(code);
  expect(stderr, what).not.toContain('bug in signals');
  expect(stderr, what).not.toMatch(/^ {4}at /m);
  const { exitCode = 0 } = summaryOf(ended);
  expect(exitCode, what).toBe(code);
  if (code === 2) expect(there.requests().length, `${what}: nothing was sent`).toBe(requests);
  const { rows, balanced } = summaryOf(ended);
  if (balanced === undefined) return;
  await judgeCounts(ended, there, what);
  if (code === 3) expect(rows['delivered'], what).toBe(NAMES.length);
}

/** What is said to be delivered has arrived, and what has arrived is said to be delivered or unknown. */
async function judgeCounts(shown: Ended, there: Service, what: string): Promise<void> {
  const { rows, balanced } = summaryOf(shown);
  const { delivered = 0, unknown = 0 } = rows;
  const { size } = await timesDelivered(there, 'engager_name');
  expect(
    [balanced, delivered <= size, size <= delivered + unknown],
    `${what}\n${size} arrived: ${shown.stdout}`,
  ).toEqual([true, true, true]);
}

/** Whatever happened to the command: another one finishes the run, and each event has arrived once. */
async function judgeArrivals(played: Played, what: string): Promise<void> {
  const { ended, there, twice } = played;
  const ends = await finish(played);
  const story = `${what}\n${ended.stdout}\n${ends.map((end) => `exit ${end.code}: ${end.stderr}`).join('\n')}`;
  const last = summaryOf(ends.at(-1) ?? ended);
  expect([3, 4], story).toContain(ends.at(-1)?.code);
  const times = await timesDelivered(there, 'engager_name');
  expect(
    [...times].filter(([name, count]) => count > (twice.has(name) ? 2 : 1)),
    `twice: ${story}`,
  ).toEqual([]);
  const missing = NAMES.filter((name) => !times.has(name));
  expect(missing.length, `missing: ${story}`).toBeLessThanOrEqual(
    (last.rows['unknown'] ?? 0) + (last.rows['refused'] ?? 0),
  );
  // Where the first command could not, the run is finished in another folder.
  if (ends.length > 1) return;
  const folder = path.join(played.cwd, String(last['folder']));
  const left = (await readdir(folder)).filter((name) => /^lock|\.reserve$|\.tmp$/.test(name));
  // An empty draft may belong to a process that is about to write it: it goes after a minute.
  const texts = await Promise.all(left.map((name) => readFile(path.join(folder, name), 'utf8')));
  expect(texts.join(''), `left behind: ${story}`).toBe('');
}

/** Numbers of calls, from 1: all, or some. */
function chosen(calls: readonly string[], random: () => number, also?: RegExp): readonly number[] {
  const all = calls.map((_, index) => index + 1);
  if (isThorough) return all;
  return [all, all.filter((n) => also?.test(calls[n - 1] ?? ''))].flatMap(
    (from) => from[between(random, 0, from.length - 1)] ?? [],
  );
}

/** Their failure is a warning at most: the next process finds the holder of a lock gone, and reads in the journal what was sent. */
const TIDYING = /^(?:rm|unlink|rename)Sync \S*(?:\/lock|claims\/\S*\.sent\.tmp)/;
/** A process that is killed there leaves a draft. */
const DRAFTED = /^(?:link|rename)Sync \S*\/(?:lock|summary)/;
const JOURNAL = /^(?:writeSync|handle.datasync) \S*\/journal\.ndjson/;

const HAND_OVER = [...PACK, '--hand-over', '--yes'];
const scenes: readonly Scene[] = [
  { name: 'an upload', args: UPLOAD, ways: [{ codes: ERRORS, also: TIDYING }, { codes: LAST }] },
  { name: 'a resume', args: RESUME, ways: [{ codes: ERRORS }, { codes: LAST, also: DRAFTED }], before: expired },
  { name: 'a pack', args: PACK, ways: [{ codes: ERRORS }], before: expired },
  { name: 'a hand-over', args: HAND_OVER, ways: [{ codes: ERRORS }, { codes: LAST, also: JOURNAL }], before: expired },
  {
    name: 'resume --refused',
    args: [...RESUME, '--refused'],
    ways: [{ codes: LAST, also: JOURNAL }],
    before: refusing,
  },
  { name: 'resume --unknown', args: [...RESUME, '--unknown'], ways: [{ codes: LAST, also: JOURNAL }], before: lost },
];

test.each(scenes)(
  `a file-system call of $name fails, or is its last (seed ${seed})`,
  { timeout: 1_800_000 },
  async (scene) => {
    const { calls, ended } = await play(scene);
    expect([0, 3], ended.stderr).toContain(ended.code);
    const random = generator(seed);
    const left = scene.ways.flatMap(({ codes, also }) => chosen(calls, random, also).map((n) => ({ n, codes })));
    const failures: unknown[] = [];
    const tryCall = async ({ n, codes }: (typeof left)[number]): Promise<void> => {
      const code = codes[(n + seed) % codes.length] ?? '';
      const played = await play(scene, { at: n, code });
      // Not always the n-th call of the first time: answers come earlier or later.
      const call = played.calls.find((line) => line.startsWith(`${code} `))?.slice(code.length + 1) ?? '';
      const what = `call ${n}, ${code} ${call}: exit ${played.ended.code}: ${played.ended.stderr.slice(0, 1000)}`;
      if (played.ended.signal === null) {
        await judgeReport(played, what);
        if (TIDYING.test(call)) expect(played.ended.code, what).toBe(ended.code);
      } else {
        const shown = await runInProcess(played.cwd, ['runs', 'show', 'last', '--json'], { env: at(played.there) });
        // An upload may have been killed before its run began.
        if (shown.code === 0) await judgeCounts(shown, played.there, what);
      }
      await judgeArrivals(played, what);
    };
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let one = left.shift(); one !== undefined; one = left.shift()) {
          await tryCall(one).catch((error: unknown) => failures.push(error));
        }
      }),
    );
    for (const failure of failures) process.stdout.write(`${String(failure).slice(0, 3000)}\n`);
    expect(failures).toEqual([]);
  },
);
