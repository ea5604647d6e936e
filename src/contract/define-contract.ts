/** What a record type's file fills in, and what everybody else may ask of it. */
import { z } from 'zod';
import type { Receipt } from '../model/outcome.ts';
import type { RecordType, SignalRecord, Variant } from '../model/record.ts';
import type { Kind } from './value-kinds.ts';

/** One of the two name sets of a market signal, or the only one of a social event. */
export type NameSet = 'a' | 'b' | 'only';

export interface Field {
  /** The name used in mappings and messages. */
  readonly name: string;
  /** Other names of the interface for the same field. */
  readonly aliases?: readonly string[];
  readonly kind: Kind;
  /** The name on the wire, in each name set that has the field. */
  readonly wire: Readonly<Partial<Record<NameSet, { readonly name: string; readonly required?: true }>>>;
  /** What is lost where the field is empty, in the interface's words. Absent for fields that are not recommended. */
  readonly recommended?: string;
  /** One sentence for people. */
  readonly about: string;
  /** A plausible value, for templates: the fields' examples together are one record. */
  readonly example: string | number;
}

/** A field under one variant. */
export interface WireField {
  readonly field: Field;
  /** Names on the wire: one, or under `both` one or two. */
  readonly names: readonly string[];
  readonly required: boolean;
}

interface Definition {
  readonly type: RecordType;
  /** Relative to the base URL. */
  readonly path: string;
  /** Key of the request body that holds the array of records. */
  readonly envelope: string;
  /** Records a request. */
  readonly limit: number;
  /** Whether the interface documents deduplication: only then is sending twice harmless. */
  readonly deduplicates: boolean;
  readonly fields: readonly Field[];
  /** A valid answer to a delivered batch, as a {@link Receipt}. */
  readonly receipt: z.ZodType<Receipt>;
  /**
   * The same for an answer of the usual form, without asking the schema: every batch has one. Undefined where the
   * schema is to say; it never says that an answer is wrong.
   */
  readonly usualReceipt: (answer: unknown) => Receipt | undefined;
}

export interface Contract extends Definition {
  /** The field of that name or alias. */
  field(name: string): Field | undefined;
  /** The fields that a record of this variant can have, in the order of the wire. Social has no variant. */
  fieldsOf(variant?: Variant): readonly WireField[];
  /** Candidate (canonical names, cells or JSON values) to record. Unknown keys are dropped. */
  schema(variant?: Variant): z.ZodType<SignalRecord>;
  /** Record to the JSON text of one element of the request's array. */
  encoder(variant?: Variant): (record: SignalRecord) => string;
  /** What an answer to a delivered batch is as a receipt; undefined where it is none. */
  receiptOf(answer: unknown): Receipt | undefined;
  /** One element of the request's array, as the interface describes it. Unknown keys are let through. */
  wire(variant?: Variant): z.ZodType;
  /** The same as JSON Schema (draft 2020-12), with what the fields are. */
  jsonSchema(variant?: Variant): Readonly<Record<string, unknown>>;
}

export function defineContract(definition: Definition): Contract {
  const byName = new Map<string, Field>();
  for (const field of definition.fields) {
    for (const name of [field.name, ...(field.aliases ?? [])]) byName.set(name, field);
  }

  const fieldsOf = (variant?: Variant): readonly WireField[] => {
    const sets: readonly NameSet[] =
      variant === undefined ? ['only'] : variant === 'both' ? ['a', 'b'] : [variant];
    return definition.fields.flatMap((field) => {
      const uses = sets.flatMap((set) => field.wire[set] ?? []);
      const names = [...new Set(uses.map((use) => use.name))];
      return names.length === 0
        ? []
        : [{ field, names, required: uses.some((use) => use.required === true) }];
    });
  };

  return {
    ...definition,
    field: (name) => byName.get(name),
    fieldsOf,
    schema: (variant) =>
      z.object(
        Object.fromEntries(
          fieldsOf(variant).map(({ field, required }) => [
            field.name,
            required ? field.kind.value : field.kind.value.optional(),
          ]),
        ),
      ) as unknown as z.ZodType<SignalRecord>,
    encoder: (variant) => {
      const names = fieldsOf(variant).flatMap(({ field, names }) =>
        names.map((name) => [field.name, name] as const),
      );
      return (record) => {
        const out: Record<string, string | number> = {};
        for (const [field, name] of names) {
          const value = record[field];
          if (value !== undefined) out[name] = value;
        }
        return JSON.stringify(out);
      };
    },
    receiptOf: (answer) => definition.usualReceipt(answer) ?? definition.receipt.safeParse(answer).data,
    wire: (variant) => wireObject(fieldsOf(variant), ({ kind }) => kind.wire),
    jsonSchema: (variant) => ({
      ...z.toJSONSchema(
        wireObject(fieldsOf(variant), ({ kind, about, example }) =>
          kind.wire.meta({ description: about, examples: [example] }),
        ),
      ),
    }),
  };
}

/** Whether the keys of a value can be asked for: of an answer that is an object. */
export function hasKeys(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Whether the schema of a count would take a value. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
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
