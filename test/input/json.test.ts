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
  it('skips an element that is too long, without storing it', async () => {
    const long = `{"a":"${'x'.repeat(200_000)}"}`;
    const { rows } = await array(`[{"a":1},${long},\n{"a":2}]`, { maxRowBytes: 1000 });
    expect(rows).toMatchObject([
      { content: { a: 1 } },
      { issue: { code: 'size' }, position: { line: 1, nextLine: 1 } },
      { content: { a: 2 }, position: { line: 2, row: 3 } },
    ]);
  });

  it('must be closed, also after its head', async () => {
    // After the head, the rows before the problem come first.
    const element = `${JSON.stringify({ a: 'x'.repeat(1000) })},\n`;
    const text = `[${element.repeat(500)}{"a":`;
    expect(await codeOf(() => array(text))).toBe('input.failed in.json:501');
    expect(look(text.slice(0, 262_144), { name: 'in.json', cut: true }).columns).toEqual(['a']);
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
