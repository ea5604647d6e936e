/**
 * Discovery: the mapping that columns and their values suggest, if no mapping is given. Pure.
 *
 * Each pair of a column and a field is scored by header and values (score.ts), and the score is adjusted to the table
 * (table-topic.ts, cross-check.ts). Pairs are then taken from the best down, each column and each field once (assign.ts).
 * Precision comes before recall.
 */
import type { Contract } from '../../contract/index.ts';
import { once } from '../../lib/resources.ts';
import type { Variant } from '../../model/record.ts';
import { type Content, isCells } from '../../model/row.ts';
import { chooseVariant, sentIfMapped } from '../choose-variant.ts';
import { columnFinder, normalise } from '../column-names.ts';
import { pathReader } from '../column-values.ts';
import type { FieldMapping, MappingDocument } from '../document-schema.ts';
import { mapByName } from '../field-overrides.ts';
import { columnsOf, isPlain } from '../field-transforms.ts';
import { ASK, assign, SURE, USE } from './assign.ts';
import { type Column, type ColumnCandidate, columnsIn } from './column.ts';
import { personName, withTimes } from './combined-columns.ts';
import { crossCheck, type NameContext } from './cross-check.ts';
import type { Discovery, Question, Sample } from './proposal.ts';
import { completeRequired } from './propose-required.ts';
import { candidateFor, checkNamedColumn, companyNames } from './score.ts';
import { detectTopic } from './table-topic.ts';

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
  const discovery = discover(sample, contract, {
    document,
    byName: new Set(matched.map(({ field }) => field)),
    requested: variant,
  });
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

/** A mapping, and those of its fields that only have the name of a column. */
interface MappedByName {
  readonly document: MappingDocument;
  readonly byName: ReadonlySet<string>;
}

/**
 * Completes `document`. Its fields stay, except those of `byName`: a column that only has the name of a field is dropped if
 * none of its values could be sent, and gets the transform that its values need.
 */
function discover(
  sample: Sample,
  contract: Contract,
  { document, byName, requested }: MappedByName & { readonly requested: Variant | 'auto' },
): Discovery {
  const columns = columnsIn(sample);
  const { fields, candidates } = findCandidates(columns, contract, document, byName);
  const assigned = withTimes(assign(candidates, columns), columns);
  const name = Object.hasOwn(fields, 'engager_name') ? undefined : personName(columns, contract, assigned);
  const used =
    name === undefined ? assigned.used : [...assigned.used.filter(({ field }) => field !== name.field), name];

  const canonical = (field: string): string => contract.field(field)?.name ?? field;
  const order = (field: string): number => contract.fields.findIndex((each) => each.name === canonical(field));
  const given = Object.entries(fields).flatMap(([field, mapping]) => (byName.has(canonical(field)) ? [] : [mapping]));
  const empty = placeholdersIn(columns, [...used.map(({ mapping }) => mapping), ...given]);
  const all = [...Object.entries(fields), ...used.map(({ field, mapping }) => [field, mapping] as const)];
  const result: MappingDocument = {
    ...document,
    type: contract.type,
    empty: empty.length === 0 ? document.empty : [...new Set([...(document.empty ?? []), ...empty])],
    fields: Object.fromEntries(all.sort(([one], [other]) => order(one) - order(other))),
  };
  const { variant } = chooseVariant(result, contract, requested);
  const required = contract.fieldsOf(variant).flatMap((each) => (each.required ? [each.field.name] : []));
  const open = assigned.questions.filter(({ field }) => field !== name?.field);
  const missing = completeRequired(required, columns, {
    document: result,
    file: sample.name,
    contract,
    questions: open,
  });
  const questions = [...open.filter(({ field }) => !missing.some((each) => each.field === field)), ...missing];
  const asked = questions.filter(({ field }) => sentIfMapped(field, result, contract, requested));
  return {
    document: result,
    used: [...used].sort((one, other) => order(one.field) - order(other.field)),
    questions: asked.sort((one, other) => order(one.field) - order(other.field)),
    unused: unusedColumns(columns, result, { questions, asked: new Set(asked), other: variant === 'a' ? 'b' : 'a' }),
    empty,
  };
}

/** The fields that stay, and candidates for the others, the best first. */
function findCandidates(
  columns: readonly Column[],
  contract: Contract,
  document: MappingDocument,
  byName: ReadonlySet<string>,
): { fields: MappingDocument['fields']; candidates: readonly ColumnCandidate[] } {
  const names = companyNames(columns);
  const { fields, changed } = checkNamedColumns(columns, names, contract, { document, byName });
  const filled = new Set(Object.keys(fields).map((name) => contract.field(name)?.name));
  const settled = new Set([...filled, ...changed.map(({ field }) => field)]);
  const taken = new Set(
    [
      // A template quotes its columns: other fields can use them too.
      ...Object.values(fields).flatMap((mapping) => ('template' in mapping ? [] : columnsOf(mapping))),
      ...changed.map(({ column }) => column),
    ].map(normalise),
  );
  const free = columns.filter(({ key }) => !taken.has(key));
  const scored = contract.fields
    .filter(({ name }) => !settled.has(name))
    .flatMap((field) => free.flatMap((column) => candidateFor(column, field, contract.type, names) ?? []));
  const topic = once(() => detectTopic(columns));
  const check = (candidates: readonly ColumnCandidate[], context: NameContext): readonly ColumnCandidate[] =>
    // If the columns have the names of fields, the topic is not needed.
    candidates.length === 0 ? [] : crossCheck(candidates, contract.type, { columns, topic: topic(), ...context });
  // A bare "Name" is a company's in some tables.
  const ofNames = check(
    scored.filter(({ field }) => field === 'company_name'),
    { aboutCompanies: false, named: false },
  );
  const sure = (field: string): boolean =>
    filled.has(field) ||
    [...changed, ...scored, ...ofNames].some((each) => each.field === field && each.confidence >= USE);
  const named = sure('company_name');
  const context = { aboutCompanies: named && MORE_OF_COMPANY.some(sure), named };
  const candidates = [...changed, ...check(scored, context).filter(({ confidence }) => confidence >= ASK)];
  // Of two headers that fit alike, the one with readable values, or the plainer one.
  const isRead = ({ mapping }: ColumnCandidate): number => Number('as' in mapping);
  candidates.sort(
    (one, other) =>
      other.confidence - one.confidence || isRead(one) - isRead(other) || one.column.length - other.column.length,
  );
  return { fields, candidates };
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

/** Checks the values of columns with the name of a field: some fields are dropped, or changed. */
function checkNamedColumns(
  columns: readonly Column[],
  names: Column | undefined,
  contract: Contract,
  { document, byName }: MappedByName,
): { fields: MappingDocument['fields']; changed: readonly ColumnCandidate[] } {
  const fields: Record<string, FieldMapping> = {};
  const changed: ColumnCandidate[] = [];
  for (const [name, mapping] of Object.entries(document.fields)) {
    const field = contract.field(name);
    const column = columns.find((each) => each.name === columnsOf(mapping)[0]);
    const isChecked = field !== undefined && column !== undefined && byName.has(field.name);
    const verdict = isChecked ? checkNamedColumn(column, field, contract, names) : undefined;
    if (!isChecked || verdict === undefined) {
      fields[name] = mapping;
      continue;
    }
    const { factor, why, alternatives } = verdict;
    const candidate = { field: field.name, column: column.name, mapping: verdict.mapping ?? mapping };
    if (verdict.mapping !== undefined && factor > 0.9) {
      changed.push({ ...candidate, confidence: 0.95, reason: `name matches; ${why}` });
    } else if (alternatives !== undefined) {
      changed.push({ ...candidate, confidence: SURE, reason: why, alternatives });
    }
  }
  return { fields, changed };
}

interface AskedQuestions {
  readonly questions: readonly Question[];
  /** Those about fields that would be sent. */
  readonly asked: ReadonlySet<Question>;
  /** The variant that is not chosen. */
  readonly other: Variant;
}

function unusedColumns(
  columns: readonly Column[],
  document: MappingDocument,
  { questions, asked, other }: AskedQuestions,
): readonly { column: string; why: string }[] {
  // Column names that differ only in case or punctuation are different columns.
  const find = columnFinder(columns.map(({ name }) => name));
  const used = new Set(
    Object.values(document.fields)
      .flatMap(columnsOf)
      .flatMap((wanted) => {
        const found = find(wanted);
        return found.kind === 'one' ? [found.name] : [];
      }),
  );
  const questionAbout = (column: string, among: readonly Question[]): Question | undefined =>
    among.find(({ options }) => options.some((option) => option.columns.includes(column)));
  const whyNot = ({ name, profile }: Column): string => {
    if (profile.nested) return 'its values are objects or lists';
    if (profile.texts.length === 0) return 'empty in the sampled rows';
    const dropped = questionAbout(name, questions);
    return dropped === undefined ? 'fits no remaining field' : `only variant ${other} has ${dropped.field}`;
  };
  return columns
    .filter(({ name }) => !used.has(name) && questionAbout(name, [...asked]) === undefined)
    .map((column) => ({ column: column.name, why: whyNot(column) }));
}
