import { describe, expect, it } from 'vitest';
import { type FieldMapping, withOverrides } from '../../src/map/index.ts';
import { fieldOption } from '../../src/questions/field-question.ts';
import { problemsOf } from '../support/problems.ts';

describe('the option for an answer', () => {
  it.each<[string, FieldMapping]>([
    ['signal_source', { value: 'news' }],
    ['company_name', { column: 'Organization Name' }],
    ['company_name', { column: 'a=b' }],
    ['company_name', { column: 'Name {legal}' }],
    ['company_domain', { column: 'Website', as: 'domain' }],
    ['company_domain', { column: 'Web: "site"', as: 'domain' }],
    ['signal_title', { template: '{Company} raised {Amount}: "now"' }],
    ['detected_at', { column: 'Announced (M/D/Y)', as: 'date', format: 'M/d/yyyy' }],
    ['funding_amount', { column: 'Raised', as: 'number', scale: 1_000_000 }],
    ['signal_source', { column: 'Kind', values: { 'Series B': 'funding', Jobs: 'job_posting' } }],
    ['industry', { first: ['Industry', 'Sector'] }],
  ])('%s %j is read back', (field, mapping) => {
    const [option, value] = fieldOption(field, mapping);
    const given = { columns: option === '-c' ? [value] : [], constants: option === '-c' ? [] : [value] };
    expect(withOverrides({ fields: {} }, given)).toEqual({ fields: { [field]: mapping } });
  });

  it('with an invalid mapping in braces is refused with its problem', () => {
    const given = { columns: ['detected_at={ column: On, as: dat }'], constants: [] };
    expect(problemsOf(() => withOverrides({ fields: {} }, given))).toMatchObject([
      { code: 'mapping.value', where: '--column detected_at:1' },
    ]);
  });
});
