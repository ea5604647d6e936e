import { describe, expect, it } from 'vitest';
import { cut, messageOf } from '../../src/lib/text.ts';

describe('a text that is cut', () => {
  it('is as long as the limit, with its ellipsis', () => {
    expect(cut('abcd', 4)).toBe('abcd');
    expect(cut('abcde', 4)).toBe('abc…');
  });

  it('tears no surrogate pair', () => {
    expect(cut('ab😀cd', 4)).toBe('ab…');
    expect(cut('ab😀cd', 5)).toBe('ab😀…');
    expect(cut('a😀', 3)).toBe('a😀');
  });

  it('ends without a mark where none is wanted', () => {
    expect(cut('abcde', 4, '')).toBe('abcd');
    expect(cut('ab😀cd', 3, '')).toBe('ab');
    expect(cut('ab😀cd', 4, '')).toBe('ab😀');
  });
});

describe('what was thrown', () => {
  it('is told by its message, or as what it is', () => {
    expect(messageOf(new TypeError('no such thing'))).toBe('no such thing');
    expect(messageOf('a word')).toBe('a word');
    expect(messageOf(undefined)).toBe('undefined');
  });
});
