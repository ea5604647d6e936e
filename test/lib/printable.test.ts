import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToWidth, displayWidth, printable } from '../../src/lib/printable.ts';

describe('printable', () => {
  it('never has a control or invisible character, nor more characters than the limit', () => {
    const forbidden = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom('a', '\x1b', '\n', '\x9b', '\u202e', '\u200b', '\u2028', '\ud800', '日') }),
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

it('a text that is cut to a width is no wider', () => {
  const texts = fc.array(fc.constantFrom('a', '日', '█', 'é', '👍')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 20 }), (text, columns) => {
      expect(displayWidth(cutToWidth(text, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});
