/**
 * The data-quality sheet of `signals check`: what the fields hold, what is likely there twice, and what each
 * variant would make of the rows. A reader of rows that decides nothing.
 *
 * Memory is bounded whatever the file holds: counts, and the sketches of sketch.ts. Different values are counted
 * exactly up to a thousand a field and estimated beyond; duplicates are counted exactly up to a million records
 * and from then on are "at least" so many.
 */
import type { Contract, Field } from '../contract/index.ts';
import type { Candidate, SignalRecord, Variant } from '../model/record.ts';
import type { Issue, Position } from '../model/row.ts';
import { createDistinct, createSeen, type Distinct, type DistinctCounter } from './sketch.ts';

const EXAMPLE_LIMIT = 3;
/** Characters of which there is one form but for case, with single spaces: most texts. */
const PLAIN = /^(?:[!-~]| (?! ))*$/;
const VARIANTS: readonly Variant[] = ['a', 'b', 'both'];

/** A row that could be read, valid or not. */
export interface QualityRow {
  readonly position: Pick<Position, 'source' | 'line'>;
  /** Every mapped field with its value, those included that the variant leaves out. */
  readonly candidate: Candidate;
  /** Faults of transforms: their fields are absent from the candidate. */
  readonly issues: readonly Pick<Issue, 'field'>[];
  /** What became of the row. */
  readonly verdict: { readonly record: SignalRecord } | { readonly issues: readonly Pick<Issue, 'code'>[] };
}

export interface FieldQuality {
  readonly field: string;
  /** Whether a column or a constant makes it. */
  readonly mapped: boolean;
  /** Whether the variant has it. */
  readonly sent: boolean;
  readonly required: boolean;
  /** Rows in which it has a value, whether a valid one or not. */
  readonly filled: number;
  readonly distinct: Distinct;
  /** What is lost where it is empty, in the interface's words. */
  readonly recommended?: string;
}

/** Where two rows stand that are likely the same. */
export interface DuplicateExample {
  readonly source: number;
  readonly line: number;
  readonly first: { readonly source: number; readonly line: number };
}

export interface Duplicates {
  /** Valid rows that are likely the same as an earlier one. */
  readonly rows: number;
  /** Whether there may be more: there were more different records than are remembered. */
  readonly atLeast: boolean;
  /** Fields in which they agree; empty where they agree in all. */
  readonly by: readonly string[];
  readonly examples: readonly DuplicateExample[];
}

export interface VariantQuality {
  readonly variant: Variant;
  readonly chosen: boolean;
  readonly valid: number;
  /** Mapped fields that it has no name for, with the rows in which they have a value. */
  readonly leavesOut: readonly { readonly field: string; readonly rows: number }[];
  /** Fields that it requires and that nothing is mapped to. */
  readonly lacks: readonly string[];
}

export interface QualityResult {
  /** Rows that could be read and were looked at. */
  readonly rows: number;
  /** Mapped fields, and those that are recommended, in the interface's order. */
  readonly fields: readonly FieldQuality[];
  readonly duplicates: Duplicates;
  /** Empty for a record type that has one set of names. */
  readonly variants: readonly VariantQuality[];
}

export interface Quality {
  add(row: QualityRow): void;
  result(): QualityResult;
}

/**
 * @param variant the one that the rows are checked for; undefined for a type without variants.
 * @param mapped names of the fields that are mapped.
 */
export function createQuality(
  contract: Contract,
  variant: Variant | undefined,
  mapped: ReadonlySet<string>,
): Quality {
  const fields = contract.fields
    .filter(({ name, recommended }) => mapped.has(name) || recommended !== undefined)
    .map((field) => ({ field, filled: 0, distinct: createDistinct() }));
  const judges = VARIANTS.filter((each) => contract.fieldsOf(each).length > 0).map((each) => ({
    variant: each,
    names: new Set(contract.fieldsOf(each).map(({ field }) => field.name)),
    wire: contract.fieldsOf(each),
    valid: 0,
  }));
  const seen = createSeen();
  const examples: DuplicateExample[] = [];
  let rows = 0;
  let duplicates = 0;

  const judge = ({ candidate, issues, verdict }: QualityRow): void => {
    // Too large under one set of names is too large under the others, but for a few bytes.
    if ('issues' in verdict && verdict.issues.some(({ code }) => code === 'size')) return;
    for (const each of judges) {
      const valid =
        each.variant === variant
          ? 'record' in verdict
          : !issues.some(({ field }) => field !== undefined && each.names.has(field)) &&
            each.wire.every(({ field, required }) => {
              const value = candidate[field.name];
              return value === undefined ? !required : sentFor(field, value) !== undefined;
            });
      if (valid) each.valid += 1;
    }
  };

  return {
    add(row) {
      rows += 1;
      const record = 'record' in row.verdict ? row.verdict.record : undefined;
      for (const each of fields) fill(each, row, record);
      judge(row);
      if (record === undefined) return;
      const { source, line } = row.position;
      const first = seen.first(keyOf(contract, record), source * 2 ** 32 + line);
      if (first === undefined) return;
      duplicates += 1;
      if (examples.length < EXAMPLE_LIMIT) {
        const at = { source: Math.floor(first / 2 ** 32), line: first % 2 ** 32 };
        examples.push({ source, line, first: at });
      }
    },

    result() {
      const wire = new Map(contract.fieldsOf(variant).map((each) => [each.field.name, each]));
      return {
        rows,
        fields: fields.map(({ field, filled, distinct }) => ({
          field: field.name,
          mapped: mapped.has(field.name),
          sent: wire.has(field.name),
          required: wire.get(field.name)?.required === true,
          filled,
          distinct: atMost(filled, distinct.result()),
          ...(field.recommended === undefined ? {} : { recommended: field.recommended }),
        })),
        duplicates: {
          rows: duplicates,
          atLeast: !seen.complete(),
          by: (contract.alike ?? []).filter((name) => mapped.has(name)),
          examples,
        },
        variants: judges.map(({ variant: each, names, valid }) => ({
          variant: each,
          chosen: each === variant,
          valid,
          leavesOut: fields
            .filter(({ field }) => mapped.has(field.name) && !names.has(field.name))
            .map(({ field, filled }) => ({ field: field.name, rows: filled })),
          lacks: contract
            .fieldsOf(each)
            .filter(({ field, required }) => required && !mapped.has(field.name))
            .map(({ field }) => field.name),
        })),
      };
    },
  };
}

/** An estimate may be too high, but no more values are different than there are. */
function atMost(filled: number, { count, exact }: Distinct): Distinct {
  return { count: Math.min(count, filled), exact };
}

function fill(
  counted: { readonly field: Field; readonly distinct: DistinctCounter; filled: number },
  { candidate, issues }: QualityRow,
  record: SignalRecord | undefined,
): void {
  const { name } = counted.field;
  const value = candidate[name];
  if (value === undefined) {
    // A value that a transform could make nothing of is there nevertheless.
    if (issues.some(({ field }) => field === name)) counted.filled += 1;
    return;
  }
  counted.filled += 1;
  // "Job Posting" and "job_posting" are one value, in an invalid row too.
  const parsed = record?.[name] ?? sentFor(counted.field, value) ?? value;
  counted.distinct.add(typeof parsed === 'object' ? JSON.stringify(parsed) : String(parsed));
}

/** What would be sent for a candidate's value; undefined where it is not valid. */
function sentFor({ kind }: Field, value: unknown): string | number | undefined {
  return kind.usual(value) ?? kind.value.safeParse(value).data;
}

/** What two records of the same thing have in common. */
function keyOf(contract: Contract, record: SignalRecord): string {
  if (contract.alike === undefined) {
    return JSON.stringify(contract.fields.map(({ name }) => record[name] ?? null));
  }
  return JSON.stringify(contract.alike.map((name) => folded(contract.field(name), record[name])));
}

function folded(field: Field | undefined, value: string | number | undefined): string {
  const text = String(value ?? '');
  if (field?.kind.name === 'date-time') return text.slice(0, 'yyyy-mm-dd'.length);
  if (PLAIN.test(text)) return text.toLowerCase();
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ');
}
