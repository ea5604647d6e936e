import { describe, expect, it } from 'vitest';
import { excerpt, FOUND_LIMIT } from '../../src/lib/excerpt.ts';

describe('an excerpt of what was found', () => {
  it('is the text itself up to the limit, and ends in an ellipsis beyond it', () => {
    const full = 'x'.repeat(FOUND_LIMIT);
    expect(excerpt(full)).toBe(full);
    expect(excerpt(`${full}x`)).toBe(`${'x'.repeat(FOUND_LIMIT - 1)}…`);
  });

  it('says in words what is no text', () => {
    expect([{}, [1, 2], true, null, 1.5].map(excerpt)).toEqual([
      'an object',
      'an array of 2',
      'true',
      'null',
      '1.5',
    ]);
  });
});
