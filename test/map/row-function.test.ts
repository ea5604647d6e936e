import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { compileMapping, type RowFunctionAnswer, transformedRow } from '../../src/map/index.ts';
import { problemsOf } from '../support/problems.ts';
import { rowOf } from '../support/rows.ts';

describe('the result of a row function', () => {
  it('becomes a row with the position and text of the original row', () => {
    const row = { ...rowOf({ a: 1 }), text: '{"a":1}' };
    const result = transformedRow(row, { kind: 'value', value: { b: 2 } });
    expect(result).toEqual({ ...row, content: { b: 2 } });
  });

  it.each([[null], [undefined]])('skips the row if it is %s', (value) => {
    expect(transformedRow(rowOf(['1']), { kind: 'value', value })).toBeUndefined();
  });

  it.each<[RowFunctionAnswer, string]>([
    [{ kind: 'value', value: [1, 2] }, 'an array of 2'],
    [{ kind: 'value', value: 'row' }, 'row'],
    [{ kind: 'value', value: true }, 'true'],
    [{ kind: 'promise' }, 'a promise'],
    [{ kind: 'stuck' }, 'no result after 5 seconds'],
  ])('makes the row invalid if it is %j', (answer, found) => {
    expect(transformedRow(rowOf(['1']), answer)).toEqual({
      position: rowOf(['1']).position,
      raw: ['1'],
      issue: { code: 'transform', found, expected: 'an object, or null to leave the row out' },
    });
  });

  it('makes the row invalid if it is an error, whose message is cut', () => {
    expect(transformedRow(rowOf(['1']), { kind: 'threw', message: 'x'.repeat(500) })).toEqual({
      position: rowOf(['1']).position,
      raw: ['1'],
      issue: { code: 'transform', found: `${'x'.repeat(79)}…`, expected: 'no error' },
    });
  });
});

describe('the mapping after a row function', () => {
  const fields = {
    company_name: { column: 'Full.Name' },
    signal_title: { column: 'title' },
    signal_source: { value: 'news' },
    company_domain: { value: 'a.com' },
    employee_count: { column: 'staff' },
    location: { column: 'staff' },
  };
  const columns = ['Full.Name', 'Title', 'staff'];

  it('finds columns as in the input, and treats texts as cells', () => {
    const mapping = compileMapping(
      { fields },
      { contract: contracts.signals, variant: 'b', columns, rowForm: 'named cells', inputName: 'in.csv' },
    );
    const row = rowOf({ 'Full.Name': ' Acme ', Title: 'T', staff: '12' });
    expect(mapping.apply(row).candidate).toEqual({
      company_name: 'Acme',
      signal_title: 'T',
      signal_source: 'news',
      company_domain: 'a.com',
      employee_count: 12,
      location: '12',
    });
  });

  it('reports a column that the function does not return', () => {
    const [problem] = problemsOf(() =>
      compileMapping(
        { fields },
        {
          contract: contracts.signals,
          variant: 'b',
          columns: ['Full.Name', 'Titel', 'staff'],
          rowForm: 'named cells',
          inputName: 'x',
        },
      ),
    );
    expect(problem).toMatchObject({ code: 'mapping.column', hint: 'Did you mean "Titel"?' });
  });
});
