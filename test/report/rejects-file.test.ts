import { describe, expect, it } from 'vitest';
import { createRejects } from '../../src/report/rejects-file.ts';

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
