import { expect, test } from 'vitest';
import { FolderLostError, LockLostError } from '../../src/journal/lock.ts';
import { createRunStop, stopOnInterruption } from '../../src/run/run-stop.ts';
import { STILL } from '../support/open-run-files.ts';

const KEY = { code: 'key', message: 'The service refused the key.' } as const;
const OUTAGE = { code: 'outage', message: 'The service has been unavailable.' } as const;
const INPUT = { code: 'input', message: 'The input is damaged.' } as const;

test('has no reason while the run continues', () => {
  const runStop = createRunStop();
  expect(runStop.reason).toBeUndefined();
  expect(runStop.signal.aborted).toBe(false);
});

test('keeps the first reason', () => {
  const runStop = createRunStop();
  runStop.stop(KEY);
  runStop.stop(OUTAGE);
  expect(runStop.reason).toBe(KEY);
  expect(runStop.signal.aborted).toBe(true);
});

test('ends reading without ending sending', () => {
  const runStop = createRunStop();
  runStop.stopReading(INPUT);
  expect(runStop.signal.aborted).toBe(false);
  runStop.stop(OUTAGE);
  expect(runStop.signal.aborted).toBe(true);
  expect(runStop.reason).toBe(INPUT);
});

test('ends sending after a bug without a reason', () => {
  const runStop = createRunStop();
  runStop.stop();
  expect(runStop.signal.aborted).toBe(true);
  expect(runStop.reason).toBeUndefined();
});

/** A run that may be interrupted, and what it does then. */
function interruptible(user = new AbortController()) {
  const lost = new AbortController();
  const runStop = createRunStop();
  const steps: unknown[] = [];
  const clock = {
    ...STILL,
    sleep: (ms: number, signal?: AbortSignal) => {
      steps.push(ms);
      return new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    },
  };
  const unused = (): never => expect.fail();
  const abandon = (): void => void steps.push('abandoned');
  const transport = { post: unused, close: unused, abandon };
  const deps = { signal: user.signal, clock, transport, lock: { lost: lost.signal, confirm: () => undefined } };
  return { user, lost, runStop, steps, dispose: stopOnInterruption(runStop, 30, deps) };
}

test.each(['before', 'while'])(
  'is stopped by a signal %s it runs, and gives requests in flight a time',
  async (when) => {
    const user = new AbortController();
    if (when === 'before') user.abort('SIGINT');
    const { runStop, steps, dispose } = interruptible(user);
    expect(runStop.signal.aborted).toBe(when === 'before');
    user.abort('SIGINT');
    expect(runStop.reason).toEqual({ code: 'signal', message: 'The run was interrupted (SIGINT).' });
    expect([runStop.signal.aborted, steps]).toEqual([true, [30]]);
    dispose();
    await new Promise(setImmediate);
    expect(steps).toEqual([30, 'abandoned']);
  },
);

test.each([
  ['lost', new LockLostError('run', undefined)],
  ['folder', new FolderLostError('run')],
])('is stopped by a lock that is lost: %s', (code, error) => {
  const { lost, runStop, steps } = interruptible();
  lost.abort(error);
  expect([runStop.reason, runStop.signal.aborted, steps]).toMatchObject([{ code, message: error.message }, true, []]);
});

test('is no longer stopped once it has ended', () => {
  const { user, lost, runStop, steps, dispose } = interruptible();
  dispose();
  user.abort('SIGINT');
  lost.abort(new FolderLostError('run'));
  expect([runStop.reason, runStop.signal.aborted, steps]).toEqual([undefined, false, []]);
});
