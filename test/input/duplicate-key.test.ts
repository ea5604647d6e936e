import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDuplicateKey } from '../../src/input/duplicate-key.ts';

const objectOf = (text: string): object => {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? value : {};
};
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
  ])('is found in %s', (text, path, [one = '', other = '']) => {
    const found = findDuplicateKey(text, objectOf(text));
    expect(found?.path).toBe(path);
    expect(found?.values[0]).toContain(one);
    expect(found?.values[1]).toBe(other);
  });

  it('is not reported if each key occurs once, whatever the texts contain', () => {
    fc.assert(
      fc.property(objects, fc.constantFrom(undefined, 1, '\t'), (object, space) => {
        const text = JSON.stringify(object, undefined, space);
        expect(findDuplicateKey(text, objectOf(text))).toBeUndefined();
      }),
    );
  });

  it('is found in any object', () => {
    fc.assert(
      fc.property(objects, texts, (object, key) => {
        const name = JSON.stringify(key);
        const text = `{"o" : ${JSON.stringify(object)},"i":{${name} :1, ${name}: "2"}}`;
        expect(findDuplicateKey(text, objectOf(text))).toEqual({ path: `i.${key}`, values: ['1', '"2"'] });
      }),
    );
  });
});
