/**
 * Discovery: the mapping that columns and their values suggest, if no mapping is given. Pure.
 *
 * Each pair of a column and a field is scored by header and values (score.ts), and the score is adjusted to the table
 * (table-topic.ts, cross-check.ts). Pairs are then taken from the best down, each column and each field once (assign.ts).
 * Precision comes before recall.
 */
import type { Contract } from '../../contract/index.ts';
import type { Variant } from '../../model/record.ts';
import type { Content } from '../../model/row.ts';
import { chooseVariant, sentIfMapped } from '../choose-variant.ts';
import { normalise } from '../column-match.ts';
import { isCells, pathReader } from '../column-values.ts';
import { mapByName } from '../columns-by-name.ts';
import type { FieldMapping, MappingDocument } from '../document-schema.ts';
import { columnsOf, isPlain } from '../field-transforms.ts';
import { ASK, ambiguousQuestion, assign, SURE, USE } from './assign.ts';
import type { Column } from './column.ts';
import { columnsIn } from './columns-in.ts';
import { personName, withTime } from './combined-columns.ts';
import { crossCheck } from './cross-check.ts';
import type { Discovery, Proposal, Question, Sample } from './proposal.ts';
import { completeRequired } from './propose-required.ts';
import { candidateFor, checkNamedColumn, companyNames } from './score.ts';
import { detectTopic } from './table-topic.ts';
import { unusedColumns } from './unused-columns.ts';

/** Fields that describe a company: with one of them, a bare "City" is the company's. */
const MORE_OF_COMPANY = ['company_domain', 'industry', 'employee_count'] as const;

export interface Discovered extends Discovery {
  /** Fields whose column has their name and is used unchanged. */
  readonly byName: readonly { readonly field: string; readonly column: string }[];
}

/**
 * The whole automatic mapping: columns by name, then what discovery adds.
 *
 * @param given what options map; it is not changed
 * @param variant as requested. Fields that would not be sent are never asked about
 * @throws ProblemError `mapping.collision`, as {@link mapByName} does
 */
export function discoverMapping(
  sample: Sample,
  contract: Contract,
  given?: MappingDocument,
  variant: Variant | 'auto' = 'auto',
): Discovered {
  const { document, matched } = mapByName(sample.columns, contract, given);
  const discovery = discover(sample, contract, document, new Set(matched.map(({ field }) => field)), variant);
  const byName = matched.filter(({ field, column }) => {
    const mapping = discovery.document.fields[field];
    return mapping !== undefined && isPlain(mapping) && columnsOf(mapping)[0] === column;
  });
  return { ...discovery, byName };
}

/** Rows for discovery: one cell per column, in any format. */
export function sampleCells(columns: readonly string[], contents: readonly Content[]): Sample['rows'] {
  const none: ReadonlySet<string> = new Set();
  const readers = columns.map((column) => pathReader(column, none));
  return contents.map((content) => (isCells(content) ? content : readers.map((read) => read(content))));
}

/**
 * Completes `document`. Its fields stay, except those of `byName`: a column that only has the name of a field is dropped if
 * none of its values could be sent, and gets the transform that its values need.
 */
function discover(
  sample: Sample,
  contract: Contract,
  document: MappingDocument,
  byName: ReadonlySet<string>,
  requested: Variant | 'auto',
): Discovery {
  const columns = columnsIn(sample);
  let questions: Question[] = [];
  const used: Proposal[] = [];
  const names = companyNames(columns);
  const { fields, refined } = checkNamedColumns(columns, names, contract, document, byName, questions);
  used.push(...refined);

  const canonical = (name: string): string => contract.field(name)?.name ?? name;
  const filled = new Set([...Object.keys(fields).map(canonical), ...refined.map(({ field }) => field)]);
  const settled = new Set([...filled, ...questions.map(({ field }) => field)]);
  const takenColumns = new Set([
    // A template quotes its columns: other fields can use them too.
    ...Object.values(fields)
      .flatMap((mapping) => ('template' in mapping ? [] : columnsOf(mapping)))
      .map(normalise),
    ...refined.flatMap((proposal) => proposal.columns).map(normalise),
  ]);
  const scored = contract.fields
    .filter(({ name }) => !settled.has(name))
    .flatMap((field) =>
      columns
        .filter(({ key }) => !takenColumns.has(key))
        .flatMap((column) => candidateFor(column, field, contract.type, names) ?? []),
    );
  const sure = (field: string): boolean =>
    filled.has(field) || scored.some((each) => each.field === field && each.confidence >= USE);
  const named = sure('company_name');
  const aboutCompanies = named && MORE_OF_COMPANY.some(sure);
  // If the columns have the names of fields, the topic is not needed.
  const context = { aboutCompanies, named };
  const checked = scored.length === 0 ? [] : crossCheck(scored, contract.type, columns, detectTopic(columns), context);
  const candidates = [...checked]
    .filter(({ confidence }) => confidence >= ASK)
    // Of two headers that fit alike, the plainer one.
    .sort((one, other) => other.confidence - one.confidence || one.column.length - other.column.length);
  const assigned = assign(candidates, columns);
  const complete = (proposal: Proposal): Proposal => withTime(proposal, columns);
  used.push(...assigned.used.map(complete));
  questions.push(...assigned.questions.map((each) => ({ ...each, options: each.options.map(complete) })));
  const hasName =
    settled.has('engager_name') ||
    used.some(({ field }) => field === 'engager_name') ||
    questions.some(({ field, options }) => field === 'engager_name' && (options[0]?.confidence ?? 0) >= SURE);
  const name = contract.type === 'social' && !hasName ? personName(columns) : undefined;
  if (name !== undefined) {
    used.push(name);
    questions = questions.filter(({ field }) => field !== name.field);
  }

  const mappings = [
    ...used.map(({ mapping }) => mapping),
    ...Object.entries(fields).flatMap(([name, mapping]) => (byName.has(canonical(name)) ? [] : [mapping])),
  ];
  const empty = placeholdersIn(columns, mappings);
  const result: MappingDocument = {
    ...document,
    type: contract.type,
    empty: empty.length === 0 ? document.empty : [...new Set([...(document.empty ?? []), ...empty])],
    fields: { ...fields, ...Object.fromEntries(used.map(({ field, mapping }) => [field, mapping])) },
  };
  const { variant } = chooseVariant(result, contract, requested);
  const required = contract.fieldsOf(variant).flatMap((each) => (each.required ? [each.field.name] : []));
  const missing = completeRequired(required, columns, { document: result, file: sample.name, contract, questions });
  const isMissing = (name: string): boolean => missing.some(({ field }) => field === name);
  questions = [...questions.filter(({ field }) => !isMissing(field)), ...missing];
  const asked = questions.filter(({ field }) => sentIfMapped(field, result, contract, requested));
  const order = (field: string): number => contract.fields.findIndex(({ name }) => name === field);
  return {
    document: inOrder(result, order, canonical),
    used: used.sort((one, other) => order(one.field) - order(other.field)),
    questions: asked.sort((one, other) => order(one.field) - order(other.field)),
    unused: unusedColumns(columns, result, { questions, asked: new Set(asked), other: variant === 'a' ? 'b' : 'a' }),
    empty,
  };
}

/**
 * Words such as NULL in the columns that are mapped: a text made of columns must not quote them. A table of values can have
 * them as keys; in a column with the name of a field, `check` suggests to treat them as empty.
 */
function placeholdersIn(columns: readonly Column[], mappings: readonly FieldMapping[]): readonly string[] {
  const keys = new Set(mappings.flatMap((each) => ('values' in each ? [] : columnsOf(each))).map(normalise));
  const found = columns.filter(({ key }) => keys.has(key)).flatMap(({ profile }) => profile.placeholders);
  return [...new Set(found)];
}

/** Checks the values of columns with the name of a field. */
function checkNamedColumns(
  columns: readonly Column[],
  names: Column | undefined,
  contract: Contract,
  document: MappingDocument,
  byName: ReadonlySet<string>,
  questions: Question[],
): { fields: Readonly<Record<string, FieldMapping>>; refined: readonly Proposal[] } {
  const fields: Record<string, FieldMapping> = {};
  const refined: Proposal[] = [];
  for (const [name, mapping] of Object.entries(document.fields)) {
    const field = contract.field(name);
    const wanted = columnsOf(mapping)[0];
    const column = columns.find((each) => each.name === wanted);
    const objection =
      field !== undefined && column !== undefined && byName.has(field.name)
        ? checkNamedColumn(column, field, names)
        : undefined;
    if (field === undefined || column === undefined || objection === undefined) {
      fields[name] = mapping;
    } else if (objection.mapping !== undefined && objection.factor > 0.9) {
      const reason = `name matches; ${objection.why}`;
      refined.push({
        field: field.name,
        mapping: objection.mapping,
        columns: [column.name],
        confidence: 0.95,
        reason,
      });
    } else if (objection.alternatives !== undefined) {
      questions.push(ambiguousQuestion(field.name, column.name, objection.alternatives, objection.why));
    }
  }
  return { fields, refined };
}

function inOrder(
  document: MappingDocument,
  order: (field: string) => number,
  canonical: (name: string) => string,
): MappingDocument {
  const fields = Object.entries(document.fields).sort(
    ([one], [other]) => order(canonical(one)) - order(canonical(other)),
  );
  return { ...document, fields: Object.fromEntries(fields) };
}
