/**
 * Proposes rules that repair rejected rows: one for each cause, tried on the rows before it is offered. Each rule is a change
 * of the mapping, so that it also repairs the next export with the same problem.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../contract/index.ts';
import { isPlaceholder } from '../lib/text.ts';
import { columnsOf } from '../map/field-transforms.ts';
import { columnsForField, discoverMapping, type FieldMapping, sampleCells } from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import type { Issue } from '../model/row.ts';
import { type FieldFix, missingFixes, type OtherColumn, optionalFixes, proposeFieldFixes } from './candidates.ts';
import { junkOf, type RowsToFix, type RowToFix, type TriedRow, tryRows } from './rejected-rows.ts';
import {
  type Cause,
  isInvalid,
  keyOf,
  mappingOf,
  type ProposedFix,
  type Repair,
  type Rule,
  renderedLine,
  sourceReader,
  tryRule,
  withField,
  withoutEqual,
} from './rule.ts';

/** @throws ProblemError if the mapping of the run does not fit the columns */
export function beginRepair(rejects: RowsToFix): Repair {
  const invalid = tryRows(rejects, rejects.document, rejects.rows).filter(isInvalid);
  const isJunk = ({ rejected: { row, source } }: TriedRow): boolean =>
    junkOf(rejects.inputs[source]?.columns ?? [], row.content) !== undefined;
  return {
    rejects,
    document: rejects.document,
    tried: invalid.filter((row) => !isJunk(row)),
    junk: invalid.filter(isJunk).map(({ rejected }) => rejected),
    skipped: [],
  };
}

export function withRule(repair: Repair, { document }: Pick<Rule, 'document'>): Repair {
  return { ...repair, document, tried: tryRows(repair.rejects, document, rejectedRowsOf(repair)) };
}

/** @param isOpen until the user answers: meanwhile, values that can be read must not be omitted */
export function withoutRule(repair: Repair, { cause }: ProposedFix, isOpen = false): Repair {
  const keys = [causeKey(cause), ...(isOpen ? [causeKey({ ...cause, kind: 'rest' })] : [])];
  return { ...repair, skipped: [...repair.skipped, ...keys] };
}

function causeKey({ kind, field = '' }: Pick<Cause, 'kind' | 'field'>): string {
  return `${kind}:${field}`;
}

export function rejectedRowsOf({ tried }: Repair): readonly RowToFix[] {
  return tried.map(({ rejected }) => rejected);
}

/** Rows that are still invalid. */
export function unrepaired({ tried }: Repair): readonly TriedRow[] {
  return tried.filter(isInvalid);
}

/** A rule that the user has written. Undefined if it repairs nothing. @throws ProblemError if it is not valid */
export function ruleFor(repair: Repair, cause: Cause, mapping: FieldMapping, why = 'as entered'): Rule | undefined {
  const field = repair.rejects.contract.fields.find(({ name }) => name === cause.field);
  return field && tryFix(repair, cause, field, { mapping, why });
}

/** The columns of all inputs, without those that this program added. */
export function inputColumns({ rejects }: Repair): readonly string[] {
  return [...new Set(rejects.inputs.flatMap(({ columns }) => columns))].filter((name) => !name.startsWith('_'));
}

/** The next cause and its rules, one at a time: a rule changes what is left. Undefined if no further rule repairs a row. */
export function nextFix(repair: Repair): ProposedFix | undefined {
  return emptyWords(repair) ?? ofFields(repair, 'value') ?? ofFields(repair, 'missing') ?? ofFields(repair, 'rest');
}

function emptyWords(repair: Repair): ProposedFix | undefined {
  const { document, skipped } = repair;
  const required = requiredOf(repair);
  const found = unrepaired(repair).flatMap((row) =>
    row.issues.flatMap((issue) => {
      const word = issue.code === 'missing' || issue.found === undefined ? '' : issue.found.trim();
      return issue.field !== undefined && isPlaceholder(word) && !required.has(issue.field)
        ? [{ row, word, field: issue.field }]
        : [];
    }),
  );
  const [first] = found;
  if (first === undefined || skipped.includes('empty:')) return undefined;
  const empty = [...new Set([...(document.empty ?? []), ...found.map(({ word }) => word)])];
  const rows = new Set(found.map(({ row }) => row)).size;
  const cause: Cause = { kind: 'empty', rows, first: first.row.rejected };
  const fields = [...new Set(found.map(({ field }) => field))];
  const why = `in ${fields.join(', ')} these words stand for "no value"`;
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
  const cause: Cause = { kind, field: field.name, rows: rows.length, first: first.rejected };
  if (repair.skipped.includes(causeKey(cause))) return undefined;
  // What a column has says more than a constant that fills every row.
  const byRepairs = (one: Rule, other: Rule): number => (kind === 'missing' ? 0 : other.repaired - one.repaired);
  const rules = candidatesFor(repair, kind, { field, mapping, rows })
    .flatMap((fix) => tryFix(repair, cause, field, fix) ?? [])
    .sort((one, other) => Number(one.isAmbiguous) - Number(other.isAmbiguous) || byRepairs(one, other));
  const different = withoutEqual(rules);
  const isOpen = different.length === 0;
  // Without a rule, only a missing value can be repaired: by the user's answer.
  if (isOpen && kind !== 'missing') return undefined;
  const [best, second] = different;
  const isTie = best?.isAmbiguous === true && second?.isAmbiguous === true && best.repaired === second.repaired;
  const isConstant = best?.isAmbiguous === true && kind === 'missing';
  return { cause, rules: different, needsAnswer: isOpen || isTie || isConstant };
}

/** A field with rows that its mapping does not repair. */
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
    return [
      ...optionalFixes(mapping, (column) => isEmptyIn(repair, failed, column)),
      ...missingFixes(field, mapping, otherColumns(repair, failed)),
    ];
  }
  if (kind === 'value') return proposeFieldFixes({ field, mapping, values: failedValues(repair, failed) });
  const isFixed = 'value' in mapping || requiredOf(repair).has(field.name);
  return isFixed ? [] : [{ mapping: { ...mapping, invalid: 'omit' }, why: 'the field is optional' }];
}

function isEmptyIn({ rejects, document: { empty = [] } }: Repair, { rows }: FailedField, column: string): boolean {
  const read = sourceReader(rejects, { column });
  return rows.some(({ rejected }) => {
    const value = read(rejected) ?? '';
    return value === '' || empty.includes(String(value));
  });
}

/** Names of the required fields. */
function requiredOf({ rejects: { contract, variant } }: Repair): ReadonlySet<string> {
  return new Set(contract.fieldsOf(variant).flatMap(({ field, required }) => (required ? [field.name] : [])));
}

/** Other columns that seem to contain the field, judged by the rows that lack it. */
function otherColumns(
  { rejects: { contract, inputs }, document }: Repair,
  { field, mapping, rows }: FailedField,
): readonly OtherColumn[] {
  const [input] = inputs;
  if (input === undefined) return [];
  const columns = input.columns.filter((name) => !columnsOf(mapping).includes(name));
  const { [keyOf(document, field) ?? '']: _mapping, ...fields } = document.fields;
  const indexes = columns.map((name) => input.columns.indexOf(name));
  const contents = rows.flatMap(({ rejected: { source, row } }) => (source === 0 ? [row.content] : []));
  const cells = sampleCells(input.columns, contents).map((row) => indexes.map((index) => row[index]));
  try {
    const sample = { columns, rows: cells };
    const discovered = discoverMapping(sample, contract, { ...document, fields });
    const used = mappingOf(discovered.document, field);
    const asked = discovered.questions.find((question) => question.field === field.name)?.options ?? [];
    // Any column with domains, such as one of addresses, says more than none.
    const ways = columnsForField(sample, contract, field).flatMap((choice) => choice.ways);
    const domains = ways.filter((way) => 'as' in way && way.as === 'domain');
    const sure = [...(used === undefined ? [] : [used]), ...domains];
    const found = [...sure, ...asked.map((option) => option.mapping)];
    const unique = found.filter((way, at) => found.findIndex((each) => isDeepStrictEqual(each, way)) === at);
    return unique.map((way) => ({ mapping: way, isSure: sure.includes(way) }));
  } catch (error) {
    if (error instanceof ProblemError) return [];
    throw error;
  }
}

function failedValues({ rejects }: Repair, { field, mapping, rows }: FailedField): readonly unknown[] {
  const read = sourceReader(rejects, mapping);
  const values = rows.map(
    ({ rejected, issues }) => read(rejected) ?? issues.find((issue) => issue.field === field.name)?.found,
  );
  return [...new Set(values)];
}

function tryFix(repair: Repair, cause: Cause, field: Field, fix: FieldFix): Rule | undefined {
  const { mapping, why, isAmbiguous = false } = fix;
  const document = withField(repair.document, field, mapping);
  return tryRule(repair, {
    cause,
    fields: [field.name],
    document,
    line: renderedLine(field, mapping),
    why,
    isAmbiguous,
  });
}
