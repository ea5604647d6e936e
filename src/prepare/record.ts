/**
 * Candidates to records. The kind of each field (contract/value-kinds.ts) converts its value; this module writes the record as
 * JSON, or names what was found and what was expected, one issue for each invalid field. May import contract, model and lib.
 */
import type { Contract, Field } from '../contract/index.ts';
import { nearest } from '../lib/nearest.ts';
import { cut, excerpt } from '../lib/text.ts';
import { type NoteCode, noteKey } from '../model/problem.ts';
import type { Variant } from '../model/record.ts';
import type { Issue, Mapped } from '../model/row.ts';

/** The column, path or template that a field is made from. Undefined for constants. */
export type ColumnOf = (field: string) => string | undefined;

export type RecordResult =
  /** An element of the request's array, and the notes of the mapping and of its values. */
  { readonly json: string; readonly notes: readonly string[] } | { readonly issues: readonly Issue[] };

export type ReadRecord = (mapped: Mapped) => RecordResult;

export interface FieldReader {
  /** The value that is sent. Undefined if the given one is invalid. */
  readonly read: (given: unknown) => string | number | undefined;
  readonly notes: (given: unknown, sent: string | number) => readonly string[];
}

const NONE: readonly never[] = [];
const NUL_CODES: readonly NoteCode[] = ['nul'];

/** A row without a value in a mapped column: its record would have constants only. */
const ONLY_CONSTANTS: RecordResult = {
  issues: [{ code: 'constants', found: 'only constants', expected: 'a value in at least one mapped column' }],
};

const MAX_CACHED_NOTES = 1024;

const NOTE_LIMIT = 40;

const KEEP_DIGITS = 'put it in quotes: a number with this many digits would be rounded';

export function createRecordReader(contract: Contract, variant: Variant | undefined, columnOf: ColumnOf): ReadRecord {
  const fields = contract.fieldsOf(variant).map(({ field, names, required }) => ({
    field,
    names,
    required,
    reader: createFieldReader(field),
    isFromRow: columnOf(field.name) !== undefined,
  }));
  // Apart: a function whose variables a closure uses stores these each time it is called.
  const findIssue = (issues: readonly Issue[], name: string) => issues.find(({ field }) => field === name);

  return ({ candidate, filled, issues: failed, notes: mappingNotes }) => {
    const record: Record<string, string | number> = {};
    let issues: Issue[] | undefined;
    let notes = mappingNotes;
    let hasRowValue = false;
    for (const { field, names, required, reader, isFromRow } of fields) {
      const given = candidate[field.name];
      const value = reader.read(given);
      if (value === undefined) {
        // The issue of a failed transform is more specific than the absence of its field.
        const known = findIssue(failed, field.name);
        if (known !== undefined) issues = [...(issues ?? []), known];
        else if (given !== undefined || required) issues = [...(issues ?? []), createIssue(field, given, columnOf)];
        continue;
      }
      for (const name of names) record[name] = value;
      hasRowValue ||= isFromRow && filled?.includes(field.name) !== true;
      const more = reader.notes(given, value);
      if (more.length > 0) notes = [...notes, ...more];
    }
    if (issues !== undefined) return { issues };
    return hasRowValue ? { json: JSON.stringify(record), notes } : ONLY_CONSTANTS;
  };
}

export function createFieldReader({ name: field, kind }: Field): FieldReader {
  // Notes are counted in a map by text. The same string object is found faster than a new one with the same text.
  const cache = new Map<unknown, readonly string[]>();
  const create = (codes: readonly NoteCode[], value: string) => codes.map((code) => noteKey({ code, field, value }));
  return {
    read: kind.read,
    notes(before, after) {
      let codes: readonly NoteCode[] = kind.notes?.(before, after) ?? NONE;
      if (codes.length === 0 && typeof after === 'string' && after.includes('\0')) codes = NUL_CODES;
      if (codes.length === 0) return NONE;
      const cacheKey = codes.includes('open_value') ? after : codes;
      const cached = cache.get(cacheKey);
      if (cached !== undefined) return cached;
      const notes = create(codes, cut(String(after), NOTE_LIMIT));
      if (cache.size < MAX_CACHED_NOTES && String(after).length <= NOTE_LIMIT) cache.set(cacheKey, notes);
      return notes;
    },
  };
}

function createIssue(field: Field, value: unknown, columnOf: ColumnOf): Issue {
  const { kind, name } = field;
  const column = columnOf(name);
  if (value === undefined) return { code: 'missing', field: name, column, expected: kind.expected };
  const isScalar = typeof value === 'string' || typeof value === 'number';
  return {
    code: isScalar ? kind.issueCode : 'type',
    field: name,
    column,
    found: excerpt(value),
    expected: kind.expected,
    hint: hintFor(kind, value),
  };
}

function hintFor({ values = [], issueCode }: Field['kind'], value: unknown): string | undefined {
  if (issueCode === 'type' && Number.isInteger(value)) return KEEP_DIGITS;
  const near = typeof value === 'string' ? nearest(value, values) : undefined;
  return near && `did you mean ${near}?`;
}
