import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { type FieldMapping, templateProblem, tryField } from '../../src/map/index.ts';

const ROWS = {
  columns: ['Company', 'Raised (mm)', 'Score'],
  contents: [
    ['Northwind', '12.5', '7'],
    ['', '3', 'high'],
    ['Brightleaf', '', ''],
  ],
  rowForm: 'csv',
} as const;

function trial(name: string, mapping: FieldMapping) {
  const field = contracts.signals.field(name);
  if (field === undefined) throw new TypeError(`no field ${name}`);
  return tryField(mapping, field, ROWS);
}

describe('one field of sampled rows', () => {
  it('has the values as they are found and as they would be sent', () => {
    expect(trial('funding_amount', { column: 'raised (MM)', as: 'number', scale: 1_000_000 })).toEqual({
      values: [
        { row: 0, found: '12.5', sent: 12_500_000 },
        { row: 1, found: '3', sent: 3_000_000 },
      ],
      invalid: [],
    });
  });

  it('has the values that cannot be sent, and what is expected instead', () => {
    expect(trial('hotness_score', { column: 'Score' })).toEqual({
      values: [{ row: 0, found: '7', sent: 7 }],
      invalid: [{ found: 'high', expected: 'a number such as 87 or 0.5' }],
    });
  });
});

describe('a text with columns', () => {
  it.each([
    ['{company} raised {Raised (mm)}', undefined],
    ['{Companies}', 'There is no column "Companies". Did you mean {Company}?'],
    ['Company', 'Write at least one column in braces, such as {Company}.'],
    ['{Company', 'This has a "{" without a matching "}"; write "{{" for a literal brace.'],
  ])('%s', (text, problem) => {
    expect(templateProblem(text, ROWS.columns)).toBe(problem);
  });
});
