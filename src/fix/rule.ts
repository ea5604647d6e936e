/** A rule is a change of the mapping. It is tried on the rejected rows before it is offered. */
import type { Field } from '../contract/index.ts';
import { excerpt } from '../lib/text.ts';
import { columnReader, type FieldMapping, type MappingDocument, renderField } from '../map/index.ts';
import type { Issue } from '../model/row.ts';
import type { Cause, RuleEffect, RuleExample } from './fix-text.ts';
import { type RowsToFix, type RowToFix, type TriedRow, tryRows } from './rejected-rows.ts';

/** Rows that show what a rule changes. */
const EXAMPLES = 3;

export interface Rule extends RuleEffect {
  /** The mapping with the rule. */
  readonly document: MappingDocument;
  readonly isAmbiguous: boolean;
  /** Equal for rules that make the same values of all rows. */
  readonly effect: string;
}

export interface ProposedFix {
  readonly cause: Cause;
  /** The likeliest first. Empty if only the user knows what the value is. */
  readonly rules: readonly Rule[];
  /** Whether no rule can be chosen without the user. */
  readonly needsAnswer: boolean;
}

/** What a rule changes. */
export interface RuleChange {
  readonly cause: Cause;
  /** The fields that it is about. */
  readonly fields: readonly string[];
  readonly document: MappingDocument;
  readonly line: string;
  readonly why: string;
  readonly isAmbiguous?: boolean | undefined;
}

/** The rows under the mapping without the rule. */
export interface Before {
  readonly rejects: RowsToFix;
  readonly document: MappingDocument;
  readonly tried: readonly TriedRow[];
}

/** Undefined if the rule repairs nothing, or damages as many rows. @throws ProblemError if the mapping is not valid */
export function tryRule({ rejects, document, tried: before }: Before, change: RuleChange): Rule | undefined {
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
  const { line, why, isAmbiguous = false } = change;
  const valid = (rows: readonly TriedRow[]): number => rows.filter(({ issues }) => issues.length === 0).length;
  return {
    document: change.document,
    line,
    why,
    isAmbiguous,
    repaired: repaired.length,
    valid: valid(tried) - valid(before),
    examples: examplesOf(repaired, change, { rejects, document }),
    effect: JSON.stringify(tried.map(({ candidate }) => fields.map((field) => candidate[field]))),
  };
}

/** Rows with different values before; for missing values, different ones after. */
function examplesOf(
  rows: readonly { readonly row: TriedRow; readonly after: TriedRow }[],
  { cause, fields }: RuleChange,
  { rejects, document }: Pick<Before, 'rejects' | 'document'>,
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
