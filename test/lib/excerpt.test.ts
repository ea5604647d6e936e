import { describe, expect, it } from 'vitest';
import { excerpt, FOUND_LIMIT } from '../../src/lib/text.ts';

describe('excerpt', () => {
  it('is the text up to the limit; a longer text ends in an ellipsis', () => {
    const full = 'x'.repeat(FOUND_LIMIT);
    expect(excerpt(full)).toBe(full);
    expect(excerpt(`${full}x`)).toBe(`${'x'.repeat(FOUND_LIMIT - 1)}…`);
  });

  it('describes values that are not text', () => {
    expect([{}, [1, 2], true, null, 1.5].map(excerpt)).toEqual(['an object', 'an array of 2', 'true', 'null', '1.5']);
  });
});
