/** The intake by itself: when a batch is handed on, and what a seal that cannot be written comes to. */
import { expect, test } from 'vitest';
import { newRunState } from '../../src/journal/apply-event.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import type { Prepared } from '../../src/model/prepared.ts';
import { Sealer } from '../../src/prepare/sealer.ts';
import { Intake } from '../../src/run/intake.ts';
import type { ResumeState, UnsettledBatch } from '../../src/run/job.ts';
import { createRunStop } from '../../src/run/run-stop.ts';
import { ClaimGate, type FindSent } from '../../src/run/select-records.ts';

const { digestOf } = await loadDigests();

const NOW = '2026-11-20T09:15:00.000Z';

/** Batches of so many records each. */
function batches(count: number, records = 1): readonly Prepared[] {
  const sealer = new Sealer({ envelope: 'signals', records, bytes: 1000 }, { digestOf });
  return Array.from({ length: count * records }, (_, index) => {
    const row = index + 1;
    const at = { source: 0, row, line: row + 1, nextLine: row + 2, start: row, end: row + 1 };
    return sealer.add(at, String(row), [], [String(row)]);
  }).filter((made) => made !== undefined);
}

/** An intake whose journal is written, and whose payloads are stored, when the test says so. */
function stage(resume?: ResumeState, findSent?: FindSent) {
  const told: string[] = [];
  const stored: (() => void)[] = [];
  const writes: { readonly done: () => void; readonly fail: (error: Error) => void }[] = [];
  const intake = new Intake(
    { inputs: [], resume },
    {
      recorder: {
        now: () => NOW,
        record: (event) => {
          told.push(event.event);
          return new Promise((done, fail) => {
            writes.push({ done, fail });
          });
        },
        keep: (_batch, outcome) => {
          told.push(`stored as ${outcome}`);
          return new Promise((done) => stored.push(done));
        },
        writeOrStop: (write) => write(),
      },
      rejects: { add: async () => undefined, lengths: () => ({}) },
      gate: { count: () => undefined, submit: async ({ id }) => void told.push(`submitted ${id}`) },
      runStop: createRunStop(),
      claims: findSent && new ClaimGate(findSent, digestOf),
    },
  );
  return { intake, told, writes, stored };
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

test.each([
  [
    'a batch in flight before it is settled as unknown',
    { ...IN_FLIGHT, why: 'resume', next: 'settle' },
    ['stored as unknown', 'batch.settled'],
  ],
  [
    'a batch in flight before it is sent again because that was asked for',
    { ...IN_FLIGHT, why: 'resume --unknown' },
    ['stored as unknown', 'batch.settled', 'batch.reopened', 'submitted 1'],
  ],
  [
    'what another run has left of a batch before the rest is recorded',
    { ...REFUSED, why: 'resume --refused' },
    ['batch.reopened', 'stored as refused', 'batch.reduced', 'submitted 1'],
    isFirstSent,
  ],
] as const)('stores the payload of %s', async (_what, unsettled, steps, findSent?: FindSent) => {
  const { item, resume } = rebuilt(unsettled);
  const { intake, told, writes, stored } = stage(resume, findSent);
  const taken = intake.take([item]);
  for (const [n, step] of steps.entries()) {
    await new Promise(setImmediate);
    // Each step waits for the one before.
    expect(told).toEqual(steps.slice(0, n + 1));
    (step.startsWith('stored') ? stored.shift() : writes.shift()?.done)?.();
  }
  await taken;
});
