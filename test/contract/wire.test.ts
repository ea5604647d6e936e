/**
 * The hand-written requests of fixtures/wire judge the encoders too: what a person wrote down from interface.md is
 * what a record with the same values must look like on the wire, byte for byte and in that order.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import type { RecordType, Variant } from '../../src/model/record.ts';
import { createRecordReader } from '../../src/prepare/record.ts';

interface Suite {
  readonly folder: string;
  readonly type: RecordType;
  readonly variant: Variant | undefined;
}

const suites: readonly Suite[] = [
  { folder: 'signals-a', type: 'signals', variant: 'a' },
  { folder: 'signals-b', type: 'signals', variant: 'b' },
  { folder: 'social', type: 'social', variant: undefined },
];

const root = path.join(import.meta.dirname, '..', '..', 'fixtures', 'wire');

describe.each(suites)('$folder', ({ folder, type, variant }) => {
  const contract = contracts[type];
  const cases = readdirSync(path.join(root, folder)).flatMap((name) => {
    const { body, expect: verdict } = JSON.parse(readFileSync(path.join(root, folder, name), 'utf8'));
    const elements: unknown[] = body?.[contract.envelope] ?? [];
    const taken = type === 'signals' ? verdict.stats?.accepted : (verdict.stored ?? elements.length);
    // Cases about refusals and about fields that the API does not name say nothing of encoders.
    if (verdict.status !== 200 || taken !== elements.length || elements.length === 0) return [];
    return [{ name, elements }];
  });
  const known = new Set(contract.fieldsOf(variant).flatMap(({ names }) => names));
  const ownFields = cases.filter(({ elements }) =>
    elements.every((element) =>
      // Objects are allowed on the wire where the API names no type, and mean nothing in a file of rows.
      Object.entries(element as object).every(([key, value]) => known.has(key) && typeof value !== 'object'),
    ),
  );

  test.each(ownFields)('encodes $name as in the fixture', ({ elements }) => {
    for (const element of elements) {
      const candidate = Object.fromEntries(
        Object.entries(element as object).map(([name, value]) => [contract.field(name)?.name ?? name, value]),
      );
      const result = createRecordReader(contract, variant, (field) => field)({ candidate, issues: [], notes: [] });
      expect('json' in result && JSON.parse(result.json)).toEqual(element);
    }
  });

  test('has test cases', () => {
    expect(ownFields.length).toBeGreaterThan(3);
  });
});
