/** Checks a mapping document against the contract and an input's columns, before the first row is read. */
import type { Contract, Field } from '../contract/index.ts';
import { nearest } from '../lib/nearest.ts';
import { formatList } from '../lib/text.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import { isRejectsColumn } from '../model/rejects-file.ts';
import { canonicalName, columnFinder, contractsFor, describeColumns, fieldNameHint } from './column-names.ts';
import type { RowForm } from './column-values.ts';
import type { FieldMapping, MappingDocument } from './document-schema.ts';
import { columnsOf, omitsInvalid, transformProblem } from './field-transforms.ts';

/** What a mapping is compiled for. */
export interface MappingTarget {
  readonly contract: Contract;
  /** Undefined for a record type without variants. */
  readonly variant: Variant | undefined;
  /** The input's, in its order; for NDJSON the paths in its first rows. */
  readonly columns: readonly string[];
  readonly rowForm: RowForm;
  /** For the problems. */
  readonly inputName: string;
}

export interface CheckedMapping {
  readonly fields: ReadonlyMap<Field, FieldMapping>;
  /** The input's name of each column that the mapping uses. */
  columnName(wanted: string): string;
}

/** Collects the problems of one input's mapping. */
interface Report {
  readonly columns: readonly string[];
  readonly add: (code: string, message: string, hint?: string) => void;
  /** A sentence that lists the columns, after a space. Empty after the first problem that has it. */
  readonly listColumns: () => string;
}

/**
 * @throws ProblemError with every problem: `mapping.field` (unknown), `mapping.value` (invalid constant, date format or
 * template), `mapping.column` (unknown), `mapping.collision` (two columns match a name), `mapping.required` (nothing is
 * mapped to a required field)
 */
export function checkMapping(
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
  const names = new Map<string, string>();
  for (const [field, mapping] of fields) {
    const error = mappingError(mapping, field);
    if (error !== undefined) {
      report.add('mapping.value', `"${field.name}": ${error}.`);
      continue;
    }
    for (const wanted of columnsOf(mapping)) {
      const column = findColumn(wanted, field.name);
      if (column !== undefined) names.set(wanted, column);
    }
  }
  for (const { field, required } of contract.fieldsOf(variant)) {
    const mapping = fields.get(field);
    if (!required) continue;
    const records = recordsOf(contract.type, variant);
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
    } else {
      result.set(field, mapping);
    }
  }
  return result;
}

/** Errors that do not depend on the rows. An invalid constant, for example, would make every row invalid. */
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
    // A path may be absent from the first rows and present in a later one.
    if (rowForm === 'ndjson') return wanted;
    add(
      'mapping.column',
      `"${field}" uses the column "${wanted}", which the input does not have.${listColumns()}`,
      didYouMean(wanted, columns),
    );
    return undefined;
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

function recordsOf(type: RecordType, variant: Variant | undefined): string {
  return variant === undefined ? type : `${type} (variant ${variant})`;
}

function didYouMean(name: string, columns: readonly string[]): string | undefined {
  const candidates = columns.filter((column) => !isRejectsColumn(column));
  const near = nearest(name, candidates);
  return near && `Did you mean "${near}"?`;
}
