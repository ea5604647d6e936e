/**
 * Discovery: the mapping that columns and their values suggest, if no mapping is given. Pure.
 *
 * Each pair of a column and a field is scored by header and values (score.ts). Pairs are then taken from the best down,
 * each column and each field once. This greedy choice can differ from the best total only where two pairs score nearly
 * the same, and those become a question ({@link MARGIN}). Precision comes before recall.
 */
import type { Contract } from '../../contract/index.ts';
import { once } from '../../lib/once.ts';
import type { Content } from '../../model/row.ts';
import { columnFinder, formatList, isRejectsColumn, normalise } from '../column-match.ts';
import { isCells, pathReader } from '../column-values.ts';
import { mapByName } from '../columns-by-name.ts';
import type { FieldMapping, MappingDocument } from '../document-schema.ts';
import { columnsOf, isPlain } from '../field-transforms.ts';
import { profileColumn } from './column-facts.ts';
import { firstNames, lastNames } from './header-synonyms.ts';
import { bag, bagOfPath, bagWithoutUnits } from './header-words.ts';
import type { Discovery, Proposal, Question, Sample } from './proposal.ts';
import { proposeRequired } from './propose-required.ts';
import { type Candidate, type Column, candidateFor, checkNamedColumn } from './score.ts';
import { detectTopic } from './table-topic.ts';

/** Confidence from which a proposal is used without a question. */
const USE = 0.8;

/** Confidence from which a proposal is worth a question. */
const ASK = 0.45;

/** Candidates whose confidences differ by less than this are rivals: neither is used. */
const MARGIN = 0.05;

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
 * @throws ProblemError `mapping.collision`, as {@link mapByName} does
 */
export function discoverMapping(sample: Sample, contract: Contract, given?: MappingDocument): Discovered {
  const { document, matched } = mapByName(sample.columns, contract, given);
  const discovery = discover(sample, contract, document, new Set(matched.map(({ field }) => field)));
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
export function discover(
  sample: Sample,
  contract: Contract,
  document: MappingDocument,
  byName: ReadonlySet<string> = new Set(),
): Discovery {
  const columns = columnsIn(sample);
  const questions: Question[] = [];
  const used: Proposal[] = [];
  const { fields, refined } = checkNamedColumns(columns, contract, document, byName, questions);
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
        .flatMap((column) => candidateFor(column, field, contract.type) ?? []),
    );
  const sure = (field: string): boolean =>
    filled.has(field) || scored.some((each) => each.field === field && each.confidence >= USE);
  const aboutCompanies = sure('company_name') && MORE_OF_COMPANY.some(sure);
  // Not needed if the columns have the names of fields.
  const topic = once(() => detectTopic(columns, aboutCompanies));
  const candidates = scored
    .map((candidate) => topic().weigh(candidate, contract.type))
    .filter(({ confidence }) => confidence >= ASK)
    .sort((one, other) => other.confidence - one.confidence);
  const assigned = assign(candidates);
  used.push(...assigned.used);
  questions.push(...assigned.questions);
  const name =
    contract.fields.some((field) => field.name === 'engager_name') && !settled.has('engager_name')
      ? personName(columns, used, questions)
      : undefined;
  if (name !== undefined) used.push(name);

  const result: MappingDocument = {
    ...document,
    type: contract.type,
    fields: { ...fields, ...Object.fromEntries(used.map(({ field, mapping }) => [field, mapping])) },
  };
  questions.push(...proposeMissing(columns, contract, result, questions));
  const order = (field: string): number => contract.fields.findIndex(({ name }) => name === field);
  return {
    document: inOrder(result, order, canonical),
    used: used.sort((one, other) => order(one.field) - order(other.field)),
    questions: questions.sort((one, other) => order(one.field) - order(other.field)),
    unused: unusedColumns(columns, result, questions),
  };
}

export function columnsIn({ columns, rows }: Sample): readonly Column[] {
  return columns.flatMap((name, index) =>
    isRejectsColumn(name)
      ? []
      : [
          {
            name,
            key: normalise(name),
            bag: bag(name),
            bagWithoutUnits: bagWithoutUnits(name),
            bagOfPath: bagOfPath(name),
            profile: profileColumn(rows.map((row) => row[index])),
          },
        ],
  );
}

/** Checks the values of columns with the name of a field. */
function checkNamedColumns(
  columns: readonly Column[],
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
        ? checkNamedColumn(column, field)
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

function ambiguousQuestion(field: string, column: string, ways: readonly FieldMapping[], why: string): Question {
  return {
    field,
    why: `"${column}": ${why}`,
    options: ways.map((mapping) => ({ field, mapping, columns: [column], confidence: 0.5, reason: why })),
  };
}

interface Assigned {
  readonly used: readonly Proposal[];
  readonly questions: readonly Question[];
}

/** @param candidates from the best to the worst */
function assign(candidates: readonly Candidate[]): Assigned {
  const used: Proposal[] = [];
  const questions: Question[] = [];
  const doneFields = new Set<string>();
  const doneColumns = new Set<string>();
  for (const best of candidates) {
    if (doneFields.has(best.field) || doneColumns.has(best.column)) continue;
    const free = candidates.filter((other) => !doneFields.has(other.field) && !doneColumns.has(other.column));
    const near = (other: Candidate): boolean => best.confidence - other.confidence < MARGIN;
    const rivalColumns = free.filter((other) => other.field === best.field && near(other));
    const rivalFields = free.filter(
      (other) => other.column === best.column && other.field !== best.field && near(other),
    );
    doneFields.add(best.field);
    if (best.alternatives !== undefined) {
      doneColumns.add(best.column);
      questions.push(ambiguousQuestion(best.field, best.column, best.alternatives, best.reason));
    } else if (rivalColumns.length > 1) {
      const names = rivalColumns.map(({ column }) => column);
      questions.push({
        field: best.field,
        why: `${formatList(names)} both fit`,
        options: rivalColumns.map(proposal),
      });
    } else if (rivalFields.length > 0) {
      const names = [best, ...rivalFields].map(({ field }) => field);
      questions.push({
        field: best.field,
        why: `"${best.column}" fits ${formatList(names, '')}`,
        options: [proposal(best)],
      });
    } else if (best.confidence >= USE) {
      doneColumns.add(best.column);
      used.push(proposal(best));
    } else {
      const others = free.filter((other) => other.field === best.field);
      questions.push({
        field: best.field,
        why: `"${best.column}" might be it (${Math.round(best.confidence * 100)}%: ${best.reason})`,
        options: others.map(proposal),
      });
    }
  }
  return { used, questions };
}

function proposal({ field, mapping, column, confidence, reason }: Candidate): Proposal {
  return { field, mapping, columns: [column], confidence, reason };
}

/** A template of first and last name, if no column has the whole name. */
function personName(
  columns: readonly Column[],
  used: readonly Proposal[],
  questions: readonly Question[],
): Proposal | undefined {
  if ([...used, ...questions].some(({ field }) => field === 'engager_name')) return undefined;
  const first = columns.filter((column) => firstNames().has(column.bag));
  const last = columns.filter((column) => lastNames().has(column.bag));
  const [one, other] = [first[0]?.name, last[0]?.name];
  if (one === undefined || other === undefined || first.length > 1 || last.length > 1) return undefined;
  if (/[{}]/u.test(one + other)) return undefined;
  return {
    field: 'engager_name',
    mapping: { template: `{${one}} {${other}}` },
    columns: [one, other],
    confidence: 0.9,
    reason: 'first and last name are in separate columns',
  };
}

/** Proposals for required fields that no column contains: constants, or a title made of columns. Always questions. */
function proposeMissing(
  columns: readonly Column[],
  contract: Contract,
  document: MappingDocument,
  questions: readonly Question[],
): readonly Question[] {
  const there = new Set([
    ...Object.keys(document.fields).map((name) => contract.field(name)?.name ?? name),
    ...questions.map(({ field }) => field),
  ]);
  const missing = contract.fields.filter(
    ({ name, wire }) => !there.has(name) && Object.values(wire).some(({ required }) => required === true),
  );
  return missing.flatMap(({ name }) => {
    const options = proposeRequired(name, columns, document);
    return options.length === 0 ? [] : [{ field: name, why: 'no column contains it', options }];
  });
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

function unusedColumns(
  columns: readonly Column[],
  document: MappingDocument,
  questions: readonly Question[],
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
  const asked = new Set(questions.flatMap(({ options }) => options.flatMap((option) => option.columns)));
  return columns
    .filter(({ name }) => !used.has(name) && !asked.has(name))
    .map(({ name, profile }) => ({
      column: name,
      why: profile.texts.length === 0 ? 'empty in the sampled rows' : 'fits no remaining field',
    }));
}
