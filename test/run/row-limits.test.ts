/** How batches are held back; fixtures/examples/row-limits.ndjson has what the limits say. */
import { describe, expect, test } from 'vitest';
import type { Batch } from '../../src/model/batch.ts';
import type { Prepared } from '../../src/model/prepared.ts';
import { isRowLimit, RowLimitGate, type RowLimits } from '../../src/run/row-limits.ts';
import { createRunStop } from '../../src/run/run-stop.ts';

const batchOf = (records: number, bytes = 1): Extract<Prepared, { readonly kind: 'batch' }> => ({
  kind: 'batch',
  batch: { id: '1', records, payload: new Uint8Array(bytes), digest: '', ranges: [], offsets: [], rows: [] },
  commit: { cursors: [], dropped: { invalid: 0, skipped: 0, duplicate: 0 }, notes: {} },
});
function stage(limits: RowLimits) {
  const sent: string[] = [];
  const runStop = createRunStop();
  const submitTo = async ({ id }: Batch): Promise<void> => {
    await new Promise(setImmediate);
    sent.push(id);
  };
  const delivery = { submit: submitTo };
  const gate = new RowLimitGate(limits, delivery, runStop);
  const submit = (id: string, records: number, bytes = 1): Promise<void> => {
    const item = batchOf(records, bytes);
    gate.count(item);
    return gate.submit({ ...item.batch, id });
  };
  return { gate, sent, runStop, submit };
}

const failure = { code: 'input', message: 'The input is damaged.' } as const;

describe('the gate', () => {
  test('holds batches back until enough rows were read, and sends them in order', async () => {
    const { sent, submit } = stage({ minRows: 3 });
    await submit('1', 1);
    await submit('2', 1);
    expect(sent).toEqual([]);
    await submit('3', 1);
    expect(sent).toEqual(['1', '2', '3']);
  });

  test('bounds the memory of batches that it holds back', async () => {
    const { sent, submit } = stage({ minRows: 100 });
    await submit('1', 1, 40 * 1024 * 1024);
    await submit('2', 1, 24 * 1024 * 1024);
    expect(sent).toEqual([]);
    await submit('3', 1);
    await submit('4', 1);
    expect(sent).toEqual(['1', '2', '3']);
    await submit('5', 96);
    expect(sent).toEqual(['1', '2', '3', '4', '5']);
  });

  test('sends what it held back once the end of the inputs decides', async () => {
    const { gate, sent, runStop, submit } = stage({ maxInvalid: { percent: 50 } });
    await submit('1', 2);
    expect(sent).toEqual([]);
    await gate.end();
    expect(sent).toEqual(['1']);
    expect(runStop.reason).toBeUndefined();
  });

  test('sends the rows that were read before an input failed', async () => {
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
    expect((['rows', 'invalid', 'key'] as const).map((code) => isRowLimit({ code }))).toEqual([true, true, false]);
  });
});
