import { describe, expect, it } from 'vitest';
import { isBroken } from '../../src/input/decode.ts';
import { RAW_LIMIT } from '../../src/model/row.ts';
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

  it('keeps the first characters of a row that is too long, splits none, and says that the rest is missing', async () => {
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
      hint: expect.stringMatching(
        /`max_bytes` longer records\. The rejects file has only the first 32,76\d characters/,
      ),
    });
    expect(rows[1]).toMatchObject({ position: { line: 3, row: 2 }, content: ['b'] });
  });

  it('shortens the excerpt of a long row', async () => {
    const { rows } = await read(`a,b\n1,"${'é'.repeat(300)}\n`);
    expect(rows).toMatchObject([{ issue: { code: 'quote', found: `"${'é'.repeat(78)}…` } }]);
  });
});

describe('bytes that do not decode', () => {
  it('break rows after a head of plain ASCII', async () => {
    const plain = Buffer.from(`a,b\n${'x,1\n'.repeat(80_000)}`);
    const { rows, detected } = await read(Buffer.concat([plain, Buffer.from([0xe9, 0x2c, 0x32, 0x0a])]));
    expect(detected.encoding).toBe('utf-8');
    expect(rows).toHaveLength(80_001);
    expect(rows.filter(isBroken)).toMatchObject([
      { issue: { code: 'encoding', hint: expect.stringContaining('--encoding windows-1252') } },
    ]);
  });

  it('in a very long line use no more memory than other bytes', async () => {
    const bytes = Buffer.concat([Buffer.from('a,b\n'), Buffer.alloc(3_000_000, 0x81), Buffer.from('\n1,2\n')]);
    const { rows } = await read(bytes, { encoding: 'windows-1252' });
    expect(rows).toMatchObject([{ issue: { code: 'size' } }, { content: ['1', '2'], position: { line: 3 } }]);
  });
});

describe('decode of NDJSON', () => {
  const lines = (text: string | Buffer) => read(text, { name: 'in.ndjson' });

  it('shows an excerpt of a long line, and keeps more of it as raw text', async () => {
    const { rows } = await lines(`{"a":1}\n{"a":"${'x'.repeat(900_000)}\n`);
    const row = rows[1];
    if (row === undefined || !isBroken(row)) throw new Error('expected a broken row');
    expect(row.issue.found).toHaveLength(80);
    expect(row.issue.hint).toMatch(/after character 900006\..* only the first 32,768 characters of this row\.$/);
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

it('the columns of NDJSON are those of its first hundred lines', () => {
  const lines = Array.from({ length: 150 }, (_, index) => `{"k${index}":1}\n`).join('');
  expect(look(lines).columns).toHaveLength(100);
});
