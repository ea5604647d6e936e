/** A rule is a change of the mapping. It is tried on the rejected rows before it is offered. */
import type { Field } from '../contract/index.ts';
import { excerpt } from '../lib/text.ts';
import { columnReader, type FieldMapping, type MappingDocument, renderField } from '../map/index.ts';
import type { Issue, RowPlace } from '../model/row.ts';
import { type RowsToFix, type RowToFix, type TriedRow, tryRows } from './rejected-rows.ts';

/** Rows that show what a rule changes. */
const EXAMPLES = 3;

/** The invalid rows of a run under a mapping. An accepted rule or a skipped cause makes another one. */
export interface Repair {
  readonly rejects: RowsToFix;
  /** The mapping of the run, with the accepted rules. */
  readonly document: MappingDocument;
  /** Rows that are invalid under the mapping of the run, tried with `document`. Others were refused by the service. */
  readonly tried: readonly TriedRow[];
  /** Invalid rows that are not data: the header again, totals. No rule may make them records. */
  readonly junk: readonly RowToFix[];
  /** Kinds and fields of the causes that have no rule. */
  readonly skipped: readonly string[];
}

/** Why rows are invalid, as far as one rule can repair them. */
export interface Cause {
  /** `empty`: words for "no value". `value`: refused values. `missing`: no value. `rest`: values that no other rule repairs. */
  readonly kind: 'empty' | 'value' | 'missing' | 'rest';
  /** Absent for `empty`, which is about all fields. */
  readonly field?: string | undefined;
  /** Rows with this cause. */
  readonly rows: number;
  readonly first: RowPlace;
}

/** What a rule changes. */
export interface RuleChange {
  readonly cause: Cause;
  /** The fields that it is about. */
  readonly fields: readonly string[];
  /** The mapping with the rule. */
  readonly document: MappingDocument;
  /** The line of the mapping that the rule adds or changes. */
  readonly line: string;
  /** What it assumes. */
  readonly why: string;
  /** Whether only the user knows if it is right. */
  readonly isAmbiguous: boolean;
}

export interface Rule extends RuleChange {
  /** Rows in which the cause is gone. */
  readonly repaired: number;
  /** Rows that become valid. */
  readonly valid: number;
  readonly examples: readonly RuleExample[];
  /** Equal for rules that make the same values of all rows. */
  readonly effect: string;
}

export interface RuleExample extends RowPlace {
  readonly field: string;
  /** As in the input; absent if the cell is empty. */
  readonly before: string | undefined;
  /** Absent if the field is omitted. */
  readonly after: string | number | undefined;
}

export interface ProposedFix {
  readonly cause: Cause;
  /** The likeliest first. Empty if only the user knows what the value is. */
  readonly rules: readonly Rule[];
  /** Whether no rule can be chosen without the user. */
  readonly needsAnswer: boolean;
}

/** Undefined if the rule repairs nothing, or damages as many rows. @throws ProblemError if the mapping is not valid */
export function tryRule(repair: Repair, change: RuleChange): Rule | undefined {
  const { rejects, tried: before } = repair;
  const { fields } = change;
  const tried = tryRows(
    rejects,
    change.document,
    before.map(({ rejected }) => rejected),
  );
  const failed = (row: TriedRow | undefined): boolean => row?.issues.some((issue) => isOf(issue, fields)) === true;
  const repaired = tried.flatMap((after, index) => {
    const row = before[index];
    return row !== undefined && failed(row) && !failed(after) && !isOfConstants(after) ? [{ row, after }] : [];
  });
  const damaged = tried.filter((row, index) => !failed(before[index]) && failed(row)).length;
  if (repaired.length === 0 || damaged >= repaired.length) return undefined;
  const invalid = (rows: readonly TriedRow[]): number => rows.filter(isInvalid).length;
  return {
    ...change,
    repaired: repaired.length,
    valid: invalid(before) - invalid(tried),
    examples: examplesOf(repaired, change, repair),
    effect: JSON.stringify(tried.map(({ candidate }) => fields.map((field) => candidate[field]))),
  };
}

/** Rows with different values before; for missing values, different ones after. */
function examplesOf(
  rows: readonly { readonly row: TriedRow; readonly after: TriedRow }[],
  { cause, fields }: RuleChange,
  { rejects, document }: Repair,
): readonly RuleExample[] {
  const { contract } = rejects;
  const examples = new Map<string, RuleExample>();
  for (const { row, after } of rows) {
    if (examples.size === EXAMPLES) break;
    const issue = row.issues.find((each) => isOf(each, fields));
    const field = contract.fields.find(({ name }) => name === issue?.field);
    if (field === undefined) continue;
    const source = sourceReader(rejects, mappingOf(document, field))(row.rejected);
    const before = cause.kind === 'missing' ? undefined : source === undefined ? issue?.found : excerpt(source);
    const sent = field.kind.read(after.candidate[field.name]);
    const key = cause.kind === 'missing' ? String(sent) : `${field.name}=${before}`;
    const { source: input, line } = row.rejected;
    if (!examples.has(key)) examples.set(key, { source: input, line, field: field.name, before, after: sent });
  }
  return [...examples.values()];
}

/** Reads the value of a row in a field's column; undefined if the field is made from several. */
export function sourceReader({ inputs }: RowsToFix, mapping: FieldMapping | undefined): (row: RowToFix) => unknown {
  if (mapping === undefined || !('column' in mapping)) return () => undefined;
  const readers = inputs.map((input) => columnReader(input)(mapping.column));
  return ({ source, row }) => readers[source]?.(row.content);
}

export function isInvalid({ issues }: TriedRow): boolean {
  return issues.length > 0;
}

/** Constants alone make no record. */
function isOfConstants({ issues }: TriedRow): boolean {
  return issues.some(({ code }) => code === 'constants');
}

function isOf({ field }: Issue, fields: readonly string[]): boolean {
  return field !== undefined && fields.includes(field);
}

/** Of rules with the same effect, the first. */
export function withoutEqual(rules: readonly Rule[]): readonly Rule[] {
  const seen = new Set<string>();
  return rules.filter(({ effect }) => !seen.has(effect) && seen.add(effect));
}

export function keyOf({ fields }: MappingDocument, field: Field): string | undefined {
  return Object.keys(fields).find((name) => name === field.name || field.aliases?.includes(name));
}

export function mappingOf(document: MappingDocument, field: Field): FieldMapping | undefined {
  const key = keyOf(document, field);
  return key === undefined ? undefined : document.fields[key];
}

export function withField(document: MappingDocument, field: Field, mapping: FieldMapping): MappingDocument {
  return { ...document, fields: { ...document.fields, [keyOf(document, field) ?? field.name]: mapping } };
}

export function renderedLine({ name }: Field, mapping: FieldMapping): string {
  return `${name}: ${renderField(mapping)}`;
}
