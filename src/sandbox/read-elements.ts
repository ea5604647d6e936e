/**
 * How the elements of a batch are read: under the names of one variant, by the contract. Every record passes here
 * before its batch is answered, so the question whether it is valid is asked in the cheapest form; why it is not
 * is worked out by the schema itself, and only for those who ask.
 */
import { type Contract, contracts, type Field } from '../contract/index.ts';
import type { RecordType, Variant } from '../model/record.ts';

/** One object of the request's array. */
export type Element = Readonly<Record<string, unknown>>;

/** One way to read an element: under the names of one variant. */
export interface ElementReader {
  /** Whether the element is valid so. */
  accepts(element: Element): boolean;
  /** The first required name that is missing. */
  missing(element: Element): string | undefined;
  /** The first name whose value the interface does not allow. */
  invalid(element: Element): string | undefined;
  /** The value of a field, by its canonical name. */
  value(element: Element, field: string): unknown;
}

/** The ways to read the elements of that type, in the order in which they are tried. Social events have no variants. */
export function readersFor(type: RecordType, variants: readonly Variant[]): readonly ElementReader[] {
  const contract = contracts[type];
  return type === 'social'
    ? [readingOf(contract, undefined)]
    : variants.map((variant) => readingOf(contract, variant));
}

/** The first reading that an element is valid in. */
export function readerFor(readings: readonly ElementReader[], element: Element): ElementReader | undefined {
  for (const reading of readings) if (reading.accepts(element)) return reading;
  return undefined;
}

/** Why an element is valid in none of the readings. */
export function rejectionReason(readings: readonly ElementReader[], element: unknown): string {
  if (!isElement(element)) return 'it is no object';
  let reason: string | undefined;
  for (const reading of readings) {
    const missing = reading.missing(element);
    if (missing === undefined) {
      // What is wrong under the variant that the record was meant for is the better reason.
      reason = `${String(reading.invalid(element))} has a value that is not allowed`;
    } else {
      reason ??= `${missing} is missing`;
    }
  }
  return reason ?? 'it is not valid';
}

export function isElement(value: unknown): value is Element {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readingOf(contract: Contract, variant: Variant | undefined): ElementReader {
  const schema = contract.wire(variant);
  const fields = contract.fieldsOf(variant);
  const required = fields.flatMap(({ names, required }) => (required ? names : []));
  const nameOf = new Map(fields.map(({ field, names }) => [field.name, names[0] ?? field.name]));
  const allowed = new Map(
    fields.flatMap(({ field, names }) => names.map((name) => [name, allows(field)] as const)),
  );
  return {
    accepts(element) {
      for (const name of required) if (element[name] === undefined) return false;
      for (const name in element) {
        const allow = allowed.get(name);
        if (allow !== undefined && !allow(element[name])) return false;
      }
      return true;
    },
    missing: (element) => required.find((name) => element[name] === undefined),
    invalid(element) {
      const read = schema.safeParse(element);
      return read.success ? undefined : String(read.error.issues[0]?.path[0]);
    },
    value: (element, field) => element[nameOf.get(field) ?? field],
  };
}

/** Whether the interface allows a value for this field: what `kind.wire` says, without its detours where there are any. */
function allows({ kind }: Field): (value: unknown) => boolean {
  if (kind.name === 'text' || kind.name === 'open') return (value) => typeof value === 'string';
  if (kind.name === 'untyped') return () => true;
  if (kind.name === 'enum') {
    const values: ReadonlySet<unknown> = new Set(kind.values);
    return (value) => values.has(value);
  }
  return (value) => kind.wire.safeParse(value).success;
}
