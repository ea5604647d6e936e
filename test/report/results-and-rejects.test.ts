import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BatchSealed, BatchSettled, RunEvent } from '../../src/model/event.ts';
import {
  createRejects,
  csvLine,
  RESULTS_HEADER,
  resultsLine,
  spreadsheetSafe,
} from '../../src/report/results-and-rejects.ts';
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

describe('rejects of a CSV input', () => {
  const rejects = createRejects({ format: 'csv', columns: ['Company', 'Website'], delimiter: ';' }, 'in.csv');

  it('begin with a BOM, our two columns and then the columns of the input', () => {
    expect(rejects.header).toBe('\ufeff_line;_reason;Company;Website\r\n');
  });

  it('keep the cells as they were', () => {
    expect(rejects.line(12, 'company_name is missing', [' ', 'a;b\n"c"'])).toBe(
      '12;company_name is missing;" ";"a;b\n""c"""\r\n',
    );
  });

  it('hold a row that could not be parsed whole in the first column', () => {
    expect(rejects.line(3, 'found 3 cells, expected 2 cells', 'Acme;acme.com;x')).toBe(
      '3;found 3 cells, expected 2 cells;"Acme;acme.com;x"\r\n',
    );
  });

  it.each(['=1+1', '+1', '-1', '@a', '\t=1'])('give no spreadsheet a formula to run: %j', (reason) => {
    expect(rejects.line(3, reason, ['a', 'b'])).not.toMatch(/^3;"?[=+\-@\t]/);
  });

  it('replace the two columns where the input is a rejects file itself, and keep the line of the first input', () => {
    const form = (...columns: string[]) => ({ format: 'csv' as const, columns, delimiter: ',' });
    const again = createRejects(form('_line', '_reason', 'Company', 'Website'), 'runs/E/rejects/a.csv');
    expect(again.header).toBe('\ufeff_line,_reason,_origin_line,Company,Website\r\n');
    expect(again.line(2, 'company_domain is missing', ['12', 'company_name is missing', 'Acme', ''])).toBe(
      '2,company_domain is missing,a.csv:12,Acme,\r\n',
    );
    expect(again.line(3, 'found 3 cells', 'Acme,x,y')).toBe('3,found 3 cells,,"Acme,x,y"\r\n');
    const third = createRejects(form('_line', '_reason', '_origin_line', 'Company'), 'runs/F/rejects/a.csv');
    expect(third.header).toBe('\ufeff_line,_reason,_origin_line,Company\r\n');
    expect(third.line(5, 'no', ['2', 'x', 'a.csv:12', 'Acme'])).toBe('5,no,a.csv:12,Acme\r\n');
    // Which file the line is from is not known.
    const moved = createRejects(form('_line', 'Company'), 'fixed.csv');
    expect(moved.line(2, 'no', ['12', 'Acme'])).toBe('2,no,12,Acme\r\n');
  });
});

describe('rejects of an NDJSON input', () => {
  const rejects = createRejects({ format: 'ndjson' }, 'runs/E/rejects/a.ndjson');

  it('have no header', () => {
    expect(rejects.header).toBe('');
  });

  it('put our keys before those of the object', () => {
    const line = rejects.line(4, 'x is missing', { '1': 'a', company: { name: 'Acme' }, score: null });
    expect(line).toBe('{"_line":4,"_reason":"x is missing","1":"a","company":{"name":"Acme"},"score":null}\n');
  });

  it('keep the raw text of a line that is no object', () => {
    expect(rejects.line(5, 'found an array', '[1, "2')).toBe(
      '{"_line":5,"_reason":"found an array","_raw":"[1, \\"2"}\n',
    );
  });

  it('replace the two keys where the input is a rejects file itself, and keep a __proto__', () => {
    const content = JSON.parse('{"_line":9,"_reason":"old","__proto__":{"a":1},"b":2}') as Record<string, unknown>;
    expect(rejects.line(1, 'new', content)).toBe(
      '{"_line":1,"_reason":"new","_origin_line":"a.ndjson:9","__proto__":{"a":1},"b":2}\n',
    );
  });

  it.each([
    [
      '{ "_line" : 7, "_reason": "old",  "id": 12345678901234567890, "n": 1.0 }',
      '"_origin_line":"a.ndjson:7","id": 12345678901234567890,"n": 1.0',
    ],
    ['{"id":12345678901234567890,"_reason":"its own","n":1.0}', '"id":12345678901234567890,"n":1.0'],
    [
      '{"a":{"_line":1e2},"_line":[{"x":"}"},"]"],"b\\"":"{,\\\\","\\u005fline":3}',
      '"a":{"_line":1e2},"b\\"":"{,\\\\"',
    ],
    ['{"_reason":"its own"}', ''],
  ])('keep the text of all values if the row has one of the two keys: %s', (text, rest) => {
    const comma = rest === '' ? '' : ',';
    expect(rejects.line(4, 'new', text)).toBe(`{"_line":4,"_reason":"new"${comma}${rest}}\n`);
  });

  it('keep the text of an object as it stands, long numbers, repeated keys and all, however often it is rejected', () => {
    const text = '{"id":12345678901234567890,"score":1.50,"id":1e2}';
    const once = rejects.line(7, 'company_name is missing', text);
    expect(once).toBe(`{"_line":7,"_reason":"company_name is missing",${text.slice(1)}\n`);
    expect(rejects.line(1, 'still "missing"', once)).toBe(
      `{"_line":1,"_reason":"still \\"missing\\"","_origin_line":"a.ndjson:7",${text.slice(1)}\n`,
    );
    expect(rejects.line(1, 'empty', '{"_line":7,"_reason":"x"}')).toBe(
      '{"_line":1,"_reason":"empty","_origin_line":"a.ndjson:7"}\n',
    );
    expect(rejects.line(4, 'again', '{"_line":1,"_reason":"x","_origin_line":"a.ndjson:7"}')).toBe(
      '{"_line":4,"_reason":"again","_origin_line":"a.ndjson:7"}\n',
    );
  });
});

describe('csvLine', () => {
  it.each([
    [['a', 'b'], ',', 'a,b\r\n'],
    [['a,b', 'c'], ',', '"a,b",c\r\n'],
    [['a,b', 'c'], ';', 'a,b;c\r\n'],
    [['say "hi"', ''], ',', '"say ""hi""",\r\n'],
    [['two\nlines', 'two\r\nlines'], ',', '"two\nlines","two\r\nlines"\r\n'],
    [[' a', 'b ', 'c d'], ',', '" a","b ",c d\r\n'],
    [['a\tb', 'c'], '\t', '"a\tb"\tc\r\n'],
    [[''], ',', '""\r\n'],
    [['', ''], ',', ',\r\n'],
  ])('writes %j with %j', (cells, delimiter, line) => {
    expect(csvLine(cells, delimiter)).toBe(line);
  });

  it('is read back cell for cell by an independent parser', () => {
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
});

describe('spreadsheetSafe', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49', "'+49"],
    ['-x.csv', "'-x.csv"],
    ['@sum', "'@sum"],
    ['\t=1', '\\t=1'],
    ['a=b', 'a=b'],
    ['\x1b[31m', '\\x1b[31m'],
  ])('makes %j harmless', (text, safe) => {
    expect(spreadsheetSafe(text)).toBe(safe);
  });
});
