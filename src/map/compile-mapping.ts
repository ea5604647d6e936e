/**
 * Compiles a mapping for one input: every problem of the mapping is reported before the first row. The result turns a
 * row into a candidate; what is wrong with a row becomes an issue of that row.
 */
import type { Contract, Field } from '../contract/index.ts';
import { isCells } from '../lib/is-cells.ts';
import { noteKey } from '../model/note.ts';
import type { Variant } from '../model/record.ts';
import type { Content, Issue, Mapped, Row } from '../model/row.ts';
import { type CheckedMapping, checkMapping, type RowForm } from './check-mapping.ts';
import { cellReader, numericCell, pathReader, type Read, trim } from './column-values.ts';
import type { FieldMapping, MappingDocument } from './document-schema.ts';
import { columnsOf, compileTransform, type Evaluate, isPlain, omitsInvalid } from './field-transforms.ts';
import { Absent, FreeMail, TransformError } from './transform-error.ts';

export interface Mapping {
  /** Never throws because of a row's content. */
  apply(row: Pick<Row, 'content' | 'cellIssues'>): Mapped;
  /** The same without a variant: the candidate has every mapped field, so that all variants can be validated. */
  applyAll(row: Pick<Row, 'content' | 'cellIssues'>): Mapped;
  /** The column, path, template or list of columns that a field comes from. Undefined for constants. */
  columnOf(field: string): string | undefined;
  /** Canonical names of all mapped fields, including those that the variant does not have. */
  readonly fields: readonly string[];
  /** Each mapped field separately, for the fast reader; absent if a row function has made the rows. */
  readonly cells?: MappedCells | undefined;
}

export interface MappedCells {
  readonly empty: readonly string[];
  /** The columns by index: those of CSV, or for NDJSON the mapped paths. */
  readonly columns: readonly string[];
  /** In the interface's order. */
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
  /** The value; undefined or an {@link Absent} if it has none; a {@link TransformError} if the row has an issue. */
  make(content: Content): unknown;
  /** The same without a variant, as in {@link Mapping}. */
  makeAll(content: Content): unknown;
}

const NO_ISSUES: readonly Issue[] = [];
const NO_NOTES: readonly string[] = [];

interface Step {
  readonly field: string;
  readonly mapping: FieldMapping;
  /** See {@link Mapping.columnOf}. */
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

/**
 * @param variant undefined for a record type without variants
 * @param columns the input's, in its order; for NDJSON the paths in its first rows
 * @param inputName for the problems
 * @throws ProblemError as {@link checkMapping} does
 */
export function compileMapping(
  document: MappingDocument,
  contract: Contract,
  variant: Variant | undefined,
  columns: readonly string[],
  rowForm: RowForm,
  inputName: string,
): Mapping {
  const checked = checkMapping(document, contract, variant, columns, rowForm, inputName);
  const empty = new Set((document.empty ?? []).map(trim));
  const readColumn = (column: string): Read =>
    rowForm === 'csv' ? cellReader(columns.indexOf(column), empty) : pathReader(column, empty);
  const steps = compileSteps(checked, contract, variant, rowForm !== 'ndjson', readColumn);
  const columnByField = new Map(steps.map(({ field, column }) => [field, column]));
  const paths = steps.flatMap((step) => step.columns);
  const cellColumns = rowForm === 'csv' ? columns : [...new Set(paths)];
  return {
    apply: rowMapper(steps, empty),
    applyAll: rowMapper(steps.map(withoutVariant), empty),
    columnOf: (field) => columnByField.get(contract.field(field)?.name ?? field),
    fields: steps.map(({ field }) => field),
    cells:
      rowForm === 'named cells'
        ? undefined
        : {
            empty: [...empty],
            columns: cellColumns,
            steps: steps.map((step) => cellStep(step, cellColumns)),
          },
  };
}

/** One step for each mapped field, in the interface's order. */
function compileSteps(
  { fields, columnName }: CheckedMapping,
  contract: Contract,
  variant: Variant | undefined,
  hasCells: boolean,
  readColumn: (column: string) => Read,
): readonly Step[] {
  const ofVariant = new Map<Field, boolean>(
    contract.fieldsOf(variant).map(({ field, required }) => [field, required === true]),
  );
  return contract.fields.flatMap((field) => {
    const mapping = fields.get(field);
    if (mapping === undefined) return [];
    const { name } = field;
    const convertPlain = hasCells && field.kind.numericCells === true ? convertCell : (value: unknown) => value;
    const absent = (code: 'omitted' | 'left_out' | 'free_mail'): Absent => new Absent(noteKey({ code, field: name }));
    const omitted = omitsInvalid(mapping) ? absent('omitted') : undefined;
    const known = field.kind.name === 'enum' ? field.kind.usual : undefined;
    const evaluate = compileTransform(mapping, (wanted) => readColumn(columnName(wanted)), convertPlain, known);
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
    if (value === undefined || value instanceof FreeMail) return value;
    if (value instanceof TransformError) return omitted;
    return kind.usual(value) === undefined && !kind.value.safeParse(value).success ? omitted : value;
  };
}

function cellStep(step: Step, columns: readonly string[]): CellStep {
  const unbound = withoutVariant(step);
  return {
    field: step.field,
    sent: step.sent,
    columns: step.columns.map((column) => columns.indexOf(column)),
    plain: isPlain(step.mapping),
    make: (content) => fieldValue(step, content),
    makeAll: (content) => fieldValue(unbound, content),
  };
}

/** No field is required, because variants differ in what they require. */
function withoutVariant(step: Step): Step {
  return { ...step, sent: true, required: false };
}

function rowMapper(
  steps: readonly Step[],
  empty: ReadonlySet<string>,
): (row: Pick<Row, 'content' | 'cellIssues'>) => Mapped {
  return (row) => {
    const candidate: Record<string, unknown> = {};
    let issues: Issue[] | undefined;
    let notes: string[] | undefined;
    for (const step of steps) {
      const error = step.sent && row.cellIssues ? cellError(row, step.columns, empty) : undefined;
      const value = error === undefined ? fieldValue(step, row.content) : (step.omitted ?? error);
      if (value === undefined) continue;
      if (value instanceof Absent) notes = [...(notes ?? []), ...value.notes];
      else if (value instanceof TransformError) issues = [...(issues ?? []), transformIssue(value, step)];
      // Field names come from the contract, so none of them is `__proto__`.
      else candidate[step.field] = value;
    }
    return { candidate, issues: issues ?? NO_ISSUES, notes: notes ?? NO_NOTES };
  };
}

/**
 * The first of some columns whose cell has an error of a sheet, such as `#N/A`. Not one that counts as empty, or that a row
 * function has replaced.
 */
function cellError(
  { content, cellIssues = [] }: Pick<Row, 'content' | 'cellIssues'>,
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

function convertCell(value: unknown): unknown {
  return typeof value === 'string' ? numericCell(value) : value;
}

function sourceOf(mapping: FieldMapping, columnName: (wanted: string) => string): string | undefined {
  if ('column' in mapping) return columnName(mapping.column);
  if ('first' in mapping) return mapping.first.map(columnName).join(', ');
  return 'template' in mapping ? mapping.template : undefined;
}
