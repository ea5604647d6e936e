import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
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

  it('truncates text from a server to 5,000 characters', () => {
    const [, , line] = run(started(['a']), sealed('1', 1, [range(0, 2, 2)]), settled('1', { error: 'x'.repeat(9000) }));
    expect(line).toContain(`,${'x'.repeat(4999)}…\r\n`);
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
        const read: unknown = parse(text, { delimiter, relax_column_count: true, record_delimiter: '\r\n' });
        expect(read).toEqual(rows);
      },
    ),
  );
});
