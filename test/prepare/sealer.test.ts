import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadDigests } from '../../src/lib/digest.ts';
import { rowsOf } from '../../src/model/batch.ts';
import type { PreparedBatch } from '../../src/model/prepared.ts';
import type { Position } from '../../src/model/row.ts';
import { BatchRebuilder } from '../../src/prepare/batch-rebuilder.ts';
import { Sealer, sizeIssue } from '../../src/prepare/sealer.ts';

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

const text = (batch: PreparedBatch | undefined, from = 0, to?: number): string =>
  Buffer.from(batch?.batch.payload ?? [])
    .subarray(from, to)
    .toString('utf8');

const NOTES = [{ list: ['date_only:x'], times: 1 }];

/** The commit that accounts for these rows. */
function commitOf(rows: readonly { readonly at: Position; readonly kind: string }[]): PreparedBatch['commit'] {
  const cursors = new Map(
    rows.map(({ at: { source, row, nextLine: line, end: byte } }) => [source, { source, rows: row, line, byte }]),
  );
  const count = (...kinds: readonly string[]): number => rows.filter(({ kind }) => kinds.includes(kind)).length;
  const records = count('add', 'put');
  return {
    cursors: [...cursors.values()],
    dropped: { invalid: count('invalid'), skipped: 0, duplicate: count('duplicate') },
    notes: records === 0 ? {} : { 'date_only:x': records },
    firstNotes: undefined,
  };
}

/** Where the first row of each input begins. */
const startsOf = (rows: readonly { readonly at: Position }[]): readonly number[] =>
  rows.flatMap(({ at }, n) => (rows[n - 1]?.at.source === at.source ? [] : [at.start]));

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
    const rebuilder = new BatchRebuilder('signals', batch === undefined ? [] : [batch.batch], digestOf);
    // The second is a duplicate after the last record of its input.
    for (const at of [position(1), position(2), position(1, 1)]) rebuilder.add(at, '{}');
    expect(rebuilder.end(position(1, 1))).toMatchObject({ matches: true });
  });

  test.each([
    [1, '{"n":1}', undefined],
    [1, '"éééé"', undefined],
    [0, '"éééé"', 'a record of 10 bytes'],
    [1, '"ééééx"', 'a record of 11 bytes'],
  ])('has an issue for a record that is larger than a request by itself', (spare, json, found) => {
    const sealer = createSealer(10, '{"signals":[]}'.length + 9 + spare);
    expect(sealer.maxRecordBytes).toBe(9 + spare);
    const expected = `a request body of at most ${23 + spare} bytes (max_bytes)`;
    expect(sizeIssue(json, { envelope: 'signals', bytes: 23 + spare })).toEqual(
      found && { code: 'size', found, expected },
    );
  });

  test('writes the sizes in that issue with separators', () => {
    expect(sizeIssue(`"${'x'.repeat(1234)}"`, { envelope: 'signals', bytes: 1000 })).toEqual({
      code: 'size',
      found: 'a record of 1,236 bytes',
      expected: 'a request body of at most 1,000 bytes (max_bytes)',
    });
  });

  test('knows how much fits into the open batch, and where a note applied first', () => {
    const sealer = createSealer(3, 40);
    const left = () => [sealer.recordsLeft(), sealer.bytesLeft(), sealer.isPlaced('omitted:a')];
    expect(left()).toEqual([3, 26, false]);
    sealer.add(position(1), '{"n":1}', ['omitted:a', 'date_only:b']);
    expect(left()).toEqual([2, 18, true]);
    sealer.add(position(2), '{"n":"a long one"}', [
      'open_value:c',
      'omitted:a',
      'omitted:d',
      'free_mail:e',
      'left_out:f',
    ]);
    expect(left()).toEqual([1, 0, true]);
    const { notes, firstNotes } = sealer.flush()?.commit ?? {};
    expect(Object.entries(notes ?? {})).toEqual([
      ['omitted:a', 2],
      ['omitted:d', 1],
      ['free_mail:e', 1],
      ['left_out:f', 1],
      ['date_only:b', 1],
      ['open_value:c', 1],
    ]);
    expect(firstNotes).toEqual({ 'omitted:a': { source: 0, line: 2 }, 'omitted:d': { source: 0, line: 3 } });
    sealer.add(position(3), '{"n":1}', ['omitted:a']);
    expect(sealer.flush()?.commit).toMatchObject({ notes: { 'omitted:a': 1 }, firstNotes: undefined });
  });

  const rows = fc.array(
    fc.record({
      value: fc.oneof(
        fc.string({ maxLength: 40 }),
        fc.nat(9).map((n) => '€'.repeat(n)),
      ),
      kind: fc.constantFrom('add', 'add', 'put', 'put', 'invalid', 'duplicate'),
      lines: fc.constantFrom(1, 1, 1, 2),
      isNewInput: fc.constantFrom(false, false, false, false, true),
    }),
    { maxLength: 60 },
  );

  test('loses no record, exceeds no limit, and makes the same batches of the same rows again', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 7 }), fc.integer({ min: 300, max: 600 }), (given, most, bytes) => {
        const limits = { envelope: 'signals', records: most, bytes };
        const sealer = new Sealer(limits, { digestOf, readRow: (_, row) => row.toString() });
        const batches: PreparedBatch[] = [];
        const taken: { at: Position; json: string; isRecord: boolean }[] = [];
        // What each commit accounts for.
        let open: { at: Position; kind: string }[] = [];
        const commits: (typeof open)[] = [];
        let at = { ...position(0), row: 0, nextLine: 2, end: 10 };
        for (const { value, kind, lines, isNewInput } of given) {
          if (isNewInput) at = { ...position(0, at.source + 1), row: 0, nextLine: 2, end: 10 };
          const { source, row, nextLine: line, end: start } = at;
          const json = JSON.stringify(value);
          const text = `row ${json}`;
          at = { source, row: row + 1, line, nextLine: line + lines, start, end: start + Buffer.byteLength(text) };
          const isRecord = kind === 'add' || kind === 'put';
          taken.push({ at, json, isRecord });
          const records = Buffer.from(json);
          const numbers = Uint32Array.of(3, 3 + at.end - start, 1, 1 + lines, records.length);
          const chunk = { source, firstRow: at.row, count: 1, json: records, text: Buffer.from(text) };
          const batch = !isRecord
            ? sealer.drop(at, kind)
            : kind === 'add'
              ? sealer.add(at, json, ['date_only:x'], text)
              : sealer.put({ ...chunk, rows: numbers, offset: start - 3, line: line - 1, notes: NOTES });
          const one = { at, kind };
          if (batch === undefined) open.push(one);
          else {
            batches.push(batch);
            const end = batch.batch.rows.at(-1)?.position;
            const isIn = end?.row === at.row && end.source === at.source;
            commits.push(isIn ? [...open, one] : open);
            open = isIn ? [] : [one];
          }
        }
        const last = sealer.flush();
        if (last !== undefined) {
          batches.push(last);
          commits.push(open);
        }
        expect(batches.map(({ commit }) => commit)).toEqual(commits.map(commitOf));
        expect(sealer.commit()).toEqual(commitOf(last === undefined ? open : []));

        const records = taken.filter(({ isRecord }) => isRecord);
        for (const [index, sealed] of batches.entries()) {
          const { batch } = sealed;
          const own = records.splice(0, batch.records);
          const payload = `{"signals":[${own.map(({ json }) => json).join()}]}`;
          expect(text(sealed)).toBe(payload);
          expect([batch.id, batch.digest]).toEqual([String(index + 1), digestOf(batch.payload)]);
          expect(own.length > 0 && own.length <= most && batch.payload.byteLength <= bytes).toBe(true);
          expect(batch.rows).toEqual(own.map(({ at: place, json }) => ({ position: place, content: `row ${json}` })));
          const { offsets } = batch;
          expect(own.map((_, n) => text(sealed, offsets[n], (offsets[n + 1] ?? 0) - 1))).toEqual(
            own.map(({ json }) => json),
          );
          expect(batch.ranges.flatMap(rowsOf)).toEqual(
            own.map(({ at: { source, row, line } }) => ({ source, row, line })),
          );
          expect(batch.ranges.map(({ start }) => start)).toEqual(startsOf(own));
        }
        expect(records).toEqual([]);

        const rebuilder = new BatchRebuilder(
          'signals',
          batches.map(({ batch }) => batch),
          digestOf,
        );
        const again = taken.flatMap(({ at: place, json, isRecord }) => {
          if (isRecord || json.length % 2 === 0) rebuilder.add(place, json, `row ${json}`);
          return rebuilder.end(place) ?? [];
        });
        const facts = ({ id, records: count, payload, ranges, offsets, rows: own }: PreparedBatch['batch']) => ({
          id,
          count,
          payload: Buffer.from(payload),
          ranges,
          offsets,
          own,
        });
        expect(again.map(({ batch, matches }) => [matches, facts(batch)])).toEqual(
          batches.map(({ batch }) => [true, facts(batch)]),
        );
      }),
    );
  });

  test.each([[[1, 1, 1]], [[2, 1, 1]], [[1, 2, 1]], [[1, 1, 2]]])(
    'takes rows of several lines at once: %j',
    (lines) => {
      const sealer = new Sealer(
        { envelope: 'signals', records: 3, bytes: 1000 },
        { digestOf, readRow: (_, row) => row.toString() },
      );
      const starts = [0, 1, 2].map((n) => 1 + lines.slice(0, n).reduce((sum, count) => sum + count, 0));
      const numbers = starts.flatMap((line, n) => [2 + n * 3, 5 + n * 3, line, line + (lines[n] ?? 0), 1]);
      const chunk = { source: 0, firstRow: 4, count: 3, json: Buffer.from('1,2,3'), text: Buffer.from('aa\nbb\ncc\n') };
      const rows = Uint32Array.from(numbers);
      const sealed = sealer.put({
        ...chunk,
        rows,
        offset: 100,
        line: 20,
        notes: [{ list: ['date_only:x'], times: 2 }],
      });
      rows.fill(0);
      const batch = sealed?.batch;
      expect(batch?.rows).toEqual(
        starts.map((line, n) => ({
          position: {
            source: 0,
            row: 4 + n,
            line: 20 + line,
            nextLine: 20 + line + (lines[n] ?? 0),
            start: 102 + n * 3,
            end: 105 + n * 3,
          },
          content: ['aa\n', 'bb\n', 'cc\n'][n],
        })),
      );
      expect([batch?.offsets, batch?.ranges.map(({ start, end }) => [start, end])]).toEqual([
        [12, 14, 16, 18],
        [[102, 111]],
      ]);
      expect(batch?.ranges.flatMap(rowsOf)).toEqual(
        starts.map((line, n) => ({ source: 0, row: 4 + n, line: 20 + line })),
      );
      const line = 21 + lines.reduce((sum, count) => sum + count, 0);
      expect(sealed?.commit).toMatchObject({ cursors: [{ rows: 6, line, byte: 111 }], notes: { 'date_only:x': 2 } });
    },
  );

  test('has room for records of any size', () => {
    const sealer = createSealer(4, 10_000_000);
    const records = [70_000, 5, 200_000, 300_000].map((length) => JSON.stringify('x'.repeat(length)));
    const batches = records.map((json, n) => {
      const rows = Uint32Array.of(0, 1, 0, 1, json.length);
      const chunk = { source: 0, firstRow: n + 1, count: 1, json: Buffer.from(json), text: Buffer.from(json) };
      return n % 2 === 0
        ? sealer.add(position(n + 1), json, [])
        : sealer.put({ ...chunk, rows, offset: 0, line: 0, notes: [] });
    });
    expect(text(batches[3]) === `{"signals":[${records.join()}]}`).toBe(true);
    sealer.add(position(5), '{}', []);
    expect(text(sealer.flush())).toBe('{"signals":[{}]}');
    sealer.reach({ source: 0, rows: 9, line: 9, byte: 9 });
    expect(sealer.commit()?.cursors).toEqual([{ source: 0, rows: 9, line: 9, byte: 9 }]);
  });

  test('does not call a batch rebuilt whose record has changed', () => {
    const sealed = createSealer(1).add(position(1), '{"n":1}', []);
    const rebuilder = new BatchRebuilder('signals', sealed === undefined ? [] : [sealed.batch], digestOf);
    rebuilder.add(position(1), '{"n":2}');
    expect(rebuilder.end(position(1))).toMatchObject({ matches: false, batch: { id: '1', records: 1 } });
    expect(rebuilder.end(position(1))).toBeUndefined();
  });
});
