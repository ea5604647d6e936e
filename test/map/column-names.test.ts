import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { mapByName } from '../../src/map/index.ts';
import { problemsOf } from '../support/problems.ts';

const { signals, social } = contracts;

describe('columns mapped by name', () => {
  it('match a name or alias exactly, or else normalised', () => {
    const { document, matched } = mapByName(
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
    expect(matched.map(({ field }) => field)).toEqual(['company_name', 'signal_title', 'signal_source']);
  });

  it('do not include the columns that this program adds to rejects files', () => {
    const { document } = mapByName(['_line', '_reason', 'platform', 'Extra'], social);
    expect(document.fields).toEqual({ platform: { column: 'platform' } });
  });

  it('are a problem if several match one field', () => {
    const problems = problemsOf(() => mapByName(['Company Name', 'COMPANY-NAME', 'source', 'signal_source'], signals));
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'mapping.collision The columns "Company Name" and "COMPANY-NAME" both match the field "company_name".',
      'mapping.collision The columns "source" and "signal_source" both match the field "signal_source".',
    ]);
    expect(problems[0]?.hint).toContain('--column company_name=COLUMN');
  });
});
