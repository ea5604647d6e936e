/** The time of the last success in the metrics of a run; fixtures/examples/metrics.ndjson has their text. */
import { expect, test } from 'vitest';
import { metricsText, readLastSuccess } from '../../src/report/metrics.ts';
import { books } from '../support/run-states.ts';

test('the time of the last success is read back from the text', () => {
  const textOf = (lastSuccess?: number): string => metricsText('a "b"', books(), lastSuccess, undefined);
  expect(readLastSuccess(textOf(1_763_000_000.25))).toBe(1_763_000_000.25);
  expect(readLastSuccess(textOf())).toBeUndefined();
});
