/**
 * Compiles a mapping for one input: every problem of the mapping is reported before the first row. The result turns a
 * row into a candidate; what is wrong with a row becomes an issue of that row.
 */
import type { Field } from '../contract/index.ts';
import { noteKey } from '../model/problem.ts';
import { type Content, type Issue, isCells, type Mapped, type Row } from '../model/row.ts';
import { type CheckedMapping, checkMapping, type MappingTarget } from './check-mapping.ts';
import { Absent, columnReader, Filled, FreeMail, type Read, TransformError, trim } from './column-values.ts';
import type { FieldMapping, MappingDocument } from './document-schema.ts';
import { columnsOf, compileTransform, type Evaluate, isPlain, omitsInvalid } from './field-transforms.ts';

/** What of a row a mapping reads. */
export type MappableRow = Pick<Row, 'content' | 'cellIssues'>;

export interface CompiledMapping {
  /** Never throws because of a row's content. */
  apply(row: MappableRow): Mapped;
  /** The column, path, template or list of columns that a field comes from. Undefined for constants. */
  columnOf(field: string): string | undefined;
  /** Each mapped field separately, for the fast reader; absent if a row function has made the rows. */
  readonly cells?: MappedCells | undefined;
}

export interface MappedCells {
  readonly empty: readonly string[];
  /** The columns by index: those of CSV, or for NDJSON the mapped paths. */
  readonly columns: readonly string[];
  /** In the API's order. */
  readonly steps: readonly CellStep[];
}

/** Makes one field of a row, without the candidate object that `Mapping.apply` builds. */
export interface CellStep {
  readonly field: string;
  /** Whether the variant has the field. */
  readonly sent: boolean;
  /** Indexes of the cells that it reads; none for a constant. */
  readonly columns: readonly number[];
  /** Whether its value is one cell, trimmed, or the number in that cell. */
  readonly plain: boolean;
  /**
   * The value, perhaps {@link Filled}; undefined or an {@link Absent} if it has none; a {@link TransformError} if the row has an
   * issue.
   */
  make(content: Content): unknown;
}

const NO_ISSUES: readonly Issue[] = [];
const NO_NOTES: readonly string[] = [];

interface Step {
  readonly field: string;
  readonly mapping: FieldMapping;
  /** See {@link CompiledMapping.columnOf}. */
  readonly column: string | undefined;
  /** All columns that it reads. */
  readonly columns: readonly string[];
  /** Whether the variant has the field. */
  readonly sent: boolean;
  /** Whether the variant requires it. */
  readonly required: boolean;
  readonly leftOut: Absent;
  /** Instead of an invalid value. Absent if that makes the row invalid. */
  readonly omitted: Absent | undefined;
  readonly freeMail: Absent;
  readonly evaluate: Evaluate;
}

/** @throws ProblemError as {@link checkMapping} does */
export function compileMapping(document: MappingDocument, target: MappingTarget): CompiledMapping {
  const { contract, columns, rowForm } = target;
  const checked = checkMapping(document, target);
  const empty = new Set((document.empty ?? []).map(trim));
  const steps = compileSteps(checked, target, columnReader({ columns, rowForm, empty: document.empty }));
  const columnByField = new Map(steps.map(({ field, column }) => [field, column]));
  const paths = steps.flatMap((step) => step.columns);
  const cellColumns = rowForm === 'csv' ? columns : [...new Set(paths)];
  return {
    apply: rowMapper(steps, empty),
    columnOf: (field) => columnByField.get(contract.field(field)?.name ?? field),
    cells:
      rowForm === 'named cells'
        ? undefined
        : { empty: [...empty], columns: cellColumns, steps: steps.map((step) => cellStep(step, cellColumns)) },
  };
}

/** One step for each mapped field, in the API's order. */
function compileSteps(
  { fields, columnName }: CheckedMapping,
  { contract, variant, rowForm }: MappingTarget,
  readColumn: (column: string) => Read,
): readonly Step[] {
  const ofVariant = new Map<Field, boolean>(
    contract.fieldsOf(variant).map(({ field, required }) => [field, required === true]),
  );
  return contract.fields.flatMap((field) => {
    const mapping = fields.get(field);
    if (mapping === undefined) return [];
    const { name } = field;
    const absent = (code: 'omitted' | 'left_out' | 'free_mail'): Absent => new Absent(noteKey({ code, field: name }));
    const omitted = omitsInvalid(mapping) ? absent('omitted') : undefined;
    const evaluate = compileTransform(mapping, field, rowForm, (wanted) => readColumn(columnName(wanted)));
    return {
      field: name,
      mapping,
      column: sourceOf(mapping, columnName),
      columns: columnsOf(mapping).map(columnName),
      sent: ofVariant.has(field),
      required: ofVariant.get(field) === true,
      leftOut: absent('left_out'),
      freeMail: absent('free_mail'),
      omitted,
      evaluate: omitted === undefined ? evaluate : omitInvalid(evaluate, field, omitted),
    };
  });
}

/** `invalid: omit`: without a value that the transform or the contract refuses. */
function omitInvalid(evaluate: Evaluate, { kind }: Field, omitted: Absent): Evaluate {
  return (content) => {
    const value = evaluate(content);
    if (value === undefined || value instanceof FreeMail || value instanceof Filled) return value;
    if (value instanceof TransformError) return omitted;
    return kind.read(value) === undefined ? omitted : value;
  };
}

function cellStep(step: Step, columns: readonly string[]): CellStep {
  return {
    field: step.field,
    sent: step.sent,
    columns: step.columns.map((column) => columns.indexOf(column)),
    plain: isPlain(step.mapping),
    make: (content) => fieldValue(step, content),
  };
}

function rowMapper(steps: readonly Step[], empty: ReadonlySet<string>): (row: MappableRow) => Mapped {
  return (row) => {
    const candidate: Record<string, unknown> = {};
    let issues: Issue[] | undefined;
    let notes: string[] | undefined;
    let filled: string[] | undefined;
    for (const step of steps) {
      const error = row.cellIssues && step.sent ? cellError(row, step.columns, empty) : undefined;
      const value = error === undefined ? fieldValue(step, row.content) : (step.omitted ?? error);
      if (value === undefined) continue;
      if (value instanceof Absent) notes = [...(notes ?? []), ...value.notes];
      else if (value instanceof TransformError) issues = [...(issues ?? []), transformIssue(value, step)];
      else if (value instanceof Filled) {
        candidate[step.field] = value.value;
        filled = [...(filled ?? []), step.field];
      }
      // Field names come from the contract, so none of them is `__proto__`.
      else candidate[step.field] = value;
    }
    return { candidate, filled, issues: issues ?? NO_ISSUES, notes: notes ?? NO_NOTES };
  };
}

/**
 * The first of some columns whose cell has an error of a sheet, such as `#N/A`. Not one that counts as empty, or that a row
 * function has replaced.
 */
function cellError(
  { content, cellIssues = [] }: MappableRow,
  columns: readonly string[],
  empty: ReadonlySet<string>,
): TransformError | undefined {
  const issue = cellIssues.find(({ column, text }) => {
    const isReplaced = !isCells(content) && content[column] !== text;
    return columns.includes(column) && !isReplaced && !empty.has(trim(text));
  });
  return issue && new TransformError('cell', issue.found, issue.expected, issue.hint);
}

/** A value, undefined or an Absent; or the TransformError that is an issue of the row. */
function fieldValue(step: Step, content: Content): unknown {
  const result = step.evaluate(content);
  if (result === undefined) return undefined;
  // An error in a field that is not sent loses nothing.
  if (!step.sent) return step.leftOut;
  return result instanceof FreeMail && !step.required ? step.freeMail : result;
}

function transformIssue({ code, found, expected, hint }: TransformError, { field, column }: Step): Issue {
  return { code, field, column, found, expected, hint };
}

function sourceOf(mapping: FieldMapping, columnName: (wanted: string) => string): string | undefined {
  if ('column' in mapping) return columnName(mapping.column);
  if ('first' in mapping) return mapping.first.map(columnName).join(', ');
  return 'template' in mapping ? mapping.template : undefined;
}
