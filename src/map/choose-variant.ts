/** Chooses the field-name set of market signals (docs/mapping.md, "Fields"). Social events have one set and no variant. */
import type { Contract } from '../contract/index.ts';
import { formatList } from '../lib/text.ts';
import type { Variant } from '../model/record.ts';
import type { MappingDocument } from './document-schema.ts';
import { notMapped } from './match-names.ts';

export interface ChosenVariant {
  readonly variant: Variant | undefined;
  /** A clause that begins with "because", or a participle. */
  readonly why: string;
  readonly leftOut: readonly string[];
  /** The variant that has them, and what it requires that is not mapped. */
  readonly alternative?: { readonly variant: Variant; readonly lacks: readonly string[] } | undefined;
}

/**
 * The requested variant, or else that of the mapping. `auto` is b if company_domain, which only b requires, and a field that
 * only b has are mapped, and a otherwise.
 */
export function chooseVariant(
  document: MappingDocument,
  contract: Contract,
  requested: Variant | 'auto' | undefined,
): ChosenVariant {
  if (contract.fieldsOf().length > 0) {
    return { variant: undefined, why: `because ${contract.type} has one set of names`, leftOut: [] };
  }
  const mapped = new Set(Object.keys(document.fields).map((name) => contract.field(name)?.name));
  const chosen = (variant: Variant, why: string): ChosenVariant => {
    const leftOut = without(contract, variant).filter((name) => mapped.has(name));
    const other = variant === 'a' ? 'b' : 'a';
    const isRequired = new Set(contract.requiredOf(variant));
    const lacks = contract.requiredOf(other).filter((name) => !mapped.has(name) && !isRequired.has(name));
    return { variant, why, leftOut, ...(leftOut.length > 0 && { alternative: { variant: other, lacks } }) };
  };
  if (requested !== undefined && requested !== 'auto') return chosen(requested, 'as requested');
  if (requested === undefined && document.variant !== undefined) {
    return chosen(document.variant, 'set in the mapping');
  }
  const needed = contract.fields.filter(({ wire }) => wire.b?.required === true && wire.a?.required !== true);
  const missing = needed.map(({ name }) => name).filter((name) => !mapped.has(name));
  const specific = without(contract, 'a').filter((name) => mapped.has(name));
  if (missing.length > 0) return chosen('a', `because variant b requires ${notMapped(missing)}`);
  if (specific.length === 0) return chosen('a', 'because no mapped field is specific to variant b');
  return chosen('b', `because ${formatList([...needed.map(({ name }) => name), ...specific], '')} are mapped`);
}

/**
 * Whether the field would be sent if it were mapped: a variant that is not requested depends on the mapped fields. Only then
 * is it worth a question.
 */
export function sentIfMapped(
  field: string,
  document: MappingDocument,
  contract: Contract,
  requested: Variant | 'auto' | undefined,
): boolean {
  const fields = { ...document.fields, [field]: { value: '' } };
  const { variant } = chooseVariant({ ...document, fields }, contract, requested);
  return contract.fieldsOf(variant).some((each) => each.field.name === field);
}

function without(contract: Contract, variant: Variant): readonly string[] {
  const has = new Set(contract.fieldsOf(variant).map(({ field }) => field.name));
  return contract.fields.map(({ name }) => name).filter((name) => !has.has(name));
}
