import { describe, expect, it } from 'vitest';
import { isBroken } from '../../src/input/decode.ts';
import { RAW_LIMIT } from '../../src/model/row.ts';
import { problemOf } from '../support/problems.ts';
import { chunked, look, read } from '../support/read.ts';

const codes = (rows: Awaited<ReturnType<typeof read>>['rows']): string[] =>
  rows.map((row) => (isBroken(row) ? row.issue.code : 'good'));

describe('decode', () => {
  it('reads many rows in blocks whose cursors follow each other', async () => {
    const text = `id,text\n${Array.from({ length: 20_000 }, (_, n) => `${n},"some text, and more of it"\n`).join('')}\n\n`;
    const result = await read(text);
    expect(result.rows).toHaveLength(20_000);
    expect(result.blocks.length).toBeLessThan(20);
    expect(result.rows[19_999]).toMatchObject({
      position: { row: 20_000, line: 20_001 },
      content: ['19999', 'some text, and more of it'],
    });
    for (const { rows, cursor } of result.blocks) {
      const last = rows.at(-1)?.position;
      if (last === undefined) continue;
      expect(cursor.rows).toBe(last.row);
      expect(cursor.byte).toBeGreaterThanOrEqual(last.end);
    }
    expect(result.cursor).toEqual({ rows: 20_000, line: 20_004, byte: text.length });
  });

  it('rejects if the input fails', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield* chunked(Buffer.from('a\n1\n'), () => 4);
      throw new Error('the disk is gone');
    }
    await expect(read('a\n1\n', { chunks: failing() })).rejects.toThrow('the disk is gone');
  });

  it('breaks only the row that is not UTF-8, and invents no character', async () => {
    const bytes = Buffer.concat([
      Buffer.from('a,b\né,1\n'),
      Buffer.from([0x63, 0xe9, 0x2c, 0x32, 0x0a]), // c, é of Windows-1252, comma, 2
      Buffer.from('漢😀,3\n'),
      Buffer.from([0xf0, 0x9f, 0x98, 0x2c, 0x34, 0x0a]), // a character that breaks off
    ]);
    const { rows } = await read(bytes);
    expect(rows).toMatchObject([
      { content: ['é', '1'] },
      { raw: 'cé,2', issue: { code: 'encoding', found: 'byte 0xE9 at character 2', expected: 'UTF-8 text' } },
      { content: ['漢😀', '3'] },
      { raw: 'ð\x9f\x98,4', issue: { code: 'encoding', found: 'byte 0xF0 at character 1' } },
    ]);
  });

  it('keeps the first characters of a row that is too long, and splits none', async () => {
    const long = '😀'.repeat(50_000);
    const { rows } = await read(`a\n${long}\nb\n`, { maxRowBytes: 150_000 });
    expect(codes(rows)).toEqual(['size', 'good']);
    const [row] = rows;
    if (row === undefined || !isBroken(row)) throw new Error('expected a broken row');
    expect(row.raw.length).toBeLessThanOrEqual(RAW_LIMIT);
    expect(row.raw.length).toBeGreaterThan(RAW_LIMIT - 4);
    expect(long.startsWith(String(row.raw))).toBe(true);
    expect(row.issue).toMatchObject({
      found: 'a row of more than 150,000 bytes',
      expected: 'at most 150,000 bytes',
    });
    expect(rows[1]).toMatchObject({ position: { line: 3, row: 2 }, content: ['b'] });
  });

  it('shortens the excerpt of a long row', async () => {
    const { rows } = await read(`a,b\n1,"${'é'.repeat(300)}\n`);
    expect(rows).toMatchObject([{ issue: { code: 'quote', found: `"${'é'.repeat(78)}…` } }]);
  });

  it('names the likely cause of a wrong number of cells', async () => {
    const { rows } = await read('a,b,c\n1,2,3,4\n1\n"1\n",2\n');
    const hints = rows.map((row) => (isBroken(row) ? row.issue.hint : undefined));
    expect(codes(rows)).toEqual(['columns', 'columns', 'columns']);
    expect(hints[0]).toContain('unquoted comma');
    expect(hints[1]).toContain('--setting ragged=pad');
    expect(hints[2]).toContain('quote is missing');
    expect(rows[2]).toMatchObject({ raw: ['1\n', '2'], position: { line: 4, nextLine: 6 } });
  });
});

describe('a row whose cells are all empty', () => {
  it('is a blank line: not a row, but its lines count', async () => {
    const text = 'a,b,c\n1,2,3\n,,\n" ", \t,"\n"\n\u00a0,\u3000,\u0085\n,\n,,,,\n4,,\n,,';
    for (const size of [1, 7, 1000]) {
      const { rows, cursor } = await read(text, { encoding: 'utf-8', chunks: chunked(Buffer.from(text), () => size) });
      expect(rows).toMatchObject([
        { content: ['1', '2', '3'], position: { row: 1, line: 2 } },
        { content: ['4', '', ''], position: { row: 2, line: 9 } },
      ]);
      expect(cursor).toEqual({ rows: 2, line: 11, byte: Buffer.byteLength(text) });
    }
  });

  it('has no cell with a quote in it', async () => {
    const { rows } = await read('a,b\n"""",\n",",\n');
    expect(rows).toMatchObject([{ content: ['"', ''] }, { content: [',', ''] }]);
  });

  it('is not the header, and not the first row of a table without one', async () => {
    expect((await read(',,\n"", \na,b\n1,2\n')).detected).toMatchObject({ columns: ['a', 'b'], body: { line: 4 } });
    const { detected, rows } = await read(';;;\n1;2\n', { header: false });
    expect(detected).toMatchObject({ columns: ['1', '2'], delimiter: ';' });
    expect(rows).toMatchObject([{ content: ['1', '2'], position: { row: 1, line: 2 } }]);
  });
});

describe('decode of NDJSON', () => {
  const lines = (text: string | Buffer) => read(text, { name: 'in.ndjson' });

  it('reads one object per line, with white space around it', async () => {
    const { rows } = await lines('\ufeff {"a":1} \r\n\r\n\t\n{"a":"\u2028"}');
    expect(rows).toMatchObject([
      { content: { a: 1 }, position: { line: 1, row: 1, start: 3 } },
      { content: { a: '\u2028' }, position: { line: 4, row: 2 } },
    ]);
  });

  it('reports what a line contains that is not an object', async () => {
    const { rows } = await lines('{"a":1}\n"x"\n12\ntrue\nnull\n[{}]\n{"a":1,}\n{"a":\n');
    expect(rows.slice(1).map((row) => (isBroken(row) ? row.issue.found : 'good'))).toEqual([
      'a string: "x"',
      'a number: 12',
      'a boolean: true',
      'null',
      'an array: [{}]',
      '{"a":1,}',
      '{"a":',
    ]);
    expect(rows.at(-1)).toMatchObject({
      issue: { hint: 'The JSON is incomplete: it ends after character 5. An object must be on one line.' },
    });
  });

  it('says where a line stops being JSON', async () => {
    const { rows } = await lines('{"a":1}\n{"a" 1}\n{"a":"\t"}\n{"a":"\\q"}\n{"a":1} x\n{"a":"x\n{"a":NaN}\n');
    expect(rows.slice(1).map((row) => isBroken(row) && row.issue.hint)).toEqual([
      'The JSON error is at character 6.',
      'The JSON error is at character 7.',
      'The JSON error is at character 8.',
      'The JSON error is at character 9.',
      'The JSON is incomplete: it ends after character 7. An object must be on one line.',
      expect.stringContaining("Unexpected token 'N'"),
    ]);
  });

  it('shows an excerpt of a long line, and keeps more of it as raw text', async () => {
    const { rows } = await lines(`{"a":1}\n{"a":"${'x'.repeat(900_000)}\n`);
    const row = rows[1];
    if (row === undefined || !isBroken(row)) throw new Error('expected a broken row');
    expect(row.issue.found).toHaveLength(80);
    expect(row.issue.hint).toContain('ends after character 900006.');
    expect(row.raw).toHaveLength(RAW_LIMIT);
  });

  it('survives deep nesting, closed or not', async () => {
    const deep = 100_000;
    const { rows } = await lines(
      `{"a":1}\n${'['.repeat(deep)}\n{"a":${'['.repeat(deep)}${']'.repeat(deep)}}\n{"a":${'['.repeat(99)}${']'.repeat(99)}}\n`,
    );
    expect(codes(rows)).toEqual(['good', 'json', 'json', 'good']);
  });

  it('keeps a key named __proto__ as data and changes no prototype', async () => {
    const { rows, detected } = await lines('{"__proto__":{"polluted":1},"constructor":{"x":2}}\n');
    expect(detected.columns).toEqual(['__proto__.polluted', 'constructor.x']);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    const [row] = rows;
    if (row === undefined || isBroken(row)) throw new Error('expected a good row');
    expect(Object.getPrototypeOf(row.content)).toBe(Object.prototype);
    expect(Object.keys(row.content)).toEqual(['__proto__', 'constructor']);
  });
});

function codeOf(work: () => unknown): string {
  return problemOf(work).code;
}

describe('detectInput', () => {
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

  it('reads quotes as text with an empty quote, and supports other quotes', async () => {
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
