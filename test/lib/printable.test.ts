import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToWidth, displayWidth, printable } from '../../src/lib/printable.ts';

describe('printable', () => {
  it.each([
    ['plain text, Übergröße, 日本, 👍', 'plain text, Übergröße, 日本, 👍'],
    ['two\nlines\r\n and\ta tab', 'two\\nlines\\r\\n and\\ta tab'],
    ['\x1b[31mred\x1b[0m', '\\x1b[31mred\\x1b[0m'],
    ['\x1b]0;title\x07', '\\x1b]0;title\\x07'],
    ['\x9b2J', '\\x9b2J'],
    ['\x00\x7f', '\\x00\\x7f'],
    ['abc\u202egnp.exe', 'abc\\u202egnp.exe'],
    ['\u2066a\u2069', '\\u2066a\\u2069'],
    ['zero\u200bwidth\u200d\ufeff', 'zero\\u200bwidth\\u200d\\ufeff'],
    ['line\u2028separator\u2029', 'line\\u2028separator\\u2029'],
    ['\ud800 alone \udc00', '\\ud800 alone \\udc00'],
    ['hidden \u{e0041}', 'hidden \\u{e0041}'],
    ['C:\\new\\table', 'C:\\new\\table'],
    ['love ❤\ufe0f', 'love ❤\ufe0f'],
    ['', ''],
  ])('shows %j as %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdefg', 6, 'abcde…'],
    ['👍👍👍👍', 3, '👍👍…'],
    ['👍👍👍', 3, '👍👍👍'],
    ['abc\x1bd', 6, 'abc…'],
    ['abc\x1b', 7, 'abc\\x1b'],
    ['ab', 1, '…'],
    ['ab', 0, ''],
  ])('cuts %j at %i characters', (text, limit, shown) => {
    expect(printable(text, limit)).toBe(shown);
  });

  it('never has a control or invisible character, nor more characters than the limit', () => {
    const forbidden = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({
            unit: fc.constantFrom('a', '\x1b', '\n', '\x9b', '\u202e', '\u200b', '\u2028', '\ud800', '日'),
          }),
        ),
        fc.integer({ min: 1, max: 40 }),
        (text, limit) => {
          const whole = printable(text);
          const cut = printable(text, limit);
          expect(whole).not.toMatch(forbidden);
          expect(Buffer.from(whole).toString()).toBe(whole);
          expect(cut).not.toMatch(forbidden);
          expect([...cut].length).toBeLessThanOrEqual(limit);
          expect(printable(whole)).toBe(whole);
        },
      ),
    );
  });
});

describe('cutToWidth', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['██', 2, '██'],
    ['ab', 1, '…'],
    ['ab', 0, ''],
    ['', 5, ''],
  ])('fits %j into %i columns', (text, columns, shown) => {
    expect(cutToWidth(text, columns)).toBe(shown);
    expect(displayWidth(shown)).toBeLessThanOrEqual(columns);
  });
});
