import { describe, expect, it } from 'vitest';
import type { FieldMapping } from '../../src/map/index.ts';
import { acceptProposals } from '../../src/questions/interview.ts';
import { withAnswers } from '../../src/questions/mapping-proposal.ts';
import { savedMapping } from '../../src/questions/mapping-text.ts';
import { proposalOf } from '../support/proposals.ts';

const HEADER = ['Company Name', 'Website', 'Funding Type', 'Announced Date', 'Funding Amount'];

const GERMAN = proposalOf('signals', [
  ['Company Name', 'Signal Title', 'Quelle', 'Datum'],
  ['Müller GmbH', 'Neue Finanzierung', 'Förderung', '03.11.2026'],
  ['Söhne AG', 'Stellen offen', 'Stellenanzeige', '31.12.2026'],
  ['Ältere KG', 'Neues Werk', 'Presse', '2026-11-05'],
  ['Öko SE', 'Neues Lager', 'Messe', '45000'],
]);

describe('--accept', () => {
  it('takes the first proposal for what is required', () => {
    const proposal = proposalOf('signals', [
      HEADER,
      ['Northwind', 'northwind.example', 'Seed', '2026-04-03', '3000000'],
      ['Brightleaf', 'brightleaf.example', 'Series A', '2026-04-04', '9900000'],
    ]);
    const { answers, leftOut } = acceptProposals(proposal);
    expect(leftOut.map(({ question }) => question.field)).toEqual(['signal_family']);
    expect(withAnswers(proposal, answers).document.fields).toMatchObject({
      signal_title: { template: '{Company Name} raised funding: {Funding Type}[, {Funding Amount}]' },
      signal_source: { value: 'funding' },
    });
  });

  it('takes no constant for a closed list while a column has words for kinds, and asks what the unknown ones mean', () => {
    const question = GERMAN.discovered.questions.find(({ field }) => field === 'signal_source');
    expect(question?.options[0]?.mapping).toMatchObject({ column: 'Quelle' });
    expect(acceptProposals(GERMAN).answers.has('signal_source')).toBe(false);
  });

  it('takes a column for an optional field that others are often taken for only if it is quite sure', () => {
    const proposal = proposalOf('signals', [HEADER, ['Northwind', 'northwind.example', 'Seed', '2026-04-03', '30000']]);
    const accepts = (field: string, confidence: number) => {
      const option = { field, mapping: { column: 'Website' }, columns: ['Website'], confidence, reason: '' };
      const questions = [{ field, why: '', options: [option] }];
      const asked = { ...proposal, discovered: { ...proposal.discovered, questions } };
      return acceptProposals(asked).answers.get(field) !== undefined;
    };
    expect(accepts('location', 0.64)).toBe(false);
    expect(accepts('location', 0.71)).toBe(true);
    expect(accepts('industry', 0.64)).toBe(true);
  });

  it('takes no answer first that makes most rows invalid, if another fits', () => {
    const proposal = proposalOf('signals', [
      ['Company Name', 'Signal Title', 'Code'],
      ['Müller GmbH', 'Neue Finanzierung', 'A1'],
      ['Söhne AG', 'Stellen offen', 'B2'],
    ]);
    const option = (mapping: FieldMapping) => ({
      ...{ field: 'signal_source', mapping, columns: [], confidence: 0.5, reason: '' },
    });
    const options = [option({ column: 'Code' }), option({ value: 'news' })];
    const questions = [{ field: 'signal_source', why: '', options }];
    const { answers } = acceptProposals({ ...proposal, discovered: { ...proposal.discovered, questions } });
    expect(answers.get('signal_source')).toEqual({ value: 'news' });
  });

  it('marks in a saved mapping what no user has read', () => {
    const answers = new Map([['signal_source', { value: 'news' }]]);
    const proposal = withAnswers(GERMAN, answers);
    expect(savedMapping(proposal, answers, [])).toMatch(/# accepted\n +signal_source/);
    expect(savedMapping(proposal, answers)).toMatch(/# chosen\n +signal_source/);
  });

  it('omits single values that are no dates, but leaves dates out that are written in several ways', () => {
    const row = (date: string) => ['Northwind', 'northwind.example', 'Seed', date, '3000000'];
    const acceptedOf = (...dates: readonly string[]) =>
      acceptProposals(proposalOf('signals', [HEADER, ...dates.map(row)]));
    const whyWith = (...dates: readonly string[]) =>
      acceptedOf(...dates).leftOut.find(({ question }) => question.field === 'detected_at')?.why;
    const days = ['10/20/2026', '10/21/2026', '10/22/2026', '10/23/2026', '10/24/2026'];
    const { document } = proposalOf('signals', [HEADER, ...[...days, 'Q3'].map(row)]);
    expect(document.fields['detected_at']).toEqual({
      ...{ column: 'Announced Date', as: 'date', format: 'M/d/yyyy', invalid: 'omit' },
    });
    expect(whyWith('2026-10-01', '10/20/2026', 'Q3', '2026-10-02')).toContain('dates are written in several ways');
    expect(whyWith('2026-10-01', '10/20/2026', '21. Oktober 2026')).toContain('dates are written in several ways');
  });

  it('leaves an optional field out whose values can be read in several ways', () => {
    const proposal = proposalOf('signals', [
      HEADER,
      ['Northwind', 'northwind.example', 'Seed', '03/04/2026', '3000000'],
      ['Brightleaf', 'brightleaf.example', 'Series A', '05/06/2026', '9900000'],
    ]);
    const { answers, leftOut } = acceptProposals(proposal);
    expect(leftOut.map(({ question, why }) => [question.field, why])).toContainEqual([
      'detected_at',
      'its values can be read in several ways',
    ]);
    const completed = withAnswers(proposal, answers);
    expect(completed.document.fields['detected_at']).toBeUndefined();
    const saved = savedMapping(completed, answers, leftOut);
    expect(saved).toContain('# Left out: detected_at, because its values can be read in several ways.');
    expect(saved).toContain('# detected_at: { column: Announced Date, as: date, format: d/M/yyyy }');
    expect(saved).toContain('# detected_at: { column: Announced Date, as: date, format: M/d/yyyy }');
  });
});
