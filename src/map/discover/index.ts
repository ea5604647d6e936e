/**
 * Discovery: the mapping that columns and their values suggest, if no mapping is given. Pure.
 *
 * A learned scorer (scorer.ts) says how likely each column is each field. What its values cannot be, readings.ts refuses. Pairs are
 * then taken from the best down, each column and each field once (assign.ts). Precision comes before recall.
 */
import type { Contract, Field } from '../../contract/index.ts';
import { DAY_MS } from '../../lib/units.ts';
import type { Variant } from '../../model/record.ts';
import { type Content, isCells } from '../../model/row.ts';
import { chooseVariant, sentIfMapped } from '../choose-variant.ts';
import { pathReader } from '../column-values.ts';
import type { FieldMapping, MappingDocument } from '../document-schema.ts';
import { mapByName } from '../field-overrides.ts';
import { columnsOf, isPlain } from '../field-transforms.ts';
import { columnFinder, normalise } from '../match-names.ts';
import { assign, candidatesOf, LIKELY, type Proposal, type Question } from './assign.ts';
import { type Column, columnsIn, type Sample, share } from './column.ts';
import { isIsoDate } from './date-format.ts';
import { knownValues } from './enum-values.ts';
import { asText, readingHints, readingOf } from './readings.ts';
import { completeRequired } from './required.ts';
import { type Likelihood, likelihoods, scoredTable } from './scorer.ts';
import { domainIn, isRelative, pageOf } from './text-kinds.ts';

export interface Discovered {
  /** The given fields and the used proposals. */
  readonly document: MappingDocument;
  /** In the order of the API, with the columns that have the name of their field. */
  readonly used: readonly Proposal[];
  readonly questions: readonly Question[];
  /** Columns that no field and no question uses. */
  readonly unused: readonly string[];
  /** Words such as N/A in the discovered columns: they count as empty, also in `document`. */
  readonly empty: readonly string[];
  /** What counts as empty if the columns of open questions are used, too. */
  readonly emptyIfAnswered: readonly string[];
}

/** Whether the column has the name of the field, and is used unchanged. */
export function isByName({ confidence, mapping }: Proposal): boolean {
  return confidence === 1 && isPlain(mapping);
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
  const columns = columnsIn(sample);
  const byName = new Set(matched.map(({ field }) => field));
  const named = readNamed(columns, contract, document, byName);
  const assigned = assign(withNameOfParts(sample, contract, named));
  const stated = Object.entries(named.fields).map(([field, mapping]) => {
    return { field, mapping, columns: columnsOf(mapping), confidence: 1, reason: NAMED };
  });
  const order = (field: string): number =>
    contract.fields.findIndex(({ name }) => name === contract.field(field)?.name);
  const all = [...stated, ...assigned.used].sort((one, other) => order(one.field) - order(other.field));
  const used = all.filter(({ field }) => byName.has(field) || !Object.hasOwn(named.fields, field));
  const empty = placeholdersIn(columns, all);
  const result: MappingDocument = {
    ...document,
    empty: empty.length === 0 ? document.empty : [...new Set([...(document.empty ?? []), ...empty])],
    fields: Object.fromEntries(all.map(({ field, mapping }) => [field, mapping])),
  };
  const mapped = new Set(all.map(({ field }) => contract.field(field)));
  const missing = contract
    .fieldsOf(chooseVariant(result, contract, variant).variant)
    .filter(({ required, field }) => required && !mapped.has(field))
    .flatMap(({ field }) =>
      completeRequired(field, { columns, document: result, file: sample.name ?? '', questions: assigned.questions }),
    );
  const completed = new Set(missing.map(({ field }) => field));
  const questions = [...assigned.questions.filter(({ field }) => !completed.has(field)), ...missing]
    .filter(({ field }) => sentIfMapped(field, result, contract, variant))
    .sort((one, other) => order(one.field) - order(other.field));
  const unused = unusedColumns(columns, result, questions);
  const asked = placeholdersIn(
    columns,
    questions.flatMap(({ options }) => options),
  );
  return { document: result, used, questions, unused, empty, emptyIfAnswered: [...(result.empty ?? []), ...asked] };
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

const NAMED = 'name matches';

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
    const isNamed = column !== undefined && contract.field(column.name) !== undefined;
    const isOwn = isNamed && !SHARED.includes(column.name) && hints.currencies === undefined;
    if (field === undefined || column === undefined || !byName.has(field.name) || isReady(field, column, isOwn)) {
      fields[name] = mapping;
      continue;
    }
    const reading = readingOf(column, field, { ...hints, isNamed });
    const isExact =
      isNamed && !(SHARED.includes(column.name) && (reading === undefined || !byName.has('company_name')));
    const { ways: [way, other] = [], doubt } = reading ?? {};
    const isNumeric = field.kind.numericCells === true;
    if (isExact && (way === undefined || (doubt !== undefined && ROW_BY_ROW.includes(field.name)))) {
      fields[name] = isNumeric ? asText(column.name, column.profile.texts) : mapping;
    } else if (isExact && way !== undefined && other === undefined && !(isNumeric && doubt !== undefined)) {
      fields[name] = way;
    } else if (reading !== undefined) {
      candidates.push({ field: field.name, column, reading, probability: 1, reason: NAMED });
    }
  }
  return { fields, candidates };
}

/** Fields of which `fix` has rules for each value: amounts with units are sent as text. */
const ROW_BY_ROW = ['signal_source', 'funding_amount'];

/**
 * Whether the values need no transform, and no reading to tell.
 *
 * @param isOwn whether the column has exactly the name of the field, and no other column says how to read it
 */
function isReady({ name, kind }: Field, { profile: { distinct } }: Column, isOwn: boolean): boolean {
  if (name === 'company_domain') return distinct.every((text) => domainIn(text) === text.toLowerCase());
  if (!isOwn) return distinct.length === 0;
  const { values = [], numericCells } = kind;
  if (kind.name === 'date-time' || name === 'engagement_date') return distinct.every(isIsoDate);
  if (numericCells === true) return distinct.every((text) => /^[1-9]\d{0,14}$/.test(text));
  return values.length === 0 || distinct.every((text) => values.includes(text));
}

/** Candidates among the columns and fields that are left. */
function scored(sample: Sample, contract: Contract, { fields, candidates }: NamedColumns): readonly Likelihood[] {
  const settled = new Set(
    [...Object.keys(fields), ...candidates.map(({ field }) => field)].map((name) => contract.field(name)?.name),
  );
  // A template quotes its columns: other fields can use them too.
  const own = Object.values(fields).flatMap((mapping) => ('template' in mapping ? [] : columnsOf(mapping)));
  const taken = new Set([...own, ...candidates.map(({ column }) => column.name)].map(normalise));
  if (columnsIn(sample).every(({ key }) => taken.has(key))) return [];
  const pairs = likelihoods(scoredTable(sample), contract);
  const left = pairs.filter(({ field, column }) => !settled.has(field) && !taken.has(column.key));
  return doubted(candidatesOf(left), columnsIn(sample));
}

/**
 * Words such as NULL in the columns that are mapped: no field is "N/A", and a text made of columns must not quote it. A table of
 * values can have them as keys.
 */
function placeholdersIn(columns: readonly Column[], mapped: readonly Pick<Proposal, 'mapping'>[]): readonly string[] {
  const keys = new Set(mapped.flatMap(({ mapping }) => ('values' in mapping ? [] : columnsOf(mapping))).map(normalise));
  return [...new Set(columns.flatMap(({ key, profile }) => (keys.has(key) ? profile.placeholders : [])))];
}

/** All candidates; a name made of first and last name, if no column is likely to have the whole one. */
function withNameOfParts(sample: Sample, contract: Contract, named: NamedColumns): readonly Likelihood[] {
  const candidates = [...named.candidates, ...scored(sample, contract, named)];
  const field = 'engager_name';
  if (contract.field(field) === undefined || Object.hasOwn(named.fields, field)) return candidates;
  const having = (meaning: string): readonly Column[] =>
    columnsIn(sample).filter(({ meanings: { known } }) => known.has(meaning) && known.size === 1);
  const [firsts, lasts] = [having('first_name'), having('last_name')];
  const [[first, ...more], [column, ...others]] = [firsts.length > 0 ? firsts : having('name'), lasts];
  if (first === undefined || column === undefined || more.length + others.length > 0) return candidates;
  const rivals = candidates.filter((each) => each.field === field && each.column !== first && each.column !== column);
  if (rivals.some(({ probability }) => probability >= LIKELY) || /[{}]/u.test(first.name + column.name))
    return candidates;
  const reading = { ways: [{ template: `{${first.name}} {${column.name}}` }] };
  const whole = { field, column, reading, probability: 0.9, reason: 'first and last name' };
  return [whole, ...candidates.filter((each) => each.field !== field)];
}

/** The probability of a candidate that other columns speak against: no longer certain, and taken only by the user. */
const DOUBTED = 0.49;

/** Lowers the probability of a person if the rows have pages of two, and of a time if all are of a day and others are relative. */
function doubted(candidates: readonly Likelihood[], columns: readonly Column[]): readonly Likelihood[] {
  const mostly = (test: (text: string) => boolean): readonly Column[] =>
    columns.filter(({ profile }) => share(profile, test) > 0.5);
  const people = mostly((text) => pageOf(text)?.kind === 'person').map(({ profile }) => profile.texts.join(' '));
  const isAged = mostly(isRelative).length > 0;
  const isDoubtful = ({ field, column: { profile } }: Likelihood): boolean => {
    if (field !== 'engagement_date') return /^engager_(?:name|profile_url)$/u.test(field) && new Set(people).size > 1;
    const times = profile.texts.map(Date.parse);
    // Within a day, they are those of an export.
    return isAged && Math.max(...times) - Math.min(...times) < DAY_MS;
  };
  return candidates
    .map((each) => (isDoubtful(each) ? { ...each, probability: Math.min(each.probability, DOUBTED) } : each))
    .sort((one, other) => other.probability - one.probability);
}

function unusedColumns(
  columns: readonly Column[],
  { fields }: MappingDocument,
  questions: readonly Question[],
): readonly string[] {
  // Column names that differ only in case or punctuation are different columns.
  const find = columnFinder(columns.map(({ name }) => name));
  const asked = questions.flatMap(({ options }) => options.flatMap((option) => option.columns));
  const used = new Set([...Object.values(fields).flatMap(columnsOf), ...asked].flatMap(find));
  return columns.map(({ name }) => name).filter((name) => !used.has(name));
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
    .map((column) => {
      const { name, profile } = column;
      const known = field.kind.name === 'enum' ? knownValues(field, profile.distinct) : {};
      // Also of a column whose values are not those of the field, the user may want the known ones.
      const plain = Object.keys(known).length === 0 ? { column: name } : { column: name, values: known };
      const ways = readingOf(column, field, hints)?.ways ?? [plain];
      return { column: name, values: [...profile.distinct, ...profile.placeholders], ways };
    });
}
