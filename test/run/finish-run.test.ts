/** The end of a run in a real run folder: final state, lost batches, rejects files. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { Stop } from '../../src/model/outcome.ts';
import { createRecorder } from '../../src/run/recorder.ts';
import { createRunStop } from '../../src/run/run-stop.ts';
import { finishRun } from '../../src/run/upload-run.ts';
import { heldLock } from '../support/held-lock.ts';
import { runFilesInTemp, STILL, TIME } from '../support/open-run-files.ts';
import { committed, range, sealed as sealedBatch, settled as settledBatch } from '../support/run-states.ts';

const sealed = { ...sealedBatch('1', 2, [range(0, 2, 3)]), cursors: [{ source: 0, rows: 2, line: 4, byte: 30 }] };
const started: RunEvent = { event: 'attempt.started', time: TIME, batch: '1', attempt: 1, bytes: 20 };
const settled = (outcome: 'delivered' | 'exhausted') => settledBatch('1', { outcome });
const inputEnd: RunEvent = { ...committed, bytes: 30, rows: 2, commit: undefined };
const SIGNAL: Stop = { code: 'signal', message: 'The run was interrupted (SIGINT).' };

async function finish(
  events: readonly RunEvent[],
  { stop, isJournalBroken }: { readonly stop?: Stop; readonly isJournalBroken?: true } = {},
) {
  const runFiles = await runFilesInTemp();
  const runStop = createRunStop();
  const source = { name: 'in.csv', size: 30, close: async () => undefined };
  const recorder = createRecorder(
    { contract: contracts.signals, variant: 'a', inputs: [{ source, textSize: 30 }], run: 'run' },
    runStop,
    { runFiles, clock: STILL, readers: [], lock: heldLock() },
  );
  await recorder.begin();
  for (const event of events) await recorder.record(event);
  await runFiles.rejects.add({ source: 0, line: 2, reason: 'invalid', content: ['x'] });
  if (stop !== undefined) runStop.stop(stop);
  if (isJournalBroken) {
    await runFiles.journal.close();
    await expect(recorder.record(started)).rejects.toThrow();
  }
  await finishRun(recorder, runFiles, runStop, undefined);
  const read = (name: string): Promise<string> => readFile(path.join(runFiles.folder.path, name), 'utf8');
  return { runState: recorder.runState, read, runFiles };
}

const DELIVERED = [sealed, started, settled('delivered'), inputEnd];

describe('a run is', () => {
  test('complete when everything is read and settled', async () => {
    const { runState, read } = await finish(DELIVERED);
    expect(runState.state).toBe('complete');
    expect((await read('journal.ndjson')).trimEnd().split('\n').at(-1)).toContain('"event":"run.ended"');
  });

  test('interrupted if a batch is still pending', async () => {
    const { runState } = await finish([sealed, inputEnd], { stop: SIGNAL });
    expect(runState).toMatchObject({ state: 'interrupted', stop: SIGNAL });
    expect(runState.rows.pending).toBe(2);
  });

  test('stopped if a row limit is exceeded, although everything was sent', async () => {
    const stop: Stop = { code: 'rows', message: 'The inputs have 2 rows, fewer than --min-rows 3.' };
    expect((await finish(DELIVERED, { stop })).runState).toMatchObject({ state: 'stopped', stop });
  });

  test('stopped by an outage, which puts its exhausted batches back to pending', async () => {
    const stop: Stop = { code: 'outage', message: 'The service has been unavailable for 120 s.' };
    const events = [sealed, started, settled('exhausted'), inputEnd];
    const { runState } = await finish(events, { stop });
    expect(runState).toMatchObject({ state: 'stopped', stop });
    expect(runState.rows).toMatchObject({ exhausted: 0, pending: 2 });
  });
});

test('a batch without a result is unknown, and the journal leaves it open', async () => {
  const { runState, read } = await finish([sealed, started, inputEnd], { stop: SIGNAL });
  expect(runState.rows).toMatchObject({ unknown: 2, pending: 0 });
  expect(await read('journal.ndjson')).not.toContain('batch.settled');
});

test('rejects after the last commit stay only in a finished run, or if the journal may have their commit', async () => {
  const rejectsAfter = async (...given: Parameters<typeof finish>): Promise<string | undefined> => {
    const text = await (await finish(...given)).read('rejects/in.csv');
    return text.trim().split('\n')[1];
  };
  expect(await rejectsAfter(DELIVERED)).toBe('2,invalid,x');
  expect(await rejectsAfter([sealed, inputEnd], { stop: SIGNAL })).toBeUndefined();
  expect(await rejectsAfter([sealed, inputEnd], { isJournalBroken: true })).toBe('2,invalid,x');
});
