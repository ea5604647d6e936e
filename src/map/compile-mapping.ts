/**
 * From mapping and columns to one plan, and from a row to its candidate by that plan. Everything that can be wrong
 * with a mapping is told here, before the first row; what can be wrong with a row is an issue of that row.
 */

import type { Contract, Field } from '../contract/index.ts';
import { excerpt } from '../lib/excerpt.ts';
import { nearest } from '../lib/nearest.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { Candidate, RecordType, Variant } from '../model/record.ts';
import type { Content, Issue, Row } from '../model/row.ts';
import {
  canonicalName,
  columnFinder,
  contractsFor,
  describeColumns,
  fieldNames,
  formatList,
  isRejectsColumn,
} from './column-match.ts';
import {
  type Cells,
  cellReader,
  isCells,
  isJsonObject,
  type JsonObject,
  numericCell,
  pathReader,
  type Read,
  trim,
} from './column-values.ts';
import type { FieldMapping, MappingDocument } from './document-types.ts';
import { columnsOf, compileTransform, type Evaluate, isPlain } from './field-transforms.ts';
import { dateSpecError } from './parse-date.ts';
import { parseTemplate } from './template.ts';
import { Absent, FreeMail, OMITTED, TransformError } from './transform-error.ts';

export interface Mapping {
  /** Never throws for what a row may hold. */
  apply(row: Row): Mapped;
  /** The same without a variant: every mapped field is in the candidate, for whoever judges other variants. */
  applyAll(row: Row): Mapped;
  /** The column, path, template or list of columns that a field is made from. Constants have none. */
  columnOf(field: string): string | undefined;
  /** Canonical names of all mapped fields, those included that the variant leaves out. */
  readonly fields: readonly string[];
  /** Each mapped field by itself; absent where a row function has made the rows. */
  readonly cells?: MappedCells;
}

export interface MappedCells {
  readonly empty: readonly string[];
  /** The columns by index: those of CSV, or for NDJSON the paths that something is made from. */
  readonly columns: readonly string[];
  /** In the interface's order. */
  readonly steps: readonly CellStep[];
}

/** One field of the rows: what `Mapping.apply` makes is what its steps make. */
export interface CellStep {
  readonly field: string;
  /** Whether the variant has a name for it. */
  readonly sent: boolean;
  /** The cells that it is made from, by index; none for a constant. */
  readonly columns: readonly number[];
  /** Whether its value is its one cell, trimmed, or the number that stands there. */
  readonly plain: boolean;
  /**
   * Its value; undefined or an {@link Absent} where it has none, and {@link INVALID} where that is an issue of the row.
   * It looks at these cells alone, and no object is made.
   */
  make(content: Content): unknown;
  /** The same without a variant, as in {@link Mapping}. */
  makeAll(content: Content): unknown;
}

export const INVALID = Symbol('faulty');

export interface Mapped {
  readonly candidate: Candidate;
  /** Faults of transforms. Their fields are absent from the candidate. */
  readonly issues: readonly Issue[];
  /** `code:detail`, the code being a NoteCode. */
  readonly notes: readonly string[];
}

const NO_ISSUES: readonly Issue[] = [];
const NO_NOTES: readonly string[] = [];

/** `named cells`: rows of CSV that a row function has made objects of. */
type RowForm = 'csv' | 'ndjson' | 'named cells';

/**
 * @param variant undefined for a record type without variants.
 * @param columns the input's, in its order; for NDJSON the paths seen in its first rows.
 * @param inputName for `where`.
 * @throws ProblemError with every fault: `mapping.field` (unknown), `mapping.value` (a constant, date format or
 * template that cannot be), `mapping.column` (unknown), `mapping.collision` (a name that two columns answer to),
 * `mapping.required` (nothing is mapped to a required field).
 */
export function compileMapping(
  document: MappingDocument,
  contract: Contract,
  variant: Variant | undefined,
  columns: readonly string[],
  format: RowForm,
  inputName: string,
): Mapping {
  const problems: Problem[] = [];
  const add = (code: string, message: string, hint?: string): void => {
    problems.push({ code, message, where: inputName, ...(hint === undefined ? {} : { hint }) });
  };

  const mappings = knownFields(document, contract, add);
  const resolve = resolver(columns, format, add);
  const resolved = new Map<string, string>();
  for (const [field, mapping] of mappings) {
    const fault = mappingFault(mapping, field);
    if (fault !== undefined) {
      add('mapping.value', `"${field.name}": ${fault}.`);
      continue;
    }
    for (const wanted of columnsOf(mapping)) {
      const column = resolve(wanted, field.name);
      if (column !== undefined) resolved.set(wanted, column);
    }
  }
  const sent = new Set<string>();
  const needed = new Set<string>();
  for (const { field, required } of contract.fieldsOf(variant)) {
    sent.add(field.name);
    if (required) needed.add(field.name);
    if (required && !mappings.has(field)) {
      add(...notMapped(field, contract.type, variant, columns));
    }
  }
  if (problems.length > 0) throw new ProblemError(problems);

  const names = (wanted: string): string => resolved.get(wanted) ?? wanted;
  const empty = new Set((document.empty ?? []).map(trim));
  const steps = contract.fields.flatMap((field) => {
    const mapping = mappings.get(field);
    const { name } = field;
    return mapping === undefined
      ? []
      : [{ field, mapping, sent: sent.has(name), required: needed.has(name) }];
  });
  const sources = new Map(steps.map(({ field, mapping }) => [field.name, sourceOf(mapping, names)]));
  const plan = <C extends Content>(read: (column: string) => Read<C>, cells: boolean): Step<C>[] =>
    steps.map(({ field, mapping, sent, required }) => ({
      field: field.name,
      column: sources.get(field.name),
      sent,
      required,
      leftOut: new Absent(`left_out:${field.name}`),
      omitted: new Absent(`date_omitted:${field.name}`),
      freeMail: new Absent(`free_mail:${field.name}`),
      evaluate: compileTransform(
        mapping,
        (wanted) => read(names(wanted)),
        cells && field.kind.numericCells === true ? numericCell : asIs,
      ),
    }));
  const paths = [...new Set(steps.flatMap(({ mapping }) => columnsOf(mapping).map(names)))];
  const cellsOf = <C extends Content>(
    planned: readonly Step<C>[],
    fits: (content: Content) => content is C,
    known: readonly string[],
  ): MappedCells => ({
    empty: [...empty],
    columns: known,
    steps: planned.map((step, index) => {
      const mapping = steps[index]?.mapping;
      const unbound = withoutVariant(step);
      return {
        field: step.field,
        sent: step.sent,
        columns: mapping === undefined ? [] : columnsOf(mapping).map((c) => known.indexOf(names(c))),
        plain: mapping !== undefined && isPlain(mapping),
        make: (content) => made(step, fitting(content, fits)),
        makeAll: (content) => made(unbound, fitting(content, fits)),
      };
    }),
  });
  const bySteps = <C extends Content>(
    planned: readonly Step<C>[],
    fits: (content: Content) => content is C,
    known: readonly string[],
  ): Pick<Mapping, 'apply' | 'applyAll' | 'cells'> => ({
    ...bothAppliers(planned, fits),
    ...(format === 'named cells' ? {} : { cells: cellsOf(planned, fits, known) }),
  });
  return {
    ...(format === 'csv'
      ? bySteps<Cells>(
          plan((column) => cellReader(columns.indexOf(column), empty), true),
          isCells,
          columns,
        )
      : bySteps<JsonObject>(
          plan((column) => pathReader(column, empty), format === 'named cells'),
          isJsonObject,
          paths,
        )),
    columnOf: (field) => sources.get(contract.field(field)?.name ?? field),
    fields: steps.map(({ field }) => field.name),
  };
}

interface Step<C extends Content> {
  readonly field: string;
  readonly column: string | undefined;
  /** Whether the variant has a name for the field. */
  readonly sent: boolean;
  /** Whether the variant requires it. */
  readonly required: boolean;
  readonly leftOut: Absent;
  readonly omitted: Absent;
  readonly freeMail: Absent;
  readonly evaluate: Evaluate<C>;
}

function bothAppliers<C extends Content>(
  steps: readonly Step<C>[],
  fits: (content: Content) => content is C,
): Pick<Mapping, 'apply' | 'applyAll'> {
  return {
    apply: applier(steps, fits),
    applyAll: applier(steps.map(withoutVariant), fits),
  };
}

/** What is required differs from variant to variant, and so is not judged here. */
function withoutVariant<C extends Content>(step: Step<C>): Step<C> {
  return { ...step, sent: true, required: false };
}

function applier<C extends Content>(
  steps: readonly Step<C>[],
  fits: (content: Content) => content is C,
): (row: Pick<Row, 'content'>) => Mapped {
  return ({ content }) => {
    const fit = fitting(content, fits);
    const candidate: Record<string, unknown> = {};
    let issues: Issue[] | undefined;
    let notes: string[] | undefined;
    for (const step of steps) {
      const made = settled(step, step.evaluate(fit));
      if (made === undefined) continue;
      if (made instanceof Absent) notes = [...(notes ?? []), ...made.notes];
      else if (made instanceof TransformError) issues = [...(issues ?? []), issueOf(made, step)];
      else if (made instanceof FreeMail) issues = [...(issues ?? []), freeMailIssue(made, step)];
      // The contract's own names: none of them means anything to an object.
      else candidate[step.field] = made;
    }
    return { candidate, issues: issues ?? NO_ISSUES, notes: notes ?? NO_NOTES };
  };
}

function fitting<C extends Content>(content: Content, fits: (content: Content) => content is C): C {
  if (!fits(content)) throw new TypeError('A row does not have the format that the mapping was compiled for');
  return content;
}

/** What a step by itself comes to (CellStep, "make"). */
function made<C extends Content>(step: Step<C>, content: C): unknown {
  const answer = settled(step, step.evaluate(content));
  return answer instanceof TransformError || answer instanceof FreeMail ? INVALID : answer;
}

/** What a transform's answer means for the field: a value, undefined, an Absent; or the answer that is an issue. */
function settled<C extends Content>(step: Step<C>, answer: unknown): unknown {
  if (answer === undefined) return undefined;
  // Nothing is lost by a fault in a value that is not sent.
  if (!step.sent) return step.leftOut;
  if (answer === OMITTED) return step.omitted;
  return answer instanceof FreeMail && !step.required ? step.freeMail : answer;
}

/** "Missing" would send people to a cell that is not empty. */
function freeMailIssue(
  { address, host }: FreeMail,
  { field, column }: { field: string; column: string | undefined },
): Issue {
  return {
    code: 'domain',
    field,
    ...(column === undefined ? {} : { column }),
    found: excerpt(address),
    expected: 'a company domain, not a free e-mail provider',
    hint: `${host} is a free e-mail provider: give the company's website, or use a variant that does not require ${field}.`,
  };
}

function issueOf(fault: TransformError, step: { field: string; column: string | undefined }): Issue {
  return {
    code: fault.code,
    field: step.field,
    ...(step.column === undefined ? {} : { column: step.column }),
    found: fault.found,
    expected: fault.expected,
    ...(fault.hint === undefined ? {} : { hint: fault.hint }),
  };
}

type Add = (code: string, message: string, hint?: string) => void;

/** The document's fields as the contract knows them. */
function knownFields(
  document: MappingDocument,
  contract: Contract,
  add: Add,
): ReadonlyMap<Field, FieldMapping> {
  const result = new Map<Field, FieldMapping>();
  for (const [name, mapping] of Object.entries(document.fields)) {
    const field = contract.field(name);
    if (field === undefined) {
      const elsewhere = canonicalName(name, contractsFor(undefined)) !== undefined;
      const names = fieldNames([contract]);
      const near = nearest(name, names);
      add(
        'mapping.field',
        elsewhere ? `${contract.type} has no field "${name}".` : `There is no field "${name}".`,
        near === undefined ? `The fields are ${formatList(names, '')}.` : `Did you mean "${near}"?`,
      );
    } else if (result.has(field)) {
      add('mapping.field', `The mapping sets the field "${field.name}" twice, under two of its names.`);
    } else {
      result.set(field, mapping);
    }
  }
  return result;
}

/** What is wrong with a mapping whatever the rows hold. A constant that no row could have makes every row invalid. */
function mappingFault(mapping: FieldMapping, field: Field): string | undefined {
  if ('template' in mapping) {
    const template = parseTemplate(mapping.template);
    return typeof template === 'string' ? `the template has ${template}` : undefined;
  }
  if ('format' in mapping) return dateSpecError(mapping);
  const constants: readonly (string | number)[] =
    'value' in mapping
      ? [mapping.value]
      : 'values' in mapping
        ? [...Object.values(mapping.values), ...(mapping.otherwise === undefined ? [] : [mapping.otherwise])]
        : [];
  const wrong = constants.find((constant) => !field.kind.value.safeParse(constant).success);
  if (wrong === undefined) return undefined;
  const near = nearest(String(wrong), field.kind.values ?? []);
  return `"${wrong}" is not allowed; expected ${field.kind.expected}${near === undefined ? '' : ` (did you mean "${near}"?)`}`;
}

function resolver(
  columns: readonly string[],
  format: RowForm,
  add: Add,
): (wanted: string, field: string) => string | undefined {
  const find = columnFinder(columns);
  return (wanted, field) => {
    const found = find(wanted);
    if (found.kind === 'one') return found.name;
    if (found.kind === 'several') {
      add(
        'mapping.collision',
        `"${field}" uses the column "${wanted}", but ${formatList(found.names)} both match that name.`,
        'Write the column name exactly as it is in the input.',
      );
      return undefined;
    }
    // Objects need not look alike: a path may be absent from the first rows and there in a later one.
    if (format === 'ndjson') return wanted;
    const near = nearest(
      wanted,
      columns.filter((name) => !isRejectsColumn(name)),
    );
    add(
      'mapping.column',
      `"${field}" uses the column "${wanted}", which the input does not have. ${describeColumns(columns)}`,
      near === undefined ? undefined : `Did you mean "${near}"?`,
    );
    return undefined;
  };
}

function notMapped(
  field: Field,
  type: RecordType,
  variant: Variant | undefined,
  columns: readonly string[],
): [code: string, message: string, hint: string] {
  const needs = variant === undefined ? type : `${type} (variant ${variant})`;
  const candidates = columns.filter((name) => !isRejectsColumn(name));
  const near = nearest(field.name, candidates);
  return [
    'mapping.required',
    `${needs} requires "${field.name}", but no column is mapped to it. ${describeColumns(columns)}`,
    `Map a column with \`--column ${field.name}=COLUMN\`, or set the same value for every row with \`--set ${field.name}=VALUE\`.${
      near === undefined ? '' : ` Did you mean "${near}"?`
    }`,
  ];
}

function sourceOf(mapping: FieldMapping, names: (wanted: string) => string): string | undefined {
  if ('column' in mapping) return names(mapping.column);
  if ('first' in mapping) return mapping.first.map(names).join(', ');
  return 'template' in mapping ? mapping.template : undefined;
}

function asIs(value: unknown): unknown {
  return value;
}
