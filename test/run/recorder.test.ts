/** The recorder with a real run folder: the order journal -> run state -> readers, and what a failing write means. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import type { Clock } from '../../src/deliver/index.ts';
import type { BatchSealed, RunEvent } from '../../src/model/event.ts';
import { StorageError } from '../../src/model/outcome.ts';
import { createRecorder } from '../../src/run/recorder.ts';
import type { RunFiles } from '../../src/run/run-files.ts';
import { createRunStop } from '../../src/run/run-stop.ts';
import { heldLock } from '../support/held-lock.ts';
import { runFilesInTemp } from '../support/open-run-files.ts';

const TIME = '2026-11-20T09:15:00.000Z';
const clock: Clock = {
  now: () => 0,
  date: () => Date.parse(TIME),
  random: () => 0,
  sleep: async () => undefined,
};
const sealed: BatchSealed = {
  event: 'batch.sealed',
  batch: '1',
  digest: '0123456789abcdef',
  records: 2,
  bytes: 20,
  ranges: [],
  rejects: {},
  cursors: [{ source: 0, rows: 2, line: 4, byte: 30 }],
  dropped: { invalid: 0, skipped: 0, duplicate: 0 },
  notes: {},
};
const started: RunEvent = { event: 'attempt.started', time: TIME, batch: '1', attempt: 1, bytes: 20 };
const settled: RunEvent = {
  event: 'batch.settled',
  time: TIME,
  batch: '1',
  outcome: 'delivered',
  attempts: 1,
  ms: 5,
  unaccounted: 0,
};
const noSpace = (): Error => Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });

async function stage(change: (runFiles: RunFiles) => RunFiles = (runFiles) => runFiles) {
  const runFiles = await runFilesInTemp();
  const journalPath = path.join(runFiles.folder.path, 'journal.ndjson');
  /** Each event that the reader received, with the last event in the journal at that time. */
  const read: (readonly [event: string, journalled: string | undefined])[] = [];
  const lastJournalled = (): string | undefined => {
    const line = readFileSync(journalPath, 'utf8').trimEnd().split('\n').at(-1);
    return line === '' || line === undefined ? undefined : JSON.parse(line).event;
  };
  const runStop = createRunStop();
  const lock = heldLock();
  const recorder = createRecorder(
    { contract: contracts.signals, variant: 'a', inputs: [{ source: source('in.csv') }], run: 'run' },
    runStop,
    {
      runFiles: change(runFiles),
      clock,
      readers: [(event) => read.push([event.event, lastJournalled()])],
      lock,
    },
  );
  return { recorder, runStop, read, lock, journalPath };
}

const source = (name: string) => ({ name, size: 30, close: async () => undefined });

/** Run files whose journal fails from the n-th event on. */
const failingJournal =
  (first: number) =>
  (runFiles: RunFiles): RunFiles => {
    let events = 0;
    const append: RunFiles['journal']['append'] = async (event) => {
      events += 1;
      if (events >= first) throw noSpace();
      await runFiles.journal.append(event);
    };
    return { ...runFiles, journal: { ...runFiles.journal, append } };
  };

describe('an event', () => {
  test('is journalled before it is applied and read', async () => {
    const { recorder, read } = await stage();
    await recorder.begin();
    const recorded = recorder.record(sealed);
    expect(recorder.runState.rows.pending).toBe(0);
    await recorded;
    expect(recorder.runState.rows.pending).toBe(2);
    expect(read).toEqual([
      ['run.started', 'run.started'],
      ['batch.sealed', 'batch.sealed'],
    ]);
  });
});

describe('a journal that cannot be written', () => {
  test('stops the run, and the event is not applied', async () => {
    const { recorder, runStop, read } = await stage(failingJournal(2));
    await recorder.begin();
    await expect(recorder.record(sealed)).rejects.toBeInstanceOf(StorageError);
    expect(runStop.signal.aborted).toBe(true);
    expect(runStop.reason).toMatchObject({
      code: 'storage',
      message: expect.stringContaining('ENOSPC'),
    });
    expect(recorder.runState.rows.pending).toBe(0);
    expect(read).toEqual([['run.started', 'run.started']]);
  });

  test('keeps an attempt from being made', async () => {
    const { recorder, runStop } = await stage(failingJournal(3));
    await recorder.begin();
    await recorder.record(sealed);
    await expect(recorder.record(started)).rejects.toBeInstanceOf(StorageError);
    expect(runStop.reason?.code).toBe('storage');
    expect(recorder.runState.requests).toBe(0);
  });

  test('does not hide what the service answered, and does not end the run', async () => {
    const { recorder, runStop } = await stage(failingJournal(4));
    await recorder.begin();
    await recorder.record(sealed);
    await recorder.record(started);
    await recorder.record(settled);
    expect(recorder.runState.rows.delivered).toBe(2);
    expect(runStop.reason?.code).toBe('storage');
    const ended: RunEvent = { event: 'run.ended', time: TIME, state: 'complete', putBack: [] };
    await expect(recorder.record(ended)).rejects.toBeInstanceOf(StorageError);
    expect(recorder.runState.state).toBe('running');
  });
});

test('a payload that cannot be stored stops the run', async () => {
  const { recorder, runStop } = await stage((runFiles) => ({
    ...runFiles,
    undelivered: { ...runFiles.undelivered, add: () => Promise.reject(noSpace()) },
  }));
  const payload = Buffer.from('{"signals":[1]}');
  const batch = { id: '1', records: 1, payload, digest: '0', ranges: [], offsets: [12, 14], rows: [] };
  await expect(recorder.keep(batch, 'unknown')).rejects.toThrow('ENOSPC');
  expect(runStop.reason?.code).toBe('storage');
});

test('once another process has taken over the run, nothing is written and nothing more is sent', async () => {
  const { recorder, runStop, lock, journalPath } = await stage();
  await recorder.begin();
  const before = readFileSync(journalPath, 'utf8');
  lock.lose();
  const attempt = {
    event: 'attempt.started',
    time: recorder.now(),
    batch: '1',
    attempt: 1,
    bytes: 9,
  } as const;
  await expect(recorder.record(attempt)).rejects.toBeInstanceOf(StorageError);
  await expect(recorder.writeOrStop(() => Promise.resolve())).rejects.toBeInstanceOf(StorageError);
  expect(runStop.reason).toMatchObject({ code: 'lost' });
  expect(runStop.signal.aborted).toBe(true);
  expect(readFileSync(journalPath, 'utf8')).toBe(before);
});

test('an attempt does not start if another process took over while its line was written', async () => {
  const takenOver: { lose?: () => void } = {};
  const { recorder, runStop, lock } = await stage((runFiles) => {
    const append: RunFiles['journal']['append'] = async (event) => {
      await runFiles.journal.append(event);
      if (event.event === 'attempt.started') takenOver.lose?.();
    };
    return { ...runFiles, journal: { ...runFiles.journal, append } };
  });
  takenOver.lose = lock.lose;
  await recorder.begin();
  await recorder.record(sealed);
  await expect(recorder.record(started)).rejects.toBeInstanceOf(StorageError);
  expect(runStop.reason).toMatchObject({ code: 'lost' });
  expect(recorder.runState.requests).toBe(0);
});
