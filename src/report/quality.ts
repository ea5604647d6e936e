/**
 * The data quality that `signals check` reports: how often each field has a value, and how many rows are valid
 * under each variant. Rows of the fast path and of the reference path give the same counts.
 */
import type { Contract, Field } from '../contract/index.ts';
import type { RecordChunk } from '../model/fast-reader.ts';
import type { Candidate, SignalRecord, Variant } from '../model/record.ts';
import type { Issue } from '../model/row.ts';
import type { QualityResult } from '../model/summary.ts';

/** A row that could be read, valid or not. */
export interface QualityRow {
  /** Every mapped field with its value, including fields that the variant does not have. */
  readonly candidate: Candidate;
  /** Issues of transforms: their fields are absent from the candidate. */
  readonly issues: readonly Pick<Issue, 'field'>[];
  readonly verdict: { readonly record: SignalRecord } | { readonly issues: readonly Pick<Issue, 'code'>[] };
}

/** The counts of one field. Sets of variants are bit masks. */
interface FieldCount {
  readonly field: Field;
  readonly variants: number;
  readonly requiredBy: number;
  filled: number;
}

interface VariantCount {
  readonly variant: Variant;
  readonly bit: number;
  /** Whether each field of the variant is required. */
  readonly required: ReadonlyMap<string, boolean>;
  valid: number;
}

export class Quality {
  readonly #contract: Contract;
  readonly #variant: Variant | undefined;
  readonly #mapped: ReadonlySet<string>;
  readonly #variants: readonly VariantCount[];
  readonly #fields: readonly FieldCount[];
  #rows = 0;

  /**
   * @param variant the variant that the rows are checked for; undefined for a type without variants
   * @param mapped names of the mapped fields
   */
  constructor(contract: Contract, variant: Variant | undefined, mapped: ReadonlySet<string>) {
    this.#contract = contract;
    this.#variant = variant;
    this.#mapped = mapped;
    this.#variants = contract.variants.map((each, index) => ({
      variant: each,
      bit: 1 << index,
      required: requiredFields(contract, each),
      valid: 0,
    }));
    this.#fields = contract.fields.map((field) => startCount(field, this.#variants));
  }

  add({ candidate, issues, verdict }: QualityRow): void {
    this.#rows += 1;
    let invalid = 0;
    for (const each of this.#fields) {
      const { name, kind } = each.field;
      const value = candidate[name];
      // A value that a transform rejected counts as filled.
      const isRejected = value === undefined && issues.some(({ field }) => field === name);
      if (value !== undefined || isRejected) each.filled += 1;
      if (isRejected) invalid |= each.variants;
      else if (value === undefined) invalid |= each.requiredBy;
      else if (kind.usual(value) === undefined && !kind.value.safeParse(value).success) invalid |= each.variants;
    }
    // A record that is too large for one variant is too large for all, except for a few bytes.
    const isUnsendable =
      'issues' in verdict && verdict.issues.some(({ code }) => code === 'size' || code === 'constants');
    if (!isUnsendable) this.#countValid(invalid, 1);
  }

  /**
   * Adds rows of the fast path. All their values are valid, also those of fields that the variant does not have.
   *
   * @param names the fields of the fast reader's plan
   */
  addChunk(names: readonly string[], { count, present }: Pick<RecordChunk, 'count' | 'present'>): void {
    this.#rows += count;
    const columns = this.#fields.map(({ field }) => names.indexOf(field.name));
    for (const [mask, times] of countMasks(present)) {
      let invalid = 0;
      for (const [index, each] of this.#fields.entries()) {
        const column = columns[index] ?? -1;
        if (column >= 0 && ((mask >>> column) & 1) === 1) each.filled += times;
        else invalid |= each.requiredBy;
      }
      this.#countValid(invalid, times);
    }
  }

  result(): QualityResult {
    const mapped = this.#mapped;
    const sent = requiredFields(this.#contract, this.#variant);
    return {
      rows: this.#rows,
      fields: this.#fields
        .filter(({ field }) => mapped.has(field.name) || field.recommended !== undefined)
        .map(({ field, filled }) => ({
          field: field.name,
          mapped: mapped.has(field.name),
          sent: sent.has(field.name),
          required: sent.get(field.name) === true,
          filled,
          recommended: field.recommended,
        })),
      variants: this.#variants.map(({ variant, required, valid }) => ({
        variant,
        chosen: variant === this.#variant,
        valid,
        leavesOut: this.#fields
          .filter(({ field }) => mapped.has(field.name) && !required.has(field.name))
          .map(({ field, filled }) => ({ field: field.name, rows: filled })),
        lacks: [...required].flatMap(([name, isRequired]) => (isRequired && !mapped.has(name) ? [name] : [])),
      })),
    };
  }

  /** @param invalid the variants under which the rows are invalid */
  #countValid(invalid: number, count: number): void {
    for (const each of this.#variants) if ((invalid & each.bit) === 0) each.valid += count;
  }
}

function startCount(field: Field, counts: readonly VariantCount[]): FieldCount {
  let [variants, requiredBy] = [0, 0];
  for (const { bit, required } of counts) {
    if (required.has(field.name)) variants |= bit;
    if (required.get(field.name) === true) requiredBy |= bit;
  }
  return { field, variants, requiredBy, filled: 0 };
}

/** The fields of a variant, and whether each is required. */
function requiredFields(contract: Contract, variant: Variant | undefined): ReadonlyMap<string, boolean> {
  return new Map(contract.fieldsOf(variant).map(({ field, required }) => [field.name, required]));
}

/** How often each mask occurs: most files have few different ones. */
function countMasks(masks: Uint32Array): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const mask of masks) counts.set(mask, (counts.get(mask) ?? 0) + 1);
  return counts;
}
