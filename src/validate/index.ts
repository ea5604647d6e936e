/**
 * Candidate to record, or to the reasons why it is none. The contract's schema decides; here its verdict is put into
 * words that name what was found and what was expected. Every fault of a row is reported, one for each field.
 */
import { excerpt } from '../contract/excerpt.ts';
import type { Contract, Field } from '../contract/index.ts';
import { nearest } from '../contract/nearest.ts';
import type { Candidate, SignalRecord, Variant } from '../model/record.ts';
import type { Issue } from '../model/row.ts';
import { cut } from '../model/text.ts';

/** What mapping makes of a row (map/compile.ts has the same shape). */
export interface Unvalidated {
  readonly candidate: Candidate;
  /** Faults of transforms: their fields are absent and not missed again. */
  readonly issues: readonly Issue[];
  readonly notes: readonly string[];
}

export type Validated =
  | { readonly record: SignalRecord; readonly notes: readonly string[] }
  | { readonly issues: readonly Issue[] };

/** Longest value of an open list inside a note, in characters. */
const NOTE_LIMIT = 40;

/**
 * @param variant undefined for a record type without variants.
 * @param columnOf the column, path or template that a field is made from, for the issues.
 */
export function createValidator(
  contract: Contract,
  variant: Variant | undefined,
  columnOf: (field: string) => string | undefined,
): (mapped: Unvalidated) => Validated {
  const schema = contract.schema(variant);
  const fields = contract.fieldsOf(variant).map(({ field }) => field);
  const telling = fields.filter(({ kind }) => kind.note !== undefined);

  return ({ candidate, issues, notes }) => {
    const result = schema.safeParse(candidate);
    if (result.success && issues.length === 0) {
      return { record: result.data, notes: notesOf(telling, candidate, result.data, notes) };
    }
    const failed = new Map<unknown, Issue>(issues.map((issue) => [issue.field, issue]));
    for (const { path } of result.error?.issues ?? []) {
      const field = fields.find(({ name }) => name === path[0]);
      if (field === undefined) throw new TypeError('The schema complains about something that is no field');
      // A transform that failed has left the field absent, and has said why.
      if (!failed.has(field.name)) failed.set(field.name, issueOf(field, candidate[field.name], columnOf));
    }
    return { issues: fields.flatMap(({ name }) => failed.get(name) ?? []) };
  };
}

/** What the schema makes of one field's value. */
export interface JudgedField {
  readonly value: string | number;
  readonly notes: readonly string[];
}

export type FieldJudge = (value: unknown) => JudgedField | undefined;

/**
 * The fields of a variant one by one: what a validator makes of a candidate is what each of these makes of its field,
 * and that none is absent that is required. Undefined for a value that is not valid.
 */
export function createFieldJudges(
  contract: Contract,
  variant: Variant | undefined,
): ReadonlyMap<string, FieldJudge> {
  return new Map(
    contract.fieldsOf(variant).map(({ field }) => [
      field.name,
      (given) => {
        const result = field.kind.value.safeParse(given);
        if (!result.success) return undefined;
        const { data: value } = result;
        const { name, kind } = field;
        return {
          value,
          notes: kind.note ? notesOf([field], { [name]: given }, { [name]: value }, []) : [],
        };
      },
    ]),
  );
}

function notesOf(
  telling: readonly Field[],
  candidate: Candidate,
  record: SignalRecord,
  notes: readonly string[],
): readonly string[] {
  let all = notes;
  for (const { name, kind } of telling) {
    const after = record[name];
    if (after === undefined) continue;
    const code = kind.note?.(candidate[name], after);
    if (code === undefined) continue;
    const detail = code === 'open_value' ? `${name}=${cut(String(after), NOTE_LIMIT)}` : name;
    all = [...all, `${code}:${detail}`];
  }
  return all;
}

function issueOf(field: Field, value: unknown, columnOf: (field: string) => string | undefined): Issue {
  const { kind, name } = field;
  const column = columnOf(name);
  const where = { field: name, ...(column === undefined ? {} : { column }) };
  if (value === undefined) {
    return { code: 'missing', ...where, expected: kind.expected };
  }
  const scalar = typeof value === 'string' || typeof value === 'number';
  const near =
    typeof value === 'string' && kind.name === 'enum' ? nearest(value, kind.values ?? []) : undefined;
  return {
    code: scalar ? kind.fault : 'type',
    ...where,
    found: excerpt(value),
    expected: kind.expected,
    ...(near === undefined ? {} : { hint: `did you mean ${near}?` }),
  };
}
