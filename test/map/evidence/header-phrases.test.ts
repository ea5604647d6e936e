import { describe, expect, it } from 'vitest';
import { headerOf, phraseMatcher } from '../../../src/map/evidence/header-phrases.ts';

const matches = (phrases: string, header: string) => phraseMatcher(phrases)(headerOf(header));

describe('a phrase', () => {
  it.each([
    ['round type', 'Type of the funding round', true],
    ['round type', 'Round', false],
    ['stellen*', 'Stellenbezeichnung', true],
    ['stellen*', 'Baustellen', false],
    ['=like count', 'count of likes', false],
    ['=like count', 'Like_Count', true],
    ['=like count', 'Comment Like Count', false],
    ['会社名', '会社名（英語）', true],
    ['댓글', '댓글 내용', true],
    ['?', 'How likely are you to recommend us?', true],
    ['?', '満足していますか？', true],
    ['?', 'Comment', false],
    ['tweet*,video id', 'videoId', true],
  ])('%s and the header %s', (phrases, header, expected) => {
    expect(matches(phrases, header)).toBe(expected);
  });

  it('is written in the form that headers are brought into', async () => {
    const { KINDS_OF_SIGNALS } = await import('../../../src/map/evidence/signals-kinds.ts');
    const { KINDS_OF_SOCIAL } = await import('../../../src/map/evidence/social-kinds.ts');
    const { KINDS_OF_NEITHER } = await import('../../../src/map/evidence/neither-kinds.ts');
    const phrases = [...KINDS_OF_SIGNALS, ...KINDS_OF_SOCIAL, ...KINDS_OF_NEITHER]
      .flatMap(({ headers }) => headers?.split(',') ?? [])
      .filter((phrase) => phrase !== '?');
    const missed = phrases.filter((phrase) => !matches(phrase, phrase.replaceAll(/[=*]/g, '')));
    expect(missed).toEqual([]);
  });
});
