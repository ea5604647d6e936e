/**
 * Reads the elements of a batch by the contract, under the names of one variant. Every element is checked before its batch is
 * answered, so the check is a fast form of the contract's schema; the schema itself gives the reason of a rejection.
 */
import { type Contract, contracts, type Field } from '../contract/index.ts';
import type { RecordType, Variant } from '../model/record.ts';

/** One object of the request's array. */
export type Element = Readonly<Record<string, unknown>>;

/** Reads elements under the names of one variant. */
export interface ElementReader {
  /** Whether the element is valid. */
  accepts(element: Element): boolean;
  /** The first required name that is missing. */
  missing(element: Element): string | undefined;
  /** The first name whose value the interface does not allow. */
  invalid(element: Element): string | undefined;
  /** The value of a field, by its canonical name. */
  value(element: Element, field: string): unknown;
}

/** The readers of a type, in the order in which they are tried. Social events have no variants. */
export function readersFor(type: RecordType, variants: readonly Variant[]): readonly ElementReader[] {
  const contract = contracts[type];
  return type === 'social'
    ? [createReader(contract, undefined)]
    : variants.map((variant) => createReader(contract, variant));
}

/** The first reader that accepts the element. */
export function readerFor(readers: readonly ElementReader[], element: unknown): ElementReader | undefined {
  if (!isElement(element)) return undefined;
  for (const reader of readers) if (reader.accepts(element)) return reader;
  return undefined;
}

/** Why no reader accepts the element. */
export function rejectionReason(readers: readonly ElementReader[], element: unknown): string {
  if (!isElement(element)) return 'not an object';
  let reason: string | undefined;
  for (const reader of readers) {
    const missing = reader.missing(element);
    if (missing === undefined) {
      // A wrong value under a variant whose names are complete is the better reason.
      reason = `${String(reader.invalid(element))} has a value that is not allowed`;
    } else {
      reason ??= `${missing} is missing`;
    }
  }
  return reason ?? 'not valid';
}

export function isElement(value: unknown): value is Element {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function createReader(contract: Contract, variant: Variant | undefined): ElementReader {
  const schema = contract.wire(variant);
  const fields = contract.fieldsOf(variant);
  const required = fields.flatMap(({ names, required }) => (required ? names : []));
  const nameOf = new Map(fields.map(({ field, names }) => [field.name, names[0] ?? field.name]));
  const checks = new Map(fields.flatMap(({ field, names }) => names.map((name) => [name, checkOf(field)] as const)));
  return {
    accepts(element) {
      for (const name of required) if (element[name] === undefined) return false;
      for (const name in element) {
        const check = checks.get(name);
        if (check !== undefined && !check(element[name])) return false;
      }
      return true;
    },
    missing: (element) => required.find((name) => element[name] === undefined),
    invalid(element) {
      const parsed = schema.safeParse(element);
      return parsed.success ? undefined : String(parsed.error.issues[0]?.path[0]);
    },
    value: (element, field) => element[nameOf.get(field) ?? field],
  };
}

/** Whether the interface allows a value for this field: `kind.wire`, or a faster check with the same result. */
function checkOf({ kind }: Field): (value: unknown) => boolean {
  if (kind.name === 'text' || kind.name === 'open') return (value) => typeof value === 'string';
  if (kind.name === 'untyped') return () => true;
  if (kind.name === 'enum') {
    const values: ReadonlySet<unknown> = new Set(kind.values);
    return (value) => values.has(value);
  }
  return (value) => kind.wire.safeParse(value).success;
}
