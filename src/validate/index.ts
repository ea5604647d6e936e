/**
 * Candidate to record, or to the reasons why it is none. The contract's schema decides; here its verdict is put into
 * words that name what was found and what was expected. Every fault of a row is reported, one for each field.
 */

import type { Contract, Field, WireField } from '../contract/index.ts';
import { excerpt } from '../lib/excerpt.ts';
import { nearest } from '../lib/nearest.ts';
import { cut } from '../lib/text.ts';
import type { Candidate, NoteCode, SignalRecord, Variant } from '../model/record.ts';
import type { Issue } from '../model/row.ts';

/** What mapping makes of a row (map/compile-mapping.ts has the same shape). */
export interface Unvalidated {
  readonly candidate: Candidate;
  /** Faults of transforms: their fields are absent and not missed again. */
  readonly issues: readonly Issue[];
  readonly notes: readonly string[];
}

export type Validated =
  | { readonly record: SignalRecord; readonly notes: readonly string[] }
  | { readonly issues: readonly Issue[] };

const NO_NOTES: readonly string[] = [];

/** Different values of an open list whose notes are kept. */
const MOST_VALUES = 1024;

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
  const wire = contract.fieldsOf(variant);
  const fields = wire.map(({ field }) => field);
  const telling = fields.flatMap((field) => (field.kind.note === undefined ? [] : [noterOf(field)]));

  return ({ candidate, issues, notes }) => {
    const usual = issues.length === 0 ? usualRecord(wire, candidate) : undefined;
    if (usual !== undefined) return { record: usual, notes: notesOf(telling, candidate, usual, notes) };
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

/** The record of a candidate whose values have all the usual forms; undefined where the schema must be asked. */
function usualRecord(wire: readonly WireField[], candidate: Candidate): SignalRecord | undefined {
  const record: Record<string, string | number> = {};
  for (const { field, required } of wire) {
    const given = candidate[field.name];
    if (given === undefined) {
      if (required) return undefined;
      continue;
    }
    const value = field.kind.usual(given);
    if (value === undefined) return undefined;
    record[field.name] = value;
  }
  return record;
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
    contract.fieldsOf(variant).map(({ field }) => {
      const noter = noterOf(field);
      return [
        field.name,
        (given) => {
          const value = field.kind.usual(given) ?? field.kind.value.safeParse(given).data;
          if (value === undefined) return undefined;
          const note = noter.note(given, value);
          return { value, notes: note === undefined ? NO_NOTES : [note] };
        },
      ];
    }),
  );
}

function notesOf(
  telling: readonly Noter[],
  candidate: Candidate,
  record: SignalRecord,
  notes: readonly string[],
): readonly string[] {
  let all = notes;
  for (const { field, note: noteOf } of telling) {
    const after = record[field];
    if (after === undefined) continue;
    const note = noteOf(candidate[field], after);
    if (note !== undefined) all = [...all, note];
  }
  return all;
}

/** What is worth telling of a field's values, as it is counted. */
interface Noter {
  readonly field: string;
  note(before: unknown, after: string | number): string | undefined;
}

function noterOf({ name, kind }: Field): Noter {
  const plain = new Map<NoteCode, string>();
  /** Notes are counted by their text: one that is put together anew for each row takes longer to look up. */
  const ofValues = new Map<string | number, string>();
  return {
    field: name,
    note(before, after) {
      const code = kind.note?.(before, after);
      if (code === undefined) return undefined;
      const open = code === 'open_value';
      const known = open ? ofValues.get(after) : plain.get(code);
      if (known !== undefined) return known;
      const note = `${code}:${open ? `${name}=${cut(String(after), NOTE_LIMIT)}` : name}`;
      if (!open) plain.set(code, note);
      else if (ofValues.size < MOST_VALUES && String(after).length <= NOTE_LIMIT) ofValues.set(after, note);
      return note;
    },
  };
}

const KEEP_DIGITS = 'put it in quotes: a number with so many digits would not arrive as it is';

/** An integer of which JSON has lost digits already: what is shown of it is not what stands in the file. */
function isTooLong(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
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
    ...(isTooLong(value) && kind.fault === 'type' ? { hint: KEEP_DIGITS } : {}),
  };
}
