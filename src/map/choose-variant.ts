/** Which of the two name sets of a market signal is sent (cli.md, `--variant`). Social has one set and no variant. */
import type { Contract } from '../contract/index.ts';
import type { Variant } from '../model/record.ts';
import { formatList } from './column-match.ts';
import type { MappingDocument } from './document-schema.ts';

export interface ChosenVariant {
  /** Undefined for a record type that has one set of names. */
  readonly variant: Variant | undefined;
  /** A clause that begins with "because". */
  readonly why: string;
  /** Mapped fields that this variant has no name for, by their canonical names. */
  readonly leftOut: readonly string[];
}

/**
 * What is asked, else what the mapping says, else (auto): b where every field that b requires beyond a
 * (company_domain) is mapped and a field that only b has is mapped, else a.
 */
export function chooseVariant(
  document: MappingDocument,
  contract: Contract,
  asked: Variant | 'auto' | undefined,
): ChosenVariant {
  if (contract.fieldsOf().length > 0) {
    return { variant: undefined, why: `because ${contract.type} has one set of names`, leftOut: [] };
  }
  const mapped = new Set(Object.keys(document.fields).map((name) => contract.field(name)?.name ?? name));
  const chosen = (variant: Variant, why: string): ChosenVariant => ({
    variant,
    why,
    leftOut: without(contract, variant).filter((name) => mapped.has(name)),
  });
  if (asked !== undefined && asked !== 'auto') return chosen(asked, 'as requested');
  if (asked === undefined && document.variant !== undefined) {
    return chosen(document.variant, 'set in the mapping');
  }
  const needed = contract.fields.filter(({ wire }) => wire.b?.required === true && wire.a?.required !== true);
  const missing = needed.map(({ name }) => name).filter((name) => !mapped.has(name));
  const telling = without(contract, 'a').filter((name) => mapped.has(name));
  if (missing.length > 0)
    return chosen('a', `because variant b requires ${formatList(missing, '')}, which is not mapped`);
  if (telling.length === 0) return chosen('a', 'because no mapped field is specific to variant b');
  return chosen('b', `because ${formatList([...needed.map(({ name }) => name), ...telling], '')} are mapped`);
}

function without(contract: Contract, variant: Variant): readonly string[] {
  const has = new Set(contract.fieldsOf(variant).map(({ field }) => field.name));
  return contract.fields.map(({ name }) => name).filter((name) => !has.has(name));
}
