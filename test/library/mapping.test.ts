/** The library's type of a mapping is written by hand, because its types must not need zod: it has the forms of the schema. */
import { expectTypeOf, it } from 'vitest';
import type { FieldRule, Mapping } from '../../src/library/options.ts';
import type { FieldMapping, MappingDocument } from '../../src/map/document-schema.ts';

type KeyOf<T> = T extends unknown ? keyof T : never;
type As<T> = T extends unknown ? T['as' & keyof T] : never;

it('has the same fields and keys as a mapping file', () => {
  expectTypeOf<FieldRule>().toExtend<FieldMapping>();
  expectTypeOf<FieldMapping>().toExtend<FieldRule>();
  // An object with more keys extends one with fewer.
  expectTypeOf<KeyOf<FieldRule>>().toEqualTypeOf<KeyOf<FieldMapping>>();
  expectTypeOf<As<FieldRule>>().toEqualTypeOf<As<FieldMapping>>();
  expectTypeOf<MappingDocument>().toExtend<Mapping>();
  expectTypeOf<Omit<Mapping, 'fields' | 'input'>>().toExtend<Omit<MappingDocument, 'fields' | 'input'>>();
  expectTypeOf<keyof NonNullable<Mapping['input']>>().toEqualTypeOf<keyof NonNullable<MappingDocument['input']>>();
});
