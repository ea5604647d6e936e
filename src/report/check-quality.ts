/**
 * What `signals check` counts while it reads the rows: how often each field has a value, how many rows are valid under each
 * variant, and the options to suggest. check-text.ts prints it.
 */
import type { Contract, Field } from '../contract/index.ts';
import { isPlaceholder } from '../lib/text.ts';
import type { RecordChunk } from '../model/fast-reader.ts';
import type { Candidate, Variant } from '../model/record.ts';
import type { Issue, RowPlace } from '../model/row.ts';
import type { QualityResult, Suggestions } from '../model/summary.ts';

/** Limits what a file of hostile values can add. */
const WORDS_SHOWN = 10;

export class SuggestionCollector {
  readonly #words = new Map<string, { readonly fields: Set<string>; readonly first: RowPlace }>();
  readonly #invalid = new Map<string, { values: number; readonly first: RowPlace }>();
  readonly #isOptional: (field: string) => boolean;

  constructor(isOptional: (field: string) => boolean) {
    this.#isOptional = isOptional;
  }

  /** Adds an invalid row. */
  addIssues({ source, line }: RowPlace, issues: readonly Issue[]): void {
    const at = { source, line };
    for (const { field, code, found } of issues) {
      // An empty cell does not help a required field.
      if (field === undefined || code === 'missing' || !this.#isOptional(field)) continue;
      if (found !== undefined && isPlaceholder(found)) this.#addWord(at, field, found.trim());
      else {
        const cause = this.#invalid.get(field) ?? { values: 0, first: at };
        cause.values += 1;
        this.#invalid.set(field, cause);
      }
    }
  }

  /** Adds a sampled row, valid or not. */
  addCandidate(
    { source, line }: RowPlace,
    candidate: Candidate,
    columnOf: (field: string) => string | undefined,
  ): void {
    for (const [field, value] of Object.entries(candidate)) {
      if (typeof value === 'string' && columnOf(field) !== undefined && isPlaceholder(value)) {
        this.#addWord({ source, line }, field, value);
      }
    }
  }

  result(zone: Suggestions['zone']): Suggestions {
    return {
      empty: [...this.#words].map(([word, { fields, first }]) => ({ word, fields: [...fields], first })),
      omitInvalid: [...this.#invalid].map(([field, cause]) => ({ field, ...cause })),
      zone,
    };
  }

  #addWord(at: RowPlace, field: string, word: string): void {
    const known = this.#words.get(word);
    if (known !== undefined) known.fields.add(field);
    else if (this.#words.size < WORDS_SHOWN) this.#words.set(word, { first: at, fields: new Set([field]) });
  }
}

/** A row that could be read, valid or not. */
export interface QualityRow {
  /** Every mapped field with its value, including fields that the variant does not have. */
  readonly candidate: Candidate;
  /** Issues of transforms: their fields are absent from the candidate. */
  readonly issues: readonly Pick<Issue, 'field'>[];
  readonly verdict: { readonly json: string } | { readonly issues: readonly Pick<Issue, 'code'>[] };
}

interface VariantCount {
  readonly variant: Variant;
  /** Whether each field of the variant is required. */
  readonly required: ReadonlyMap<string, boolean>;
  valid: number;
}

/** What a row has for a field. */
type FieldState = 'valid' | 'invalid' | 'missing';

export class Quality {
  readonly #contract: Contract;
  readonly #variant: Variant | undefined;
  readonly #mapped: ReadonlySet<string>;
  readonly #variants: readonly VariantCount[];
  readonly #fields: readonly { readonly field: Field; filled: number }[];
  #rows = 0;

  /**
   * @param variant the variant that the rows are checked for; undefined for a type without variants
   * @param mapped names of the mapped fields
   */
  constructor(contract: Contract, variant: Variant | undefined, mapped: ReadonlySet<string>) {
    this.#contract = contract;
    this.#variant = variant;
    this.#mapped = mapped;
    this.#variants = contract.variants.map((each) => {
      return { variant: each, required: requiredFields(contract, each), valid: 0 };
    });
    this.#fields = contract.fields.map((field) => ({ field, filled: 0 }));
  }

  add({ candidate, issues, verdict }: QualityRow): void {
    const stateOf = ({ name, kind }: Field): FieldState => {
      const value = candidate[name];
      // A value that a transform rejected counts as filled.
      if (value === undefined) return issues.some(({ field }) => field === name) ? 'invalid' : 'missing';
      return kind.read(value) === undefined ? 'invalid' : 'valid';
    };
    // A record that is too large for one variant is too large for all, except for a few bytes.
    const isUnsendable =
      'issues' in verdict && verdict.issues.some(({ code }) => code === 'size' || code === 'constants');
    this.#count(1, stateOf, isUnsendable ? [] : this.#variants);
  }

  /**
   * Adds rows of the fast path. All their values are valid, also those of fields that the variant does not have.
   *
   * @param names the fields of the fast reader's plan
   */
  addChunk(names: readonly string[], { present }: Pick<RecordChunk, 'present'>): void {
    const columns = new Map(names.map((name, column) => [name, 1 << column]));
    for (const [mask, rows] of countMasks(present)) {
      this.#count(rows, ({ name }) => ((mask & (columns.get(name) ?? 0)) === 0 ? 'missing' : 'valid'), this.#variants);
    }
  }

  /** @param variants those under which the rows can be sent, if their values allow it */
  #count(rows: number, stateOf: (field: Field) => FieldState, variants: readonly VariantCount[]): void {
    this.#rows += rows;
    const flawed: (readonly [name: string, state: FieldState])[] = [];
    for (const each of this.#fields) {
      const state = stateOf(each.field);
      if (state !== 'missing') each.filled += rows;
      if (state !== 'valid') flawed.push([each.field.name, state]);
    }
    for (const each of variants) {
      const { required } = each;
      const isRefused = flawed.some(([name, state]) =>
        state === 'invalid' ? required.has(name) : required.get(name) === true,
      );
      if (!isRefused) each.valid += rows;
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
