/** Reads the elements of a batch by the contract, under the names of one variant. */
import { contracts } from '../contract/index.ts';
import type { RecordType, Variant } from '../model/record.ts';

/** One object of the request's array. */
type Element = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Element {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a field of a valid element, by the field's canonical name. */
export type FieldValue = (field: string) => unknown;

/** Reads elements under the names of one variant. */
interface ElementReader {
  /** The first required name that is missing. */
  missing(element: Element): string | undefined;
  /** The first name whose value the interface does not allow. */
  invalid(element: Element): string | undefined;
  values(element: Element): FieldValue;
}

/** The readers of a type, in the order in which they are tried. Social events have no variants. */
export function readersFor(type: RecordType, variants: readonly Variant[]): readonly ElementReader[] {
  return type === 'social' ? [createReader(type)] : variants.map((variant) => createReader(type, variant));
}

/** The fields of a valid element; undefined if no reader accepts it. */
export function readElement(readers: readonly ElementReader[], element: unknown): FieldValue | undefined {
  if (!isObject(element)) return undefined;
  // The schema is slow to reject, so missing names are looked for first.
  const accepts = ({ missing, invalid }: ElementReader): boolean =>
    missing(element) === undefined && invalid(element) === undefined;
  return readers.find(accepts)?.values(element);
}

/** Why no reader accepts the element. */
export function rejectionReason(readers: readonly ElementReader[], element: unknown): string {
  if (!isObject(element)) return 'not an object';
  // A wrong value under a variant whose names are complete is the better reason.
  const complete = readers.find((reader) => reader.missing(element) === undefined);
  return complete === undefined
    ? `${readers[0]?.missing(element)} is missing`
    : `${complete.invalid(element)} has a value that is not allowed`;
}

function createReader(type: RecordType, variant?: Variant): ElementReader {
  const schema = contracts[type].wire(variant);
  const fields = contracts[type].fieldsOf(variant);
  const required = fields.flatMap(({ names, required }) => (required ? names : []));
  const nameOf = new Map(fields.map(({ field, names }) => [field.name, names[0] ?? field.name]));
  return {
    missing: (element) => required.find((name) => element[name] === undefined),
    invalid: (element) => schema.safeParse(element).error?.issues[0]?.path.map(String)[0],
    values: (element) => (field) => element[nameOf.get(field) ?? field],
  };
}
