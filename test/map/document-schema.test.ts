import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mappingJsonSchema } from '../../src/map/document-schema.ts';

/** Parsed back, to test what it accepts and refuses. */
const schema = z.fromJSONSchema(mappingJsonSchema() as z.core.JSONSchema.JSONSchema);

describe('the JSON Schema of a mapping', () => {
  it('accepts every form of a field', () => {
    const mapping = {
      type: 'signals',
      variant: 'b',
      input: { delimiter: ';', header_line: 3 },
      empty: ['N/A'],
      fields: {
        company_name: 'Company',
        company_domain: { column: 'Website', as: 'domain' },
        signal_title: { template: '{Company} raised {Amount}' },
        source: { column: 'Kind', values: { 'Series A': 'funding' }, otherwise: 'other' },
        detected_at: { column: 'Announced', as: 'date', format: 'M/d/yyyy', zone: 'UTC', invalid: 'omit' },
        description: { first: ['Summary', 'Notes'] },
        industry: { value: 'Software' },
      },
    };
    expect(schema.safeParse(mapping).success).toBe(true);
  });

  it.each([
    { fields: { company: 'Company' } },
    { fields: { company_name: { colum: 'Company' } } },
    { fields: {}, variants: 'b' },
    { type: 'news', fields: {} },
    { type: 'signals' },
  ])('refuses %j', (mapping) => {
    expect(schema.safeParse(mapping).success).toBe(false);
  });
});
