import { describe, expect, it } from 'vitest';
import { describeField, type FieldMapping, renderMapping } from '../../src/map/index.ts';
import { parseMapping } from '../../src/map/parse-document.ts';

const document = {
  type: 'signals',
  fields: { company_name: { column: 'Company' }, signal_source: { value: 'news' } },
} as const;

describe('comments in a saved mapping', () => {
  it('are before their field and after the last one, and do not change the mapping', () => {
    const yaml = renderMapping(document, {
      fields: new Map([['company_name', '93%: its header says so']]),
      end: ['Not certain: industry.', 'industry: Sector'],
    });
    expect(yaml).toBe(
      [
        '# Mapping from columns to fields. To reuse it: signals upload FILE -m THIS-FILE',
        '',
        'type: signals',
        'fields:',
        '  # 93%: its header says so',
        '  company_name: Company',
        '  signal_source: { value: news }',
        '  # Not certain: industry.',
        '  # industry: Sector',
        '',
      ].join('\n'),
    );
    expect(parseMapping(yaml, 'x')).toEqual(document);
  });

  it('do not end at a line end in a header', () => {
    const yaml = renderMapping(document, {
      fields: new Map([['company_name', 'a\nevil: yes']]),
      end: ['b\r\nevil: yes', 'c\u2028evil: yes'],
    });
    expect(parseMapping(yaml, 'x')).toEqual(document);
  });
});

describe('a mapping in words', () => {
  it.each<[FieldMapping, string]>([
    [{ column: 'Company' }, '"Company"'],
    [{ column: 'Company', invalid: 'omit' }, '"Company", omitted where it is invalid'],
    [{ value: 'news' }, 'news in every row'],
    [{ template: '{Company} raised {Amount}' }, 'the text {Company} raised {Amount}'],
    [{ first: ['A', 'B'] }, 'the first of "A" and "B" that has a value'],
    [{ column: 'Website', as: 'domain' }, 'the domain in "Website"'],
    [{ column: 'Raised (mm)', as: 'number', scale: 1_000_000 }, 'the number in "Raised (mm)" x 1,000,000'],
    [{ column: 'Betrag', as: 'number', decimal: ',' }, 'the number in "Betrag", with a decimal comma'],
    [{ column: 'On', as: 'date', format: 'd/M/yyyy' }, 'the date in "On", day first'],
    [{ column: 'On', as: 'date', format: 'M/d/yyyy H:mm', zone: 'UTC' }, 'the date in "On", month first, UTC'],
    [{ column: 'On', as: 'date', format: 'yyyy/M/d' }, 'the date in "On", year first'],
    [{ column: 'On', as: 'date', format: ['iso', 'd MMM yyyy'] }, 'the date in "On", as d MMM yyyy'],
    [
      { column: 'Kind', values: { A: 'news', B: 'funding', C: 'news', D: 'other' }, otherwise: 'other' },
      '"Kind", where "A" is news, "B" is funding, "C" is news, 1 more, anything else is other',
    ],
  ])('%j', (mapping, words) => {
    expect(describeField(mapping)).toBe(words);
  });
});
