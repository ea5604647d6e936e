import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBroken } from '../../src/input/decode.ts';
import { parseObject } from '../../src/input/ndjson.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { look, read } from '../support/read.ts';

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
      { issue: { code: 'size' }, position: { line: 2, nextLine: 3 } },
      { content: { a: 2 }, position: { line: 3, row: 3 } },
    ]);
  });

  it('must be closed, also after its head', async () => {
    // After the head, the rows before the problem come first.
    const element = `${JSON.stringify({ a: 'x'.repeat(1000) })},\n`;
    const text = `[${element.repeat(500)}{"a":`;
    expect(await codeOf(() => array(text))).toBe('input.failed in.json:501');
    expect(look(text.slice(0, 262_144), { name: 'in.json', cut: true }).columns).toEqual(['a']);
  });
});

/** The issue of a text, if it has one. */
function issueOf(text: string) {
  const parsed = parseObject(text);
  return 'issue' in parsed ? parsed.issue : undefined;
}

/** Texts full of sequences that resemble the end of a name. */
const texts = fc
  .array(fc.constantFrom('"', ':', '":', ' ', '\\', '{', ',', 'a', '\n', '": "'), { maxLength: 8 })
  .map((parts) => parts.join(''));
const objects = fc.dictionary(texts, fc.oneof(texts, fc.array(texts), fc.dictionary(texts, texts), fc.nat()), {
  noNullPrototype: true,
});

describe('a key that an object has twice', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{ "a" \t:"x:y" , "b": {"c":[{"d\\":":1}], "c" \r: ":" } }', 'b.c'],
    ['{"a":[0,{"b":1,"b":null}]}', 'a.1.b'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a":{"b":[{"c":1},{"c":2,"c":3}]}}', 'a.b.1.c'],
    ['{"a":1,"\\u0061":2}', 'a'],
  ])('is found in %s', (text, path) => {
    expect(issueOf(text)).toMatchObject({
      code: 'json',
      column: path,
      expected: `one value for the key "${path}", which occurs twice`,
    });
  });

  it('is not reported if each key occurs once, whatever the texts contain', () => {
    fc.assert(
      fc.property(objects, fc.constantFrom(undefined, 1, '\t'), (object, space) => {
        const text = JSON.stringify(object, undefined, space);
        expect(issueOf(text)).toBeUndefined();
      }),
    );
  });

  it('is found in any object', () => {
    fc.assert(
      fc.property(objects, texts, (object, key) => {
        const name = JSON.stringify(key);
        const text = `{"o" : ${JSON.stringify(object)},"i":{${name} :1, ${name}: "2"}}`;
        expect(issueOf(text)).toMatchObject({ column: `i.${key}`, found: 'two values' });
      }),
    );
  });

  it('and a syntax error are found in a row of many megabytes without a stack overflow', async () => {
    const long = 'x\\"'.repeat(4_000_000);
    const lines = `{"ok":1}\n{"a":1,"b":"${long}","a":2}\n{"b":"${long}",}\n{"b":"${long}"}\n`;
    const { rows } = await read(lines, { name: 'in.ndjson', maxRowBytes: 2 ** 26 });
    expect(rows.map((row) => (isBroken(row) ? (row.issue.column ?? row.issue.code) : 'good'))).toEqual([
      'good',
      'a',
      'json',
      'good',
    ]);
  });
});
