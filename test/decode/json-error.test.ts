import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonErrorIndex } from '../../src/decode/json-error.ts';

describe('jsonErrorIndex', () => {
  it('finds the first unexpected character', () => {
    const cases: [string, number][] = [
      ['{"a":tru}', 5],
      ['{"a":1,}', 7],
      ['{"a" 1}', 5],
      ['{a:1}', 1],
      ["{'a':1}", 1],
      ['[1 2]', 3],
      ['[1,]', 3],
      ['{"a":1} x', 8],
      ['{"a":1}{', 7],
      ['{"a":01}', 5],
      ['{"a":NaN}', 5],
      ['{"a":"\t"}', 5],
      ['{"a":1]', 6],
      ['a,b', 0],
      [']', 0],
    ];
    for (const [text, at] of cases) {
      expect(() => JSON.parse(text)).toThrow(SyntaxError);
      expect([text, jsonErrorIndex(text)]).toEqual([text, at]);
    }
  });

  it('returns the length of a truncated text', () => {
    for (const text of ['{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '[[', '']) {
      expect([text, jsonErrorIndex(text)]).toEqual([text, text.length]);
    }
  });

  it('finds no error in JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(jsonErrorIndex(text)).toBe(text.length);
      }),
    );
  });

  it('handles a long string', () => {
    const text = `{"a":"${'x'.repeat(1_000_000)}"`;
    expect(jsonErrorIndex(text)).toBe(text.length);
    expect(jsonErrorIndex(text.slice(0, -1))).toBe(5);
  });
});
