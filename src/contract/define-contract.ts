/** What a record type says of itself: its fields under the names of each variant, its request, its receipt, its words. */
import { z } from 'zod';
import type { Receipt, receiptCounts } from '../model/outcome.ts';
import type { RecordType, Variant } from '../model/record.ts';
import type { ServiceCounts } from '../model/run-state.ts';
import { type Kind, textKind } from './value-kinds.ts';

/** One of the two field-name sets of a market signal, or the only one of a social event. */
type NameSet = 'a' | 'b' | 'only';

export interface Field {
  readonly name: string;
  /** Other names of the API for the same field. */
  readonly aliases?: readonly string[];
  readonly kind: Kind;
  /** The name on the wire, in each name set that has the field. */
  readonly wire: Readonly<Partial<Record<NameSet, { readonly name: string; readonly required?: true }>>>;
  /** The reason to fill the field, in the words of the API. Absent if it is not recommended. */
  readonly recommended?: string | undefined;
  readonly about: string;
  /** A plausible value, for templates. The examples of all fields together are one record. */
  readonly example: string | number;
}

/** An optional text that has one name, in each of the name sets that have it. */
export function optionalText(sets: readonly NameSet[], name: string, about: string, example: string): Field {
  return { name, kind: textKind, wire: Object.fromEntries(sets.map((set) => [set, { name }])), about, example };
}

export interface WireField {
  readonly field: Field;
  /** Names on the wire: one, or under `both` one or two. */
  readonly names: readonly string[];
  readonly required: boolean;
}

export interface Definition {
  readonly type: RecordType;
  /** Several of them in a sentence: `market signals`. */
  readonly title: string;
  readonly about: string;
  readonly unit: string;
  readonly path: string;
  /** Key of the request body that has the array of records. */
  readonly envelope: string;
  readonly limit: number;
  readonly documentsLimit: boolean;
  /** Whether the API documents deduplication, which makes sending a record twice harmless. */
  readonly deduplicates: boolean;
  readonly fields: readonly Field[];
  /** A valid answer to a delivered batch, as a {@link Receipt}. */
  readonly receipt: z.ZodType<Receipt>;
  readonly counts: readonly (typeof receiptCounts)[number][];
  readonly describeCounts: (counts: ServiceCounts) => string;
}

export interface Contract extends Definition {
  field(name: string): Field | undefined;
  readonly variants: readonly Variant[];
  fieldsOf(variant?: Variant): readonly WireField[];
  requiredOf(variant?: Variant): readonly string[];
  /** The receipt in the answer to a batch; undefined if the answer is not a valid receipt. */
  receiptOf(answer: unknown): Receipt | undefined;
  /** Schema of an element of the request's array, as in the API. Allows unknown keys. */
  wire(variant?: Variant): z.ZodType;
  /** `wire` as JSON Schema (draft 2020-12), with examples. With variants, a record must match that of one of them. */
  jsonSchema(): object;
}

export function defineContract(definition: Definition): Contract {
  const byName = new Map<string, Field>();
  for (const field of definition.fields) {
    for (const name of [field.name, ...(field.aliases ?? [])]) byName.set(name, field);
  }

  const fieldsOf = (variant?: Variant): readonly WireField[] => {
    const sets: readonly NameSet[] = variant === undefined ? ['only'] : variant === 'both' ? ['a', 'b'] : [variant];
    return definition.fields.flatMap((field) => {
      const uses = sets.flatMap((set) => field.wire[set] ?? []);
      const names = [...new Set(uses.map((use) => use.name))];
      return names.length === 0 ? [] : [{ field, names, required: uses.some((use) => use.required === true) }];
    });
  };

  const variants = (['a', 'b', 'both'] as const).filter((variant) => fieldsOf(variant).length > 0);
  const withExamples = (variant: Variant | undefined): z.ZodType => {
    const schema = wireObject(fieldsOf(variant), (field) => describedWire(field).meta({ examples: [field.example] }));
    return schema.meta({ title: `${definition.type}${variant === undefined ? '' : `, variant ${variant}`}` });
  };

  return {
    ...definition,
    field: (name) => byName.get(name),
    variants,
    fieldsOf,
    requiredOf: (variant) => fieldsOf(variant).flatMap(({ field, required }) => (required ? [field.name] : [])),
    receiptOf: (answer) => definition.receipt.safeParse(answer).data,
    wire: (variant) => wireObject(fieldsOf(variant), describedWire),
    jsonSchema: () =>
      z.toJSONSchema(variants.length === 0 ? withExamples(undefined) : z.union(variants.map(withExamples))),
  };
}

function describedWire({ kind, about, recommended }: Field): z.ZodType {
  return kind.wire.describe(recommended === undefined ? about : `${about} Recommended: ${recommended}.`);
}

function wireObject(fields: readonly WireField[], typeOf: (field: Field) => z.ZodType): z.ZodType {
  return z.looseObject(
    Object.fromEntries(
      fields.flatMap(({ field, names, required }) =>
        names.map((name) => [name, required ? typeOf(field) : typeOf(field).optional()]),
      ),
    ),
  );
}
