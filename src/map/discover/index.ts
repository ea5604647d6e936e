/**
 * Discovery: the mapping that columns and their values suggest, if no mapping is given. Pure, once the scorer is loaded.
 *
 * A learned scorer (scorer.ts) says how likely each column is each field. What its values cannot be, readings.ts refuses. Pairs are
 * then taken from the best down, each column and each field once (assign.ts). Precision comes before recall.
 */
import type { Contract, Field } from '../../contract/index.ts';
import type { Variant } from '../../model/record.ts';
import { type Content, isCells } from '../../model/row.ts';
import { chooseVariant, sentIfMapped } from '../choose-variant.ts';
import { columnFinder, normalise } from '../column-names.ts';
import { pathReader } from '../column-values.ts';
import type { FieldMapping, MappingDocument } from '../document-schema.ts';
import { mapByName } from '../field-overrides.ts';
import { columnsOf, isPlain } from '../field-transforms.ts';
import { type Assigned, assign, candidatesOf, type Proposal, type Question } from './assign.ts';
import { type Column, type ColumnProfile, columnsIn, type Sample, share } from './column.ts';
import { knownValues } from './enum-values.ts';
import { asText, readingHints, readingOf } from './readings.ts';
import { completeRequired } from './required.ts';
import { type Likelihood, likelihoods, scoredTable, weights } from './scorer.ts';
import { domainIn, isAmount, isRelative } from './text-kinds.ts';

export interface Discovered {
  /** The given fields and the used proposals. */
  readonly document: MappingDocument;
  /** In the order of the API. */
  readonly used: readonly Proposal[];
  readonly questions: readonly Question[];
  /** Columns that no field and no question uses, with the reason if it is known. */
  readonly unused: readonly { readonly column: string; readonly why?: string | undefined }[];
  /** Words such as N/A in the discovered columns: they count as empty, also in `document`. */
  readonly empty: readonly string[];
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
  const byName = new Set(matched.map(({ field }) => field));
  const columns = columnsIn(sample);
  const named = readNamed(columns, contract, document, byName);
  const assigned = assign([...named.candidates, ...scored(sample, contract, named)]);
  const { used, questions: open } =
    contract.field('engager_name') === undefined ? assigned : withWholeName(assigned, columns, named.fields);

  const canonical = (field: string): string => contract.field(field)?.name ?? field;
  const order = (field: string): number => contract.fields.findIndex((each) => each.name === canonical(field));
  const empty = placeholdersIn(columns, [...used.map(({ mapping }) => mapping), ...Object.values(named.fields)]);
  const all = [...Object.entries(named.fields), ...used.map(({ field, mapping }) => [field, mapping] as const)];
  const result: MappingDocument = {
    ...document,
    type: contract.type,
    empty: empty.length === 0 ? document.empty : [...new Set([...(document.empty ?? []), ...empty])],
    fields: Object.fromEntries(all.sort(([one], [other]) => order(one) - order(other))),
  };
  const chosen = chooseVariant(result, contract, variant).variant;
  const mapped = new Set(Object.keys(result.fields).map(canonical));
  const missing = contract
    .fieldsOf(chosen)
    .flatMap((each) => (each.required && !mapped.has(each.field.name) ? [each.field] : []))
    .flatMap((field) =>
      completeRequired(field, { columns, document: result, file: sample.name ?? '', questions: open }),
    );
  const questions = [...open.filter(({ field }) => !missing.some((each) => each.field === field)), ...missing];
  const plain = matched.filter(({ field, column }) => {
    const mapping = result.fields[field];
    return mapping !== undefined && isPlain(mapping) && columnsOf(mapping)[0] === column;
  });
  return {
    document: result,
    byName: plain,
    used: used
      .filter(({ field }) => !plain.some((each) => each.field === field))
      .sort((one, other) => order(one.field) - order(other.field)),
    questions: questions
      .filter(({ field }) => sentIfMapped(field, result, contract, variant))
      .sort((one, other) => order(one.field) - order(other.field)),
    unused: unusedColumns(columns, result, questions, (field) =>
      sentIfMapped(field, result, contract, variant)
        ? undefined
        : `only variant ${chosen === 'a' ? 'b' : 'a'} has ${field}`,
    ),
    empty,
  };
}

/** Rows for discovery: one cell per column, in any format. */
export function sampleCells(columns: readonly string[], contents: readonly Content[]): Sample['rows'] {
  const none: ReadonlySet<string> = new Set();
  const readers = columns.map((column) => pathReader(column, none));
  return contents.map((content) => (isCells(content) ? content : readers.map((read) => read(content))));
}

interface NamedColumns {
  /** The fields of the document that stay as they are. */
  readonly fields: MappingDocument['fields'];
  /** Columns with the name of a field whose values need a transform, or an answer. */
  readonly candidates: readonly Likelihood[];
}

/** Names that columns of other exports have too. */
const SHARED = ['source', 'source_url'];

/**
 * A column with exactly the name of a field is meant for this program: its rows are judged one by one. One that is only similar
 * is dropped if its values cannot be the field's.
 */
function readNamed(
  columns: readonly Column[],
  contract: Contract,
  document: MappingDocument,
  byName: ReadonlySet<string>,
): NamedColumns {
  const fields: Record<string, FieldMapping> = {};
  const candidates: Likelihood[] = [];
  const hints = readingHints(columns);
  for (const [name, mapping] of Object.entries(document.fields)) {
    const field = contract.field(name);
    const column = columns.find((each) => each.name === columnsOf(mapping)[0]);
    if (field === undefined || column === undefined || !byName.has(field.name) || isReady(field, column)) {
      fields[name] = mapping;
      continue;
    }
    const isExact = contract.field(column.name) !== undefined;
    const reading = readingOf(column, field, { ...hints, isNamed: isExact });
    const isShared = SHARED.includes(column.name) && (reading === undefined || !byName.has('company_name'));
    const isNamed = isExact && !isShared;
    const isNumeric = field.kind.numericCells === true;
    const isUnclear = reading === undefined || (reading.doubt !== undefined && ROW_BY_ROW.includes(field.name));
    const isCertain = isNamed && !isNumeric && reading?.ways.length === 1;
    const [way] = reading?.ways ?? [];
    if (isNamed && isUnclear) {
      fields[name] = isNumeric ? asText(column.name, column.profile.texts) : mapping;
    } else if (reading !== undefined && way !== undefined) {
      const only = isCertain ? { ways: [way] } : reading;
      candidates.push({ field: field.name, column, reading: only, probability: 1, reason: 'name matches' });
    }
  }
  return { fields, candidates };
}

/** Fields of which `fix` has rules for each value: amounts with units are sent as text. */
const ROW_BY_ROW = ['signal_source', 'funding_amount'];

/** Whether the values need no transform. */
function isReady({ name }: Field, { profile }: Column): boolean {
  const isDomain = (text: string): boolean => domainIn(text) === text.toLowerCase();
  return profile.texts.length === 0 || (name === 'company_domain' && profile.distinct.every(isDomain));
}

/** Candidates among the columns and fields that are left. */
function scored(sample: Sample, contract: Contract, { fields, candidates }: NamedColumns): readonly Likelihood[] {
  const settled = new Set([
    ...Object.keys(fields).map((name) => contract.field(name)?.name),
    ...candidates.map(({ field }) => field),
  ]);
  const taken = new Set(
    // A template quotes its columns: other fields can use them too.
    [
      ...Object.values(fields).flatMap((mapping) => ('template' in mapping ? [] : columnsOf(mapping))),
      ...candidates.map(({ column }) => column.name),
    ].map(normalise),
  );
  const isFree = (name: string): boolean => !taken.has(normalise(name));
  if (!columnsIn(sample).some(({ name }) => isFree(name))) return [];
  const pairs = likelihoods(scoredTable(sample), contract).filter(
    ({ field, column }) => !settled.has(field) && isFree(column.name),
  );
  return candidatesOf(pairs);
}

/**
 * Words such as NULL in the columns that are mapped: no field is "N/A", and a text made of columns must not quote it. A table of
 * values can have them as keys.
 */
function placeholdersIn(columns: readonly Column[], mappings: readonly FieldMapping[]): readonly string[] {
  const keys = new Set(mappings.flatMap((each) => ('values' in each ? [] : columnsOf(each))).map(normalise));
  const found = columns.filter(({ key }) => keys.has(key)).flatMap(({ profile }) => profile.placeholders);
  return [...new Set(found)];
}

/** A template of first and last name, if no column has the whole name. */
function withWholeName(assigned: Assigned, columns: readonly Column[], fields: MappingDocument['fields']): Assigned {
  const field = 'engager_name';
  const { used, questions } = assigned;
  const having = (meaning: string): readonly string[] =>
    columns
      .filter(({ name, meanings: { known } }) => known.has(meaning) && known.size === 1 && !/[{}]/u.test(name))
      .map(({ name }) => name);
  const first = having('first_name').length > 0 ? having('first_name') : having('name');
  const parts = [...first, ...having('last_name')];
  const of = [...used, ...questions].filter((each) => each.field === field);
  const [found] = of.flatMap((each) => ('options' in each ? each.options.slice(0, 1) : [each]));
  const isWhole = found?.columns.every((name) => !parts.includes(name)) && found.confidence >= weights().use / 2;
  if (first.length !== 1 || parts.length !== 2 || isWhole || Object.hasOwn(fields, field)) return assigned;
  const mapping: FieldMapping = { template: parts.map((name) => `{${name}}`).join(' ') };
  const name = { field, mapping, columns: parts, confidence: 0.9, reason: 'first and last name' };
  return {
    used: [...used.filter((each) => each.field !== field), name],
    questions: questions.filter((question) => question.field !== field),
  };
}

/** @param whyDropped why the field is not asked about */
function unusedColumns(
  columns: readonly Column[],
  document: MappingDocument,
  questions: readonly Question[],
  whyDropped: (field: string) => string | undefined,
): Discovered['unused'] {
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
  return columns.flatMap(({ name, profile }) => {
    const reasons = questions
      .filter(({ options }) => options.some((option) => option.columns.includes(name)))
      .map(({ field }) => whyDropped(field));
    if (used.has(name) || reasons.includes(undefined)) return [];
    return [{ column: name, why: whyUnfit(profile) ?? reasons[0] }];
  });
}

/** Share of relative dates such as "1w" from which a column of dates cannot be read. */
const MANY_AGES = 0.2;

function whyUnfit(profile: ColumnProfile): string | undefined {
  if (profile.nested) return 'its values are objects or lists';
  if (profile.texts.length === 0) return 'empty in the sampled rows';
  const isAge = (text: string): boolean => isRelative(text) && !isAmount(text);
  return share(profile, isAge) < MANY_AGES
    ? undefined
    : `dates such as "${profile.texts.find(isAge)}" depend on the day of the export`;
}

/** A column whose values are not those of the field, with the meaning of those that are known. */
function withKnown({ name, profile }: Column, field: Field): FieldMapping {
  const values = field.kind.name === 'enum' ? knownValues(field, profile) : {};
  return Object.keys(values).length === 0 ? { column: name } : { column: name, values };
}

export interface ColumnChoice {
  readonly column: string;
  /** Different values of the sample, in the order of the rows. */
  readonly values: readonly string[];
  /** How the column's values become the field's: several if its dates can be read in several ways. */
  readonly ways: readonly FieldMapping[];
}

/** All columns, the likeliest first. */
export function columnsForField(sample: Sample, contract: Contract, field: Field): readonly ColumnChoice[] {
  const columns = columnsIn(sample);
  const hints = readingHints(columns);
  const ofField = likelihoods(scoredTable(sample), contract).filter((each) => each.field === field.name);
  const rank = new Map(ofField.map(({ column, probability }) => [column, probability]));
  return columns
    .toSorted((one, other) => (rank.get(other) ?? 0) - (rank.get(one) ?? 0))
    .map((column) => ({
      column: column.name,
      values: [...column.profile.distinct, ...column.profile.placeholders],
      ways: readingOf(column, field, hints)?.ways ?? [withKnown(column, field)],
    }));
}
