import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import lexicon from '../../../src/map/discover/header-meanings.json' with { type: 'json' };
import { meaningsOf, words } from '../../../src/map/discover/header-words.ts';
import { normalise } from '../../../src/map/match-names.ts';

const headers = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 30 }),
  fc
    .array(fc.constantFrom('Linked', 'in', 'IN', 'URL', 'Company', 'org', 'nr', ' ', '_', '-', '#', '2', 'eMail'), {
      maxLength: 8,
    })
    .map((all) => all.join('')),
);

describe('a header in ASCII', () => {
  it('has the same words as next to a letter of another alphabet', () => {
    fc.assert(
      fc.property(headers, (header) => {
        expect(words(`${header} é`)).toEqual([...words(header), 'e']);
        expect(normalise(`${header} é`)).toBe(`${normalise(header)}é`);
      }),
      { numRuns: 1000 },
    );
  });

  it('is split at capital letters', () => {
    expect(words('companyLinkedInURL #2')).toEqual(['company', 'linkedin', 'url', 'number', '2']);
  });
});

describe('a header in another alphabet', () => {
  it('loses the accents of Latin letters only', () => {
    expect(words('Größe')).toEqual(['grosse']);
    expect(words('Kwota Łączna')).toEqual(['kwota', 'laczna']);
    expect(words('Şirket Adı')).toEqual(['sirket', 'adi']);
    expect(words('データ 数')).toEqual(['データ', '数']);
    expect(words('会社名')).toEqual(['会社名']);
    expect(words('댓글 수')).toEqual(['댓글', '수']);
  });

  it('means the same in traditional Chinese', () => {
    expect([...meaningsOf('發布時間').known]).toEqual([...meaningsOf('发布时间').known]);
  });
});

describe('a header', () => {
  it.each([
    ['Type of the funding round', 'round', 'type'],
    ['Stellenbezeichnung', 'vacancy'],
    ['Comment Likes', 'comment', 'like'],
    ['会社名（英語）', 'company'],
    ['댓글 내용', 'comment'],
    ['Tweet', 'post', 'tweet'],
    ['videoId', 'video', 'code'],
  ])('%s means what it says', (header, ...meanings) => {
    expect([...meaningsOf(header).precise]).toEqual(expect.arrayContaining(meanings));
  });

  it('means nothing that only looks like it', () => {
    expect(meaningsOf('Baustellen').precise).not.toContain('vacancy');
    expect(meaningsOf('Post').precise).not.toContain('tweet');
  });
});

describe('the lexicon', () => {
  it('has each word once, in the form that headers are brought into', () => {
    const all = Object.values(lexicon).flatMap((list) => list.split(' '));
    expect(all.filter((word, index) => all.indexOf(word) !== index)).toEqual([]);
    expect(all.filter((word) => meaningsOf(word.replaceAll('_', ' ')).known.size === 0)).toEqual([]);
  });
});
