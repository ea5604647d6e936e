/** The question about one field: which column, text or value it comes from. */
import type { Field } from '../contract/index.ts';
import { numericCell } from '../lib/exact-number.ts';
import { printable } from '../lib/printable.ts';
import { once } from '../lib/resources.ts';
import { formatList } from '../lib/text.ts';
import {
  type ColumnChoice,
  columnsForField,
  describeField,
  type FieldMapping,
  isOftenMistaken,
  judgeTable,
  LIKELY,
  OTHER,
  type Proposal,
  type Question,
  renderField,
  similarValue,
  templateProblem,
  usualValues,
} from '../map/index.ts';
import { COLUMN_LIMIT, columnLabel, consequencesOf } from './field-examples.ts';
import type { MappingProposal } from './mapping-proposal.ts';
import {
  type AnswerChoice,
  answerLabel,
  BACK,
  type ChoiceQuestion,
  type Consequence,
  type Settled,
  STOP,
  type TextQuestion,
} from './question.ts';

/** The mapping is undefined if the field is left out. */
export interface FieldAnswer {
  readonly field: string;
  readonly mapping: FieldMapping | undefined;
}

/** {@link LIKELY} for an optional field that other columns are often taken for: own deal sizes are no funding. */
const LIKELY_IF_MISTAKEN = 0.7;

/** A column with more unknown values is not a list of kinds. */
const MAX_ASKED = 25;

/** Unknown values that a label names. */
const UNKNOWN_SHOWN = 3;

/** Unknown values of which a label says what they mean. */
const MEANINGS_SHOWN = 6;

/** Columns that the prompt for a text names. */
const COLUMNS_SHOWN = 20;

const LABEL_LIMIT = 120;

interface Asked {
  readonly proposal: MappingProposal;
  readonly field: Field;
  readonly isRequired: boolean;
  /** The likeliest first. Judged once, because a wide table has many. */
  readonly columns: () => readonly ColumnChoice[];
}

export function fieldQuestion(proposal: MappingProposal, question: Question): ChoiceQuestion<FieldAnswer> {
  const { contract, variant } = proposal;
  const found = contract.fieldsOf(variant.variant).find(({ field }) => field.name === question.field);
  const field = found?.field ?? contract.field(question.field);
  if (field === undefined) throw new TypeError(`a question is about an unknown field: ${question.field}`);
  const columns = once(() => columnsForField(proposal.sample, contract, field));
  const asked: Asked = { proposal, field, isRequired: found?.required === true, columns };
  const { options } = question;
  const answers = [
    ...proposedAnswers(options, asked),
    ...otherValues(field, options).map((value) => ({ label: `${value} in every row`, ...settled(asked, { value }) })),
    ...stepsFor(options, asked),
    asked.isRequired ? STOP : { label: 'nothing: leave it out', ...settled(asked, undefined) },
  ];
  return { message: messageFor(asked, question), answers, marked: markedProposal(answers) };
}

function messageFor({ field, isRequired }: Asked, { why }: Question): string {
  const { name, about, recommended } = field;
  const importance = isRequired ? ' (required)' : recommended === undefined ? '' : ` (${recommended})`;
  const sentence = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
  return `${name}${importance}: ${about}${printable(why === '' ? '' : ` ${sentence}`)}`;
}

/** The usual values that are not proposed. */
export function otherValues(field: Field, options: readonly Proposal[]): readonly string[] {
  const offered = constantsOf(options);
  return usualValues(field).filter((value) => !offered.includes(value));
}

function constantsOf(options: readonly Proposal[]): readonly unknown[] {
  return options.flatMap(({ mapping }) => ('value' in mapping ? [mapping.value] : []));
}

/** What only the user knows. */
function stepsFor(options: readonly Proposal[], asked: Asked): readonly AnswerChoice<FieldAnswer>[] {
  const { field } = asked;
  const { name: kind, numericCells } = field.kind;
  const takesText = kind === 'text' || (kind === 'untyped' && numericCells !== true);
  const constants = constantsOf(options).length;
  const hasConstants = constants > 0 || usualValues(field).length > 0;
  const column = constants === options.length ? 'a column…' : 'another column…';
  const value = `${hasConstants ? 'another' : 'one'} value for every row…`;
  return [
    { label: column, next: () => columnQuestion(asked) },
    ...(takesText ? [{ label: 'a text made of columns…', next: () => templateQuestion(options, asked) }] : []),
    ...(kind === 'enum' ? [] : [{ label: value, next: () => constantQuestion(asked) }]),
  ];
}

function proposedAnswers(options: readonly Proposal[], asked: Asked): readonly AnswerChoice<FieldAnswer>[] {
  return wayAnswers(options, asked).map(({ way, ...answer }) => {
    const { mapping } = way;
    const option = fieldOption(asked.field.name, mapping);
    const objection = objectionTo(way, options, answer.consequence, asked);
    const table = openTable(mapping, asked);
    if (table === undefined) return { ...answer, option, objection };
    // Its label names the values instead of an example, and its option has a place for the meaning of each unknown one.
    const next = () => valuesQuestion(table, asked);
    const values = { ...table.values, ...Object.fromEntries(table.unknown.map((word) => [word, 'VALUE'])) };
    const toFill = fieldOption(asked.field.name, { column: table.column, values });
    return { label: tableLabel(table), ...settled(asked, mapping), next, option: toFill, objection };
  });
}

function wayAnswers<W extends { readonly mapping: FieldMapping }>(ways: readonly W[], asked: Asked) {
  const { field, proposal, isRequired } = asked;
  return consequencesOf(ways, field, proposal.sample, isRequired).map(({ way, consequence }) => {
    const label = printable(describeField(way.mapping), LABEL_LIMIT);
    return { way, label, consequence, ...settled(asked, way.mapping) };
  });
}

function settled({ field }: Asked, mapping: FieldMapping | undefined): Settled<FieldAnswer> {
  return { value: { field: field.name, mapping } };
}

/** Why the proposal is not accepted without being read. A required field has no other way than a likely proposal. */
function objectionTo(
  { mapping, columns, confidence, doubt }: Proposal,
  [, second]: readonly Proposal[],
  consequence: Consequence | undefined,
  asked: Asked,
): string | undefined {
  const { isRequired } = asked;
  const table = openTable(mapping, asked);
  if (table !== undefined) return `the meaning of ${formatList(table.unknown, '"', UNKNOWN_SHOWN)} is unknown`;
  const isUnsure = isUnlikely(confidence, asked);
  const unsure =
    confidence < LIKELY_IF_MISTAKEN
      ? `it is only ${Math.round(confidence * 100)}% sure`
      : 'the rows may be of another kind, with other values of that name';
  if (isRequired) return isUnsure ? unsure : undefined;
  if (second !== undefined && columns.join() === second.columns.join()) return 'its values can be read in several ways';
  const isOmitting = 'invalid' in mapping && mapping.invalid === 'omit';
  if (consequence !== undefined && consequence.why !== '' && !isOmitting) return 'some of its values cannot be used';
  if (consequence?.after === '') return 'the sampled rows have no value';
  return doubt ?? (isUnsure ? unsure : undefined);
}

function isUnlikely(confidence: number, { field, isRequired, proposal: { sample, contract } }: Asked): boolean {
  if (confidence < LIKELY) return true;
  if (isRequired || confidence === 1 || !isOftenMistaken(field.name)) return false;
  return confidence < LIKELY_IF_MISTAKEN || judgeTable(sample).verdict !== contract.type;
}

/** What Enter answers: the proposal that `--accept` takes, or one that asks further; else nothing. */
function markedProposal(answers: readonly AnswerChoice<FieldAnswer>[]): AnswerChoice<FieldAnswer> | undefined {
  const first = answers.find(({ option }) => option !== undefined);
  return first !== undefined && (first.objection === undefined || first.next !== undefined) ? first : answers.at(-1);
}

function areReadings(ways: readonly { readonly mapping: FieldMapping }[]): boolean {
  const columns = new Set(
    ways.map(({ mapping }) => ('as' in mapping && mapping.as === 'date' ? mapping.column : undefined)),
  );
  return ways.length > 1 && columns.size === 1 && !columns.has(undefined);
}

/** Columns without values come last. */
function columnQuestion(asked: Asked): ChoiceQuestion<FieldAnswer> {
  const isEmpty = ({ values }: ColumnChoice): number => Number(values.length === 0);
  const answers = asked
    .columns()
    .toSorted((one, other) => isEmpty(one) - isEmpty(other))
    .map((choice) => ({
      label: columnLabel(choice.column, choice.values),
      next: () => wayQuestion(choice, asked),
    }));
  return { message: `Which column is ${asked.field.name}?`, answers };
}

/** How the values of a column are read. No question if there is one way. */
function wayQuestion({ column, ways }: ColumnChoice, asked: Asked): ChoiceQuestion<FieldAnswer> | Settled<FieldAnswer> {
  const [only] = ways;
  if (ways.length === 1 && only !== undefined) {
    const table = openTable(only, asked);
    return table === undefined ? settled(asked, only) : valuesQuestion(table, asked);
  }
  const readings = ways.map((mapping) => ({ mapping }));
  return {
    message: `How is "${printable(column, COLUMN_LIMIT)}" written?`,
    answers: wayAnswers(readings, asked),
    marked: areReadings(readings) ? BACK : undefined,
  };
}

function templateQuestion(options: readonly Proposal[], asked: Asked): TextQuestion<FieldAnswer> {
  const { field, proposal } = asked;
  const [initial = ''] = options.flatMap(({ mapping }) => ('template' in mapping ? [mapping.template] : []));
  const columns = asked.columns().flatMap(({ column, values }) => (values.length === 0 ? [] : [`{${column}}`]));
  return {
    message: printable(`The text for ${field.name}. Columns: ${formatList(columns, '', COLUMNS_SHOWN)}`, 600),
    initial,
    read(text) {
      const template = text.trim();
      const problem = templateProblem(template, proposal.sample.columns);
      return problem === undefined ? settled(asked, { template }) : printable(problem);
    },
  };
}

function constantQuestion(asked: Asked): TextQuestion<FieldAnswer> {
  const { name, kind } = asked.field;
  return {
    message: `${name} in every row`,
    initial: '',
    read(text) {
      const value = kind.numericCells === true ? numericCell(text.trim()) : text.trim();
      return kind.read(value) === undefined ? `Enter ${kind.expected}.` : settled(asked, { value });
    },
  };
}

/** A column whose values are not all known. */
interface OpenTable {
  readonly column: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly unknown: readonly string[];
}

/** Undefined if there is nothing to ask: the field takes all sampled values of the column, or other texts too. */
function openTable(mapping: FieldMapping, { field, proposal: { sample }, columns }: Asked): OpenTable | undefined {
  if (field.kind.name !== 'enum' || !('column' in mapping) || 'as' in mapping) return undefined;
  const { column } = mapping;
  const found = columns().find((each) => each.column === column);
  const values = 'values' in mapping ? mapping.values : {};
  const isKnown = (value: string): boolean =>
    Object.hasOwn(values, value) || sample.empty?.includes(value) === true || field.kind.read(value) !== undefined;
  const unknown = (found?.values ?? []).filter((value) => !isKnown(value));
  return unknown.length === 0 || unknown.length > MAX_ASKED ? undefined : { column, values, unknown };
}

/** `"Kind", where "Jobs" is job_posting; asks what "Fair" and "Press" mean`. */
function tableLabel({ column, values, unknown }: OpenTable): string {
  const words = describeField(Object.keys(values).length === 0 ? { column } : { column, values });
  const mean = unknown.length === 1 ? 'means' : 'mean';
  return printable(`${words}; asks what ${formatList(unknown, '"', UNKNOWN_SHOWN)} ${mean}`);
}

/** Asks what the unknown values of a column mean: all at once, with the similar ones as the answer, or one after the other. */
function valuesQuestion(table: OpenTable, asked: Asked): ChoiceQuestion<FieldAnswer> {
  const { column, values, unknown } = table;
  if (unknown.length === 1) return valueQuestion(table, asked);
  const similar = unknown.map((value) => [value, similarValue(asked.field, value) ?? OTHER] as const);
  const meanings = similar.map(([value, meant]) => `"${value}" is ${meant}`);
  return {
    message: printable(`${asked.field.name}: what do ${formatList(unknown, '"', UNKNOWN_SHOWN)} mean?`),
    answers: [
      {
        label: printable(formatList(meanings, '', MEANINGS_SHOWN)),
        ...settled(asked, { column, values: { ...values, ...Object.fromEntries(similar) } }),
      },
      { label: 'each on its own…', next: () => valueQuestion(table, asked) },
    ],
  };
}

/** Asks what each unknown value of a column means, one after the other. */
function valueQuestion(table: OpenTable, asked: Asked, at = 0): ChoiceQuestion<FieldAnswer> {
  const { column, values, unknown } = table;
  const { name, kind } = asked.field;
  const value = unknown[at] ?? '';
  const known = kind.values ?? [];
  const nextStep = (all: OpenTable['values']) => () =>
    at + 1 < unknown.length
      ? valueQuestion({ ...table, values: all }, asked, at + 1)
      : settled(asked, Object.keys(all).length === 0 ? { column } : { column, values: all });
  const answers: readonly AnswerChoice<FieldAnswer>[] = [
    ...known.map((meant) => ({ label: meant, next: nextStep({ ...values, [value]: meant }) })),
    ...(at + 1 < unknown.length && known.includes(OTHER)
      ? [{ label: 'other, and so is every value after it', ...settled(asked, { column, values, otherwise: OTHER }) }]
      : []),
    { label: 'nothing: rows with it are invalid, and are not sent', next: nextStep(values) },
  ];
  const place = unknown.length === 1 ? '' : ` (${at + 1} of ${unknown.length})`;
  return {
    message: `${name}: what does "${printable(value, COLUMN_LIMIT)}" mean?${place}`,
    answers,
    marked: answers.find((answer) => answerLabel(answer) === (similarValue(asked.field, value) ?? OTHER)),
  };
}

export function fieldOption(field: string, mapping: FieldMapping): readonly [option: string, value: string] {
  if ('value' in mapping) return ['--set', `${field}=${mapping.value}`];
  if ('template' in mapping) return ['-c', `${field}=${mapping.template}`];
  const [key, ...more] = Object.keys(mapping);
  if (key !== 'column' || !('column' in mapping) || more.length > 0) return ['-c', `${field}=${renderField(mapping)}`];
  const { column } = mapping;
  return ['-c', `${field}=${/[{}]/u.test(column) ? `{ column: ${JSON.stringify(column)} }` : column}`];
}
