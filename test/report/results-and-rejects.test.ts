import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BatchSealed, BatchSettled, RunEvent } from '../../src/model/event.ts';
import { createRejects, csvLine, RESULTS_HEADER, resultsLine } from '../../src/report/results-and-rejects.ts';
import { follow, range, sealed, settled, started } from '../support/run-states.ts';

describe('the results log', () => {
  const run = (...events: RunEvent[]): (string | undefined)[] => {
    return events.map(follow(resultsLine));
  };

  it('has the columns that docs/reference.md names, in that order', () => {
    const text = readFileSync(new URL('../../docs/reference.md', import.meta.url), 'utf8');
    const [, list = ''] = /results\.csv[^.]*(?:\.[^.]+)?[Cc]olumns:?\s((?:`\w+`,?\s*)+)/.exec(text) ?? [];
    const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(`${named.join(',')}\r\n`).toBe(RESULTS_HEADER);
  });

  it('writes one line when a batch settles', () => {
    const lines = run(
      started(['in.csv']),
      sealed('1', 100, [range(0, 2, 101)]),
      settled('1', {
        status: 200,
        receipt: { batchId: 'b-7', accepted: 98, deduplicated: 2, rejected: 0 },
        ms: 41.6,
      }),
    );
    expect(lines).toEqual([
      undefined,
      undefined,
      '2026-11-20T09:15:03Z,1,in.csv,2 to 101,100,2000,delivered,200,b-7,98,2,0,,0,1,42,\r\n',
    ]);
  });

  it('names every input of a batch, with its lines', () => {
    const [, , line] = run(
      started(['a.csv', 'b.csv']),
      sealed('3', 20, [range(0, 2, 101), range(1, 2, 11)]),
      settled('3', { receipt: { batchId: 'x', promoted: 4 }, unaccounted: -3 }),
    );
    expect(line).toBe('2026-11-20T09:15:03Z,3,a.csv; b.csv,2 to 101; 2 to 11,20,2000,delivered,,x,,,,4,-3,1,40,\r\n');
  });

  it('makes the words of a server and the names of files harmless', () => {
    const [, , line] = run(
      started(['-x, y.csv']),
      sealed('1', 1, [range(0, 2, 2)]),
      settled('1', { outcome: 'refused', status: 422, error: '=cmd|\x1b[2J "no"\nbye', attempts: 2 }),
    );
    expect(line).toBe(
      `2026-11-20T09:15:03Z,1,"'-x, y.csv",2 to 2,1,2000,refused,422,,,,,,0,2,40,"'=cmd|\\x1b[2J ""no""\\nbye"\r\n`,
    );
  });

  it('truncates text from a server to 5,000 characters', () => {
    const [, , line] = run(started(['a']), sealed('1', 1, [range(0, 2, 2)]), settled('1', { error: 'x'.repeat(9000) }));
    expect(line).toContain(`,${'x'.repeat(4999)}…\r\n`);
  });

  it('settles batches in any order and other events add nothing', () => {
    const one: BatchSealed = sealed('1', 1, [range(0, 2, 2)]);
    const two: BatchSealed = sealed('2', 2, [range(0, 3, 4)]);
    const end: BatchSettled = settled('1', {});
    const lines = run(started(['a']), one, two, settled('2', {}), end, {
      event: 'throttle.changed',
      time: '2026-11-20T09:15:03Z',
      state: 'paused',
    });
    expect(lines.map((line) => line?.split(',').slice(1, 5).join(','))).toEqual([
      undefined,
      undefined,
      undefined,
      '2,a,3 to 4,2',
      '1,a,2 to 2,1',
      undefined,
    ]);
  });

  it('does not invent a line for a batch that was never sealed', () => {
    expect(() => run(settled('9', {}))).toThrow('Batch 9 was settled but never sealed.');
  });
});

it('rejects of NDJSON keep a __proto__', () => {
  const content = JSON.parse('{"_line":9,"_reason":"old","__proto__":{"a":1},"b":2}') as Record<string, unknown>;
  expect(createRejects({ format: 'ndjson' }).line(1, 'new', content)).toBe(
    '{"_line":1,"_reason":"new","__proto__":{"a":1},"b":2}\n',
  );
});

it('a line of CSV is read back cell for cell by an independent parser', () => {
  const cell = fc.oneof(fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'é') }), fc.string());
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(',', ';', '\t', '|'),
      (rows, delimiter) => {
        const text = rows.map((row) => csvLine(row, delimiter)).join('');
        const read: unknown = parse(text, {
          delimiter,
          relax_column_count: true,
          record_delimiter: '\r\n',
        });
        expect(read).toEqual(rows);
      },
    ),
  );
});
