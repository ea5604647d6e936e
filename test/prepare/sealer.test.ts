import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadDigests } from '../../src/lib/digest.ts';
import type { PreparedBatch } from '../../src/model/prepared.ts';
import type { Position } from '../../src/model/row.ts';
import { Sealer } from '../../src/prepare/sealer.ts';

const { digestOf } = await loadDigests();

const position = (row: number, source = 0): Position => ({
  source,
  line: row + 1,
  nextLine: row + 2,
  row,
  start: row * 10,
  end: row * 10 + 10,
});

const createSealer = (records: number, bytes = 1_000_000) =>
  new Sealer({ envelope: 'signals', records, bytes }, { digestOf });

const text = (batch: PreparedBatch | undefined): string => Buffer.from(batch?.batch.payload ?? []).toString('utf8');

describe('a sealer', () => {
  test('seals when the limit of records is reached', () => {
    const sealer = createSealer(2);
    expect(sealer.add(position(1), '{"n":1}', [])).toBeUndefined();
    const first = sealer.add(position(2), '{"n":2}', []);
    expect(text(first)).toBe('{"signals":[{"n":1},{"n":2}]}');
    expect(first?.batch).toMatchObject({ id: '1', records: 2 });
    sealer.add(position(3), '{"n":3}', []);
    expect(text(sealer.flush())).toBe('{"signals":[{"n":3}]}');
    expect(sealer.flush()).toBeUndefined();
  });

  test('reuses the memory of a released batch for one later batch only', () => {
    const sealer = createSealer(1);
    const batchOf = (row: number) => sealer.add(position(row), `{"n":${row}}`, [])?.batch;
    const first = batchOf(1);
    // The body of the second batch was allocated before the release.
    const second = batchOf(2);
    first?.release?.();
    first?.release?.();
    const later = [3, 4, 5].map(batchOf);
    const same = later.filter((batch) => batch?.payload.buffer === first?.payload.buffer);
    expect(same.map((batch) => Buffer.from(batch?.payload ?? []).toString())).toEqual(['{"signals":[{"n":4}]}']);
    expect(Buffer.from(second?.payload ?? []).toString()).toBe('{"signals":[{"n":2}]}');
  });

  test('keeps the rows of chunks with their batch when batches with and without chunks alternate', () => {
    const sealer = new Sealer(
      { envelope: 'signals', records: 2, bytes: 1000 },
      { digestOf, readRow: (_, bytes) => bytes.toString() },
    );
    const putRow = (row: number) => {
      const text = Buffer.from(`row ${row}`);
      const json = Buffer.from(`{"n":${row}}`);
      const rows = Uint32Array.of(0, text.length, 0, 1, json.length);
      return sealer.put({
        source: 0,
        firstRow: row,
        count: 1,
        json,
        text,
        rows,
        offset: 10 * row,
        line: row,
        notes: [],
      });
    };
    const addRow = (row: number) => sealer.add(position(row), `{"n":${row}}`, [], `row ${row}`);
    const takes = [putRow, putRow, addRow, addRow, putRow, putRow, addRow, addRow, putRow, putRow, putRow, putRow];
    const batches = takes.flatMap((take, row) => {
      const batch = take(row)?.batch;
      // A batch without chunks has no text memory to release.
      if (take === addRow) batch?.release?.();
      return batch ?? [];
    });
    const contents = batches.map(({ rows }) => rows.map(({ content }) => content));
    expect(contents.flat()).toEqual(takes.map((_, row) => `row ${row}`));
  });

  test('seals before a record that would make the request too large', () => {
    const one = '{"n":1}';
    const limit = '{"signals":[]}'.length + 2 * one.length + 1;
    const sealer = createSealer(100, limit);
    expect(sealer.add(position(1), one, [])).toBeUndefined();
    expect(sealer.add(position(2), one, [])).toBeUndefined();
    const full = sealer.add(position(3), one, []);
    expect(full?.batch.records).toBe(2);
    expect(full?.batch.payload.byteLength).toBe(limit);
    expect(full?.commit.cursors).toEqual([{ source: 0, rows: 2, line: 4, byte: 30 }]);
    expect(sealer.flush()?.commit.cursors).toEqual([{ source: 0, rows: 3, line: 5, byte: 40 }]);
  });

  test('fills a request to the last byte that the limit allows, and not beyond', () => {
    const full = '{"signals":[{"n":1},{"n":2}]}';
    const first = (bytes: number): string => {
      const sealer = createSealer(100, bytes);
      sealer.add(position(1), '{"n":1}', []);
      return text(sealer.add(position(2), '{"n":2}', []) ?? sealer.flush());
    };
    expect(first(full.length)).toBe(full);
    expect(first(full.length - 1)).toBe('{"signals":[{"n":1}]}');
  });

  test('commits dropped rows with the next batch', () => {
    const sealer = createSealer(2);
    sealer.drop(position(1), 'skipped');
    sealer.add(position(2), '{}', ['date_only:detected_at']);
    sealer.drop(position(3), 'invalid');
    const batch = sealer.add(position(4), '{}', ['date_only:detected_at']);
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
        // Row 3 is excluded.
        spans: [
          [2, 3, 1],
          [4, 5, 1],
        ],
      },
    ]);
  });

  test('continues a batch in the next input and commits both inputs with it', () => {
    const sealer = createSealer(2);
    sealer.add(position(1), '{}', []);
    sealer.reach({ source: 0, rows: 1, line: 3, byte: 20 });
    expect(sealer.commit()).toBeUndefined();
    const batch = sealer.add(position(1, 1), '{}', []);
    expect(batch?.batch.ranges.map((range) => range.source)).toEqual([0, 1]);
    expect(batch?.commit.cursors.map((cursor) => cursor.source)).toEqual([0, 1]);
  });

  test('loses no record and exceeds no limit', () => {
    const records = fc.array(fc.string({ maxLength: 40 }), { maxLength: 60 });
    fc.assert(
      fc.property(
        records,
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 300, max: 600 }),
        (values, most, bytes) => {
          const sealer = createSealer(most, bytes);
          const batches = values.flatMap(
            (value, index) => sealer.add(position(index + 1), JSON.stringify(value), []) ?? [],
          );
          const last = sealer.flush();
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
});
