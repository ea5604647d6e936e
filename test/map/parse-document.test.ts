import { describe, expect, it } from 'vitest';
import { parseMapping, renderMapping } from '../../src/map/index.ts';

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
        detected_at: { column: 'Announced', as: 'date', format: 'M/d/yyyy', zone: 'UTC', invalid: 'omit' },
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
});

const commented = {
  type: 'signals',
  fields: { company_name: { column: 'Company' }, signal_source: { value: 'news' } },
} as const;

it('is written without references to what two fields share', () => {
  const shared = { column: 'A', as: 'domain' } as const;
  expect(renderMapping({ fields: { company_domain: shared, notes: shared } })).not.toContain('&');
});

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
