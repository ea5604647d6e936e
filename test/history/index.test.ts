/** What earlier runs have sent, in real files, with a clock of the test's own. */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkRecording, HISTORY_MS, indexRun, loadHistory, registerRun } from '../../src/history/index.ts';
import { type SentBy, SentRecords } from '../../src/history/sent-records.ts';
import { encodeLine } from '../../src/journal/event-line.ts';
import { type RunFile, renderRunFile } from '../../src/journal/run-file.ts';
import { hashKey } from '../../src/lib/key-map.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import { runFileOf } from '../support/run-file.ts';

const DAY = 86_400_000;
const T0 = Date.parse('2026-11-20T09:00:00Z');
const BASE = 'https://api.example.com';

interface World {
  readonly state: string;
  readonly root: string;
}

async function world(): Promise<World> {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  const root = await mkdtemp(path.join(parent, 'earlier-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return { root, state: path.join(root, 'state') };
}

const record = (n: number): string => `{"n":${n}}`;

interface Told {
  readonly run: string;
  readonly at?: number;
  readonly type?: RunFile['type'];
  readonly baseUrl?: string;
  /** Numbers of the records of each batch, with what became of it. No outcome: it was under way at the kill. */
  readonly batches: readonly (readonly [readonly number[], Outcome?])[];
}

/** A run folder whose journal says that, entered in the list of runs. */
async function makeRun(
  { state, root }: World,
  { run, at = T0, type = 'social', baseUrl = BASE, batches }: Told,
): Promise<{ readonly file: RunFile; readonly folder: string }> {
  const folder = path.join(root, 'runs', run);
  await mkdir(folder, { recursive: true });
  const time = new Date(at).toISOString();
  const events: RunEvent[] = [{ event: 'run.started', v: 1, time, run, type, inputs: [{ name: 'in.csv' }] }];
  for (const [index, [numbers, outcome]] of batches.entries()) {
    const batch = String(index + 1);
    const keys = Buffer.from(numbers.map((n) => hashKey(record(n))).join(''), 'latin1').toString('base64');
    events.push(
      {
        event: 'batch.sealed',
        batch,
        digest: 'd',
        records: numbers.length,
        bytes: 1,
        ranges: [],
        rejects: {},
        keys,
        cursors: [],
        dropped: { invalid: 0, skipped: 0, duplicate: 0 },
        notes: {},
      },
      { event: 'attempt.started', time, batch, attempt: 1, bytes: 1 },
    );
    if (outcome === undefined) continue;
    const settled = { event: 'batch.settled', time, batch, outcome, attempts: 1, ms: 1 } as const;
    events.push({ ...settled, unaccounted: 0, receipt: { batchId: 'b' } });
  }
  await writeFile(path.join(folder, 'journal.ndjson'), events.map(encodeLine).join(''));
  const file = runFileOf({ run, startedAt: time, type, baseUrl, keys: true });
  expect(await registerRun(state, file, folder)).toEqual([]);
  return { file, folder };
}

/** Of a new run in a folder without other runs. */
function requestOf({ state, root }: World): Parameters<typeof loadHistory>[0] {
  return { state, root: path.join(root, 'none'), type: 'social', baseUrl: BASE, now: T0 };
}

/** What is known of records, as `run:state`. */
async function known(
  world: World,
  numbers: readonly number[],
  asked: Partial<Parameters<typeof loadHistory>[0]> = {},
): Promise<readonly (string | undefined)[]> {
  const seen = new SentRecords({ dedupe: false });
  const { warnings } = await loadHistory({ ...requestOf(world), root: path.join(world.root, 'runs'), ...asked }, seen);
  expect(warnings).toEqual([]);
  return numbers.map((n) => {
    const found = seen.filter(record(n), { source: 0, line: n });
    return found?.kind === 'sent' ? textOf(found.by) : undefined;
  });
}

const textOf = ({ run, state }: SentBy): string => `${run}:${state}`;

test('delivered events are known, and those under way when the program was killed; refused and exhausted ones are not', async () => {
  const there = await world();
  await makeRun(there, {
    run: 'one',
    batches: [[[1, 2], 'delivered'], [[3], 'refused'], [[4], 'exhausted'], [[5], 'unknown'], [[6]]],
  });
  const expected = ['one:delivered', 'one:delivered', undefined, undefined, 'one:unknown', 'one:unknown'];
  expect(await known(there, [1, 2, 3, 4, 5, 6])).toEqual(expected);
  // Now the shelf says so.
  expect(await known(there, [1, 2, 3, 4, 5, 6])).toEqual(expected);
  expect(await known(there, [1, 5], { baseUrl: 'https://other.example.com' })).toEqual([undefined, undefined]);
  expect(await known(there, [1, 5], { type: 'signals' })).toEqual([undefined, undefined]);
});

test('an unknown signal may be sent again, because the service documents that it recognises it', async () => {
  const there = await world();
  await makeRun(there, {
    run: 'one',
    type: 'signals',
    batches: [[[1], 'delivered'], [[2], 'unknown'], [[3]]],
  });
  expect(await known(there, [1, 2, 3], { type: 'signals' })).toEqual(['one:delivered', undefined, undefined]);
});

test('what was sent ninety days ago is forgotten, and later its file goes', async () => {
  const there = await world();
  const { file, folder } = await makeRun(there, { run: 'old', batches: [[[1], 'delivered']] });
  await indexRun(there.state, file, folder, T0);
  expect(await known(there, [1], { now: T0 + HISTORY_MS - 1 })).toEqual(['old:delivered']);
  expect(await known(there, [1], { now: T0 + HISTORY_MS })).toEqual([undefined]);
  const shelf = path.join(there.state, 'delivered', (await readdir(path.join(there.state, 'delivered')))[0] ?? '');
  const [name = ''] = await readdir(shelf);
  const now = Date.now();
  const before = new Date(now - 200 * DAY);
  await utimes(path.join(shelf, name), before, before);
  const next = await makeRun(there, { run: 'new', at: now, batches: [[[2], 'delivered']] });
  await indexRun(there.state, next.file, next.folder, now);
  expect(await readdir(shelf)).toEqual([expect.stringMatching(/^new-/)]);
});

test('a run that goes on is not told what was sent since it began, nor of what it sent itself', async () => {
  const there = await world();
  const first = await makeRun(there, { run: 'first', at: T0, batches: [[[1], 'delivered']] });
  const self = await makeRun(there, { run: 'self', at: T0 + 1000, batches: [[[2], 'delivered']] });
  await makeRun(there, { run: 'later', at: T0 + 2000, batches: [[[3], 'delivered']] });
  const asked = { now: T0 + 1000, asOf: T0 + 1000, ownFolder: self.folder };
  expect(await known(there, [1, 2, 3], asked)).toEqual(['first:delivered', undefined, undefined]);
  // Nothing changes by that the first one is gone.
  await rm(first.folder, { recursive: true });
  expect(await known(there, [1, 2, 3], asked)).toEqual(['first:delivered', undefined, undefined]);
});

test('a clock that was set back hides nothing that was sent a moment ago', async () => {
  const there = await world();
  await makeRun(there, { run: 'one', at: T0 + 5000, batches: [[[1], 'delivered']] });
  const seen = new SentRecords({ dedupe: false });
  const { asOf } = await loadHistory(requestOf(there), seen);
  expect(seen.size).toBe(1);
  expect(asOf).toBe(T0 + 5000);
});

test('a run that went on is read anew, and one whose folder is gone is known by the shelf', async () => {
  const there = await world();
  const first: Told['batches'] = [
    [[1], 'delivered'],
    [[2], 'exhausted'],
  ];
  const { file, folder } = await makeRun(there, { run: 'one', batches: first });
  await indexRun(there.state, file, folder, T0);
  await makeRun(there, { run: 'one', batches: [...first, [[3], 'delivered']] });
  const expected = ['one:delivered', undefined, 'one:delivered'];
  expect(await known(there, [1, 2, 3])).toEqual(expected);
  await rm(folder, { recursive: true });
  expect(await known(there, [1, 2, 3])).toEqual(expected);
  // A new run of the same name, in the same folder.
  await makeRun(there, { run: 'one', at: T0 + 60_000, batches: [[[4], 'delivered']] });
  expect(await known(there, [1, 2, 3, 4], { now: T0 + 70_000 })).toEqual([...expected, 'one:delivered']);
});

test('many files become one, and nothing is lost on the way, whoever reads meanwhile', async () => {
  const there = await world();
  const numbers = Array.from({ length: 110 }, (_, n) => n + 1);
  const shelved = [];
  for (const n of numbers) {
    const { file, folder } = await makeRun(there, { run: `run-${n}`, batches: [[[n], 'delivered']] });
    if (n <= 100) await indexRun(there.state, file, folder, T0);
    else shelved.push({ file, folder });
    // The shelf alone tells of them.
    if (n <= 100) await rm(folder, { recursive: true });
  }
  const reading = known(there, numbers);
  await Promise.all(shelved.map(({ file, folder }) => indexRun(there.state, file, folder, T0)));
  const expected = numbers.map((n) => `run-${n}:delivered`);
  expect(await reading).toEqual(expected);
  expect(await known(there, numbers)).toEqual(expected);
  const shelf = path.join(there.state, 'delivered', (await readdir(path.join(there.state, 'delivered')))[0] ?? '');
  expect((await readdir(shelf)).length).toBeLessThan(20);
});

test('no byte that a disk has changed makes a record that was not delivered count as such', async () => {
  const there = await world();
  const { file, folder } = await makeRun(there, {
    run: 'one',
    batches: [
      [[1, 2, 3], 'delivered'],
      [[4, 5], 'unknown'],
    ],
  });
  await indexRun(there.state, file, folder, T0);
  const shelf = path.join(there.state, 'delivered', (await readdir(path.join(there.state, 'delivered')))[0] ?? '');
  const [name = ''] = await readdir(shelf);
  const whole = await readFile(path.join(shelf, name));
  await rm(folder, { recursive: true });
  const all = [1, 2, 3, 4, 5];
  const truth = ['one:delivered', 'one:delivered', 'one:delivered', 'one:unknown', 'one:unknown'];
  for (let offset = 0; offset < whole.length; offset += 1) {
    for (const torn of [flip(whole, offset), whole.subarray(0, offset)]) {
      await writeFile(path.join(shelf, name), torn);
      const seen = new SentRecords({ dedupe: false });
      await loadHistory(requestOf(there), seen);
      expect(seen.size).toBeLessThanOrEqual(5);
      for (const [index, n] of all.entries()) {
        const found = seen.filter(record(n), { source: 0, line: n });
        if (found?.kind === 'sent') expect(textOf(found.by)).toBe(truth[index]);
      }
      for (const n of [6, 7, 8]) expect(seen.filter(record(n), { source: 0, line: n })).toBeUndefined();
    }
  }
});

function flip(bytes: Buffer, offset: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[offset] = (flipped[offset] ?? 0) ^ (1 << (offset & 7));
  return flipped;
}

test('a journal that is damaged is told, because its records may be sent again', async () => {
  const there = await world();
  const { folder } = await makeRun(there, {
    run: 'one',
    batches: [
      [[1], 'delivered'],
      [[2], 'delivered'],
    ],
  });
  const journal = path.join(folder, 'journal.ndjson');
  await writeFile(journal, flip(await readFile(journal), 300));
  const seen = new SentRecords({ dedupe: false });
  expect((await loadHistory(requestOf(there), seen)).warnings).toMatchObject([
    { code: 'state.journal', message: expect.stringContaining('one') },
  ]);
});

test('of a journal that has lost its last lines, the delivered index knows more', async () => {
  const there = await world();
  const { file, folder } = await makeRun(there, {
    run: 'one',
    batches: [
      [[1], 'delivered'],
      [[2], 'delivered'],
    ],
  });
  expect(await indexRun(there.state, file, folder, T0)).toEqual([]);
  const journal = path.join(folder, 'journal.ndjson');
  await writeFile(journal, (await readFile(journal)).subarray(0, -200));
  expect(await known(there, [1, 2])).toEqual(['one:delivered', 'one:delivered']);
});

test('a torn line in the list of runs costs the run of that line alone', async () => {
  const there = await world();
  await makeRun(there, { run: 'one', batches: [[[1], 'delivered']] });
  const list = path.join(there.state, 'runs-2026-11.ndjson');
  await writeFile(list, (await readFile(list)).subarray(0, 40));
  await makeRun(there, { run: 'two', batches: [[[2], 'delivered']] });
  expect(await known(there, [1, 2])).toEqual([undefined, 'two:delivered']);
});

test('a run in the folder of runs counts also if another user started it, and its service and type still matter', async () => {
  const there = await world();
  const elsewhere = { ...there, state: path.join(there.root, 'state-of-another') };
  const { file, folder } = await makeRun(elsewhere, { run: 'foreign', batches: [[[1], 'delivered'], [[2]]] });
  await writeFile(path.join(folder, 'run.json'), renderRunFile(file));
  const expected = ['foreign:delivered', 'foreign:unknown', undefined];
  expect(await known(there, [1, 2, 3])).toEqual(expected);
  // From here on by the index, also if its folder is gone.
  await rm(folder, { recursive: true });
  expect(await known(there, [1, 2, 3])).toEqual(expected);
  expect(await known(there, [1], { baseUrl: 'https://other.example.com' })).toEqual([undefined]);
});

test('what cannot be recorded is told before anything is sent, and the question leaves nothing behind', async () => {
  const there = await world();
  const service = { type: 'social', baseUrl: BASE } as const;
  expect(await checkRecording(there.state, service)).toEqual([]);
  const [shelf = ''] = await readdir(path.join(there.state, 'delivered'));
  expect(await readdir(path.join(there.state, 'delivered', shelf))).toEqual([]);
  await rm(path.join(there.state, 'delivered', shelf), { recursive: true });
  await writeFile(path.join(there.state, 'delivered', shelf), 'no folder');
  expect(await checkRecording(there.state, service)).toMatchObject([{ code: 'state.folder', where: there.state }]);
});
