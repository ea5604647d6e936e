import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { proposeFieldFixes } from '../../src/fix/candidates.ts';
import type { FieldMapping } from '../../src/map/index.ts';

function fixes(name: string, values: readonly unknown[], mapping: FieldMapping = { column: 'C' }): FieldMapping[] {
  const field = contracts.signals.field(name) ?? contracts.social.field(name);
  if (field === undefined) throw new Error(`there is no field ${name}`);
  return proposeFieldFixes({ field, mapping, values }).map((fix) => fix.mapping);
}

describe('refused values of a closed list', () => {
  it('get a table of synonyms, of words in them, of other forms and of misspellings', () => {
    const values = ['Presse', 'Job ad', 'Stellenanzeigen', 'Series B round', 'fundin', 'brother'];
    expect(fixes('signal_source', values)).toEqual([
      {
        column: 'C',
        values: {
          Presse: 'news',
          'Job ad': 'job_posting',
          Stellenanzeigen: 'job_posting',
          'Series B round': 'funding',
          fundin: 'funding',
        },
      },
    ]);
  });

  it('keep the table of the mapping, and become "other" if none is similar', () => {
    const mapping = { column: 'C', values: { Presse: 'news' } };
    expect(fixes('signal_source', ['Messe'], mapping)).toEqual([
      { column: 'C', values: { Presse: 'news', Messe: 'other' } },
    ]);
  });
});

describe('refused numbers', () => {
  it('may have a unit, but never one that changes the number', () => {
    expect(fixes('warmth_hint', ['85%', '70 %'])).toContainEqual({ column: 'C', as: 'number', unit: '%' });
    for (const mapping of fixes('warmth_hint', ['1,5 Mio', '2k'])) expect(mapping).not.toHaveProperty('unit');
  });

  it('keep the scale of the mapping, and may be shares of 100', () => {
    const mapping = { column: 'C', as: 'number', scale: 1_000_000, invalid: 'reject' } as const;
    expect(fixes('funding_amount', ['1.200,5'], mapping)).toContainEqual({ ...mapping, decimal: ',' });
    expect(fixes('warmth_hint', ['0.85', '.5'])).toContainEqual({ column: 'C', as: 'number', scale: 100 });
  });
});

describe('refused dates', () => {
  it('get the format of each shape, besides ISO 8601', () => {
    const values = ['11/14/2026', '3.11.2026', 'Nov 3, 2026', '2026-11-20 10:00:00', 'soon'];
    expect(fixes('detected_at', values)).toEqual([
      { column: 'C', as: 'date', format: ['iso', 'M/d/yyyy', 'd.M.yyyy', 'MMM d, yyyy', 'sql'] },
    ]);
  });

  it('have two proposals if they can be read in two ways', () => {
    expect(fixes('detected_at', ['03/04/2026'])).toEqual([
      { column: 'C', as: 'date', format: ['iso', 'M/d/yyyy'] },
      { column: 'C', as: 'date', format: ['iso', 'd/M/yyyy'] },
    ]);
  });
});

it('an object in a text field has its text at a path', () => {
  expect(fixes('company_name', [{ id: 7, name: 'Acme' }])[0]).toEqual({ column: 'C.name' });
});
