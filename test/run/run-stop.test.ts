import { expect, test } from 'vitest';
import { createRunStop } from '../../src/run/run-stop.ts';

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
