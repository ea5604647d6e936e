/**
 * Proposes rules that repair rows of rejects files: one for each cause, tried on the rows before it is offered. Each rule is a change
 * of the mapping, so that it also repairs the next export with the same problem.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../contract/index.ts';
import { excerpt, isPlaceholder } from '../lib/text.ts';
import { isEmail, pageOf } from '../map/discover/text-kinds.ts';
import {
  columnReader,
  columnsForField,
  columnsOf,
  describeField,
  discoverMapping,
  type FieldMapping,
  type MappingDocument,
  renderField,
  sampleCells,
} from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import type { Issue, RowPlace } from '../model/row.ts';
import { type FieldFix, missingFixes, proposeFieldFixes } from './candidates.ts';
import { isJunk, type RowsToFix, type RowToFix, type TriedRow, tryRows } from './rows-to-fix.ts';

const EXAMPLES = 3;

/** The invalid rows of a run under a mapping. An accepted rule or a skipped cause makes another one. */
export interface Repair {
  readonly rejects: RowsToFix;
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
  /** `empty`: words for "no value". `value`: invalid values. `missing`: no value. `rest`: values that no other rule repairs. */
  readonly kind: 'empty' | 'value' | 'missing' | 'rest';
  readonly field?: string | undefined;
  readonly rows: number;
  readonly first: RowPlace;
}

export interface Rule {
  readonly cause: Cause;
  readonly fields: readonly string[];
  readonly document: MappingDocument;
  /** The line of the mapping that the rule adds or changes. */
  readonly line: string;
  readonly why: string;
  readonly isAmbiguous: boolean;
  /** Rows in which the cause is gone. */
  readonly repaired: number;
  readonly valid: number;
  readonly examples: readonly RuleExample[];
  /** Equal for rules that make the same values of all rows. */
  readonly effect: string;
}

type RuleChange = Pick<Rule, 'cause' | 'fields' | 'document' | 'line' | 'why' | 'isAmbiguous'>;

interface RuleExample extends RowPlace {
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

/** @throws ProblemError if the mapping of the run does not fit the columns */
export function beginRepair(rejects: RowsToFix): Repair {
  const invalid = tryRows(rejects, rejects.document, rejects.rows).filter(isInvalid);
  const isData = ({ listed: { row, source } }: TriedRow): boolean =>
    !isJunk(rejects.inputs[source]?.columns ?? [], row.content);
  return {
    rejects,
    document: rejects.document,
    tried: invalid.filter(isData),
    junk: invalid.filter((row) => !isData(row)).map(({ listed }) => listed),
    skipped: [],
  };
}

export function withRule(repair: Repair, { document }: Pick<Rule, 'document'>): Repair {
  return { ...repair, document, tried: tryRows(repair.rejects, document, rowsToFixOf(repair)) };
}

/** @param isOpen until the user answers: meanwhile, values that can be read must not be omitted */
export function withoutRule(repair: Repair, { cause }: ProposedFix, isOpen = false): Repair {
  const keys = [causeKey(cause), ...(isOpen ? [causeKey({ ...cause, kind: 'rest' })] : [])];
  return { ...repair, skipped: [...repair.skipped, ...keys] };
}

function causeKey({ kind, field = '' }: Pick<Cause, 'kind' | 'field'>): string {
  return `${kind}:${field}`;
}

export function rowsToFixOf({ tried }: Repair): readonly RowToFix[] {
  return tried.map(({ listed }) => listed);
}

export function unrepaired({ tried }: Repair): readonly TriedRow[] {
  return tried.filter(isInvalid);
}

/** A rule that the user has written. Undefined if it repairs nothing. @throws ProblemError if it is not valid */
export function ruleFor(repair: Repair, cause: Cause, mapping: FieldMapping): Rule | undefined {
  const field = repair.rejects.contract.field(cause.field ?? '');
  return field && tryFix(repair, cause, field, { mapping });
}

/** The next cause and its rules, one at a time: a rule changes what is left. Undefined if no further rule repairs a row. */
export function nextFix(repair: Repair): ProposedFix | undefined {
  return emptyWords(repair) ?? ofFields(repair, 'value') ?? ofFields(repair, 'missing') ?? ofFields(repair, 'rest');
}

function emptyWords(repair: Repair): ProposedFix | undefined {
  const { document, skipped } = repair;
  const { contract, variant } = repair.rejects;
  const required = contract.requiredOf(variant);
  const found = unrepaired(repair).flatMap((row) =>
    row.issues.flatMap((issue) => {
      const word = issue.code === 'missing' || issue.found === undefined ? '' : issue.found.trim();
      return issue.field !== undefined && isPlaceholder(word) && !required.includes(issue.field)
        ? [{ row, word, field: issue.field }]
        : [];
    }),
  );
  const [first] = found;
  if (first === undefined || skipped.includes('empty:')) return undefined;
  const empty = [...new Set([...(document.empty ?? []), ...found.map(({ word }) => word)])];
  const rows = new Set(found.map(({ row }) => row)).size;
  const cause: Cause = { kind: 'empty', rows, first: first.row.listed };
  const fields = [...new Set(found.map(({ field }) => field))];
  const why = `these words mean "no value" in ${fields.join(', ')}`;
  const line = `empty: ${JSON.stringify(empty)}`;
  const rule = tryRule(repair, { cause, fields, document: { ...document, empty }, why, line, isAmbiguous: false });
  return rule === undefined ? undefined : { cause, rules: [rule], needsAnswer: false };
}

function ofFields(repair: Repair, kind: Cause['kind']): ProposedFix | undefined {
  for (const field of repair.rejects.contract.fields) {
    const fix = ofField(repair, kind, field);
    if (fix !== undefined) return fix;
  }
  return undefined;
}

function ofField(repair: Repair, kind: Cause['kind'], field: Field): ProposedFix | undefined {
  const isOfKind = ({ code, found }: Issue): boolean =>
    // A formula has a value once the workbook is calculated.
    (code === 'missing') === (kind === 'missing') && !(kind === 'rest' && code === 'cell' && found?.startsWith('='));
  const rows = unrepaired(repair).filter(({ issues }) =>
    issues.some((issue) => issue.field === field.name && isOfKind(issue)),
  );
  const [first] = rows;
  const mapping = mappingOf(repair.document, field);
  if (first === undefined || mapping === undefined) return undefined;
  const cause: Cause = { kind, field: field.name, rows: rows.length, first: first.listed };
  if (repair.skipped.includes(causeKey(cause))) return undefined;
  // What a column has says more than a constant that fills every row.
  const byRepairs = (one: Rule, other: Rule): number => (kind === 'missing' ? 0 : other.repaired - one.repaired);
  const rules = candidatesFor(repair, kind, { field, mapping, rows })
    .flatMap((fix) => tryFix(repair, cause, field, fix) ?? [])
    .sort((one, other) => Number(one.isAmbiguous) - Number(other.isAmbiguous) || byRepairs(one, other));
  const different = rules.filter((rule, at) => rules.findIndex(({ effect }) => effect === rule.effect) === at);
  const isOpen = different.length === 0;
  // Without a rule, only a missing value can be repaired: by the user's answer.
  if (isOpen && kind !== 'missing') return undefined;
  const [best, second] = different;
  const isTie = best?.isAmbiguous === true && second?.isAmbiguous === true && best.repaired === second.repaired;
  const isConstant = best?.isAmbiguous === true && kind === 'missing';
  return { cause, rules: different, needsAnswer: isOpen || isTie || isConstant };
}

interface FailedField {
  readonly field: Field;
  readonly mapping: FieldMapping;
  readonly rows: readonly TriedRow[];
}

function candidatesFor(repair: Repair, kind: Cause['kind'], failed: FailedField): readonly FieldFix[] {
  const { field, mapping } = failed;
  // A cell without a domain is like an empty one: another column may have it.
  const isDomain = 'as' in mapping && mapping.as === 'domain';
  if (kind === 'missing' || (kind === 'value' && isDomain)) {
    return missingFixes(field, mapping, otherColumns(repair, failed));
  }
  if (kind === 'value') return proposeFieldFixes(field, mapping, failedValues(repair, failed));
  const { contract, variant } = repair.rejects;
  const isFixed = 'value' in mapping || contract.requiredOf(variant).includes(field.name);
  return isFixed ? [] : [{ mapping: { ...mapping, invalid: 'omit' } }];
}

/** Other columns that seem to contain the field, judged by the rows that lack it. */
function otherColumns(
  { rejects: { contract, inputs }, document }: Repair,
  { field, mapping, rows }: FailedField,
): readonly FieldFix[] {
  const [input] = inputs;
  if (input === undefined) return [];
  const columns = input.columns.filter((name) => !columnsOf(mapping).includes(name));
  const { [keyOf(document, field)]: _mapping, ...fields } = document.fields;
  const indexes = columns.map((name) => input.columns.indexOf(name));
  const contents = rows.flatMap(({ listed: { source, row } }) => (source === 0 ? [row.content] : []));
  const cells = sampleCells(input.columns, contents).map((row) => indexes.map((index) => row[index]));
  try {
    const sample = { columns, rows: cells };
    const discovered = discoverMapping(sample, contract, { ...document, fields });
    const used = mappingOf(discovered.document, field);
    const asked = discovered.questions.find((question) => question.field === field.name)?.options ?? [];
    // A column of addresses has domains too. A link to a page is rarely the company's.
    const ways = columnsForField(sample, contract, field)
      .filter(
        ({ values }) =>
          2 * values.filter((text) => isEmail(text) || pageOf(text)?.kind === 'site').length > values.length,
      )
      .flatMap((choice) => choice.ways);
    const domains = ways.filter((way) => 'as' in way && way.as === 'domain');
    const sure = [...(used === undefined ? [] : [used]), ...domains];
    const found = [...sure, ...asked.map((option) => option.mapping)];
    const unique = found.filter((way, at) => found.findIndex((each) => isDeepStrictEqual(each, way)) === at);
    return unique.map((way) => ({ mapping: way, isAmbiguous: !sure.includes(way) }));
  } catch (error) {
    if (error instanceof ProblemError) return [];
    throw error;
  }
}

function failedValues({ rejects }: Repair, { field, mapping, rows }: FailedField): readonly unknown[] {
  const read = sourceReader(rejects, mapping);
  const values = rows.map(
    ({ listed, issues }) => read(listed) ?? issues.find((issue) => issue.field === field.name)?.found,
  );
  return [...new Set(values)];
}

function tryFix(repair: Repair, cause: Cause, field: Field, fix: FieldFix): Rule | undefined {
  const { mapping, isAmbiguous = false } = fix;
  const { document: before } = repair;
  const document = { ...before, fields: { ...before.fields, [keyOf(before, field)]: mapping } };
  const line = renderedLine(field, mapping);
  return tryRule(repair, { cause, fields: [field.name], document, line, why: describeField(mapping), isAmbiguous });
}

/** Undefined if the rule repairs nothing, or damages as many rows. @throws ProblemError if the mapping is not valid */
function tryRule(repair: Repair, change: RuleChange): Rule | undefined {
  const { tried: before } = repair;
  const { fields } = change;
  const { tried } = withRule(repair, change);
  const failed = (row: TriedRow | undefined): boolean => row?.issues.some((issue) => isOf(issue, fields)) === true;
  const repaired = tried.flatMap((after, index) => {
    const row = before[index];
    // Constants alone make no record.
    const isRepaired = failed(row) && !failed(after) && !after.issues.some(({ code }) => code === 'constants');
    return row !== undefined && isRepaired ? [{ row, after }] : [];
  });
  const damaged = tried.filter((row, index) => !failed(before[index]) && failed(row)).length;
  if (repaired.length === 0 || damaged >= repaired.length) return undefined;
  return {
    ...change,
    repaired: repaired.length,
    valid: before.filter(isInvalid).length - tried.filter(isInvalid).length,
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
    const source = sourceReader(rejects, mappingOf(document, field))(row.listed);
    const before = cause.kind === 'missing' ? undefined : source === undefined ? issue?.found : excerpt(source);
    const sent = field.kind.read(after.candidate[field.name]);
    const key = cause.kind === 'missing' ? String(sent) : `${field.name}=${before}`;
    const { source: input, line } = row.listed;
    if (!examples.has(key)) examples.set(key, { source: input, line, field: field.name, before, after: sent });
  }
  return [...examples.values()];
}

/** Reads the value of a row in a field's column; undefined if the field is made from several. */
function sourceReader({ inputs }: RowsToFix, mapping: FieldMapping | undefined): (row: RowToFix) => unknown {
  if (mapping === undefined || !('column' in mapping)) return () => undefined;
  const readers = inputs.map((input) => columnReader(input)(mapping.column));
  return ({ source, row }) => readers[source]?.(row.content);
}

function isInvalid({ issues }: TriedRow): boolean {
  return issues.length > 0;
}

function isOf({ field }: Issue, fields: readonly string[]): boolean {
  return field !== undefined && fields.includes(field);
}

/** The name of a field in the document, which may be an alias. */
function keyOf({ fields }: MappingDocument, { name, aliases = [] }: Field): string {
  return [name, ...aliases].find((each) => Object.hasOwn(fields, each)) ?? name;
}

export function mappingOf(document: MappingDocument, field: Field): FieldMapping | undefined {
  return document.fields[keyOf(document, field)];
}

export function renderedLine({ name }: Field, mapping: FieldMapping): string {
  return `${name}: ${renderField(mapping)}`;
}
