import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { compileMapping, type MappingDocument } from '../../src/map/index.ts';
import { problemsOf } from '../support/problems.ts';
import { rowOf } from '../support/rows.ts';

const { signals, social } = contracts;
const EVENT = { platform: { value: 'linkedin' }, engagement_type: { value: 'like' } } as const;

const compileSocial = (
  fields: MappingDocument['fields'],
  columns: readonly string[],
  format: 'csv' | 'ndjson' = 'csv',
) =>
  compileMapping(
    { fields: { ...EVENT, ...fields } },
    { contract: social, variant: undefined, columns, rowForm: format, inputName: 'in.csv' },
  );

const told = (work: () => unknown): readonly string[] =>
  problemsOf(work).map(({ code, where, message, hint }) => `${code} ${where} ${message} ${hint ?? ''}`.trimEnd());

describe('compiling a mapping', () => {
  it('names each required field without a column, the columns, and the option to add', () => {
    expect(
      told(() =>
        compileMapping(
          { fields: { company_name: { column: 'Company' } } },
          {
            contract: signals,
            variant: 'a',
            columns: ['_line', 'Company', 'Signal Titel'],
            rowForm: 'csv',
            inputName: 'in.csv',
          },
        ),
      ),
    ).toEqual([
      'mapping.required in.csv signals (variant a) requires "signal_title", but no column is mapped to it. The columns are "Company" and "Signal Titel". Map a column with `--column signal_title=COLUMN`, or set the same value for every row with `--set signal_title=VALUE`. Did you mean "Signal Titel"?',
      'mapping.required in.csv signals (variant a) requires "signal_source", but no column is mapped to it. Map a column with `--column signal_source=COLUMN`, or set the same value for every row with `--set signal_source=VALUE`.',
    ]);
  });

  it('reports unknown columns and fields with the nearest names, and fields named twice', () => {
    expect(
      told(() =>
        compileMapping(
          {
            fields: {
              ...EVENT,
              engager_name: { column: 'Nmae' },
              engager_nme: { column: 'Name' },
              industry: { column: 'Name' },
              post_content: { template: '{Name} {Text}' },
              post_url: { first: ['Name', 'Url'] },
            },
          },
          { contract: social, variant: undefined, columns: ['Name'], rowForm: 'csv', inputName: 'in.csv' },
        ),
      ),
    ).toEqual([
      'mapping.field in.csv There is no field "engager_nme". Did you mean "engager_name"?',
      expect.stringContaining('social has no field "industry". The fields are platform,'),
      'mapping.column in.csv "engager_name" uses the column "Nmae", which the input does not have. The columns are "Name". Did you mean "Name"?',
      'mapping.column in.csv "post_content" uses the column "Text", which the input does not have.',
      'mapping.column in.csv "post_url" uses the column "Url", which the input does not have.',
    ]);
    const twice = { ...EVENT, signal_source: { value: 'news' }, source: { value: 'news' } };
    expect(
      told(() =>
        compileMapping(
          { fields: twice },
          { contract: signals, variant: 'a', columns: [], rowForm: 'csv', inputName: 'x' },
        ),
      ),
    ).toContain('mapping.field x The mapping sets the field "signal_source" twice, under two of its names.');
  });

  it('refuses constants that are invalid in every row', () => {
    const fields = {
      company_name: { column: 'c' },
      signal_title: { column: 'c' },
      signal_source: { column: 'c', values: { x: 'job_postin' }, otherwise: 'other' },
      detected_at: { value: 'yesterday' },
      hotness_score: { value: '12' },
    } as const;
    expect(
      told(() =>
        compileMapping({ fields }, { contract: signals, variant: 'a', columns: ['c'], rowForm: 'csv', inputName: 'x' }),
      ),
    ).toEqual([
      expect.stringMatching(
        /^mapping\.value x "signal_source": "job_postin" is not allowed; expected one of funding, .*\(did you mean "job_posting"\?\)\.$/,
      ),
      'mapping.value x "detected_at": "yesterday" is not allowed; expected an ISO 8601 date-time such as 2026-11-20T09:15:00Z, or a date such as 2026-11-20.',
    ]);
  });

  it('refuses to omit a required field, which depends on the variant', () => {
    const fields = {
      company_name: { column: 'c', invalid: 'omit' },
      company_domain: { column: 'c', as: 'domain', invalid: 'omit' },
      signal_title: { column: 'c' },
      signal_source: { column: 'c', invalid: 'reject' },
    } as const;
    const problem = (field: string, variant: string): string =>
      `mapping.value x "${field}": signals (variant ${variant}) requires it, so \`invalid: omit\` is not allowed.`;
    expect(
      told(() =>
        compileMapping({ fields }, { contract: signals, variant: 'a', columns: ['c'], rowForm: 'csv', inputName: 'x' }),
      ),
    ).toEqual([problem('company_name', 'a')]);
    expect(
      told(() =>
        compileMapping({ fields }, { contract: signals, variant: 'b', columns: ['c'], rowForm: 'csv', inputName: 'x' }),
      ),
    ).toEqual([problem('company_name', 'b'), problem('company_domain', 'b')]);
  });

  it('accepts an NDJSON path that the first rows do not have', () => {
    const mapping = compileSocial({ engager_name: { column: 'who.name' } }, ['id'], 'ndjson');
    expect(mapping.apply(rowOf({ id: 1 })).candidate).toEqual({
      platform: 'linkedin',
      engagement_type: 'like',
    });
    expect(mapping.apply(rowOf({ who: { name: 'Ann' } })).candidate).toMatchObject({ engager_name: 'Ann' });
  });

  it('converts a cell to a number only if formatting the number gives the same cell', () => {
    const fields = {
      company_name: { value: 'A' },
      signal_title: { value: 'A' },
      signal_source: { value: 'news' },
      company_domain: { value: 'a.com' },
      employee_count: { column: 'n' },
    };
    const { apply } = compileMapping(
      { fields },
      { contract: signals, variant: 'b', columns: ['n'], rowForm: 'csv', inputName: 'x' },
    );
    const cells = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.bigInt().map(String),
      fc.integer().map(String),
      fc.stringMatching(/^-?0?\d{1,20}(\.\d{0,4})?(e[+-]?\d)?$/),
    );
    fc.assert(
      fc.property(cells, (cell) => {
        const value = apply(rowOf([cell])).candidate['employee_count'];
        const text = cell.trim();
        if (typeof value === 'number') {
          expect(JSON.stringify(value)).toBe(text);
          expect(!Number.isInteger(value) || Number.isSafeInteger(value)).toBe(true);
        } else {
          expect(value).toBe(text === '' ? undefined : text);
          const number = Number(text);
          const isExact = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);
          expect(isExact && String(number) === text).toBe(false);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
