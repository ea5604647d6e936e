import { describe, expect, test } from 'vitest';
import type { Prepared } from '../../src/model/prepared.ts';
import { createRowLimitCheck, type RowLimits } from '../../src/run/row-limits.ts';

const invalid = (row: number, source = 0): Prepared => ({
  kind: 'invalid',
  position: { source, row, line: row, nextLine: row + 1, start: 0, end: 1 },
  issues: [],
  content: [],
});
const batchTo = (row: number): Prepared => ({
  kind: 'batch',
  batch: { id: '1', records: 1, payload: new Uint8Array(), digest: '', ranges: [], offsets: [], rows: [] },
  commit: {
    cursors: [{ source: 0, rows: row, line: row, byte: row }],
    dropped: { invalid: 0, skipped: 0, duplicate: 0 },
    notes: {},
  },
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

/** What a watch says of each item, and at the end. */
function said(limits: RowLimits, items: readonly Prepared[]): readonly (string | undefined)[] {
  const check = createRowLimitCheck(limits);
  return [...items.map((item) => check.count(item)?.code), check.end()?.code];
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

  test('of none stops with the first invalid row', () => {
    expect(said({ maxInvalid: { rows: 0 } }, [invalid(1)])).toEqual(['invalid', 'invalid']);
  });

  test('as a percentage is judged from row 1,000 on', () => {
    const early = Array.from({ length: 600 }, (_, n) => invalid(n + 1));
    const answers = said({ maxInvalid: { percent: 50 } }, [...early, batchTo(999), batchTo(1000)]);
    expect(answers.indexOf('invalid')).toBe(601);
  });

  test('as a percentage is judged at the end of shorter inputs', () => {
    const items = [invalid(1), batchTo(3), endAt(3)];
    expect(said({ maxInvalid: { percent: 34 } }, items).at(-1)).toBeUndefined();
    expect(said({ maxInvalid: { percent: 33 } }, items).at(-1)).toBe('invalid');
  });

  test('leaves out the rows that --limit passes over', () => {
    const items = [invalid(1), batchTo(2), skipped(3, 5000), endAt(5000)];
    expect(said({ maxInvalid: { percent: 10 } }, items).at(-1)).toBe('invalid');
  });
});

describe('a run that goes on', () => {
  const before = { read: [900, 50], invalid: 9, skipped: 0 };

  test('counts the rows of its earlier part, and no row twice', () => {
    const check = createRowLimitCheck({ maxInvalid: { rows: 10 } }, before);
    expect(check.count(invalid(901))).toBeUndefined();
    expect(check.count(invalid(902))?.code).toBe('invalid');
  });

  test('holds nothing back where enough rows were read before', () => {
    expect(createRowLimitCheck({ minRows: 950 }, before).isUndecided()).toBe(false);
    expect(createRowLimitCheck({ minRows: 951 }, before).isUndecided()).toBe(true);
    expect(createRowLimitCheck({ minRows: 950 }, { ...before, skipped: 1 }).isUndecided()).toBe(true);
  });

  test('has rows enough at its end where both parts have them together', () => {
    const ended = (minRows: number) => {
      const check = createRowLimitCheck({ minRows }, before);
      check.count(endAt(60, 1));
      return check.end()?.code;
    };
    expect(ended(960)).toBeUndefined();
    expect(ended(961)).toBe('rows');
  });
});

describe('--min-rows', () => {
  test('is judged at the end, over all inputs', () => {
    const items = [batchTo(3), endAt(3), endAt(4, 1)];
    expect(said({ minRows: 7 }, items).at(-1)).toBeUndefined();
    expect(said({ minRows: 8 }, items).at(-1)).toBe('rows');
  });

  test('holds batches back until so many rows were read', () => {
    const check = createRowLimitCheck({ minRows: 5 });
    check.count(batchTo(4));
    expect(check.isUndecided()).toBe(true);
    check.count(batchTo(5));
    expect(check.isUndecided()).toBe(false);
  });

  test('and a percentage hold nothing back where neither is asked for', () => {
    expect(createRowLimitCheck({}).isUndecided()).toBe(false);
    expect(createRowLimitCheck({ maxInvalid: { rows: 3 } }).isUndecided()).toBe(false);
    expect(createRowLimitCheck({ maxInvalid: { percent: 3 } }).isUndecided()).toBe(true);
  });
});
