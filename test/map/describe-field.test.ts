import { describe, expect, it } from 'vitest';
import { describeField, type FieldMapping } from '../../src/map/index.ts';

describe('a mapping in words', () => {
  it.each<[FieldMapping, string]>([
    [{ column: 'Company' }, '"Company"'],
    [{ column: 'Company', invalid: 'omit' }, '"Company", where it fits'],
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
