import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSealer } from '../../src/batch/seal.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import type { PreparedBatch } from '../../src/model/prepared.ts';
import type { Position } from '../../src/model/row.ts';

const { digestOf } = await loadDigests();

const position = (row: number, source = 0): Position => ({
  source,
  line: row + 1,
  nextLine: row + 2,
  row,
  start: row * 10,
  end: row * 10 + 10,
});

const sealer = (records: number, bytes = 1_000_000) =>
  createSealer({ envelope: 'signals', records, bytes }, { digestOf });

const text = (batch: PreparedBatch | undefined): string =>
  Buffer.from(batch?.batch.payload ?? []).toString('utf8');

describe('a sealer', () => {
  test('seals when the limit of records is reached', () => {
    const { add, flush } = sealer(2);
    expect(add(position(1), '{"n":1}', [])).toBeUndefined();
    const first = add(position(2), '{"n":2}', []);
    expect(text(first)).toBe('{"signals":[{"n":1},{"n":2}]}');
    expect(first?.batch).toMatchObject({ id: '1', records: 2 });
    add(position(3), '{"n":3}', []);
    expect(text(flush())).toBe('{"signals":[{"n":3}]}');
    expect(flush()).toBeUndefined();
  });

  test('counts batches that are not sent as it would cut them, without digests', () => {
    const of = (sent: boolean) => {
      const { add, flush } = createSealer(
        { envelope: 'signals', records: 2, bytes: 30 },
        { digestOf: sent ? digestOf : undefined },
      );
      const records = ['{"n":1}', '{"n":2}', '{"n":12345678}', '{"n":4}', '{"n":5}'];
      const all = [...records.map((record, index) => add(position(index + 1), record, [])), flush()];
      return all.flatMap((one) => one ?? []);
    };
    const sizes = (batches: readonly PreparedBatch[]) =>
      batches.map(({ batch: { id, records, ranges, payload }, commit }) => [
        id,
        records,
        payload.byteLength,
        ranges,
        commit,
      ]);
    expect(sizes(of(false))).toEqual(sizes(of(true)));
    expect(of(false).map(({ batch }) => batch.digest)).toEqual(['', '', '']);
  });

  test('uses the memory of a batch again once it was given back, for one batch and no other', () => {
    const { add } = sealer(1);
    const batchOf = (row: number) => add(position(row), `{"n":${row}}`, [])?.batch;
    const first = batchOf(1);
    // The body of the next one is there already.
    const second = batchOf(2);
    first?.release?.();
    first?.release?.();
    const later = [3, 4, 5].map(batchOf);
    const same = later.filter((batch) => batch?.payload.buffer === first?.payload.buffer);
    expect(same.map((batch) => Buffer.from(batch?.payload ?? []).toString())).toEqual([
      '{"signals":[{"n":4}]}',
    ]);
    expect(Buffer.from(second?.payload ?? []).toString()).toBe('{"signals":[{"n":2}]}');
  });

  test('keeps the rows of runs beside their batch, however batches with and without runs take turns', () => {
    const { add, put } = createSealer(
      { envelope: 'signals', records: 2, bytes: 1000 },
      { digestOf, readRow: (_, bytes) => bytes.toString() },
    );
    const putRow = (row: number) => {
      const text = Buffer.from(`row ${row}`);
      const json = Buffer.from(`{"n":${row}}`);
      const rows = Uint32Array.of(0, text.length, 0, 1, json.length);
      return put({
        source: 0,
        firstRow: row,
        count: 1,
        json,
        text,
        rows,
        offset: 10 * row,
        line: row,
        notes: [],
        present: Uint32Array.of(1),
      });
    };
    const addRow = (row: number) => add(position(row), `{"n":${row}}`, [], `row ${row}`);
    const takes = [
      putRow,
      putRow,
      addRow,
      addRow,
      putRow,
      putRow,
      addRow,
      addRow,
      putRow,
      putRow,
      putRow,
      putRow,
    ];
    const batches = takes.flatMap((take, row) => {
      const batch = take(row)?.batch;
      // Those without runs have no such memory to give back.
      if (take === addRow) batch?.release?.();
      return batch ?? [];
    });
    const contents = batches.map(({ rows }) => rows.map(({ content }) => content));
    expect(contents.flat()).toEqual(takes.map((_, row) => `row ${row}`));
  });

  test('never seals an empty batch', () => {
    const { drop, flush, commit } = sealer(1);
    drop(position(1), 'invalid');
    expect(flush()).toBeUndefined();
    expect(commit()).toMatchObject({ dropped: { invalid: 1, skipped: 0, duplicate: 0 } });
  });

  test('seals before a record that would make the request too large', () => {
    const one = '{"n":1}';
    const limit = '{"signals":[]}'.length + 2 * one.length + 1;
    const { add, flush } = sealer(100, limit);
    expect(add(position(1), one, [])).toBeUndefined();
    expect(add(position(2), one, [])).toBeUndefined();
    const full = add(position(3), one, []);
    expect(full?.batch.records).toBe(2);
    expect(full?.batch.payload.byteLength).toBe(limit);
    expect(full?.commit.cursors).toEqual([{ source: 0, rows: 2, line: 4, byte: 30 }]);
    expect(flush()?.commit.cursors).toEqual([{ source: 0, rows: 3, line: 5, byte: 40 }]);
  });

  test('has room for no bytes, and not for fewer, where not even a comma would fit', () => {
    const one = '{"n":1}';
    for (const spare of [0, 1, 2]) {
      const { add, bytes } = sealer(100, '{"signals":[]}'.length + one.length + spare);
      add(position(1), one, []);
      expect(bytes()).toBe(Math.max(0, spare - 1));
    }
  });

  test('counts bytes and not characters', () => {
    const { fits } = sealer(100, '{"signals":[]}'.length + 4);
    expect(fits('"é"')).toBe(true);
    expect(fits('"日"')).toBe(false);
  });

  test('gives rows that were dropped to the batch behind them', () => {
    const { add, drop } = sealer(2);
    drop(position(1), 'skipped');
    add(position(2), '{}', ['date_only:detected_at']);
    drop(position(3), 'invalid');
    const batch = add(position(4), '{}', ['date_only:detected_at']);
    expect(batch?.commit).toEqual({
      cursors: [{ source: 0, rows: 4, line: 6, byte: 50 }],
      dropped: { invalid: 1, skipped: 1, duplicate: 0 },
      notes: { 'date_only:detected_at': 2 },
    });
    expect(batch?.batch.ranges).toEqual([
      {
        source: 0,
        firstRow: 2,
        lastRow: 4,
        firstLine: 3,
        lastLine: 5,
        start: 20,
        end: 50,
        // Row 3 is not among them.
        spans: [
          [2, 3, 1],
          [4, 5, 1],
        ],
      },
    ]);
  });

  test('names the line of every row where a row has several lines', () => {
    const { add } = sealer(4);
    const at = (row: number, line: number) => ({ ...position(row), row, line });
    add(at(1, 2), '{}', []);
    add(at(2, 3), '{}', []);
    add(at(3, 6), '{}', []);
    expect(add(at(4, 7), '{}', [])?.batch.ranges[0]?.spans).toEqual([
      [1, 2, 2],
      [3, 6, 2],
    ]);
  });

  test('lets a batch reach over the end of an input, and accounts for both inputs with it', () => {
    const { add, reach, commit } = sealer(2);
    add(position(1), '{}', []);
    reach({ source: 0, rows: 1, line: 3, byte: 20 });
    expect(commit()).toBeUndefined();
    const batch = add(position(1, 1), '{}', []);
    expect(batch?.batch.ranges.map((range) => range.source)).toEqual([0, 1]);
    expect(batch?.commit.cursors.map((cursor) => cursor.source)).toEqual([0, 1]);
  });

  test('loses no record and keeps every limit', () => {
    const records = fc.array(fc.string({ maxLength: 40 }), { maxLength: 60 });
    fc.assert(
      fc.property(
        records,
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 300, max: 600 }),
        (values, most, bytes) => {
          const { add, flush } = sealer(most, bytes);
          const batches = values.flatMap(
            (value, index) => add(position(index + 1), JSON.stringify(value), []) ?? [],
          );
          const last = flush();
          if (last !== undefined) batches.push(last);
          expect(batches.flatMap((batch) => JSON.parse(text(batch)).signals)).toEqual(values);
          for (const { batch } of batches) {
            expect(batch.records).toBeGreaterThan(0);
            expect(batch.records).toBeLessThanOrEqual(most);
            expect(batch.payload.byteLength).toBeLessThanOrEqual(bytes);
          }
          expect(batches.map(({ batch }) => batch.id)).toEqual(batches.map((_, index) => String(index + 1)));
        },
      ),
    );
  });

  test('gives the same records the same digest', () => {
    const digest = () => sealer(1).add(position(1), '{"n":1}', [])?.batch.digest;
    expect(digest()).toBe(digest());
    expect(digest()).toMatch(/^[0-9a-f]{16}$/);
  });
});
