/** The recorder with a real run folder: the order journal -> run state -> readers, and what a failing write means. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { newRunState } from '../../src/journal/apply-event.ts';
import { FolderLostError } from '../../src/journal/lock.ts';
import type { Batch } from '../../src/model/batch.ts';
import type { RunEvent, RunStarted } from '../../src/model/event.ts';
import { StorageError } from '../../src/model/outcome.ts';
import type { UploadDeps, UploadJob } from '../../src/run/job.ts';
import { createRecorder, eventOf } from '../../src/run/recorder.ts';
import type { RunFiles } from '../../src/run/run-files.ts';
import { createRunStop } from '../../src/run/run-stop.ts';
import { heldLock } from '../support/held-lock.ts';
import { runFilesInTemp, STILL, TIME } from '../support/open-run-files.ts';
import { sealed as sealedBatch, settled as settledBatch } from '../support/run-states.ts';

const sealed = { ...sealedBatch('1', 2, []), cursors: [{ source: 0, rows: 2, line: 4, byte: 30 }] };
const started: RunEvent = { event: 'attempt.started', time: TIME, batch: '1', attempt: 1, bytes: 20 };
const settled = settledBatch('1', {});
const failure = { ms: 5, error: 'reset', maybeProcessed: true, next: 'retry' } as const;
const failed: RunEvent = { event: 'attempt.failed', time: TIME, batch: '1', attempt: 1, ...failure };
const ended: RunEvent = { event: 'run.ended', time: TIME, state: 'complete', putBack: [] };
const noSpace = (): Error => Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
const source = { name: 'in.csv', size: 30, close: async () => undefined };

interface Stage {
  readonly change?: (runFiles: RunFiles) => RunFiles;
  readonly job?: Partial<Pick<UploadJob, 'shard' | 'resume'>>;
  readonly claims?: UploadDeps['claims'];
  readonly confirm?: () => void;
}

async function stage({ change = (runFiles) => runFiles, job, claims, confirm }: Stage = {}) {
  const runFiles = await runFilesInTemp();
  const events = (): readonly RunEvent[] =>
    readFileSync(path.join(runFiles.folder.path, 'journal.ndjson'), 'utf8')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  const names = () => events().map(({ event }) => event);
  /** Each event that the reader received, with the last event in the journal at that time. */
  const read: (readonly [event: string, journalled: string | undefined])[] = [];
  const runStop = createRunStop();
  const held = heldLock();
  const lock = { ...held, confirm: confirm ?? held.confirm };
  const recorder = createRecorder(
    { contract: contracts.signals, variant: 'a', inputs: [{ source }], run: 'run', ...job },
    runStop,
    {
      runFiles: change(runFiles),
      clock: STILL,
      readers: [({ event }) => read.push([event, names().at(-1)])],
      lock,
      claims,
    },
  );
  const recordAll = async (...all: readonly RunEvent[]): Promise<void> => {
    for (const event of all) await recorder.record(event);
  };
  return { recorder, recordAll, runStop, read, lock, events, names };
}

/** Run files whose journal does something before it writes an event. */
const before =
  (act: (event: RunEvent, count: number) => void, diskFull?: Error) =>
  (runFiles: RunFiles): RunFiles => {
    let count = 0;
    const append: RunFiles['append'] = async (event) => {
      count += 1;
      act(event, count);
      await runFiles.append(event);
    };
    const get = (file: RunFiles['journal'], key: string) => (key === 'diskFull' ? diskFull : Reflect.get(file, key));
    return { ...runFiles, append, journal: new Proxy(runFiles.journal, { get }) };
  };

/** A journal that fails from the n-th event on, or only at it. */
const failing = (first: number, last = Number.POSITIVE_INFINITY) => ({
  change: before((_event, count) => {
    if (count >= first && count <= last) throw noSpace();
  }),
});

describe('the first event', () => {
  test('of a new run says what is uploaded, and nothing else about a shard', async () => {
    const shard = { index: 1, of: 3, recordKeys: true };
    const { recorder, events } = await stage({ job: { shard } });
    await recorder.begin();
    const input = { name: 'in.csv' };
    const run = { event: 'run.started', v: 1, time: TIME, run: 'run', type: 'signals', variant: 'a' };
    expect(events()).toEqual([{ ...run, shard: { index: 1, of: 3 }, inputs: [input], crc: expect.any(String) }]);
  });

  test('of a resume continues the state so far', async () => {
    const first: RunStarted = { event: 'run.started', v: 1, time: TIME, run: 'r', type: 'signals', inputs: [] };
    const runState = newRunState(first);
    const resume = { runState, unsettled: new Map(), baseUrl: 'http://x' };
    const { recorder, events } = await stage({ job: { resume } });
    await recorder.begin();
    expect(recorder.runState).toBe(runState);
    expect(events()).toMatchObject([{ event: 'run.resumed', time: TIME, baseUrl: 'http://x' }]);
  });
});

test('an event is journalled before it is applied and read', async () => {
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

test('what was prepared becomes an event, with the start of each value', () => {
  const position = { source: 0, row: 1, line: 2, nextLine: 3, start: 2, end: 4 };
  const missing = { code: 'missing', expected: 'text' } as const;
  const type = { code: 'type', found: 'x'.repeat(41), expected: 'text' } as const;
  const rows = { source: 0, firstRow: 1, lastRow: 2, firstLine: 2, lastLine: 3, why: 'limit' } as const;
  const end = { source: 0, bytes: 9, digest: 'd', rows: 2 };
  const [source, row, line] = [0, 1, 2];
  const of = { source: 0, line: 9 };
  const events = [
    eventOf({ kind: 'invalid', position, content: [], issues: [type, missing] }, TIME, {}),
    eventOf({ kind: 'skipped', ...rows }, TIME, {}),
    eventOf({ kind: 'duplicate', position, of }, TIME, {}),
    eventOf({ kind: 'end', ...end }, TIME, { 0: 5 }),
  ];
  expect(events).toEqual([
    { event: 'row.invalid', ...position, issues: [{ code: 'type', found: `${'x'.repeat(39)}…` }, { code: 'missing' }] },
    { event: 'row.skipped', ...rows },
    { event: 'row.duplicate', source, row, line, of },
    { event: 'source.ended', time: TIME, rejects: { 0: 5 }, ...end },
  ]);
});

describe('a journal that cannot be written', () => {
  test('stops the run, and the event is not applied', async () => {
    const { recorder, runStop, read } = await stage(failing(2));
    await recorder.begin();
    await expect(recorder.record(sealed)).rejects.toBeInstanceOf(StorageError);
    expect(runStop.signal.aborted).toBe(true);
    expect(runStop.reason).toMatchObject({
      code: 'storage',
      message: expect.stringMatching(/^The run folder .*run cannot be written \(ENOSPC: no space left\)/),
    });
    expect(recorder.runState.rows.pending).toBe(0);
    expect(read).toEqual([['run.started', 'run.started']]);
  });

  test.each([
    ['keeps an attempt from being made', failing(3), [sealed], ['run.started', 'batch.sealed'], {}],
    [
      'says of an attempt whose line may be there that it was not sent',
      failing(3, 3),
      [sealed],
      ['run.started', 'batch.sealed', 'attempt.failed'],
      { ms: 0, attempt: 1, maybeProcessed: false, next: 'stop' },
    ],
    [
      'still says that an earlier attempt may have been processed',
      failing(5, 5),
      [sealed, started, failed],
      ['run.started', 'batch.sealed', 'attempt.started', 'attempt.failed', 'attempt.failed'],
      { ms: 0, maybeProcessed: true, next: 'stop' },
    ],
  ])('%s', async (_what, how, earlier, names, last) => {
    const at = await stage(how);
    await at.recorder.begin();
    await at.recordAll(...earlier);
    const { requests } = at.recorder.runState;
    await expect(at.recorder.record(started)).rejects.toBeInstanceOf(StorageError);
    expect([at.names(), at.events().at(-1)]).toMatchObject([names, last]);
    expect([at.runStop.reason?.code, at.recorder.runState.requests]).toEqual(['storage', requests]);
  });

  test('does not hide what the service answered, and does not end the run', async () => {
    const { recorder, recordAll, runStop } = await stage(failing(4));
    await recorder.begin();
    await recordAll(sealed, started, settled);
    expect(recorder.runState.rows.delivered).toBe(2);
    expect(runStop.reason?.code).toBe('storage');
    await expect(recorder.record(ended)).rejects.toBeInstanceOf(StorageError);
    expect(recorder.runState.state).toBe('running');
  });

  test.each([
    [[sealed, started, settled], undefined],
    [[sealed], 'storage'],
  ])('leaves results.csv alone from then on %#', async (events, broken) => {
    const logged: string[] = [];
    const { recorder, recordAll } = await stage({
      change: (runFiles) => {
        const log: RunFiles['results']['log'] = ({ event }) => {
          logged.push(event);
          return broken === undefined && event === 'batch.settled' ? Promise.reject(noSpace()) : undefined;
        };
        const diskFull = broken === undefined ? undefined : noSpace();
        return { ...before(() => undefined, diskFull)(runFiles), results: { ...runFiles.results, log } };
      },
    });
    await recorder.begin();
    if (broken === undefined) await expect(recordAll(...events)).rejects.toBeInstanceOf(StorageError);
    else await recordAll(...events);
    await recorder.record(failed);
    expect(logged).toEqual(broken === undefined ? ['run.started', ...events.map(({ event }) => event)] : []);
  });
});

test('on a full disk what happened is recorded, and no attempt starts', async () => {
  const { recorder, recordAll, runStop, names } = await stage({
    change: before(() => undefined, noSpace()),
  });
  await recordAll(sealed);
  expect([runStop.reason?.code, recorder.runState.rows.pending]).toEqual(['storage', 2]);
  await expect(recorder.record(started)).rejects.toBeInstanceOf(StorageError);
  expect(recorder.runState.requests).toBe(0);
  expect(names()).toEqual(['batch.sealed', 'attempt.started', 'attempt.failed']);
});

const FACTS = { id: '1', records: 1, digest: '0', ranges: [], offsets: [12, 14], rows: [] };
const BATCH: Batch = { ...FACTS, payload: Buffer.from('{"signals":[1]}') };

test('a payload that cannot be stored stops the run', async () => {
  const { recorder, runStop } = await stage({
    change: (runFiles) => ({
      ...runFiles,
      undelivered: { ...runFiles.undelivered, add: () => Promise.reject(noSpace()) },
    }),
  });
  await expect(recorder.storePayload(BATCH, 'unknown')).rejects.toThrow('ENOSPC');
  expect(runStop.reason?.code).toBe('storage');
});

test('a record that was refused is stored with the answer, and as it was sent if its row is not there', async () => {
  const added: (readonly unknown[])[] = [];
  const { recorder } = await stage({
    change: (runFiles) => {
      const add = async (...given: readonly unknown[]): Promise<void> => void added.push(given);
      return { ...runFiles, undelivered: { ...runFiles.undelivered, add } };
    },
  });
  const position = { source: 0, row: 1, line: 2, nextLine: 3, start: 2, end: 4 };
  const own = { ...BATCH, rows: [{ position, content: ['a'] }] };
  const stored = { ...BATCH, rows: [{ position }] };
  await recorder.storePayload(BATCH, 'unknown');
  for (const batch of [own, stored]) await recorder.storePayload(batch, 'refused', 'no');
  const reason = 'the service refused it: no';
  expect(added).toEqual([
    [BATCH, 'unknown', undefined],
    [own, 'refused', { reason, content: ['a'] }],
    [stored, 'refused', { reason, content: '1' }],
  ]);
  await expect(recorder.storePayload(BATCH, 'refused', 'no')).rejects.toThrow('batch 1 was refused for its record');
});

test('once another process has taken over the run, nothing is written and nothing more is sent', async () => {
  const { recorder, runStop, lock, events } = await stage();
  await recorder.begin();
  const written = events();
  lock.lose();
  await expect(recorder.record(started)).rejects.toBeInstanceOf(StorageError);
  await expect(recorder.writeOrStop(() => Promise.resolve())).rejects.toBeInstanceOf(StorageError);
  expect(runStop.reason).toMatchObject({ code: 'lost' });
  expect(runStop.signal.aborted).toBe(true);
  expect(events()).toEqual(written);
});

test.each([
  ['an attempt does not start', started, 'lost', 0],
  ['an answer is recorded', failed, undefined, 1],
])('%s if another process took over while its line was written', async (_what, event, code, requests) => {
  const takenOver: { lose?: () => void } = {};
  const change = before(({ event: written }) => {
    if (written === event.event) takenOver.lose?.();
  });
  const { recorder, recordAll, runStop, lock, names } = await stage({ change });
  takenOver.lose = lock.lose;
  await recorder.begin();
  await recordAll(sealed);
  if (event === started) await expect(recorder.record(started)).rejects.toBeInstanceOf(StorageError);
  else await recordAll(started, event);
  expect([runStop.reason?.code, recorder.runState.requests]).toEqual([code, requests]);
  expect(names().at(-1)).toBe(event.event);
});

test('an attempt, and no other event, needs the claims of the run', async () => {
  let confirmed = 0;
  const confirm = (): void => {
    confirmed += 1;
    if (confirmed === 2) throw noSpace();
  };
  const { recorder, recordAll } = await stage({ claims: { confirm } });
  await recorder.begin();
  await recordAll(sealed, started, failed);
  expect(confirmed).toBe(1);
  await expect(recorder.record(started)).rejects.toBeInstanceOf(StorageError);
});

test.each([
  ['is recorded of what happened', failed, 3, ['run.started', 'batch.sealed', 'attempt.failed']],
  ['is not recorded of what is announced', { ...sealed, batch: '2' }, 2, ['run.started', 'batch.sealed']],
] as const)('in a folder that was renamed, an event %s', async (_what, event, limit, names) => {
  for (const isFull of [false, true]) {
    let isRenamed = false;
    const at = await stage({
      ...failing(isFull ? 3 : 9),
      confirm: () => {
        if (isRenamed) throw new FolderLostError('run');
      },
    });
    await at.recorder.begin();
    await at.recordAll(sealed);
    isRenamed = true;
    const recorded = at.recorder.record(event);
    if (event === failed) await recorded;
    else await expect(recorded).rejects.toBeInstanceOf(StorageError);
    expect([at.runStop.reason?.code, at.names()]).toEqual(['folder', names.slice(0, isFull ? 2 : limit)]);
  }
});
