/**
 * Discovery: what columns probably mean, where no mapping is given and a name alone does not tell. Pure.
 *
 * Every pair of a column and a field is scored by header and values (score.ts). Pairs are then taken from the best
 * downwards, each column and each field once. A greedy choice can differ from the best total only where two
 * pairs are nearly equal, and nearly equal pairs are a question here ({@link MARGIN}), so no better choice is
 * lost by it.
 *
 * Precision comes before recall: what reaches {@link USE} is used and said, what reaches {@link ASK} is asked, and
 * the rest is left alone.
 */
import type { Contract } from '../../contract/index.ts';
import { once } from '../../lib/once.ts';
import { columnFinder, formatList, isRejectsColumn, normalise } from '../column-match.ts';
import type { FieldMapping, MappingDocument } from '../document-schema.ts';
import { columnsOf } from '../field-transforms.ts';
import { profileColumn } from './column-facts.ts';
import { firstNames, lastNames } from './header-synonyms.ts';
import { bag } from './header-words.ts';
import type { Discovery, Proposal, Question, Sample } from './proposal.ts';
import { proposeConstants, proposeTitle } from './propose-required.ts';
import { type Candidate, type Column, candidateFor, checkNamedColumn } from './score.ts';
import { detectTopic, type TableTopic } from './table-topic.ts';

/** From here on a proposal is used without a question, and said. */
const USE = 0.8;

/** From here on a proposal is worth a question. */
const ASK = 0.45;

/** Two candidates that are nearer than this to each other are rivals: neither is used. */
const MARGIN = 0.05;

/** Fields that say more of a company than its name: with one of them, a bare "City" is the company's. */
const MORE_OF_COMPANY = ['company_domain', 'industry', 'employee_count'] as const;

/**
 * Completes `document`. Its fields stay as they are, but for those of `byName`: a column that only bears a field's
 * name is left out where not one of its values could be sent, and gets the transform that its values need.
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
    ...Object.values(fields).flatMap(columnsOf).map(normalise),
    ...refined.flatMap((proposal) => proposal.columns).map(normalise),
  ]);
  const scored = contract.fields
    .filter(({ name }) => !settled.has(name))
    .flatMap((field) =>
      columns
        .filter(({ name }) => !takenColumns.has(normalise(name)))
        .flatMap((column) => candidateFor(column, field, contract.type) ?? []),
    );
  const sure = (field: string): boolean =>
    filled.has(field) || scored.some((each) => each.field === field && each.confidence >= USE);
  const aboutCompanies = sure('company_name') && MORE_OF_COMPANY.some(sure);
  // Not needed if the columns have the names of fields.
  const context = once(() => detectTopic(columns, aboutCompanies));
  const candidates = scored
    .map((candidate) => context().weigh(candidate, contract.type))
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
  questions.push(...proposeMissing(columns, contract, context, result, questions));
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
    isRejectsColumn(name) ? [] : [{ name, profile: profileColumn(rows.map((row) => row[index])) }],
  );
}

/** Columns that bear a field's name, with their values looked at. */
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

/** A person's name from its two parts, where no column holds the whole. */
function personName(
  columns: readonly Column[],
  used: readonly Proposal[],
  questions: readonly Question[],
): Proposal | undefined {
  if ([...used, ...questions].some(({ field }) => field === 'engager_name')) return undefined;
  const first = columns.filter(({ name }) => firstNames().has(bag(name)));
  const last = columns.filter(({ name }) => lastNames().has(bag(name)));
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

/** Required fields that no column holds: a constant, or a title made of columns. Always asked, never used. */
function proposeMissing(
  columns: readonly Column[],
  contract: Contract,
  context: () => TableTopic,
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
  return missing.flatMap(({ name }): Question[] => {
    if (name === 'signal_title') {
      const title = proposeTitle(columns, document, context());
      return title === undefined ? [] : [{ field: name, why: 'no column contains it', options: [title] }];
    }
    const options = proposeConstants(name, columns, context());
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
  // A column that is called like a used one but for case or punctuation is another one, and holds something else.
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
