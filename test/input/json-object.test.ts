import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBroken } from '../../src/input/decode.ts';
import { parseObject } from '../../src/input/ndjson.ts';
import { read } from '../support/read.ts';

/** The issue of a text, if it has one. */
function issueOf(text: string) {
  const parsed = parseObject(text, true);
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
    ['{"a":1,"a":2}', 'a', ['1', '2']],
    ['{ "a" \t:"x:y" , "b": {"c":[{"d\\":":1}], "c" \r: ":" } }', 'b.c', ['[{', '":"']],
    ['{"a":[0,{"b":1,"b":null}]}', 'a.1.b', ['1', 'null']],
    ['{"__proto__":1,"__proto__":2}', '__proto__', ['1', '2']],
    ['{"a":{"b":[{"c":1},{"c":2,"c":3}]}}', 'a.b.1.c', ['2', '3']],
    ['{"a":1,"\\u0061":2}', 'a', ['1', '2']],
  ])('is found in %s', (text, path, [one = '', other = '']) => {
    const issue = issueOf(text);
    expect(issue).toMatchObject({
      code: 'json',
      column: path,
      expected: `one value for the key "${path}", which occurs twice`,
    });
    const [first, second] = issue?.found?.split(' and ') ?? [];
    expect(first).toContain(one);
    expect(second).toBe(other);
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
        expect(issueOf(text)).toMatchObject({ column: `i.${key}`, found: '1 and "2"' });
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
