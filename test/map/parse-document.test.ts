import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { type FieldMapping, type MappingDocument, parseMapping, renderMapping } from '../../src/map/index.ts';
import { values } from '../support/scenes.ts';

const EXAMPLE = `
type: signals
variant: b
input: { encoding: windows-1252, delimiter: ";", header_line: 3 }
empty: ["N/A", "-", "\\\\N"]                                # besides the empty cell
fields:
  company_name: Company                                   # a column
  company_domain: { column: Website, as: domain }         # https://www.acme.co.uk/x -> acme.co.uk
  signal_title: { template: "{Company} raised {Amount}" } # absent when any part is empty
  signal_source: { column: Kind, values: { "Series A": funding }, otherwise: other }
  detected_at: { column: Announced, as: date, format: M/d/yyyy, zone: UTC, invalid: omit }   # default: reject
  hotness_score: { column: Score, as: number }
  description: { first: [Summary, Notes] }                # first that is not empty
  industry: { value: Software }                           # constant
`;

describe('a mapping document', () => {
  it('is parsed as in the documentation', () => {
    expect(parseMapping(EXAMPLE, 'm.yaml')).toStrictEqual({
      type: 'signals',
      variant: 'b',
      input: { encoding: 'windows-1252', delimiter: ';', header_line: 3 },
      empty: ['N/A', '-', '\\N'],
      fields: {
        company_name: { column: 'Company' },
        company_domain: { column: 'Website', as: 'domain' },
        signal_title: { template: '{Company} raised {Amount}' },
        signal_source: { column: 'Kind', values: { 'Series A': 'funding' }, otherwise: 'other' },
        detected_at: {
          column: 'Announced',
          as: 'date',
          format: 'M/d/yyyy',
          zone: 'UTC',
          invalid: 'omit',
        },
        hotness_score: { column: 'Score', as: 'number' },
        description: { first: ['Summary', 'Notes'] },
        industry: { value: 'Software' },
      },
    });
  });

  it('is formatted with a comment at the top and one line for each field', () => {
    expect(renderMapping(parseMapping(EXAMPLE, 'm.yaml'))).toBe(
      `# Mapping from columns to fields. To reuse it: signals upload FILE -m THIS-FILE

type: signals
variant: b
input: { encoding: windows-1252, delimiter: ;, header_line: 3 }
empty: [ N/A, "-", \\N ]
fields:
  company_name: Company
  company_domain: { column: Website, as: domain }
  signal_title: "{Company} raised {Amount}"
  signal_source: { column: Kind, values: { Series A: funding }, otherwise: other }
  detected_at: { column: Announced, as: date, format: M/d/yyyy, zone: UTC, invalid: omit }
  hotness_score: { column: Score, as: number }
  description: { first: [ Summary, Notes ] }
  industry: { value: Software }
`,
    );
  });

  it('is the same after formatting and parsing, whatever its texts are', () => {
    fc.assert(
      fc.property(documents(), (document) => {
        expect(parseMapping(renderMapping(document), 'again.yaml')).toEqual(document);
      }),
      { numRuns: 300 },
    );
  });
});

const commented = {
  type: 'signals',
  fields: { company_name: { column: 'Company' }, signal_source: { value: 'news' } },
} as const;

describe('comments in a saved mapping', () => {
  it('are before their field and after the last one, and do not change the mapping', () => {
    const yaml = renderMapping(commented, {
      fields: new Map([['company_name', '93%: its header says so']]),
      end: ['Not certain: industry.', 'industry: Sector'],
    });
    expect(yaml).toBe(
      [
        '# Mapping from columns to fields. To reuse it: signals upload FILE -m THIS-FILE',
        '',
        'type: signals',
        'fields:',
        '  # 93%: its header says so',
        '  company_name: Company',
        '  signal_source: { value: news }',
        '  # Not certain: industry.',
        '  # industry: Sector',
        '',
      ].join('\n'),
    );
    expect(parseMapping(yaml, 'x')).toEqual(commented);
  });

  it('do not end at a line end in a header', () => {
    const yaml = renderMapping(commented, {
      fields: new Map([['company_name', 'a\nevil: yes']]),
      end: ['b\r\nevil: yes', 'c\u2028evil: yes'],
    });
    expect(parseMapping(yaml, 'x')).toEqual(commented);
  });
});

function documents(): fc.Arbitrary<MappingDocument> {
  const hostile = fc.constantFrom(...values.yaml);
  const text = fc
    .oneof(
      fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
      fc.string({ minLength: 1, unit: 'binary' }),
      hostile,
    )
    .filter((each) => each.trim() !== '');
  const key = text.filter((each) => each !== '__proto__');
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0);
  const target = fc.oneof(text, number);
  const mapping: fc.Arbitrary<FieldMapping> = fc.oneof(
    fc.record({ column: text }),
    fc.record({ column: text, as: fc.constant('domain' as const) }),
    fc.record(
      {
        column: text,
        as: fc.constant('number' as const),
        decimal: fc.constantFrom('.' as const, ',' as const),
      },
      { requiredKeys: ['column', 'as'] },
    ),
    fc.record(
      {
        column: text,
        as: fc.constant('date' as const),
        format: fc.constantFrom('M/d/yyyy', "yyyy 'x' MM dd", 'iso', 'excel'),
        zone: fc.constantFrom('UTC', 'Europe/Berlin', 'UTC+2'),
        invalid: fc.constantFrom('omit' as const, 'reject' as const),
      },
      { requiredKeys: ['column', 'as', 'format'] },
    ),
    fc.record(
      {
        column: text,
        values: fc.dictionary(key, target, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
        otherwise: target,
      },
      { requiredKeys: ['column', 'values'] },
    ),
    fc.record({ template: text.map((each) => `{Column} ${each.replace(/[{}[\]]/g, '')}`) }),
    fc.record({ first: fc.array(text, { minLength: 1, maxLength: 3 }) }),
    fc.record({ value: target }),
  );
  const names = contracts.signals.fields.map(({ name }) => name);
  return fc.record(
    {
      type: fc.constant('signals' as const),
      variant: fc.constantFrom('a' as const, 'b' as const, 'both' as const),
      input: fc.record({
        delimiter: fc.constantFrom(',', '\t', '|'),
        header_line: fc.integer({ min: 1, max: 9 }),
      }),
      empty: fc.array(text, { maxLength: 3 }),
      fields: fc.dictionary(fc.constantFrom(...names), mapping, { noNullPrototype: true }),
    },
    { requiredKeys: ['fields'] },
  );
}
