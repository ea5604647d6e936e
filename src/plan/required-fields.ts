/** Required fields that a mapping lacks. */
import type { Contract } from '../contract/index.ts';
import type { MappingDocument } from '../map/index.ts';
import type { Variant } from '../model/record.ts';

/** Required fields of the type and variant that nothing is mapped to. */
export function missingFields(
  document: MappingDocument,
  contract: Contract,
  variant: Variant | undefined,
): readonly string[] {
  const mapped = new Set(Object.keys(document.fields).map((name) => contract.field(name)?.name));
  return contract
    .fieldsOf(variant)
    .filter(({ field, required }) => required && !mapped.has(field.name))
    .map(({ field }) => field.name);
}
