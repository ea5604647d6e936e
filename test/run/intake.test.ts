/** The intake by itself: when a batch is handed on, and what a seal that cannot be written comes to. */
import { expect, test } from 'vitest';
import { newRunState } from '../../src/journal/apply-event.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { Prepared } from '../../src/model/prepared.ts';
import { Sealer } from '../../src/prepare/sealer.ts';
import { closeOnStop, Intake, spoolInputs } from '../../src/run/intake.ts';
import type { ResumeState, RunJob, UnsettledBatch } from '../../src/run/job.ts';
import { createRunStop } from '../../src/run/run-stop.ts';
import { ClaimGate, type FindSent, ShardSelector } from '../../src/run/select-records.ts';
import { problemFrom } from '../support/problems.ts';

const { digestOf } = await loadDigests();

const NOW = '2026-11-20T09:15:00.000Z';

/** Batches of so many records each. */
function batches(count: number, records = 1, notes: readonly string[] = []): readonly Prepared[] {
  const sealer = new Sealer({ envelope: 'signals', records, bytes: 1000 }, { digestOf });
  return Array.from({ length: count * records }, (_, index) => {
    const row = index + 1;
    const at = { source: 0, row, line: row + 1, nextLine: row + 2, start: row, end: row + 1 };
    return sealer.add(at, String(row), notes, [String(row)]);
  }).filter((made) => made !== undefined);
}

/** An intake whose journal is written, and whose payloads are stored, when the test says so. */
function stage(resume?: ResumeState, findSent?: FindSent) {
  const told: string[] = [];
  const events: RunEvent[] = [];
  const counted: string[] = [];
  const runStop = createRunStop();
  const stored: (() => void)[] = [];
  const writes: { readonly done: () => void; readonly fail: (error: Error) => void }[] = [];
  const intake = new Intake(
    { inputs: [], resume },
    {
      recorder: {
        now: () => NOW,
        record: (event) => {
          told.push(event.event === 'batch.reopened' ? `reopened from ${event.from}` : event.event);
          events.push(event);
          return new Promise((done, fail) => {
            writes.push({ done, fail });
          });
        },
        storePayload: (_batch, outcome) => {
          told.push(`stored as ${outcome}`);
          return new Promise((done) => stored.push(done));
        },
        writeOrStop: (write) => write(),
      },
      rejects: {
        add: ({ line }) => {
          told.push(`rejected line ${line}`);
          return new Promise((done) => stored.push(done));
        },
        lengths: () => ({}),
      },
      gate: {
        count: ({ kind }) => void counted.push(kind),
        submit: async ({ id }) => void told.push(`submitted ${id}`),
      },
      runStop,
      claims: findSent && new ClaimGate(findSent, digestOf),
    },
  );
  return { intake, told, events, counted, runStop, writes, stored };
}

/** A batch that an earlier part of the run has sealed. */
function rebuilt(unsettled: UnsettledBatch) {
  const [item] = batches(1, 2);
  if (item?.kind !== 'batch') throw new Error('a batch was sealed');
  const runState = newRunState({ event: 'run.started', v: 1, time: NOW, run: 'r', type: 'social', inputs: [] });
  const resume = { runState, unsettled: new Map([['1', unsettled]]), baseUrl: '' };
  return { item: { kind: 'rebuilt', batch: item.batch, matches: true } as const, resume };
}

test('hands on all batches for which there is room, each behind its seal, before the first seal is written', async () => {
  const { intake, told, writes } = stage();
  await intake.take(batches(3));
  expect(told).toEqual([1, 2, 3].flatMap((n) => ['batch.sealed', `submitted ${n}`]));
  let isSealed = false;
  const sealed = intake.sealed().then(() => {
    isSealed = true;
  });
  writes[0]?.done();
  writes[1]?.done();
  await new Promise(setImmediate);
  expect(isSealed).toBe(false);
  writes[2]?.done();
  await sealed;
});

test('tells of a seal that cannot be written', async () => {
  const { intake, writes } = stage();
  await intake.take(batches(2));
  writes[0]?.done();
  writes[1]?.fail(new Error('no room'));
  // Long enough that a fault that is not handled would end the process.
  await new Promise(setImmediate);
  await expect(intake.sealed()).rejects.toThrow('no room');
});

const IN_FLIGHT = { from: 'pending', next: 'send', attempts: 1, maybeProcessed: true } as const;
const REFUSED = { from: 'refused', next: 'send', attempts: 1, maybeProcessed: false } as const;
const isFirstSent: FindSent = async () => new Map([[0, { state: 'delivered', run: 'other' }]]);
const areNoneSent: FindSent = async () => new Map();
const areAllSent: FindSent = async () => new Map([0, 1].map((n) => [n, { state: 'delivered', run: 'other' }]));

/** Each of the steps waits for those before. What a step tells of is separated by commas. */
async function expectSteps(items: readonly Prepared[], steps: readonly string[], on: ReturnType<typeof stage>) {
  let isTaken = false;
  const taken = on.intake.take(items).then(() => {
    isTaken = true;
  });
  for (const n of steps.keys()) {
    await new Promise(setImmediate);
    expect(on.told.join()).toBe(steps.slice(0, n + 1).join());
    expect(isTaken).toBe(n === steps.length - 1 && on.writes.length + on.stored.length === 0);
    for (const done of [...on.stored.splice(0), ...on.writes.splice(0).map((write) => write.done)]) done();
  }
  await taken;
}

const NO_DROPS = { invalid: 0, skipped: 0, duplicate: 0 };
const commit = { cursors: [], dropped: NO_DROPS, notes: {} };
const end = { kind: 'end', source: 0, bytes: 9, digest: '', rows: 1, commit } as const;
const position = { source: 0, row: 1, line: 2, nextLine: 3, start: 1, end: 2 };
const duplicate = { kind: 'duplicate', position, of: { source: 0, line: 2 } } as const;
const invalid = {
  kind: 'invalid',
  position,
  issues: [{ code: 'missing', expected: 'a text' }],
  content: ['x'],
} as const;
const skipped = {
  kind: 'skipped',
  source: 0,
  firstLine: 2,
  lastLine: 2,
  firstRow: 1,
  lastRow: 1,
  why: 'skip',
} as const;

test('writes rejected rows before their events, and both before what follows', async () => {
  const on = stage();
  const items = [skipped, duplicate, invalid, ...batches(1), skipped, end, duplicate];
  const steps = ['row.skipped', 'rejected line 2', 'row.duplicate,row.invalid'];
  await expectSteps(items, [...steps, 'batch.sealed,submitted 1,row.skipped', 'source.ended', 'row.duplicate'], on);
  expect(on.counted).toEqual(items.map(({ kind }) => kind));
  on.runStop.stop({ code: 'signal', message: '' });
  await on.intake.take(items);
  expect(on.counted).toHaveLength(items.length);
});

const noted = { notes: { 'omitted:x': 2 }, firstNotes: { 'omitted:x': { source: 0, line: 2 } } };
const all = {
  ...noted,
  cursors: [{ source: 0, rows: 2, line: 4, byte: 3 }],
  dropped: { ...NO_DROPS, skipped: 2 },
  sentBefore: [{ state: 'delivered', run: 'other', rows: 2 }],
  excluded: { batches: 1, rows: 0, invalid: 0, skipped: 0 },
};
const sealed = 'batch.sealed,submitted 1,source.ended';
test.each([
  [isFirstSent, ['row.skipped', sealed], { records: 1, ranges: [{ firstRow: 2 }], ...noted }, commit, 1],
  [areNoneSent, [sealed], { records: 2, ...noted }, commit, 0],
  [areAllSent, ['row.skipped', 'source.ended'], { lastRow: 2 }, all, 1],
] as const)('takes out what another run has sent', async (findSent, steps, before, ended, releases) => {
  const on = stage(undefined, findSent);
  let released = 0;
  const made = batches(1, 2, ['omitted:x']);
  for (const item of made) if (item.kind === 'batch') Object.assign(item.batch, { release: () => (released += 1) });
  await expectSteps([...made, { ...end, commit: undefined }, end], [...steps, 'source.ended'], on);
  expect(on.events.at(-3)).toMatchObject(before);
  expect(on.events.slice(-2).map((event) => 'commit' in event && event.commit)).toEqual([undefined, ended]);
  expect(released).toBe(releases);
});

test.each([true, false])('a shard has the keys of the batches of others for a resume: %s', (recordKeys) => {
  const shard = new ShardSelector({ index: 2, of: 3, recordKeys }, 0);
  const [item] = batches(3).flatMap((made) => shard.select(made));
  const others = item?.kind === 'batch' ? item.commit.excluded?.sealed : [];
  expect(others?.map(({ ranges: [range] }) => range?.firstLine)).toEqual(recordKeys ? [2, 3] : undefined);
});

test('refuses a batch that the journal does not have, or has otherwise', async () => {
  const { item, resume } = rebuilt({ ...IN_FLIGHT, why: 'resume' });
  const { intake } = stage(resume);
  expect(await problemFrom(intake.take([{ ...item, matches: false }]))).toMatchObject({
    code: 'resume.changed',
    message: expect.stringContaining('Batch 1 (input, lines 2 to 3) no longer matches'),
  });
  await expect(stage().intake.take([item])).rejects.toThrow('batch 1 was prepared again and is not unsettled');
});

test.each([
  [
    'a batch in flight is stored before it is settled as unknown',
    { ...IN_FLIGHT, why: 'resume', next: 'settle' },
    ['stored as unknown', 'batch.settled'],
  ],
  [
    'a batch in flight is stored before it is sent again because that was asked for',
    { ...IN_FLIGHT, why: 'resume --unknown' },
    ['stored as unknown', 'batch.settled', 'reopened from unknown', 'submitted 1'],
  ],
  ['a batch in flight is sent again', { ...IN_FLIGHT, why: 'resume' }, ['submitted 1']],
  [
    'an unknown batch is opened again',
    { ...IN_FLIGHT, from: 'unknown', why: 'resume --unknown' },
    ['reopened from unknown', 'submitted 1'],
    areNoneSent,
  ],
  [
    'what another run has left of a batch is stored before it is recorded',
    { ...REFUSED, why: 'resume --refused' },
    ['reopened from refused', 'stored as refused', 'batch.reduced', 'submitted 1'],
    isFirstSent,
  ],
  ['what is left of a batch in flight', { ...IN_FLIGHT, why: 'resume' }, ['batch.reduced', 'submitted 1'], isFirstSent],
  [
    'a batch of which another run has left nothing is not sent',
    { ...REFUSED, why: 'resume --refused' },
    ['reopened from refused', 'batch.reduced'],
    areAllSent,
    { digest: '', records: 0, bytes: 0, ranges: [], skipped: [{ firstRow: 1, lastRow: 2 }] },
  ],
] as const)('%s', async (_what, unsettled, steps, findSent?: FindSent, last?: object) => {
  const { item, resume } = rebuilt(unsettled);
  const on = stage(resume, findSent);
  await expectSteps([item], steps, on);
  if (last !== undefined) expect(on.events.at(-1)).toMatchObject(last);
});

type Source = RunJob['inputs'][number]['source'];

const stops = ['signal', 'storage', 'folder', undefined, 'key', 'the process'] as const;
test.each(stops)('closes the inputs on a stop by %s', (by) => {
  const closed: string[] = [];
  const close = (name: string) => async (): Promise<void> => void closed.push(name);
  const pipe: Source = { name: 'pipe', size: undefined, close: close('pipe'), spool: async () => undefined };
  const job = { inputs: [{ source: { name: 'file', size: 1, close: close('file') } }, { source: pipe }] };
  const [runStop, ending] = [createRunStop(), new AbortController()];
  closeOnStop(job, runStop, ending.signal);
  if (by === 'the process') ending.abort();
  else runStop.stop(by && { code: by, message: '' });
  expect(closed).toEqual(by === 'key' ? ['file'] : ['file', 'pipe']);
});

test('copies pipes by the journal, and waits until the end of each is recorded', async () => {
  const told: unknown[] = [];
  const others = { name: '', size: undefined, close: async () => undefined };
  const spool: Source['spool'] = (guard) => guard(async () => void told.push('copied')).then(() => ({ bytes: 7 }));
  const record = (event: RunEvent) => new Promise(setImmediate).then(() => void told.push(event));
  const recorder = { record, now: () => NOW, writeOrStop: async <T>(work: () => Promise<T>) => work() };
  const inputs = [
    { source: others },
    { source: { ...others, spool: async () => undefined } },
    { source: { ...others, spool } },
  ];
  await spoolInputs({ inputs }, recorder, { copy: (write) => write() });
  expect(told).toEqual(['copied', { event: 'source.spooled', time: NOW, source: 2, bytes: 7 }]);
});
