import { describe, expect, it } from 'vitest';
import { problemOf } from '../support/problems.ts';
import { look, read } from '../support/read.ts';

function codeOf(work: () => unknown): string {
  return problemOf(work).code;
}

describe('detect', () => {
  it('detects the format from the option, else from the name, else from the first character', () => {
    expect(look('{"a":1}', { name: 'stdin' }).format).toBe('ndjson');
    expect(look('\n\n {"a":1}', { name: 'x.txt' }).format).toBe('ndjson');
    expect(look('a,b', { name: 'x.txt' }).format).toBe('csv');
    expect(look('{"a":1}', { name: 'X.CSV' }).format).toBe('csv');
    expect(look('{"a":1}', { name: 'x.jsonl' }).format).toBe('ndjson');
    expect(look('{"a":1}', { name: 'x.csv', format: 'ndjson' }).format).toBe('ndjson');
  });

  it('uses the delimiter of the option', () => {
    expect(look('a\tb', { name: 'x.tsv' }).columns).toEqual(['a', 'b']);
    for (const delimiter of ['tab', '\\t', '\t']) expect(look('a\tb', { delimiter }).columns).toEqual(['a', 'b']);
    expect(look('a|b', { delimiter: '|' }).description).toEqual(['CSV', 'vertical bar', 'UTF-8', '2 columns']);
  });

  it('rejects a delimiter or quote that is not one byte', () => {
    for (const delimiter of ['', 'é', ';;', '\n', '\0']) {
      expect(codeOf(() => look('a', { delimiter }))).toBe('option.delimiter');
    }
    for (const quote of ['«', '""', '\r', ',']) expect(codeOf(() => look('a', { quote }))).toBe('option.quote');
  });

  it('reads quotes as text with an empty --quote, and supports other quotes', async () => {
    const none = await read('a,b\n"x,y"\n', { quote: '' });
    expect(none.rows).toMatchObject([{ content: ['"x', 'y"'] }]);
    const single = await read("a,b\n'x,''y',\"z\n", { quote: "'" });
    expect(single.rows).toMatchObject([{ content: ["x,'y", '"z'] }]);
    expect(single.detected.description).toContain("quote '");
  });

  it('rejects binary formats by their first bytes', () => {
    const binaries = [
      Buffer.from([0x1f, 0x8b, 8, 0]),
      Buffer.from('BZh91'),
      Buffer.from('PAR1'),
      Buffer.from('PK\x03\x04rest'),
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0]),
      Buffer.from('%PDF-1.7'),
      Buffer.concat([Buffer.from('in.csv'.padEnd(257, '\0')), Buffer.from('ustar\x0000'.padEnd(255, '\0'))]),
      Buffer.from('\ufeff\n<html><table><tr><td>Company</td></tr></table></html>'),
      Buffer.from('\ufeff<!DOCTYPE html>\n', 'utf16le'),
      Buffer.from('<?xml version="1.0"?>\n<Workbook/>'),
    ];
    for (const bytes of binaries) expect(codeOf(() => look(bytes, { name: 'x.csv' }))).toBe('input.binary');
    expect(problemOf(() => look(Buffer.from('%PDF-1.7'))).hint).toContain('as CSV UTF-8');
  });

  it('rejects an empty input', () => {
    for (const text of ['\ufeff', '\n\r\n', ' \t\n', '\ufeff\n']) {
      expect(codeOf(() => look(text))).toBe('input.empty');
      expect(codeOf(() => look(text, { name: 'x.ndjson' }))).toBe('input.empty');
    }
  });

  it('detects a JSON array, but not a column whose name begins with a bracket', () => {
    expect(look('[\n  {"a": 1}\n]').format).toBe('json');
    expect(look('[]').format).toBe('json');
    expect(look('[Company],[City]\n').columns).toEqual(['[Company]', '[City]']);
  });

  it('detects NDJSON in a file named .json', () => {
    expect(look('{"a":1}\n{"a":2}\n', { name: 'x.json' }).format).toBe('ndjson');
    expect(codeOf(() => look('a,b\n', { name: 'x.json' }))).toBe('input.format');
    expect(codeOf(() => look('{"a":1}', { name: 'x.json', format: 'json' }))).toBe('input.format');
  });

  it('rejects NDJSON without an object at its beginning, and reports the first line', () => {
    expect(problemOf(() => look('\na,b\n1,2\n', { format: 'ndjson' }))).toMatchObject({
      code: 'input.format',
      where: 'in:2',
      message: "'in' is not NDJSON: none of its first 2 lines is a JSON object. Found a,b.",
    });
  });

  it('names the key that occurs twice in the first objects, in both formats', () => {
    for (const text of ['{"a":1,"b":{"c":2,"c":3}}\n', '[{"a":1,"b":{"c":2,"c":3}}]']) {
      expect(problemOf(() => look(text))).toMatchObject({
        code: 'input.format',
        message: 'The key "b.c" occurs twice in one object: found 2 and 3.',
        hint: 'Remove or rename one of them.',
      });
    }
  });

  it('rejects a header that cannot be read', () => {
    for (const text of ['a,"b\n1,2\n', 'a,"b"c\n']) {
      expect(problemOf(() => look(`\n${text}`))).toMatchObject({ code: 'input.header', where: 'in:2' });
    }
    expect(codeOf(() => look('a,b,c', { cut: true }))).toBe('input.header');
    expect(codeOf(() => look('a,"b\n1\n', { cut: true }))).toBe('input.header');
    expect(codeOf(() => look(Buffer.from([0x61, 0xe9, 0x0a]), { encoding: 'utf-8' }))).toBe('input.encoding');
  });

  it('accepts a header without rows', async () => {
    for (const text of ['a,b', 'a,b\n', 'a,b\r\n']) {
      const result = await read(text);
      expect(result.detected.columns).toEqual(['a', 'b']);
      expect(result.rows).toEqual([]);
      expect(result.detected.body).toEqual({ byte: Buffer.byteLength(text), line: 2 });
    }
  });

  it('accepts a header of several lines, and one longer than the limit of rows', async () => {
    const result = await read('"a\nb",c\n1,2\n', { maxRowBytes: 4 });
    expect(result.detected.columns).toEqual(['a\nb', 'c']);
    expect(result.rows).toMatchObject([{ position: { line: 3, row: 1 }, content: ['1', '2'] }]);
  });

  it('counts the columns of the first well-formed row without a header', async () => {
    const result = await read('"x"y\n1,2,3\n', { header: false });
    expect(result.detected.columns).toEqual(['1', '2', '3']);
    expect(result.rows).toMatchObject([{ issue: { code: 'quote' } }, { content: ['1', '2', '3'] }]);
    expect(codeOf(() => look('"x"y\n', { header: false }))).toBe('input.header');
  });

  it('lists the paths of an NDJSON input in order of appearance', () => {
    const text = '{"b":1,"a":{"x":null,"y":[{"z":2},3]},"none":{},"empty":[]}\nbad\n{"a":{"w":1},"b":2}\n';
    expect(look(text).columns).toEqual(['b', 'a.x', 'a.y.0.z', 'a.y.1', 'a.w']);
  });

  it('samples the first hundred complete lines of NDJSON', () => {
    const lines = Array.from({ length: 150 }, (_, index) => `{"k${index}":1}\n`).join('');
    expect(look(lines).columns).toHaveLength(100);
    expect(look('{"a":1}\n{"b":1}', { cut: true }).columns).toEqual(['a']);
    expect(look('{"a":1}\n{"b":1}').columns).toEqual(['a', 'b']);
  });
});
