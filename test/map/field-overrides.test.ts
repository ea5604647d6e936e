import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { withOmissions, withOverrides } from '../../src/map/index.ts';
import { problemsFrom, problemsOf } from '../support/problems.ts';

describe('--column and --set', () => {
  it('override the document, and later ones override earlier ones', async () => {
    const document = {
      type: 'signals',
      fields: { company_name: { column: 'A' }, industry: { column: 'I' } },
    } as const;
    expect(
      await withOverrides(document, {
        columns: ['company_name=B', 'company_name=C', 'location=Place'],
        constants: ['location=Berlin'],
      }),
    ).toEqual({
      type: 'signals',
      fields: { industry: { column: 'I' }, company_name: { column: 'C' }, location: { value: 'Berlin' } },
    });
    expect(document.fields.company_name).toEqual({ column: 'A' });
  });

  it('convert a constant to a number only for a field whose cells can become numbers', async () => {
    expect(
      await withOverrides({ fields: {} }, { constants: ['employee_count=50', 'funding_amount=007', 'location=10115'] }),
    ).toEqual({
      fields: {
        employee_count: { value: 50 },
        funding_amount: { value: '007' },
        location: { value: '10115' },
      },
    });
  });

  it.each([
    ['{Company} raised {Amount', 'a "{" without a matching "}"; write "{{" for a literal brace'],
    ['{Company raised {Amount}', 'a "{" before the "}" of another; write "{{" for a literal brace'],
    ['}x{Company}', 'a "}" without a matching "{"; write "}}" for a literal brace'],
    ['{Company} {}', 'no column name in "{}"; write "{{}}" for literal braces'],
    ['{Company} raised [{Amount}', 'a "[" without a matching "]"; write "[[" for a literal bracket'],
    ['{Company} raised {Amount}]', 'a "]" without a matching "["; write "]]" for a literal bracket'],
  ])('refuse the text %s', async (text, problem) => {
    const given = `signal_title=${text}`;
    expect(await problemsFrom(withOverrides({ type: 'signals', fields: {} }, { columns: [given] }))).toMatchObject([
      { code: 'mapping.option', message: `\`--column ${given}\`: the template has ${problem}.` },
    ]);
  });

  it('are refused together if they have another form or name no field', async () => {
    const problems = await problemsFrom(
      withOverrides(
        { type: 'signals', fields: {} },
        { columns: ['company_name', 'compani_name=X'], constants: ['industry=', '=x', 'platform=x'] },
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

describe('--empty and omit_invalid', () => {
  it('omit invalid values of a field, by any of its names', () => {
    const document = { fields: { signal_name: { column: 'T' }, detected_at: { column: 'D' } } };
    expect(withOmissions(document, contracts.signals, ['signal_title', 'detected_at'])).toEqual({
      fields: { signal_name: { column: 'T', invalid: 'omit' }, detected_at: { column: 'D', invalid: 'omit' } },
    });
  });

  it('are refused for a field that is unknown or has no column', () => {
    const problems = problemsOf(() =>
      withOmissions({ fields: { industry: { value: 'x' } } }, contracts.signals, ['industri', 'industry']),
    );
    expect(problems.map(({ message, hint }) => [message, hint])).toEqual([
      ['`omit_invalid=industri` names an unknown field.', 'Did you mean "industry"?'],
      ['`omit_invalid=industry` names a field without a column.', 'Map a column: `-c industry=COLUMN`.'],
    ]);
  });
});
