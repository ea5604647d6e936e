import { describe, expect, it } from 'vitest';
import { detectType, type MappingDocument } from '../../src/map/index.ts';
import { problemsOf } from '../support/problems.ts';

const detect = (columns: readonly string[], document: MappingDocument = { fields: {} }, automatic = true) =>
  detectType(columns, document, { automatic, inputName: 'in.csv' });

describe('the record type', () => {
  it('is that of the mapping', () => {
    expect(detect([], { type: 'social', fields: {} }).type).toBe('social');
  });

  it('is the one whose required fields are present', () => {
    expect(detect(['Company Name', 'signal_name', 'source'])).toEqual({
      type: 'signals',
      why: 'because its required fields are present: company_name, signal_title and signal_source',
    });
    expect(detect(['platform', 'Engagement Type', 'company_domain']).type).toBe('social');
  });

  it('counts what options map', () => {
    const document = { fields: { signal_source: { value: 'news' } } };
    expect(detect(['company_name', 'signal_title'], document).type).toBe('signals');
  });

  it('is detected by a field that only one type has', () => {
    const document = { fields: { engager_name: { column: 'Who' } } };
    expect(detect(['Who'], document)).toEqual({
      type: 'social',
      why: 'because only social has the field engager_name',
    });
  });

  it('does not depend on columns that a mapping file does not use', () => {
    const columns = ['platform', 'engagement_type'];
    const document = { fields: { company_domain: { column: 'Site' } } };
    expect(detect(columns, document, true).type).toBe('social');
    expect(problemsOf(() => detect(columns, document, false))).toHaveLength(1);
  });

  it('is a problem if no type is complete, with the missing fields of each', () => {
    expect(problemsOf(() => detect(['company_name', 'Headline', '_line']))).toEqual([
      {
        code: 'mapping.type',
        message:
          'Cannot tell whether this is signals or social: signals lacks signal_title and signal_source; social lacks platform and engagement_type. The columns are "company_name" and "Headline".',
        where: 'in.csv',
        hint: 'Choose one with `--type signals` or `--type social`. Map a column with `--column FIELD=COLUMN`; set the same value for every row with `--set FIELD=VALUE`.',
      },
    ]);
  });

  it('is a problem if both are complete', () => {
    const [problem] = problemsOf(() =>
      detect(['company_name', 'signal_title', 'source', 'platform', 'engagement_type']),
    );
    expect(problem?.message).toContain('The columns fit signals and social.');
    expect(problem?.hint).toBe('Choose one: `--type signals` or `--type social`.');
  });

  it('is a problem if fields of several types are mapped', () => {
    const document = { fields: { industry: { column: 'x' }, platform: { column: 'y' } } };
    expect(problemsOf(() => detect(['x', 'y'], document))[0]?.message).toBe(
      'No record type has all the mapped fields: industry and platform.',
    );
  });
});
