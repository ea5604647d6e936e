import { describe, expect, test } from 'vitest';
import type { Batch } from '../../src/model/batch.ts';
import type { Prepared } from '../../src/model/prepared.ts';
import { isRowLimit, RowLimitGate, type RowLimits } from '../../src/run/row-limits.ts';
import { createRunStop } from '../../src/run/run-stop.ts';

const invalid = (row: number, source = 0): Prepared => ({
  kind: 'invalid',
  position: { source, row, line: row, nextLine: row + 1, start: 0, end: 1 },
  issues: [],
  content: [],
});
const batchOf = (records: number, bytes = 1): Extract<Prepared, { readonly kind: 'batch' }> => ({
  kind: 'batch',
  batch: { id: '1', records, payload: new Uint8Array(bytes), digest: '', ranges: [], offsets: [], rows: [] },
  commit: { cursors: [], dropped: { invalid: 0, skipped: 0, duplicate: 0 }, notes: {} },
});
const skipped = (firstRow: number, lastRow: number): Prepared => ({
  kind: 'skipped',
  source: 0,
  firstRow,
  lastRow,
  firstLine: firstRow,
  lastLine: lastRow,
  why: 'limit',
});
const endAt = (rows: number, source = 0): Prepared => ({ kind: 'end', source, bytes: 1, digest: '', rows });

type Before = ConstructorParameters<typeof RowLimitGate>[3];

/** Why the run has stopped after each item, and at the end. */
function said(limits: RowLimits, items: readonly Prepared[], before?: Before): readonly (string | undefined)[] {
  const { gate, runStop } = stage(limits, before);
  const codes = items.map((item) => {
    gate.count(item);
    return runStop.reason?.code;
  });
  void gate.end();
  return [...codes, runStop.reason?.code];
}

function isUndecided(limits: RowLimits, before?: Before): boolean {
  return stage(limits, before).gate.isUndecided;
}

describe('--max-invalid', () => {
  test('as a number stops with the first row more', () => {
    expect(said({ maxInvalid: { rows: 2 } }, [invalid(1), invalid(2), invalid(3)])).toEqual([
      undefined,
      undefined,
      'invalid',
      'invalid',
    ]);
  });

  test('as a percentage is judged from row 1,000 on', () => {
    const early = Array.from({ length: 600 }, (_, n) => invalid(n + 1));
    const answers = said({ maxInvalid: { percent: 50 } }, [...early, batchOf(399), batchOf(1)]);
    expect(answers.indexOf('invalid')).toBe(601);
  });

  test('as a percentage is judged at the end of shorter inputs', () => {
    const items = [invalid(1), batchOf(2), endAt(3)];
    expect(said({ maxInvalid: { percent: 34 } }, items).at(-1)).toBeUndefined();
    expect(said({ maxInvalid: { percent: 33 } }, items).at(-1)).toBe('invalid');
  });

  test('leaves out the rows that --limit passes over', () => {
    const items = [invalid(1), batchOf(1), skipped(3, 5000), endAt(5000)];
    expect(said({ maxInvalid: { percent: 10 } }, items).at(-1)).toBe('invalid');
  });
});

describe('a run that goes on', () => {
  const sources = [{ rows: 900 }, { rows: 50 }];
  const before = { sources, sentBefore: [], rows: { invalid: 6, skipped: 0 }, excluded: { invalid: 3, skipped: 0 } };

  test('counts the rows of its earlier part, and no row twice', () => {
    const items = [invalid(901), invalid(902)];
    expect(said({ maxInvalid: { rows: 10 } }, items, before)).toEqual([undefined, 'invalid', 'invalid']);
  });

  test('holds nothing back where enough rows were read before', () => {
    expect(isUndecided({ minRows: 950 }, before)).toBe(false);
    expect(isUndecided({ minRows: 951 }, before)).toBe(true);
    expect(isUndecided({ minRows: 950 }, { ...before, rows: { invalid: 9, skipped: 1 } })).toBe(true);
  });

  test('counts rows that an earlier run has sent as rows of the input', () => {
    const sent = { sources: [{ rows: 100 }], sentBefore: [{ rows: 40 }], rows: { invalid: 0, skipped: 50 } };
    const excluded = { invalid: 0, skipped: 3 };
    expect([87, 88].map((minRows) => isUndecided({ minRows }, { ...sent, excluded }))).toEqual([false, true]);
  });

  test('has rows enough at its end where both parts have them together', () => {
    const ended = (minRows: number) => said({ minRows }, [batchOf(9), invalid(60, 1), endAt(60, 1)], before).at(-1);
    expect(ended(960)).toBeUndefined();
    expect(ended(961)).toBe('rows');
  });
});

const duplicate = (row: number): Prepared => ({
  kind: 'duplicate',
  position: { source: 0, row, line: row, nextLine: row + 1, start: 0, end: 1 },
  of: { source: 0, line: 2 },
});

test.each<[RowLimits, readonly Prepared[], message: string]>([
  [{ maxInvalid: { rows: 0 } }, [invalid(1)], '1 row is invalid, more than --max-invalid 0'],
  [{ maxInvalid: { rows: 1 } }, [invalid(1), invalid(2)], '2 rows are invalid, more than --max-invalid 1'],
  [{ maxInvalid: { percent: 33 } }, [invalid(1), batchOf(2)], '1 of 3 rows is invalid, more than --max-invalid 33%'],
  [{ maxInvalid: { percent: 33 } }, [invalid(1)], '1 of 1 row is invalid, more than --max-invalid 33%'],
  [{ minRows: 8 }, [duplicate(6)], 'The inputs have 1 row, fewer than --min-rows 8.'],
])('says which limit is exceeded: %j', async (limits, items, message) => {
  const { gate, runStop } = stage(limits);
  for (const item of items) gate.count(item);
  await gate.end();
  const isInvalid = limits.minRows === undefined;
  const [code, rest] = isInvalid ? ['invalid', ' allows.'] : ['rows', ''];
  expect(runStop.reason).toEqual({ code, message: `${message}${rest}` });
  expect([runStop.reason, undefined, { code: 'key' } as const].map(isRowLimit)).toEqual([true, false, false]);
});

describe('--min-rows', () => {
  test('is judged at the end, over all inputs', () => {
    const items = [batchOf(3), endAt(3), batchOf(4), endAt(4, 1)];
    expect(said({ minRows: 7 }, items).at(-1)).toBeUndefined();
    expect(said({ minRows: 8 }, items).at(-1)).toBe('rows');
  });

  test('holds batches back until so many rows were read', () => {
    const { gate } = stage({ minRows: 5 });
    gate.count(batchOf(4));
    expect(gate.isUndecided).toBe(true);
    gate.count(batchOf(1));
    expect(gate.isUndecided).toBe(false);
  });
});

function stage(limits: RowLimits, before?: Before) {
  const sent: string[] = [];
  const runStop = createRunStop();
  const submitTo = async ({ id }: Batch): Promise<void> => {
    await new Promise(setImmediate);
    sent.push(id);
  };
  const delivery = { submit: submitTo };
  const gate = new RowLimitGate(limits, delivery, runStop, before);
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
  });
});
