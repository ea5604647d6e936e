import { describe, expect, it } from 'vitest';
import { cut, messageOf } from '../../src/lib/text.ts';

describe('cut', () => {
  it('returns at most the limit, including the ellipsis', () => {
    expect(cut('abcd', 4)).toBe('abcd');
    expect(cut('abcde', 4)).toBe('abc…');
  });

  it('does not split a surrogate pair', () => {
    expect(cut('ab😀cd', 4)).toBe('ab…');
    expect(cut('ab😀cd', 5)).toBe('ab😀…');
    expect(cut('a😀', 3)).toBe('a😀');
  });

  it('adds no mark if the mark is empty', () => {
    expect(cut('abcde', 4, '')).toBe('abcd');
    expect(cut('ab😀cd', 3, '')).toBe('ab');
    expect(cut('ab😀cd', 4, '')).toBe('ab😀');
  });
});

describe('messageOf', () => {
  it('returns the message of an error, or any other value as text', () => {
    expect(messageOf(new TypeError('no such thing'))).toBe('no such thing');
    expect(messageOf('a word')).toBe('a word');
    expect(messageOf(undefined)).toBe('undefined');
  });
});
