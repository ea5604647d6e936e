import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalise } from '../../../src/map/column-names.ts';
import { KINDS_OF_NEITHER, KINDS_OF_SIGNALS, KINDS_OF_SOCIAL } from '../../../src/map/discover/evidence-kinds.ts';
import { headerMatcher, meaningsOf, words } from '../../../src/map/discover/header-words.ts';
import lexicon from '../../../src/map/discover/lexicon.json' with { type: 'json' };

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

  it('means the same in traditional Chinese, and what its last part says', () => {
    const meanings = (header: string): readonly string[] => [...meaningsOf(header).known];
    expect(meanings('發布時間')).toEqual(meanings('发布时间'));
    expect(meaningsOf('Anmeldedatum')).toMatchObject({ known: new Set(['date']), unknown: ['anmeldedatum'] });
    expect(meanings('Baustellen')).toEqual([]);
  });

  it('means the same if it is declined', () => {
    const meanings = (header: string): readonly string[] => [...meaningsOf(header).known];
    expect(meanings('Имя пользователя')).toEqual(['name', 'person']);
    expect(meanings('Текст комментария')).toEqual(['text', 'comment']);
    expect(meanings('Treść posta')).toEqual(['text', 'post']);
    expect(meanings('تاريخ المنشور')).toEqual(['date', 'post']);
    expect(meanings('שם המשתמש')).toEqual(['name', 'person']);
    expect(meanings('ΕΠΩΝΥΜΊΑ')).toEqual(['company']);
  });
});

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
    const known = new Set(['question', ...Object.keys(lexicon).flatMap((meaning) => meaning.split('/'))]);
    const used = [...KINDS_OF_SIGNALS, ...KINDS_OF_SOCIAL, ...KINDS_OF_NEITHER].flatMap(
      ({ headers = '' }) => headers.match(/[a-z_]+/g) ?? [],
    );
    expect(used.filter((meaning) => !known.has(meaning))).toEqual([]);
  });
});

describe('the lexicon', () => {
  it('has each word once, in the form that headers are brought into', () => {
    const all = Object.values(lexicon).flatMap((list) => list.split(' '));
    expect(all.filter((word, index) => all.indexOf(word) !== index)).toEqual([]);
    expect(all.filter((word) => meaningsOf(word.replaceAll('_', ' ')).known.size === 0)).toEqual([]);
  });
});
