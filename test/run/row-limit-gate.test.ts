import { expect, test } from 'vitest';
import type { Batch } from '../../src/model/batch.ts';
import type { Prepared } from '../../src/model/prepared.ts';
import { createRowLimitGate } from '../../src/run/row-limit-gate.ts';
import type { RowLimits } from '../../src/run/row-limits.ts';
import { createRunStop } from '../../src/run/run-stop.ts';

function stage(limits: RowLimits) {
  const sent: string[] = [];
  const runStop = createRunStop();
  const delivery = { submit: async ({ id }: Batch) => void sent.push(id) };
  const gate = createRowLimitGate(limits, { delivery, runStop });
  /** A batch with one record, which accounts for all rows up to `rows`. */
  const submit = (id: string, rows: number, bytes = 1): Promise<void> => {
    const payload = new Uint8Array(bytes);
    const batch: Batch = { id, records: 1, payload, digest: '', ranges: [], offsets: [], rows: [] };
    const cursors = [{ source: 0, rows, line: rows + 1, byte: rows }];
    const commit = { cursors, dropped: { invalid: 0, skipped: 0, duplicate: 0 }, notes: {} };
    gate.count({ kind: 'batch', batch, commit });
    return gate.submit(batch);
  };
  return { gate, sent, runStop, submit };
}

const invalid = (row: number): Prepared => ({
  kind: 'invalid',
  position: { source: 0, row, line: row, nextLine: row + 1, start: 0, end: 1 },
  issues: [],
  content: [],
});
const failure = { code: 'input', message: 'The input is damaged.' } as const;

test('sends each batch immediately if no limit is set', async () => {
  const { sent, submit } = stage({});
  await submit('1', 1);
  expect(sent).toEqual(['1']);
});

test('holds batches back until enough rows were read, and sends them in order', async () => {
  const { sent, submit } = stage({ minRows: 3 });
  await submit('1', 1);
  await submit('2', 2);
  expect(sent).toEqual([]);
  await submit('3', 3);
  expect(sent).toEqual(['1', '2', '3']);
});

test('bounds the memory of batches that it holds back', async () => {
  const { sent, submit } = stage({ minRows: 100 });
  await submit('1', 1, 40 * 1024 * 1024);
  await submit('2', 2, 40 * 1024 * 1024);
  expect(sent).toEqual(['1', '2']);
});

test('stops the run with the first invalid row too many', () => {
  const { gate, runStop } = stage({ maxInvalid: { rows: 1 } });
  gate.count(invalid(1));
  expect(runStop.reason).toBeUndefined();
  gate.count(invalid(2));
  expect(runStop.reason?.code).toBe('invalid');
  expect(runStop.signal.aborted).toBe(true);
});

test('sends nothing of inputs that end with too few rows', async () => {
  const { gate, sent, runStop, submit } = stage({ minRows: 3 });
  await submit('1', 2);
  await gate.end();
  expect(sent).toEqual([]);
  expect(runStop.reason?.code).toBe('rows');
});

test('sends what it held back once the end of the inputs decides', async () => {
  const { gate, sent, runStop, submit } = stage({ maxInvalid: { percent: 50 } });
  await submit('1', 2);
  expect(sent).toEqual([]);
  await gate.end();
  expect(sent).toEqual(['1']);
  expect(runStop.reason).toBeUndefined();
});

test('sends what was read of an input that failed', async () => {
  const { gate, sent, runStop, submit } = stage({ maxInvalid: { percent: 50 } });
  await submit('1', 2);
  await gate.end(failure);
  expect(sent).toEqual(['1']);
  expect(runStop.reason).toEqual(failure);
  expect(runStop.signal.aborted).toBe(false);
});

test('reports the failed input together with the limit that it exceeds', async () => {
  const { gate, sent, runStop, submit } = stage({ minRows: 3 });
  await submit('1', 2);
  await gate.end(failure);
  expect(sent).toEqual([]);
  expect(runStop.reason?.code).toBe('rows');
  expect(runStop.reason?.message).toContain('The input is damaged. The inputs have 2 rows');
});
