/** Claims of several runs, in real files. */
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Claims } from '../../src/claims/index.ts';
import { ENTRY_WORDS, SentFile, writeSentFile } from '../../src/claims/sent-file.ts';
import { applyEvent, newRunState } from '../../src/journal/apply-event.ts';
import { encodeLine } from '../../src/journal/lines.ts';
import { type Lock, lockRun } from '../../src/journal/lock.ts';
import { renderRunFile } from '../../src/journal/run-file.ts';
import { hashKey } from '../../src/lib/key-map.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import type { RecordType } from '../../src/model/record.ts';
import { runFileOf } from '../support/run-file.ts';

const BASE = 'https://api.example.com';
const [TIME, NOW] = ['2026-11-20T09:00:00.000Z', '2026-11-21T09:00:00.000Z'];

async function world(): Promise<string> {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  const root = await mkdtemp(path.join(parent, 'claims-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

/** The folder of the only store, or the file in it whose name has a part. */
async function stored(root: string, part?: string): Promise<string> {
  const folder = path.join(root, 'state', 'claims');
  const store = path.join(folder, (await readdir(folder))[0] ?? '');
  return part === undefined
    ? store
    : path.join(store, (await readdir(store)).find((name) => name.includes(part)) ?? '');
}

function setAge(ms: number): void {
  const { now } = Date;
  onTestFinished(() => {
    Date.now = now;
  });
  Date.now = () => now() + ms;
}

function keysOf(...numbers: readonly number[]): Buffer {
  return Buffer.from(numbers.map((n) => hashKey(`{"n":${n}}`)).join(''), 'latin1');
}

function upTo(last: number, first = 1): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}

function open(root: string, type: RecordType = 'social', baseUrl = BASE): Claims {
  const claims = new Claims(path.join(root, 'state'), { type, baseUrl });
  onTestFinished(() => claims.close());
  return claims;
}

/** A process that works on a run: it holds the lock, writes the journal, and claims what it sends. */
class Process {
  readonly folder: string;
  readonly claims: Claims;
  readonly #lock: Lock;
  readonly #state: ReturnType<typeof newRunState>;
  #batches = 0;

  private constructor(
    folder: string,
    claims: Claims,
    lock: Lock,
    started: Extract<RunEvent, { event: 'run.started' }>,
  ) {
    this.folder = folder;
    this.claims = claims;
    this.#lock = lock;
    this.#state = newRunState(started);
  }

  static async start(
    root: string,
    run: string,
    type: RecordType = 'social',
    baseUrl = BASE,
    claims = open(root, type, baseUrl),
  ): Promise<Process> {
    const folder = path.join(root, run);
    await mkdir(folder, { recursive: true });
    const file = runFileOf({ run, startedAt: TIME, type, baseUrl, keys: true, skipSent: true });
    await writeFile(path.join(folder, 'run.json'), renderRunFile(file));
    const started = { event: 'run.started', v: 1, time: TIME, run, type, inputs: [] } as const;
    await writeFile(path.join(folder, 'journal.ndjson'), encodeLine(started));
    const lock = await lockRun(folder);
    onTestFinished(() => lock.release());
    const one = new Process(folder, claims, lock, started);
    await one.claims.begin({ run, startedAt: TIME, folder });
    return one;
  }

  /** Which of these records it may send, and who has the others. */
  async claim(...numbers: readonly number[]): Promise<readonly string[]> {
    const taken = await this.claims.claim(keysOf(...numbers), false);
    return numbers.map((_, n) => {
      const by = taken.get(n);
      return by === undefined ? 'own' : `${by.run}:${by.state}`;
    });
  }

  /** Claims records and sends them as a batch. Without an outcome it stays in flight. */
  async send(numbers: readonly number[], outcome?: Outcome): Promise<void> {
    expect(await this.claim(...numbers)).toEqual(numbers.map(() => 'own'));
    this.#batches += 1;
    const batch = String(this.#batches);
    const commit = { cursors: [], dropped: { invalid: 0, skipped: 0, duplicate: 0 }, notes: {} };
    const keys = keysOf(...numbers).toString('base64');
    const sealed = { batch, digest: 'd', records: numbers.length, bytes: 1, ranges: [], rejects: {}, keys, ...commit };
    await this.#record({ event: 'batch.sealed', ...sealed });
    await this.#record({ event: 'attempt.started', time: TIME, batch, attempt: 1, bytes: 1 });
    if (outcome === undefined) return;
    const settled = { event: 'batch.settled', time: TIME, batch, outcome, attempts: 1, ms: 1, unaccounted: 0 } as const;
    if (outcome === 'refused' || outcome === 'exhausted') {
      const failed = { event: 'attempt.failed', time: TIME, batch, attempt: 1, ms: 1, error: 'x' } as const;
      await this.#record({ ...failed, maybeProcessed: false, next: 'settle' });
    }
    await this.#record({ ...settled, receipt: outcome === 'delivered' ? { batchId: 'b' } : undefined });
  }

  end(): void {
    this.claims.finish();
    this.kill();
  }

  kill(): void {
    this.claims.close();
    this.#lock.release();
  }

  async #record(event: RunEvent): Promise<void> {
    await appendFile(path.join(this.folder, 'journal.ndjson'), encodeLine(event));
    this.claims.on(event, this.#state, applyEvent(this.#state, event));
  }
}

const OUTCOMES = [
  [[1, 2], 'delivered'],
  [[3], 'refused'],
  [[4], 'exhausted'],
  [[5], 'unknown'],
  [[6], undefined],
] as const;
const KNOWN = ['one:delivered', 'one:delivered', 'own', 'own', 'one:unknown', 'one:unknown', 'own'];

test.each(['ended', 'killed', 'resumed'])(
  'of a run that was %s, what was delivered or may have arrived is not sent again',
  async (how) => {
    const root = await world();
    const waiting = open(root);
    const one = await Process.start(root, 'one');
    for (const [numbers, outcome] of OUTCOMES) await one.send(numbers, outcome);
    expect(await one.claim(7)).toEqual(['own']);
    if (how === 'ended') {
      // As at the end of a run: what has no answer is unknown.
      one.claims.on(
        { event: 'batch.settled', time: TIME, batch: '5', outcome: 'unknown', attempts: 1, ms: 1, unaccounted: 0 },
        newRunState({ event: 'run.started', v: 1, time: TIME, run: 'one', type: 'social', inputs: [] }),
        [{ batch: { ...NO_BATCH, keys: keysOf(6).toString('base64') }, from: 'pending', to: 'unknown' }],
      );
      one.end();
    } else one.kill();
    if (how === 'resumed') {
      const lock = await lockRun(one.folder);
      const again = open(root);
      await again.begin({ run: 'one', startedAt: TIME, folder: one.folder });
      expect((await again.claim(keysOf(...upTo(7)), false)).size).toBe(0);
      // What another run asks for and is not given stays with its run.
      const between = await Process.start(root, 'between');
      await between.claim(1, 2, 5, 6);
      expect((await again.claim(keysOf(1, 2, 5, 6), false)).size).toBe(0);
      again.finish();
      between.end();
      lock.release();
    }
    const two = await Process.start(root, 'two');
    expect(await two.claim(...upTo(7))).toEqual(KNOWN);
    const beside = await Process.start(root, 'beside', 'social', BASE, waiting);
    expect(await beside.claim(1, 7, 8)).toEqual(['one:delivered', 'two:unknown', 'own']);
    two.end();
    // The claims of the second run are free again, since it has sent nothing.
    const three = await Process.start(root, 'three');
    expect(await three.claim(...upTo(8))).toEqual([...KNOWN, 'beside:unknown']);
    three.end();
    beside.end();
    expect(await readFile(await stored(root, 'claims.'), 'utf8')).toBe('');
    const other = await Process.start(root, 'four', 'social', 'https://other.example.com');
    expect(await other.claim(...upTo(7))).toEqual(upTo(7).map(() => 'own'));
  },
);

const NO_STATE = { state: 'unknown', attempts: 1, maybeProcessed: true } as const;
const NO_BATCH = { ...NO_STATE, batch: '5', digest: 'd', records: 1, bytes: 1, ranges: [] };

test('of two processes that claim a record, the first one in the log has it', async () => {
  const root = await world();
  const [one, two] = [await Process.start(root, 'one'), await Process.start(root, 'two')];
  const three = await Process.start(root, 'three');
  expect(await one.claim(1, 2)).toEqual(['own', 'own']);
  expect(await two.claim(2, 3)).toEqual(['one:unknown', 'own']);
  expect(await one.claim(3, 4)).toEqual(['two:unknown', 'own']);
  expect(await three.claim(1, 2, 3, 4, 5)).toEqual(['one:unknown', 'one:unknown', 'two:unknown', 'one:unknown', 'own']);
  expect(await two.claim(6)).toEqual(['own']);
  // A record that occurs twice in an input is that of the run all the same.
  expect(await one.claim(1, 2)).toEqual(['own', 'own']);
  one.end();
  expect(await two.claim(1, 2)).toEqual(['own', 'own']);
  // What it did not send is free, also if its folder is gone. The others keep what they claimed.
  await rm(one.folder, { recursive: true });
  const four = await Process.start(root, 'four');
  expect(await four.claim(1, 3, 4, 6)).toEqual(['two:unknown', 'two:unknown', 'own', 'two:unknown']);
  await four.send([8], 'delivered');
  four.end();
  expect(await two.claim(8)).toEqual(['four:delivered']);
  await three.send([7]);
  three.kill();
  expect(await two.claim(5, 7)).toEqual(['own', 'three:unknown']);
});

test('a run with the same id in another folder is another run', async () => {
  const root = await world();
  const one = await Process.start(root, 'one');
  await one.send([1], 'delivered');
  expect(await one.claim(2)).toEqual(['own']);
  const other = open(root);
  await other.begin({ run: 'one', startedAt: NOW, folder: path.join(root, 'elsewhere', 'one') });
  expect((await other.claim(keysOf(2), false)).size).toBe(1);
  one.end();
  expect((await other.claim(keysOf(1, 2), false)).size).toBe(1);
});

test('of a killed run without a folder, each of 263,000 claims counts as sent', async () => {
  const root = await world();
  const one = await Process.start(root, 'one');
  const keys = Buffer.from(Uint32Array.from({ length: 263_000 * 3 }, (_, n) => n).buffer);
  await one.claims.claim(keys, false);
  one.kill();
  await rm(one.folder, { recursive: true });
  const two = await Process.start(root, 'two');
  const some = Buffer.concat([keys.subarray(0, 1200), keys.subarray(-12_000)]);
  expect((await two.claims.claim(some, false)).size).toBe(1100);
});

test('what was sent is known, although the log of its session was closed and removed unread', async () => {
  const root = await world();
  const one = await Process.start(root, 'one');
  const log = await stored(root, 'claims.');
  const begun = await readFile(log, 'utf8');
  one.end();
  // As of a process that is stopped between its last two lines.
  await writeFile(log, begun + encodeLine({ end: JSON.parse(begun).open }));
  const waiting = open(root);
  await appendFile(log, encodeLine({ closed: true }));
  const two = await Process.start(root, 'two');
  await two.send([1], 'delivered');
  two.end();
  const three = await Process.start(root, 'three', 'social', BASE, waiting);
  expect(await three.claim(1, 2)).toEqual(['two:delivered', 'own']);
});

test('a process that another one found gone finds that out before it sends', async () => {
  const root = await world();
  const one = await Process.start(root, 'one');
  expect(await one.claim(1)).toEqual(['own']);
  const waiting = open(root);
  // As on another host whose clock says that the heartbeat stopped.
  await rm(path.join(one.folder, 'lock'));
  const two = await Process.start(root, 'two');
  expect(await two.claim(1)).toEqual(['own']);
  expect(() => one.claims.confirm()).toThrow('has taken over');
  await expect(one.claim(2)).rejects.toThrow('has taken over');
  const three = await Process.start(root, 'three', 'social', BASE, waiting);
  expect(await three.claim(1, 2)).toEqual(['two:unknown', 'own']);
  const four = await Process.start(root, 'four');
  expect(await four.claim(1, 2)).toEqual(['two:unknown', 'three:unknown']);
  for (const each of [two, three, four]) each.end();
  const five = await Process.start(root, 'five');
  // The log with its session is closed and gone.
  one.end();
  expect(await five.claim(1, 2)).toEqual(['own', 'own']);
});

test('signals are not claimed, and only delivered ones are skipped', async () => {
  const root = await world();
  const one = await Process.start(root, 'one', 'signals');
  await one.send([1], 'delivered');
  await one.send([2], 'unknown');
  await one.send([3]);
  const two = await Process.start(root, 'two', 'signals');
  expect(await two.claim(1, 2, 3)).toEqual(['own', 'own', 'own']);
  one.kill();
  const three = await Process.start(root, 'three', 'signals');
  expect(await three.claim(1, 2, 3)).toEqual(['one:delivered', 'own', 'own']);
});

const UNKNOWN = ['one:unknown', 'one:unknown', 'own'];

test.each([
  [
    'what is claimed counts as sent if there is no run folder',
    UNKNOWN,
    (folder: string) => rm(folder, { recursive: true }),
  ],
  [
    'what is claimed counts as sent if the folder has another run',
    UNKNOWN,
    (folder: string) =>
      writeFile(path.join(folder, 'run.json'), renderRunFile(runFileOf({ run: 'one', startedAt: NOW }))),
  ],
  [
    'nothing counts as sent if its journal is empty',
    ['own', 'own', 'own'],
    (folder: string) => truncate(path.join(folder, 'journal.ndjson')),
  ],
])('of a killed run, %s', async (_what, expected, change) => {
  const root = await world();
  const [one, other] = [await Process.start(root, 'one'), await Process.start(root, 'other')];
  await one.send([1], 'delivered');
  expect(await other.claim(4, 5)).toEqual(['own', 'own']);
  expect(await one.claim(2, 4)).toEqual(['own', 'other:unknown']);
  expect(await other.claim(2)).toEqual(['one:unknown']);
  one.kill();
  await change(one.folder);
  const two = await Process.start(root, 'two');
  expect(await two.claim(1, 2, 3, 4, 5)).toEqual([...expected, 'other:unknown', 'other:unknown']);
  expect((await two.claims.claim(keysOf(1, 2), true)).size).toBe(0);
});

test('a large file is removed once all that it lists is ninety days old', async () => {
  const root = await world();
  const one = await Process.start(root, 'one');
  await one.send(upTo(10), 'delivered');
  one.end();
  setAge(90 * 86_400_000 + 60_000);
  const two = await Process.start(root, 'two');
  // Before that too, it is too old to count.
  await two.send([1, 11], 'delivered');
  two.end();
  const files = await readdir(await stored(root));
  expect(files.filter((name) => name.endsWith('.sent'))).toHaveLength(1);
  expect(await (await Process.start(root, 'three')).claim(2, 11)).toEqual(['own', 'two:delivered']);
});

test('of a list that was joined, the runs of the last ninety days stay known', async () => {
  const root = await world();
  for (const n of upTo(6)) {
    setAge(([0, 0, 0, 1, 0, 89.5][n] ?? 0) * 86_400_000);
    const one = await Process.start(root, `run-${n}`);
    await one.send(n === 6 ? [6, 7] : [n], 'delivered');
    one.end();
  }
  const joined = new SentFile(await stored(root, '.sent'));
  onTestFinished(() => joined.close());
  expect(joined.runs.map(({ run }) => run).toSorted()).toEqual(['run-3', 'run-4', 'run-5', 'run-6']);
  const last = await Process.start(root, 'last');
  expect(await last.claim(1, 2, 3, 4)).toEqual(['own', 'own', 'run-3:delivered', 'run-4:delivered']);
});

test('no list has more than a million records', async () => {
  const root = await world();
  const one = await Process.start(root, 'one');
  const store = await stored(root);
  const run = { run: 'old', startedAt: TIME, folder: '/old', time: Date.now() };
  for (const n of upTo(4)) writeSentFile(path.join(store, `${n}.sent`), [run], new Uint32Array(300_000 * ENTRY_WORDS));
  one.end();
  expect((await readdir(store)).filter((name) => name.endsWith('.sent'))).toHaveLength(4);
});

test('a run that is handed over twice brings along what other runs have sent on both machines', async () => {
  const [first, second, third] = [await world(), await world(), await world()];
  for (const [root, run, number] of [
    [first, 'one', 1],
    [second, 'two', 2],
  ] as const) {
    const sender = await Process.start(root, run);
    await sender.send([number], 'delivered');
    sender.end();
  }
  const folder = path.join(first, 'packed');
  await mkdir(folder);
  await open(first).exportTo(folder);
  await open(second).exportTo(folder);
  const claims = open(third);
  await claims.begin({ run: 'packed', startedAt: TIME, folder });
  const sent = await claims.claim(keysOf(1, 2, 3), false);
  // A run of another folder of runs is not found by its id.
  expect([...sent.values()].map(({ run }) => run)).toEqual(['one', path.join(second, 'two')]);
  expect([...(await open(third).find(keysOf(1, 9))).values()]).toEqual([{ state: 'delivered', run: 'one' }]);
});

test('a hand-over brings along what a killed run has sent, while another process joins the files', async () => {
  const [first, second] = [await world(), await world()];
  const killed = await Process.start(first, 'killed');
  await killed.send([100], 'delivered');
  killed.kill();
  const packing = open(first);
  const endLostSessions = packing.endLostSessions.bind(packing);
  // The last moment before the files are written.
  packing.endLostSessions = async () => {
    await endLostSessions();
    for (const number of upTo(9)) {
      const one = await Process.start(first, `run-${number}`);
      await one.send([number], 'delivered');
      one.end();
    }
  };
  const folder = path.join(first, 'packed');
  await mkdir(folder);
  await packing.exportTo(folder);
  const claims = open(second);
  await claims.begin({ run: 'packed', startedAt: TIME, folder });
  expect((await claims.claim(keysOf(...upTo(9), 100, 101), false)).size).toBe(10);
});

test('a hand-over brings along what a run is sending meanwhile', async () => {
  const [first, second] = [await world(), await world()];
  const running = await Process.start(first, 'running');
  await running.claim(1);
  const folder = path.join(first, 'packed');
  await mkdir(folder);
  await open(first).exportTo(folder);
  const claims = open(second);
  await claims.begin({ run: 'packed', startedAt: TIME, folder });
  expect([...(await claims.claim(keysOf(1, 2), false)).values()]).toMatchObject([{ state: 'unknown' }]);
});

test('many runs leave few files, which know everything', async () => {
  const root = await world();
  for (const day of upTo(24)) {
    const one = await Process.start(root, `run-${day}`);
    await one.send(upTo(day * 10, day * 10 - 9), 'delivered');
    one.end();
  }
  expect((await readdir(await stored(root))).length).toBeLessThan(8);
  expect(await readFile(await stored(root, 'claims.'), 'utf8')).toBe('');
  const last = await Process.start(root, 'last');
  expect(await last.claim(...upTo(241))).toEqual(
    upTo(241).map((n) => (n > 240 ? 'own' : `run-${Math.ceil(n / 10)}:delivered`)),
  );
});

test('a line that a kill has cut off costs the claim of that line alone', async () => {
  const root = await world();
  const one = await Process.start(root, 'one');
  await one.claim(1);
  await one.claim(2);
  const file = await stored(root, 'claims.');
  await truncate(file, (await readFile(file)).length - 20);
  const two = await Process.start(root, 'two');
  expect(await two.claim(1, 2, 3)).toEqual(['one:unknown', 'own', 'own']);
  const three = await Process.start(root, 'three');
  expect(await three.claim(1, 2, 3)).toEqual(['one:unknown', 'two:unknown', 'two:unknown']);
});

test('a log that cannot be opened is told', async () => {
  const root = await world();
  open(root).close();
  const log = await stored(root, 'claims.');
  await rm(log);
  await mkdir(log);
  expect(() => open(root)).toThrow('EISDIR');
});

test('no byte that a disk has changed makes a record that was not delivered count as such', async () => {
  const root = await world();
  const one = await Process.start(root, 'one');
  await one.send([1, 2, 3], 'delivered');
  await one.send([4, 5], 'unknown');
  one.end();
  const file = await stored(root, '.sent');
  const whole = await readFile(file);
  for (let offset = 0; offset < whole.length; offset += 3) {
    for (const damaged of [flip(whole, offset), whole.subarray(0, offset)]) {
      await writeFile(file, damaged);
      const find = async () => {
        const claims = new Claims(path.join(root, 'state'), { type: 'social', baseUrl: BASE });
        try {
          return await claims.find(keysOf(...upTo(8)));
        } finally {
          claims.close();
        }
      };
      await expect(find()).rejects.toThrow('is damaged. It lists');
    }
  }
});

function flip(bytes: Buffer, offset: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[offset] = (flipped[offset] ?? 0) ^ (1 << (offset & 7));
  return flipped;
}
