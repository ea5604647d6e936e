/**
 * Validates candidates. The contract's schema decides; this module turns its errors into issues that name what was found and
 * what was expected, one for each invalid field. May import contract, model and lib.
 */

import type { Contract, Field, WireField } from '../contract/index.ts';
import { excerpt } from '../lib/excerpt.ts';
import { nearest } from '../lib/nearest.ts';
import { cut } from '../lib/text.ts';
import { type NoteCode, noteKey } from '../model/note.ts';
import type { Candidate, SignalRecord, Variant } from '../model/record.ts';
import type { Issue, Mapped } from '../model/row.ts';

export type Validated =
  | { readonly record: SignalRecord; readonly notes: readonly string[] }
  | { readonly issues: readonly Issue[] };

const NO_NOTES: readonly string[] = [];
const NO_CODES: readonly NoteCode[] = [];
const NUL_CODES: readonly NoteCode[] = ['nul'];

/** A row without a value in a mapped column: its record would have constants only. */
const ONLY_CONSTANTS: Validated = {
  issues: [{ code: 'constants', found: 'only constants', expected: 'a value in at least one mapped column' }],
};

/** Maximum values of an open list whose notes are cached. */
const MAX_CACHED_NOTES = 1024;

/** Longest value of an open list in a note, in characters. */
const NOTE_LIMIT = 40;

/**
 * @param variant undefined for a record type without variants
 * @param columnOf the column, path or template that a field is made from, for the issues
 */
export function createValidator(
  contract: Contract,
  variant: Variant | undefined,
  columnOf: (field: string) => string | undefined,
): (mapped: Mapped) => Validated {
  const schema = contract.schema(variant);
  const wire = contract.fieldsOf(variant);
  const fields = wire.map(({ field }) => field);
  const isFromRow = fromRowTest(wire, columnOf);
  const noters = fields.map(createNoter);

  const valid = (record: SignalRecord, { candidate, notes }: Mapped): Validated =>
    isFromRow(record) ? { record, notes: notesOf(noters, candidate, record, notes) } : ONLY_CONSTANTS;

  return (mapped) => {
    const { candidate, issues } = mapped;
    const usual = issues.length === 0 ? usualRecord(wire, candidate) : undefined;
    if (usual !== undefined) return valid(usual, mapped);
    const result = schema.safeParse(candidate);
    if (result.success && issues.length === 0) return valid(result.data, mapped);
    const failed = new Map<unknown, Issue>(issues.map((issue) => [issue.field, issue]));
    for (const { path } of result.error?.issues ?? []) {
      const field = fields.find(({ name }) => name === path[0]);
      if (field === undefined) throw new TypeError('The schema reports an issue of an unknown field');
      // The issue of a failed transform is more specific than the absence of its field.
      if (!failed.has(field.name)) failed.set(field.name, createIssue(field, candidate[field.name], columnOf));
    }
    return { issues: fields.flatMap(({ name }) => failed.get(name) ?? []) };
  };
}

/** Whether a record has a value of a mapped column. A required field from a column always has one. */
function fromRowTest(
  wire: readonly WireField[],
  columnOf: (field: string) => string | undefined,
): (record: SignalRecord) => boolean {
  const fromColumns = wire.filter(({ field }) => columnOf(field.name) !== undefined);
  if (fromColumns.some(({ required }) => required)) return () => true;
  return (record) => fromColumns.some(({ field }) => record[field.name] !== undefined);
}

/** The record of a candidate whose values all have common forms. Undefined if the schema must decide. */
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

/** A valid value of one field. */
export interface ValidatedField {
  readonly value: string | number;
  readonly notes: readonly string[];
}

export type FieldValidator = (value: unknown) => ValidatedField | undefined;

/**
 * Validators of the single fields of a variant, which return undefined for an invalid value. Together, with a check for
 * missing required fields, they are equivalent to {@link createValidator}.
 */
export function createFieldValidators(
  contract: Contract,
  variant: Variant | undefined,
): ReadonlyMap<string, FieldValidator> {
  return new Map(
    contract.fieldsOf(variant).map(({ field }) => {
      const noter = createNoter(field);
      return [
        field.name,
        (given) => {
          const value = field.kind.usual(given) ?? field.kind.value.safeParse(given).data;
          if (value === undefined) return undefined;
          return { value, notes: noter.notes(given, value) };
        },
      ];
    }),
  );
}

function notesOf(
  noters: readonly Noter[],
  candidate: Candidate,
  record: SignalRecord,
  notes: readonly string[],
): readonly string[] {
  let all = notes;
  for (const { field, notes: notesOfField } of noters) {
    const after = record[field];
    if (after === undefined) continue;
    const more = notesOfField(candidate[field], after);
    if (more.length > 0) all = [...all, ...more];
  }
  return all;
}

/** Creates the notes of a field's values. */
interface Noter {
  readonly field: string;
  notes(before: unknown, after: string | number): readonly string[];
}

function createNoter({ name, kind }: Field): Noter {
  // Notes are counted in a map by text. The same string object is found faster than a new one with the same text.
  const cache = new Map<unknown, readonly string[]>();
  return {
    field: name,
    notes(before, after) {
      let codes = kind.notes?.(before, after) ?? NO_CODES;
      if (codes.length === 0 && String(after).includes('\0')) codes = NUL_CODES;
      if (codes.length === 0) return NO_NOTES;
      const cacheKey = codes.includes('open_value') ? after : codes;
      const cached = cache.get(cacheKey);
      if (cached !== undefined) return cached;
      const value = cut(String(after), NOTE_LIMIT);
      const notes = codes.map((code) =>
        noteKey(code === 'open_value' ? { code, field: name, value } : { code, field: name }),
      );
      if (cache.size < MAX_CACHED_NOTES && String(after).length <= NOTE_LIMIT) cache.set(cacheKey, notes);
      return notes;
    },
  };
}

const KEEP_DIGITS = 'put it in quotes: a number with this many digits would be rounded';

/** Whether JSON parsing has rounded an integer, so that it differs from the file. */
function isRounded(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function createIssue(field: Field, value: unknown, columnOf: (field: string) => string | undefined): Issue {
  const { kind, name } = field;
  const column = columnOf(name);
  if (value === undefined) return { code: 'missing', field: name, column, expected: kind.expected };
  const scalar = typeof value === 'string' || typeof value === 'number';
  return {
    code: scalar ? kind.issueCode : 'type',
    field: name,
    column,
    found: excerpt(value),
    expected: kind.expected,
    hint: hintFor(kind, value),
  };
}

function hintFor({ name, values = [], issueCode }: Field['kind'], value: unknown): string | undefined {
  if (issueCode === 'type' && isRounded(value)) return KEEP_DIGITS;
  const near = name === 'enum' && typeof value === 'string' ? nearest(value, values) : undefined;
  return near && `did you mean ${near}?`;
}
