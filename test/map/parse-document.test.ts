import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { type FieldMapping, type MappingDocument, renderMapping } from '../../src/map/index.ts';
import { parseMapping } from '../../src/map/parse-document.ts';
import { problemsOf } from '../support/problems.ts';

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

/** The problems of a mapping, each as `line code message`. */
function problemLines(text: string): readonly string[] {
  return problemsOf(() => parseMapping(text, 'm.yaml')).map(
    ({ where, code, message, hint }) => `${where} ${code} ${message}${hint === undefined ? '' : ` ${hint}`}`,
  );
}

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

  it('has all its problems reported, each with its line', () => {
    expect(
      problemLines(`type: signal
varient: b
empty: N/A
company_name: Company
fields:
  compny_name: Company
  signal_title: { template: "{Company raised" }
  signal_name: Title
  detected_at: { column: On, as: date, zone: UTC }
  description:
  hotness_score: { column: Score, as: numbr }
  signal_source:
    column: Kind
    values: { A: [x] }
    otherwice: other
  industry: { value: x, column: y }
  location: { first: [] }
  source_url: { column: a, as: date, format: MM/dd }
  signal_family: { colum: x }
`),
    ).toEqual([
      'm.yaml:1 mapping.value "type" is "signal": expected one of signals, social.',
      'm.yaml:3 mapping.value "empty" is "N/A": expected a list of values such as ["N/A", "-"].',
      'm.yaml:2 mapping.key Unknown key "varient": expected one of type, variant, input, empty and fields. Did you mean "variant"?',
      'm.yaml:4 mapping.key "company_name" is a field: it belongs under "fields:".',
      'm.yaml:6 mapping.field There is no field "compny_name". Did you mean "company_name"?',
      'm.yaml:7 mapping.value "fields.signal_title": the template has a "{" without a matching "}"; write "{{" for a literal brace.',
      'm.yaml:8 mapping.field "signal_title" and "signal_name" are the same field: map only one of them.',
      'm.yaml:9 mapping.value "fields.detected_at.format" is missing: expected a date format such as M/d/yyyy, one of iso, sql, epoch, epoch_ms, excel, or a list of them.',
      'm.yaml:10 mapping.value "fields.description" is empty: expected a column, a text made of columns in braces, or one of { column, as }, { column, values }, { template }, { first }, { value }.',
      'm.yaml:11 mapping.value "fields.hotness_score.as" is "numbr": expected one of domain, number, date.',
      'm.yaml:14 mapping.value "fields.signal_source.values.A" is an array of 1: expected a table from input values to the text or number to send.',
      'm.yaml:15 mapping.key Unknown key "fields.signal_source.otherwice": expected one of column, as, invalid, decimal, scale, unit, format, zone, locale, values, otherwise, template, first and value. Did you mean "otherwise"?',
      'm.yaml:16 mapping.key "fields.industry.column" cannot be combined with the other keys of this field.',
      'm.yaml:17 mapping.value "fields.location.first" is an array of 0: expected a list of columns, or of texts made of columns.',
      'm.yaml:18 mapping.value "fields.source_url": the format "MM/dd" does not determine year, month and day; expected Luxon tokens such as M/d/yyyy or dd.MM.yyyy HH:mm, or one of iso, sql, epoch, epoch_ms, excel.',
      'm.yaml:19 mapping.value "fields.signal_family.column" is missing: expected a column name.',
      'm.yaml:19 mapping.key Unknown key "fields.signal_family.colum": expected one of column, as, invalid, decimal, scale, unit, format, zone, locale, values, otherwise, template, first and value. Did you mean "column"?',
    ]);
  });

  it('does not silently lose a key called __proto__', () => {
    expect(problemLines('fields:\n  __proto__: x')).toEqual([
      expect.stringContaining('m.yaml:2 mapping.field There is no field "__proto__".'),
    ]);
    expect(problemLines('fields:\n  signal_source: { column: x, values: { __proto__: news } }')).toEqual([
      expect.stringContaining('m.yaml:2 mapping.value "fields.signal_source.values" is an object'),
    ]);
  });

  it.each([
    ['a: [1', 'm.yaml:1 mapping.syntax The mapping is not valid YAML or JSON: '],
    ['type: signals\ntype: social\nfields: {}', 'm.yaml:2 mapping.syntax '],
    ['fields: {}\n---\nfields: {}', 'm.yaml:2 mapping.syntax '],
    ['fields: *nowhere', 'm.yaml mapping.syntax The mapping is not valid YAML: Unresolved alias'],
    ['', 'm.yaml:1 mapping.syntax The mapping is empty: expected keys such as type and fields.'],
    ['- a', 'm.yaml:1 mapping.syntax The mapping is an array of 1: expected keys'],
    ['type: signals', 'm.yaml:1 mapping.value "fields" is missing: expected field names'],
    [
      'type: signals\ninput: { format: docx }\nfields: {}',
      'm.yaml:2 mapping.value "input.format" is "docx": expected one of csv, ndjson, json, xlsx, parquet.',
    ],
    ['fields: { source_url: { column: x, as: date, format: D } }', 'the format "D" differs from country to country'],
    [
      'fields: { source_url: { column: x, as: date, format: M/d/yyyy h:mm } }',
      'has 12-hour time (h) without AM/PM (a)',
    ],
    [
      'fields: { source_url: { column: x, as: date, format: iso, zone: Mars } }',
      'unknown time zone "Mars"; expected a name such as UTC',
    ],
    ['fields: { source_url: { column: x, as: date, format: iso, zone: local } }', 'unknown time zone "local"'],
    ['fields: { source_url: { template: x } }', 'no column in braces; write a constant as { value: … }'],
    ['fields: { source_url: { value: .nan } }', '"fields.source_url.value" is NaN: expected text or a number.'],
    ['fields: { source_url: { value: " " } }', '"fields.source_url.value" is " ": expected text or a number.'],
  ])('is refused if it is %j', (text, fault) => {
    expect(problemLines(text)[0]).toContain(fault);
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

function documents(): fc.Arbitrary<MappingDocument> {
  const hostile = fc.constantFrom(
    '~',
    'yes',
    '1',
    '-',
    '# x',
    "'",
    '"',
    '{a}',
    '*x',
    '&x',
    '!x',
    '- a',
    'a: b',
    '\u2028',
    '\u0085x',
    '\ufeffx',
    '\\N',
  );
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
