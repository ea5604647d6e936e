/** The intake by itself: when a batch is handed on, and what a seal that cannot be written comes to. */
import { expect, test } from 'vitest';
import { loadDigests } from '../../src/lib/digest.ts';
import type { Prepared } from '../../src/model/prepared.ts';
import { Sealer } from '../../src/prepare/sealer.ts';
import { Intake } from '../../src/run/intake.ts';
import { NO_REJECTS } from '../../src/run/rejects-folder.ts';
import { createRunStop } from '../../src/run/run-stop.ts';

const { digestOf } = await loadDigests();

/** Batches of one record each. */
function batches(count: number): readonly Prepared[] {
  const sealer = new Sealer({ envelope: 'signals', records: 1, bytes: 1000 }, { digestOf });
  return Array.from({ length: count }, (_, index) => {
    const row = index + 1;
    const at = { source: 0, row, line: row + 1, nextLine: row + 2, start: row, end: row + 1 };
    const made = sealer.add(at, String(row), [], [String(row)]);
    if (made === undefined) throw new Error('a batch of one record is full');
    return made;
  });
}

/** An intake whose journal is written when the test says so. */
function stage() {
  const told: string[] = [];
  const writes: { readonly done: () => void; readonly fail: (error: Error) => void }[] = [];
  const marks = [1, 2, 3].map((bytes) => ({ bytes: { 0: bytes }, rows: { 0: 1 } }));
  const intake = new Intake(
    { inputs: [] },
    {
      recorder: {
        now: () => '2026-11-20T09:15:00.000Z',
        record: (event) => {
          told.push(event.event);
          return new Promise((done, fail) => {
            writes.push({ done, fail });
          });
        },
        keep: async () => undefined,
        writeOrStop: (write) => write(),
      },
      rejects: { add: async () => undefined, mark: () => marks.shift() ?? NO_REJECTS },
      gate: { count: () => undefined, submit: async ({ id }) => void told.push(`submitted ${id}`) },
      runStop: createRunStop(),
    },
  );
  return { intake, told, writes };
}

test('hands on all batches for which there is room, each behind its seal, before the first seal is written', async () => {
  const { intake, told, writes } = stage();
  await intake.take(batches(3));
  expect(told).toEqual([1, 2, 3].flatMap((n) => ['batch.sealed', `submitted ${n}`]));
  expect(intake.rejectsAtCommit).toEqual(NO_REJECTS);
  let isSealed = false;
  const sealed = intake.sealed().then(() => {
    isSealed = true;
  });
  writes[0]?.done();
  writes[1]?.done();
  await new Promise(setImmediate);
  expect([isSealed, intake.rejectsAtCommit.bytes]).toEqual([false, { 0: 2 }]);
  writes[2]?.done();
  await sealed;
  expect(intake.rejectsAtCommit.bytes).toEqual({ 0: 3 });
});

test('tells of a seal that cannot be written, and counts no rejects behind it', async () => {
  const { intake, writes } = stage();
  await intake.take(batches(2));
  writes[0]?.done();
  writes[1]?.fail(new Error('no room'));
  // Long enough that a fault which nobody has taken would end the process.
  await new Promise(setImmediate);
  await expect(intake.sealed()).rejects.toThrow('no room');
  expect(intake.rejectsAtCommit.bytes).toEqual({ 0: 1 });
});
