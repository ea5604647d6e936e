import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { chooseVariant, type MappingDocument } from '../../src/map/index.ts';

const mapped = (...names: readonly string[]): MappingDocument => ({
  fields: Object.fromEntries(names.map((name) => [name, { column: name }])),
});

describe('the variant', () => {
  it('is b if the domain and a field that only b has are mapped', () => {
    expect(
      chooseVariant(mapped('company_domain', 'source', 'industry', 'source_url'), contracts.signals, 'auto'),
    ).toEqual({
      variant: 'b',
      why: 'because company_domain and industry are mapped',
      leftOut: ['source_url'],
      alternative: { variant: 'a', lacks: [] },
    });
  });

  it('is the requested one, or else that of the mapping', () => {
    const document = { ...mapped('company_name', 'industry', 'source_url'), variant: 'b' } as const;
    expect(chooseVariant(document, contracts.signals, undefined)).toMatchObject({
      variant: 'b',
      leftOut: ['source_url'],
    });
    expect(chooseVariant(document, contracts.signals, 'a')).toMatchObject({
      variant: 'a',
      leftOut: ['industry'],
    });
    expect(chooseVariant(document, contracts.signals, 'both')).toMatchObject({
      variant: 'both',
      leftOut: [],
    });
    expect(chooseVariant(document, contracts.signals, 'auto').variant).toBe('a');
  });
});
