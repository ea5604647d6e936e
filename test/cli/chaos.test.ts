/**
 * Torture: kill -9 at a random moment, go on, and again, until the run is complete. Judged by the service's own log
 * and not by the program's. A short form runs with all tests; `npm run test:chaos` runs 200 rounds. The seed is
 * printed; SIGNALS_CHAOS_SEED=… repeats a run's choices (not the timing of the machine).
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Behaviour, Sandbox, SandboxOptions } from '../../src/sandbox/index.ts';
import { at, readRun, recordsAt, type run, service, start, summaryOf, workspace, write } from './program.ts';

const rounds = Number(process.env['SIGNALS_CHAOS_ROUNDS'] ?? 6);
const seed = Number(process.env['SIGNALS_CHAOS_SEED'] ?? Math.floor(Math.random() * 1e9));
/** A round that is not over by then has hung. */
const ROUND_MS = 120_000;

/** mulberry32: small, fast, and the same everywhere. */
function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Incoming = Parameters<NonNullable<SandboxOptions['behave']>>[0];

/** Records that the service never takes: batches that hold one are split, and kills hit them there too. */
const isPoison = (n: number): boolean => n % 977 === 5;
const POISON = 'poison';

function misbehave(random: () => number, { elements, records }: Incoming): Behaviour | undefined {
  const chance = random();
  if (JSON.stringify(elements).includes(POISON)) return { status: 422 };
  if (records > 60 && chance > 0.97) return { status: 413 };
  if (chance < 0.05) return { status: 429, headers: { 'retry-after': '0.2' } };
  if (chance < 0.08) return { status: 500 };
  if (chance < 0.1) return { reset: 'after-headers' };
  if (chance < 0.12) return { status: 503, headers: { 'retry-after': '0' } };
  return { latencyMs: Math.floor(random() * 40) };
}

async function received(there: Sandbox, field: string): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  for (const record of await recordsAt(there)) {
    const name = record[field] ?? '';
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  return times;
}

/** Names of the records of batches that had an outcome, from the payloads that were kept. */
async function namesOf(
  outcome: 'unknown' | 'refused',
  cwd: string,
  field: string,
): Promise<ReadonlySet<string>> {
  const text = await readRun(cwd, 'undelivered.ndjson').catch(() => '');
  const batches = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return new Set(
    batches
      .filter((batch) => batch.outcome === outcome)
      .flatMap(({ payload }) =>
        (payload.events ?? payload.signals).map((record: Record<string, string>) => record[field]),
      ),
  );
}

test(`nothing is lost in ${rounds} rounds of kill -9 (seed ${seed})`, {
  timeout: rounds * ROUND_MS,
}, async () => {
  process.stdout.write(`chaos: ${rounds} rounds, seed ${seed}\n`);
  let kills = 0;
  for (let round = 1; round <= rounds; round += 1) {
    kills += await playRound(round);
  }
  process.stdout.write(`chaos: ${kills} kills in ${rounds} rounds\n`);
  expect(kills).toBeGreaterThan(0);
});

async function playRound(round: number): Promise<number> {
  const random = randomFrom(seed + round * 7919);
  const type = round % 2 === 0 ? 'signals' : 'social';
  const field = type === 'signals' ? 'company_name' : 'engager_name';
  const cwd = await workspace();
  const there = await service({ behave: (incoming) => misbehave(random, incoming) });
  const rows = 500 + Math.floor(random() * 4000);
  const isFaulty = (n: number): boolean => n % 37 === 0;
  const nameOf = (n: number): string => `Name ${n}${isPoison(n) ? ` ${POISON}` : ''}`;
  const row = (n: number): string => {
    if (type === 'signals') return `${isFaulty(n) ? '' : nameOf(n)},"Title\n${n}",news`;
    return `${isFaulty(n) ? '' : 'linkedin'},like,${nameOf(n)}`;
  };
  const header =
    type === 'signals' ? 'company_name,signal_title,signal_source' : 'platform,engagement_type,engager_name';
  const lines = Array.from({ length: rows }, (_, index) => row(index + 1));
  await write(cwd, 'in.csv', `${[header, ...lines].join('\n')}\n`);
  const valid = lines.flatMap((_, index) => (isFaulty(index + 1) ? [] : [nameOf(index + 1)]));
  const options = ['--concurrency', '4', '--retries', '30', '--isolate', '--json'];
  const what = `seed ${seed}, round ${round} (${type}, ${rows} rows)`;

  let kills = 0;
  let inFlight = 0;
  let ended: Awaited<ReturnType<typeof run>> | undefined;
  let args: readonly string[] = ['upload', 'in.csv', ...options];
  for (let attempt = 1; ended === undefined; attempt += 1) {
    const before = there.requests().length;
    const running = start(cwd, args, { env: at(there) });
    // Some kills before the first request, most of them in the middle; the last attempts are left alone.
    const patience = attempt <= 4 ? 150 + random() * 1200 : undefined;
    const killed =
      patience !== undefined &&
      (await Promise.race([
        running.ended.then(() => false),
        sleep(patience).then(() => running.child.kill('SIGKILL')),
      ]));
    const result = await running.ended;
    if (!killed) ended = result;
    else {
      kills += 1;
      inFlight += 4;
      await sleep(80);
    }
    const begun = (await readRun(cwd, 'journal.ndjson').catch(() => '')).includes('\n');
    // What was killed before its first line has sent nothing, and there is nothing to go on with.
    if (!begun) await rm(path.join(cwd, 'signals-runs'), { recursive: true, force: true });
    if (begun) args = ['resume', 'last', ...options];
    expect(there.requests().length, what).toBeGreaterThanOrEqual(before);
  }

  const done = ended.stdout === '' || !ended.stdout.startsWith('{') ? undefined : summaryOf(ended);
  expect([0, 3, 4], `${what}: ${ended.stderr}`).toContain(ended.code);
  if (done !== undefined) {
    expect(done, what).toMatchObject({ balanced: true, state: 'complete' });
    expect(done.rows, what).toMatchObject({
      read: rows,
      invalid: rows - valid.length,
      pending: 0,
      exhausted: 0,
    });
  }
  const rejects = (await readRun(cwd, 'rejects/in.csv')).trimEnd().split('\r\n');
  const refused = await namesOf('refused', cwd, field);
  expect(rejects.length - 1, `${what}: each reject once`).toBe(rows - valid.length + refused.size);
  for (const name of refused) expect(name, `${what}: refused`).toContain(POISON);

  const times = await received(there, field);
  const unknown = await namesOf('unknown', cwd, field);
  const missing = valid.filter((name) => !times.has(name) && !unknown.has(name) && !refused.has(name));
  expect(missing, `${what}: lost`).toEqual([]);
  const twice = [...times].filter(([, count]) => count > 1);
  if (type === 'social') expect(twice, `${what}: sent twice`).toEqual([]);
  // Each request in flight at a kill, and each answer that was a fault behind the processing, may repeat its batch.
  else
    expect(twice.length, `${what}: sent twice`).toBeLessThanOrEqual((inFlight + faultsBehind(there)) * 100);
  return kills;
}

function faultsBehind(there: Sandbox): number {
  return there.requests().filter(({ processed, status }) => processed && status !== 200).length;
}
