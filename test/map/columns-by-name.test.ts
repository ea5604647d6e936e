import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { mapByName, unusedColumns } from '../../src/map/index.ts';
import { problemsOf } from '../support/problems.ts';

const { signals, social } = contracts;

describe('the mapping without a mapping', () => {
  it('takes columns that bear a field’s name or alias, exactly first and then normalised', () => {
    const { document, matched, unused } = mapByName(
      ['Company Name', 'company_name', 'SIGNAL-NAME', 'source', 'Amount'],
      signals,
    );
    expect(document).toEqual({
      type: 'signals',
      fields: {
        company_name: { column: 'company_name' },
        signal_title: { column: 'SIGNAL-NAME' },
        signal_source: { column: 'source' },
      },
    });
    expect(matched.map(({ field, how }) => `${field} ${how}`)).toEqual([
      'company_name exact',
      'signal_title normalised',
      'signal_source exact',
    ]);
    expect(unused).toEqual(['Company Name', 'Amount']);
  });

  it('guesses nothing from a likely name', () => {
    expect(mapByName(['Company', 'Website', 'Headline'], signals).matched).toEqual([]);
  });

  it('neither uses nor reports the columns of our own rejects files', () => {
    const { document, unused } = mapByName(['_line', '_reason', 'platform', 'Extra'], social);
    expect(document.fields).toEqual({ platform: { column: 'platform' } });
    expect(unused).toEqual(['Extra']);
  });

  it('shows both columns where two would fill one field', () => {
    const problems = problemsOf(() => mapByName(['Company Name', 'COMPANY-NAME', 'source', 'signal_source'], signals));
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'mapping.collision The columns "Company Name" and "COMPANY-NAME" both match the field "company_name".',
      'mapping.collision The columns "source" and "signal_source" both match the field "signal_source".',
    ]);
    expect(problems[0]?.hint).toContain('--column company_name=COLUMN');
  });

  it('leaves fields alone that options map already, collisions included', () => {
    const { document, unused } = mapByName(['Company Name', 'COMPANY-NAME', 'source'], signals, {
      fields: { company_name: { column: 'COMPANY-NAME' }, signal_source: { value: 'news' } },
    });
    expect(document.fields).toEqual({
      company_name: { column: 'COMPANY-NAME' },
      signal_source: { value: 'news' },
    });
    expect(unused).toEqual(['Company Name', 'source']);
  });
});

describe('unused columns', () => {
  it('are those that no transform reads, however they were named', () => {
    const document = {
      fields: { signal_title: { template: '{company} x' }, description: { first: ['a b', 'C'] } },
    };
    expect(unusedColumns(document, ['Company', 'A-B', 'C', 'D', '_line'])).toEqual(['D']);
  });
});
