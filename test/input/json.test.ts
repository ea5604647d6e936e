import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBroken } from '../../src/input/decode.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { chunked, look, read } from '../support/read.ts';

const array = (text: string, given: object = {}) => read(text, { name: 'in.json', ...given });

async function codeOf(work: () => unknown): Promise<string | undefined> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ProblemError) return `${error.problems[0]?.code} ${error.problems[0]?.where}`;
    throw error;
  }
  return undefined;
}

describe('a JSON array', () => {
  it('gives its elements as rows, each with its line', async () => {
    const text = '\n[\n  {"a": 1,\n   "b": "]}"},\n  {"a": "\\"[{"}, {"a": [1, {"c": 2}]}\n]\n';
    for (const size of [1, 2, 5, 1000]) {
      const { rows, detected, cursor } = await array(text, {
        chunks: chunked(Buffer.from(text), () => size),
      });
      expect(rows).toMatchObject([
        { content: { a: 1, b: ']}' }, position: { row: 1, line: 3, nextLine: 4 } },
        { content: { a: '"[{' }, position: { row: 2, line: 5, nextLine: 5 } },
        { content: { a: [1, { c: 2 }] }, position: { row: 3, line: 5, nextLine: 5 } },
      ]);
      expect(detected.columns).toEqual(['a', 'b', 'a.0', 'a.1.c']);
      expect(cursor).toEqual({ rows: 3, line: 7, byte: text.length });
    }
  });

  it('may be empty', async () => {
    expect((await array('[]')).rows).toEqual([]);
    expect((await array(' [ \n ] \n')).cursor).toEqual({ rows: 0, line: 3, byte: 8 });
  });

  it('keeps the text of a row on one line, for the rejects file', async () => {
    const { rows } = await array('[{"a": 12345678901234567890,\r\n  "b": "x\\ny"}]');
    expect(rows).toMatchObject([{ text: '{"a": 12345678901234567890, "b": "x\\ny"}' }]);
  });

  it('breaks only the elements that are not objects', async () => {
    const { rows } = await array('[{"a":1},\n"x, y", 12 ,null,[{}],\n{"a":1,},{"a":tru},{"a":2}]');
    expect(rows.map((row) => (isBroken(row) ? row.issue.found : 'good'))).toEqual([
      'good',
      'a string: "x, y"',
      'a number: 12',
      'null',
      'an array: [{}]',
      '{"a":1,}',
      '{"a":tru}',
      'good',
    ]);
    expect(rows[7]).toMatchObject({ position: { line: 3, row: 8 } });
  });

  it('skips an element that is too long, without storing it', async () => {
    const long = `{"a":"${'x'.repeat(200_000)}"}`;
    const { rows } = await array(`[{"a":1},${long},\n{"a":2}]`, { maxRowBytes: 1000 });
    expect(rows).toMatchObject([
      { content: { a: 1 } },
      { issue: { code: 'size' }, position: { line: 1, nextLine: 1 } },
      { content: { a: 2 }, position: { line: 2, row: 3 } },
    ]);
  });

  it('must be closed, with nothing after it', async () => {
    expect(await codeOf(() => array('[{"a":1},\n{"a":2}'))).toBe('input.failed in.json:2');
    expect(await codeOf(() => array('[{"a":1}]\n[{"a":2}]'))).toBe('input.failed in.json:2');
    // After the head, the rows before the problem come first.
    const element = `${JSON.stringify({ a: 'x'.repeat(1000) })},\n`;
    const text = `[${element.repeat(500)}{"a":`;
    expect(await codeOf(() => array(text))).toBe('input.failed in.json:501');
    expect(look(text.slice(0, 262_144), { name: 'in.json', cut: true }).columns).toEqual(['a']);
  });

  it('must contain objects', async () => {
    expect(await codeOf(() => look('[1,2]', { format: 'json' }))).toBe('input.format in:1');
  });

  it('is read as written, wherever its chunks are cut', async () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        objects,
        fc.constantFrom(undefined, 1, '\t'),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        async (values, indent, sizes) => {
          const text = JSON.stringify(values, null, indent);
          const { rows } = await array(text, {
            encoding: 'utf-8',
            chunks: chunked(Buffer.from(text), () => sizes.next().value ?? 1),
          });
          expect(rows.map((row) => (isBroken(row) ? row.issue : row.content))).toEqual(JSON.parse(text));
          for (const row of rows) {
            const line = text.slice(0, Buffer.from(text).toString('utf8', 0, row.position.start).length);
            expect(row.position.line).toBe(line.split('\n').length);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
