import { describe, expect, it } from 'vitest';
import { withOverrides } from '../../src/map/index.ts';
import { problemsOf } from '../support/problems.ts';

describe('--column and --set', () => {
  it('override the document, and later ones override earlier ones', () => {
    const document = {
      type: 'signals',
      fields: { company_name: { column: 'A' }, industry: { column: 'I' } },
    } as const;
    expect(
      withOverrides(document, {
        columns: ['company_name=B', 'company_name=C', 'location=Place'],
        constants: ['location=Berlin'],
      }),
    ).toEqual({
      type: 'signals',
      fields: { industry: { column: 'I' }, company_name: { column: 'C' }, location: { value: 'Berlin' } },
    });
    expect(document.fields.company_name).toEqual({ column: 'A' });
  });

  it('convert a constant to a number only for a field whose cells can become numbers', () => {
    expect(
      withOverrides({ fields: {} }, { constants: ['employee_count=50', 'funding_amount=007', 'location=10115'] }),
    ).toEqual({
      fields: {
        employee_count: { value: 50 },
        funding_amount: { value: '007' },
        location: { value: '10115' },
      },
    });
  });

  it('are refused together if they have another form or name no field', () => {
    const problems = problemsOf(() =>
      withOverrides(
        { type: 'signals', fields: {} },
        {
          columns: ['company_name', 'compani_name=X', 'signal_title={A} raised {B'],
          constants: ['industry=', '=x', 'platform=x'],
        },
      ),
    );
    expect(problems.map(({ code, message, hint }) => [code, message, hint])).toEqual([
      [
        'mapping.option',
        '`--column company_name` does not have the form FIELD=COLUMN.',
        'Write `--column FIELD=COLUMN`, with a field name before the first "=".',
      ],
      [
        'mapping.option',
        '`--column compani_name=X` names an unknown field: "compani_name".',
        'Did you mean "company_name"?',
      ],
      [
        'mapping.option',
        '`--column signal_title={A} raised {B`: the template has a "{" without a matching "}"; write "{{" for a literal brace.',
        undefined,
      ],
      ['mapping.option', '`--set industry=` does not have the form FIELD=VALUE.', expect.any(String)],
      ['mapping.option', '`--set =x` does not have the form FIELD=VALUE.', expect.any(String)],
      [
        'mapping.option',
        '`--set platform=x` names an unknown field: "platform".',
        expect.stringContaining('company_name'),
      ],
    ]);
  });
});
