import { describe, expect, it } from 'vitest';
import { cut, messageOf, wordMatcher } from '../../src/lib/text.ts';

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
});

describe('messageOf', () => {
  it('returns the message of an error, or any other value as text', () => {
    expect(messageOf(new TypeError('no such thing'))).toBe('no such thing');
    expect(messageOf('a word')).toBe('a word');
    expect(messageOf(undefined)).toBe('undefined');
  });
});

describe('wordMatcher', () => {
  it.each([
    ['acme', 'ACME, Inc.', true],
    ['Acme', 'https://www.acme.com/x', true],
    ['acme', 'Acmeter', false],
    ['Straße', 'HAUPTSTRASSE 1, Straße 2', true],
    ['müller', 'Müllers', false],
    ['muller', 'MÜLLER GmbH', true],
    ['Café', 'Cafe Regle', true],
    ['Zoe\u0308', 'Zoë', true],
    ['Lodz', 'Łódź', true],
    ['hauptstrasse', 'Hauptstraße 1', true],
    ['+49 (0)', 'tel +49 (0) 40', true],
    ['a-b', 'x a-b y', true],
    ['.com', 'acme.com', true],
  ])('%s in %s: %s', (wanted, text, isFound) => {
    expect(wordMatcher(wanted)(text)).toBe(isFound);
  });
});
