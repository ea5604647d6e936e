import { describe, expect, it } from 'vitest';
import { LEXICON } from '../../../src/map/discover/header-lexicon.ts';
import { headerMatcher } from '../../../src/map/discover/header-matcher.ts';
import { meaningsOf } from '../../../src/map/discover/header-words.ts';
import { KINDS_OF_NEITHER } from '../../../src/map/evidence/neither-kinds.ts';
import { KINDS_OF_SIGNALS } from '../../../src/map/evidence/signals-kinds.ts';
import { KINDS_OF_SOCIAL } from '../../../src/map/evidence/social-kinds.ts';

describe('a pattern of meanings', () => {
  it.each([
    ['round type', 'Type of the funding round', true],
    ['round type', 'Round', false],
    ['vacancy', 'Stellenbezeichnung', true],
    ['vacancy', 'Baustellen', false],
    ['=like', 'Likes', true],
    ['=like', 'Comment Likes', false],
    ['company', '会社名（英語）', true],
    ['comment', '댓글 내용', true],
    ['comment text !reply', 'Comment text', true],
    ['comment text !reply', 'Reply text', false],
    ['post', 'Tweet', true],
    ['tweet', 'Post', false],
    ['question', 'How likely are you to recommend us?', true],
    ['question', '満足していますか？', true],
    ['question', 'Comment', false],
    ['tweet, video code', 'videoId', true],
  ])('%s and the header %s', (patterns, header, expected) => {
    expect(headerMatcher(patterns)(meaningsOf(header))).toBe(expected);
  });

  it('has meanings that the lexicon has', () => {
    const known = new Set([
      'question',
      ...LEXICON.trim()
        .split('\n')
        .flatMap((line) => line.split(':')[0]?.split('/') ?? []),
    ]);
    const used = [...KINDS_OF_SIGNALS, ...KINDS_OF_SOCIAL, ...KINDS_OF_NEITHER].flatMap(
      ({ headers = '' }) => headers.match(/[a-z_]+/g) ?? [],
    );
    expect(used.filter((meaning) => !known.has(meaning))).toEqual([]);
  });
});

describe('the lexicon', () => {
  it('has each word once, in the form that headers are brought into', () => {
    const words = LEXICON.trim()
      .split('\n')
      .flatMap((line) => line.split(/:? /).slice(1));
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
    expect(words.filter((word) => meaningsOf(word.replaceAll('_', ' ')).known.size === 0)).toEqual([]);
  });
});
