/**
 * The data-quality sheet of `signals check`: what the fields hold, what is likely there twice, and what each
 * variant would make of the rows. A reader of rows that decides nothing.
 *
 * Values and records are known by hashes. Of a row of the reference path these are made here; of the rows that an
 * engine took they come with the run (model/engine.ts, "looks"). So both are counted by the same code.
 *
 * Memory is bounded whatever the file holds: counts, and the sketches of sketch.ts. Different values are counted
 * exactly up to a thousand a field and estimated beyond; duplicates are counted exactly up to a million records
 * and from then on are "at least" so many.
 */

import type { Contract, Field } from '../contract/index.ts';
import { excerpt } from '../lib/excerpt.ts';
import { type Likeness, type RecordChunk, ROW_NUMBERS } from '../model/fast-reader.ts';
import type { Candidate, SignalRecord, Variant } from '../model/record.ts';
import type { Issue, Position } from '../model/row.ts';
import {
  createDistinct,
  createSeen,
  type Distinct,
  type DistinctCounter,
  type Hash,
  hashOf,
  hashOfHashes,
} from './sketch.ts';

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

/** Rows that an engine took: the record of each is valid, and so is each field that the variant leaves out. */
export type QualityRun = Pick<RecordChunk, 'source' | 'count' | 'rows' | 'line' | 'looks'>;

export interface Quality {
  add(row: QualityRow): void;
  /** @param fields names of the fields of the engine's plan */
  addRun(fields: readonly string[], run: QualityRun): void;
  result(): QualityResult;
}

/** What is counted of a field, mapped or not. */
interface Counted {
  readonly field: Field;
  readonly likeness: Likeness | undefined;
  readonly distinct: DistinctCounter;
  filled: number;
  /** The variants that have it, and those that need it: one bit each. */
  readonly named: number;
  readonly needed: number;
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
  const judges = VARIANTS.filter((each) => contract.fieldsOf(each).length > 0).map((each, index) => ({
    variant: each,
    bit: 1 << index,
    fields: new Map(contract.fieldsOf(each).map(({ field, required }) => [field.name, { required }])),
    valid: 0,
  }));
  const bitsOf = (those: (judge: (typeof judges)[number]) => boolean): number =>
    judges.filter(those).reduce((bits, { bit }) => bits | bit, 0);
  const fields = contract.fields.map(
    (field): Counted => ({
      field,
      likeness: likenessOf(contract, field.name),
      distinct: createDistinct(),
      filled: 0,
      named: bitsOf((judge) => judge.fields.has(field.name)),
      needed: bitsOf((judge) => judge.fields.get(field.name)?.required === true),
    }),
  );
  const seen = createSeen();
  const examples: DuplicateExample[] = [];
  let rows = 0;
  let duplicates = 0;

  /** `faults`: of the variants under which the row is invalid, one bit each. */
  const judge = (faults: number): void => {
    for (const each of judges) if ((faults & each.bit) === 0) each.valid += 1;
  };

  const recognise = (high: number, low: number, source: number, line: number): void => {
    const first = seen.first(high, low, source * 2 ** 32 + line);
    if (first === undefined) return;
    duplicates += 1;
    if (examples.length >= EXAMPLE_LIMIT) return;
    examples.push({ source, line, first: { source: Math.floor(first / 2 ** 32), line: first % 2 ** 32 } });
  };

  return {
    add({ position, candidate, issues, verdict }) {
      rows += 1;
      const record = 'record' in verdict ? verdict.record : undefined;
      const likenesses: Hash[] = [];
      let faults = 0;
      for (const each of fields) {
        const { name, kind } = each.field;
        const value = candidate[name];
        if (value === undefined) {
          // A value that a transform could make nothing of is there nevertheless.
          const isFault = issues.some(({ field }) => field === name);
          if (isFault) each.filled += 1;
          faults |= isFault ? each.named : each.needed;
          continue;
        }
        each.filled += 1;
        const known = record?.[name];
        const parsed = known ?? kind.usual(value) ?? kind.value.safeParse(value).data;
        if (parsed === undefined) faults |= each.named;
        // "Job Posting" and "job_posting" are one value, in an invalid row too.
        const hash = hashOf(textOf(parsed ?? value));
        each.distinct.add(...hash);
        if (known !== undefined && each.likeness !== undefined) {
          likenesses.push(partOf(each.likeness, known, hash));
        }
      }
      // Too large under one set of names is too large under the others, but for a few bytes.
      const isTooLarge = 'issues' in verdict && verdict.issues.some(({ code }) => code === 'size');
      if (!isTooLarge) judge(faults);
      if (record !== undefined) recognise(...hashOfHashes(likenesses), position.source, position.line);
    },

    addRun(names, { source, count, rows: numbers, line, looks }) {
      if (looks === undefined) throw new TypeError('nobody has told the engine that its rows are looked at');
      rows += count;
      const stride = 2 * (names.length + 1);
      const faults = new Uint8Array(count);
      for (const each of fields) {
        const column = 2 * names.indexOf(each.field.name);
        const filled = column < 0 ? 0 : each.distinct.addAll(looks, column, stride, count);
        each.filled += filled;
        if (filled === count || each.needed === 0) continue;
        for (let index = 0; index < count; index += 1) {
          const at = index * stride + column;
          const isThere = column >= 0 && (looks[at] !== 0 || looks[at + 1] !== 0);
          if (!isThere) faults[index] = (faults[index] ?? 0) | each.needed;
        }
      }
      for (let index = 0; index < count; index += 1) {
        judge(faults[index] ?? 0);
        const at = (index + 1) * stride - 2;
        recognise(looks[at] ?? 0, looks[at + 1] ?? 0, source, line + (numbers[index * ROW_NUMBERS + 2] ?? 0));
      }
    },

    result() {
      const wire = new Map(contract.fieldsOf(variant).map((each) => [each.field.name, each]));
      return {
        rows,
        fields: fields
          .filter(({ field }) => mapped.has(field.name) || field.recommended !== undefined)
          .map(({ field, filled, distinct }) => ({
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
        variants: judges.map(({ variant: each, fields: names, valid }) => ({
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

/** What is neither text nor number is no value of any field: it is known by what it is, and not by what is in it. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : excerpt(value);
}

/** How a field takes part in what two records of the same thing have in common; undefined where it does not. */
export function likenessOf({ alike, fields, field }: Contract, name: string): Likeness | undefined {
  const number = fields.findIndex((each) => each.name === name);
  if (alike === undefined) return { by: 'value', number };
  if (!alike.includes(name)) return undefined;
  return { by: field(name)?.kind.name === 'date-time' ? 'day' : 'text', number };
}

/** What a field adds to that. Fields that are absent add nothing, so each has its number. */
function partOf({ by, number }: Likeness, value: string | number, hash: Hash): Hash {
  const text = String(value);
  const [high, low] =
    by === 'value' ? hash : hashOf(by === 'day' ? text.slice(0, 'yyyy-mm-dd'.length) : folded(text));
  return [high ^ number, low];
}

/** A text without regard to case, form and white space. */
export function folded(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ');
}
