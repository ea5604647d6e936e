/** The time of the last success in the metrics of a run; fixtures/examples/metrics.ndjson has their text. */
import { expect, test } from 'vitest';
import { RunMetrics, readLastSuccess } from '../../src/report/metrics.ts';
import { follow, sealed } from '../support/run-states.ts';

function textOf(lastSuccess?: number): string {
  const metrics = new RunMetrics('a "b"');
  follow(metrics.on)(sealed('1', 1, []));
  return metrics.text(lastSuccess, undefined) ?? '';
}

test('the time of the last success is read back from the text', () => {
  expect(readLastSuccess(textOf(1_763_000_000.25))).toBe(1_763_000_000.25);
  expect(readLastSuccess(textOf())).toBeUndefined();
});
