/** Compiles a mapping for one input. All its problems are reported before the first row. */
import type { Contract, Field } from '../contract/index.ts';
import { nearest } from '../lib/nearest.ts';
import { formatList } from '../lib/text.ts';
import { noteKey, type Problem, ProblemError } from '../model/problem.ts';
import type { Variant } from '../model/record.ts';
import { isRejectsColumn } from '../model/rejects-file.ts';
import { type Content, type Issue, isCells, type Mapped, type Row } from '../model/row.ts';
import {
  Absent,
  columnReader,
  Filled,
  FreeMail,
  type Read,
  type RowForm,
  TransformError,
  trim,
} from './column-values.ts';
import type { FieldMapping, MappingDocument } from './document-schema.ts';
import { columnsOf, compileTransform, isPlain, omitsInvalid, transformProblem } from './field-transforms.ts';
import { canonicalName, columnFinder, contractsFor, describeColumns, fieldNameHint } from './match-names.ts';

export interface MappingTarget {
  readonly contract: Contract;
  readonly variant: Variant | undefined;
  readonly columns: readonly string[];
  readonly rowForm: RowForm;
  readonly inputName: string;
}

export type MappableRow = Pick<Row, 'content' | 'cellIssues'>;

export interface CompiledMapping {
  /** Never throws because of a row's content. */
  apply(row: MappableRow): Mapped;
  /** The column, path, template or list of columns that a field comes from. Undefined for constants. */
  columnOf(field: string): string | undefined;
  /** Each mapped field separately, for the fast reader. */
  readonly cells: MappedCells;
}

export interface MappedCells {
  readonly empty: readonly string[];
  /** The columns by index: those of CSV, or for NDJSON the mapped paths. */
  readonly columns: readonly string[];
  readonly steps: readonly CellStep[];
}

/** Makes one field of a row, without the candidate object that `Mapping.apply` builds. */
export interface CellStep {
  readonly field: Field;
  /** Its names on the wire; none if the variant does not send the field. */
  readonly names: readonly string[];
  readonly required: boolean;
  readonly columns: readonly string[];
  readonly plain: boolean;
  /**
   * The value, perhaps {@link Filled}; undefined or an {@link Absent} if it has none; a {@link TransformError} if the row has an
   * issue.
   */
  make(content: Content): unknown;
  readonly column: string | undefined;
  /** Instead of an invalid value. Absent if that makes the row invalid. */
  readonly omitted: Absent | undefined;
}

/**
 * @throws ProblemError with every problem: `mapping.field` (unknown), `mapping.value` (invalid constant, date format or
 * template), `mapping.column` (unknown), `mapping.collision` (two columns match a name), `mapping.required` (nothing is
 * mapped to a required field)
 */
export function compileMapping(document: MappingDocument, target: MappingTarget): CompiledMapping {
  const { columns, rowForm } = target;
  const checked = checkMapping(document, target);
  const empty = new Set((document.empty ?? []).map(trim));
  const steps = compileSteps(checked, target, columnReader({ columns, rowForm, empty: document.empty }));
  const columnByField = new Map(steps.map(({ field, column }) => [field.name, column]));
  const cellColumns = rowForm === 'csv' ? columns : [...new Set(steps.flatMap((step) => step.columns))];
  return {
    apply: rowMapper(steps, empty),
    columnOf: (field) => columnByField.get(field),
    cells: { empty: [...empty], columns: cellColumns, steps },
  };
}

function compileSteps(
  { fields, columnName }: CheckedMapping,
  { contract, variant, rowForm }: MappingTarget,
  readColumn: (column: string) => Read,
): readonly CellStep[] {
  const ofVariant = new Map(contract.fieldsOf(variant).map((each) => [each.field, each]));
  return contract.fields.flatMap((field): readonly CellStep[] => {
    const mapping = fields.get(field);
    if (mapping === undefined) return [];
    const absent = (code: 'omitted' | 'left_out' | 'free_mail') => new Absent(noteKey({ code, field: field.name }));
    const [leftOut, freeMail] = [absent('left_out'), absent('free_mail')];
    const omitted = omitsInvalid(mapping) ? absent('omitted') : undefined;
    const transform = compileTransform(mapping, field, rowForm, (wanted) => readColumn(columnName(wanted)));
    const evaluate = omitted === undefined ? transform : omitInvalid(transform, field, omitted);
    const { names = [], required = false } = ofVariant.get(field) ?? {};
    return [
      {
        field,
        names,
        required,
        columns: columnsOf(mapping).map(columnName),
        plain: isPlain(mapping),
        column: sourceOf(mapping, columnName),
        omitted,
        make(content) {
          const value = evaluate(content);
          if (value === undefined) return undefined;
          // An error in a field that is not sent loses nothing.
          if (names.length === 0) return leftOut;
          return value instanceof FreeMail && !required ? freeMail : value;
        },
      },
    ];
  });
}

function omitInvalid(evaluate: Read, { kind }: Field, omitted: Absent): Read {
  return (content) => {
    const value = evaluate(content);
    if (value === undefined || value instanceof FreeMail || value instanceof Filled) return value;
    return kind.read(value) === undefined ? omitted : value;
  };
}

function rowMapper(steps: readonly CellStep[], empty: ReadonlySet<string>): (row: MappableRow) => Mapped {
  return (row) => {
    const candidate: Record<string, unknown> = {};
    const issues: Issue[] = [];
    const notes: string[] = [];
    const filled: string[] = [];
    for (const step of steps) {
      const { name } = step.field;
      const error = row.cellIssues && step.names.length > 0 ? cellError(row, step.columns, empty) : undefined;
      const value = error === undefined ? step.make(row.content) : (step.omitted ?? error);
      if (value === undefined) continue;
      if (value instanceof Absent) notes.push(...value.notes);
      else if (value instanceof TransformError) {
        const { code, found, expected, hint } = value;
        issues.push({ code, field: name, column: step.column, found, expected, hint });
      } else if (value instanceof Filled) {
        candidate[name] = value.value;
        filled.push(name);
      }
      // Field names come from the contract, so none of them is `__proto__`.
      else candidate[name] = value;
    }
    return { candidate, filled, issues, notes };
  };
}

/** The first cell with an error, such as `#N/A`, that neither counts as empty nor was replaced by a row function. */
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

function sourceOf(mapping: FieldMapping, columnName: (wanted: string) => string): string | undefined {
  if ('column' in mapping) return columnName(mapping.column);
  if ('first' in mapping) return mapping.first.map(columnName).join(', ');
  return 'value' in mapping ? undefined : mapping.template;
}

interface CheckedMapping {
  readonly fields: ReadonlyMap<Field, FieldMapping>;
  columnName(wanted: string): string;
}

interface Report {
  readonly columns: readonly string[];
  readonly add: (code: string, message: string, hint?: string) => void;
  /** A sentence that lists the columns, after a space. Empty after the first problem that has it. */
  readonly listColumns: () => string;
}

function checkMapping(
  document: MappingDocument,
  { contract, variant, columns, rowForm, inputName }: MappingTarget,
): CheckedMapping {
  const problems: Problem[] = [];
  let isListed = false;
  const report: Report = {
    columns,
    add: (code, message, hint) => {
      problems.push({ code, message, where: inputName, hint });
    },
    listColumns: () => {
      const list = isListed ? '' : ` ${describeColumns(columns)}`;
      isListed = true;
      return list;
    },
  };
  const fields = knownFields(document, contract, report);
  const findColumn = columnLookup(rowForm, report);
  const names = new Map<string, string | undefined>();
  for (const [field, mapping] of fields) {
    const error = mappingError(mapping, field);
    if (error !== undefined) {
      report.add('mapping.value', `"${field.name}": ${error}.`);
      continue;
    }
    for (const wanted of columnsOf(mapping)) names.set(wanted, findColumn(wanted, field.name));
  }
  const records = variant === undefined ? contract.type : `${contract.type} (variant ${variant})`;
  for (const { field, required } of contract.fieldsOf(variant)) {
    const mapping = fields.get(field);
    if (!required) continue;
    if (mapping === undefined) addUnmapped(field.name, records, report);
    else if (omitsInvalid(mapping)) {
      report.add('mapping.value', `"${field.name}": ${records} requires it, so \`invalid: omit\` is not allowed.`);
    }
  }
  if (problems.length > 0) throw new ProblemError(problems);
  return { fields, columnName: (wanted) => names.get(wanted) ?? wanted };
}

function knownFields(document: MappingDocument, contract: Contract, { add }: Report): ReadonlyMap<Field, FieldMapping> {
  const result = new Map<Field, FieldMapping>();
  for (const [name, mapping] of Object.entries(document.fields)) {
    const field = contract.field(name);
    if (field === undefined) {
      const isOfOtherType = canonicalName(name, contractsFor(undefined)) !== undefined;
      add(
        'mapping.field',
        isOfOtherType ? `${contract.type} has no field "${name}".` : `There is no field "${name}".`,
        fieldNameHint(name, [contract]),
      );
    } else if (result.has(field)) {
      add('mapping.field', `The mapping sets the field "${field.name}" twice, under two of its names.`);
    } else result.set(field, mapping);
  }
  return result;
}

function mappingError(mapping: FieldMapping, field: Field): string | undefined {
  const problem = transformProblem(mapping);
  if (problem !== undefined) return problem.message;
  const invalid = constantsOf(mapping).find((constant) => field.kind.read(constant) === undefined);
  if (invalid === undefined) return undefined;
  const near = nearest(String(invalid), field.kind.values ?? []);
  const suggestion = near === undefined ? '' : ` (did you mean "${near}"?)`;
  return `"${invalid}" is not allowed; expected ${field.kind.expected}${suggestion}`;
}

function constantsOf(mapping: FieldMapping): readonly (string | number)[] {
  if ('value' in mapping) return [mapping.value];
  const otherwise = 'otherwise' in mapping && mapping.otherwise !== undefined ? [mapping.otherwise] : [];
  return 'values' in mapping ? [...Object.values(mapping.values), ...otherwise] : otherwise;
}

function columnLookup(
  rowForm: RowForm,
  { columns, add, listColumns }: Report,
): (wanted: string, field: string) => string | undefined {
  const find = columnFinder(columns);
  return (wanted, field) => {
    const names = find(wanted);
    if (names.length > 1) {
      add(
        'mapping.collision',
        `"${field}" uses the column "${wanted}", but ${formatList(names)} both match that name.`,
        'Write the column name exactly as it is in the input.',
      );
    } else if (names.length === 0 && rowForm !== 'ndjson') {
      // A path may be absent from the first rows and present in a later one.
      add(
        'mapping.column',
        `"${field}" uses the column "${wanted}", which the input does not have.${listColumns()}`,
        didYouMean(wanted, columns),
      );
    }
    return names[0];
  };
}

function addUnmapped(name: string, records: string, { columns, add, listColumns }: Report): void {
  const suggestion = didYouMean(name, columns);
  add(
    'mapping.required',
    `${records} requires "${name}", but no column is mapped to it.${listColumns()}`,
    `Map a column with \`--column ${name}=COLUMN\`, or set the same value for every row with \`--set ${name}=VALUE\`.${suggestion === undefined ? '' : ` ${suggestion}`}`,
  );
}

function didYouMean(name: string, columns: readonly string[]): string | undefined {
  const candidates = columns.filter((column) => !isRejectsColumn(column));
  const near = nearest(name, candidates);
  return near && `Did you mean "${near}"?`;
}
