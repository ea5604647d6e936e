import { describe, expect, it } from 'vitest';
import { detectType, loadScorer, type MappingDocument, typeOfMapping } from '../../src/map/index.ts';
import { problemsOf } from '../support/problems.ts';

await loadScorer();

const detect = (columns: readonly string[], document: MappingDocument = { fields: {} }) =>
  detectType({ columns, rows: [] }, document, 'in.csv');

describe('the record type', () => {
  it('is the one whose required fields are present', () => {
    expect(detect(['Company Name', 'signal_name', 'source'])).toEqual({
      kind: 'type',
      type: 'signals',
      why: 'because its required fields are present: company_name, signal_title and signal_source',
    });
    expect(detect(['platform', 'Engagement Type', 'company_domain'])).toMatchObject({ type: 'social' });
  });

  it('is detected by a field that only one type has', () => {
    const document = { fields: { engager_name: { column: 'Who' } } };
    expect(detect(['Who'], document)).toEqual({
      kind: 'type',
      type: 'social',
      why: 'because only social has the field engager_name',
    });
  });

  it('does not depend on columns that a mapping file does not use', () => {
    const columns = ['platform', 'engagement_type'];
    const document = { fields: { company_domain: { column: 'Site' } } };
    expect(detect(columns, document)).toMatchObject({ type: 'social' });
    expect(problemsOf(() => typeOfMapping(columns, document, 'in.csv'))).toEqual([
      {
        code: 'mapping.type',
        message:
          'Cannot tell whether this mapping is for signals or social: signals lacks company_name, signal_title and signal_source; social lacks platform and engagement_type. The columns are "platform" and "engagement_type".',
        where: 'in.csv',
        hint: 'Add `type: signals` or `type: social` to the mapping.',
      },
    ]);
  });

  it('is undecided if nothing decides, with the missing fields of each type', () => {
    expect(detect(['Foo', '_line'])).toMatchObject({
      kind: 'undecided',
      fits: expect.arrayContaining([
        { type: 'signals', evidence: [], missing: ['company_name', 'signal_title', 'signal_source'] },
        { type: 'social', evidence: [], missing: ['platform', 'engagement_type'] },
      ]),
    });
  });

  it('is a problem if fields of several types are mapped', () => {
    const document = { fields: { industry: { column: 'x' }, platform: { column: 'y' } } };
    expect(problemsOf(() => detect(['x', 'y'], document))[0]?.message).toBe(
      'No record type has all the mapped fields: industry and platform.',
    );
  });
});
