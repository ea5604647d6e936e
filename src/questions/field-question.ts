/** The question about one field: which column, text or value it comes from. */
import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../contract/index.ts';
import { numericCell } from '../lib/exact-number.ts';
import { printable } from '../lib/printable.ts';
import { count, plural } from '../lib/units.ts';
import {
  type ColumnChoice,
  columnsForField,
  columnsOf,
  describeField,
  type FieldMapping,
  formatList,
  type MappingDocument,
  type Proposal,
  type Question,
  renderField,
  templateProblem,
  tryField,
  usualValues,
  withOverrides,
} from '../map/index.ts';
import { columnLabel, consequencesOf, readable, unfitValues } from './field-examples.ts';
import { isMostlyInvalid, type MappingProposal, withAnswers } from './mapping-proposal.ts';
import {
  type AnswerChoice,
  answerLabel,
  BACK,
  type ChoiceQuestion,
  type Consequence,
  markedAnswer,
  type Settled,
  STOP,
  type TextQuestion,
} from './question.ts';

/** The mapping is undefined if the field is left out. */
export interface FieldAnswer {
  readonly field: string;
  readonly mapping: FieldMapping | undefined;
}

/** Confidence from which a proposal is likelier to be right than not. */
const LIKELY = 0.5;

/** A column with more unknown values is not a list of kinds. */
const MAX_ASKED = 25;

/** Unknown values that a label names. */
const UNKNOWN_SHOWN = 3;

/** Rows whose example is shown for a text. */
const EXAMPLES = 3;

const COLUMN_LIMIT = 40;

/** A field of a proposal, and what was found for it. */
interface Asked {
  readonly proposal: MappingProposal;
  readonly field: Field;
  readonly isRequired: boolean;
  /** The answer that the user has given before, to change it. */
  readonly earlier: FieldMapping | undefined;
  /** The likeliest first. Judged once, because a wide table has many. */
  readonly columns: () => readonly ColumnChoice[];
}

/** @param earlier the answer that the user has given before */
export function fieldQuestion(
  proposal: MappingProposal,
  question: Question,
  earlier?: FieldMapping,
): ChoiceQuestion<FieldAnswer> {
  const { contract, variant } = proposal;
  const found = contract.fieldsOf(variant.variant).find(({ field }) => field.name === question.field);
  const field = found?.field ?? contract.field(question.field);
  if (field === undefined) throw new TypeError(`a question is about an unknown field: ${question.field}`);
  let judged: readonly ColumnChoice[] | undefined;
  const columns = (): readonly ColumnChoice[] => {
    judged ??= columnsForField(proposal.sample, contract, field);
    return judged;
  };
  const asked: Asked = { proposal, field, isRequired: found?.required === true, earlier, columns };
  const options = kindsFirst(question.options, asked);
  const answers = answersFor(options, asked);
  const marked = earlier === undefined ? markedProposal(options, answers, asked) : markedEarlier(earlier, answers);
  return { message: messageFor(asked, question), answers, marked };
}

/**
 * A constant is not the first proposal while a column has words for kinds of which some are others, or unknown: "news" in a
 * row says more than one value for all rows.
 */
function kindsFirst(options: readonly Proposal[], asked: Asked): readonly Proposal[] {
  const { field } = asked;
  const [first] = options;
  if (field.kind.name !== 'enum' || first === undefined || first.confidence === 1) return options;
  const { mapping: constant } = first;
  if (!('value' in constant)) return options;
  const used = columnUsers(asked);
  const columns = asked.columns().flatMap(({ column, values, ways }) => {
    const [way] = used.has(column) ? [] : ways.filter((each) => 'values' in each);
    // An "x" is also a mark.
    const known = way === undefined ? [] : Object.keys(way.values).filter((word) => word.length > 1);
    if (way === undefined || known.length === 0 || known.length * 2 < values.length) return [];
    const isOther = Object.values(way.values).some((value) => value !== constant.value);
    return isOther || openTable(way, asked) !== undefined ? [{ column, way }] : [];
  });
  const kinds = columns.map(
    ({ column, way }): Proposal =>
      options.find((option) => option.columns.includes(column)) ?? {
        ...{ field: field.name, mapping: way, columns: [column] },
        ...{ confidence: first.confidence, reason: 'its words are kinds' },
      },
  );
  return [...kinds, ...options.filter((option) => !kinds.includes(option))];
}

function messageFor({ field, isRequired }: Asked, { why, options }: Question): string {
  const { name, about, recommended } = field;
  const importance = isRequired ? ' (required)' : recommended === undefined ? '' : ` (${recommended})`;
  const [column, ...others] = new Set(options.flatMap(({ mapping }) => columnsOf(mapping)));
  const isFromColumns = options.length > 1 && options.every(({ mapping }) => columnsOf(mapping).length > 0);
  const isOneColumn = column !== undefined && others.length === 0 && isFromColumns;
  const sentence = isOneColumn
    ? `How are the values of "${column}" meant?`
    : `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
  return `${name}${importance}: ${about}${printable(why === '' ? '' : ` ${sentence}`)}`;
}

/** The proposals, then what only the user knows, and the way out. */
function answersFor(options: readonly Proposal[], asked: Asked): readonly AnswerChoice<FieldAnswer>[] {
  const { field, isRequired } = asked;
  const proposed = proposedAnswers(options, asked);
  const offered = new Set(options.flatMap(({ mapping }) => ('value' in mapping ? [mapping.value] : [])));
  const constants = usualValues(field)
    .filter((value) => !offered.has(value))
    .map((value) => ({ label: `${value} in every row`, ...settled(asked, { value }) }));
  const hasConstants = constants.length > 0 || offered.size > 0;
  const isOpen = field.kind.name !== 'enum';
  return [
    ...proposed,
    ...constants,
    { label: proposed.length === offered.size ? 'a column…' : 'another column…', next: () => columnQuestion(asked) },
    ...(takesText(field) ? [{ label: TEMPLATE, next: () => templateQuestion(options, asked) }] : []),
    ...(isOpen ? [{ label: constantLabel(hasConstants), next: () => constantQuestion(asked) }] : []),
    isRequired ? STOP : { label: 'nothing: leave it out', ...settled(asked, undefined) },
  ];
}

const TEMPLATE = 'a text made of columns…';

function constantLabel(hasConstants: boolean): string {
  return `${hasConstants ? 'another' : 'one'} value for every row…`;
}

function takesText({ kind }: Field): boolean {
  return kind.name === 'text' || (kind.name === 'untyped' && kind.numericCells !== true);
}

function proposedAnswers(options: readonly Proposal[], asked: Asked): readonly AnswerChoice<FieldAnswer>[] {
  const consequences = consequencesFor(
    options.map(({ mapping }) => mapping),
    asked,
  );
  return options.map((option, index) => {
    const { mapping } = option;
    const consequence = consequences[index];
    const proposed = {
      ...settled(asked, mapping),
      consequence,
      option: fieldOption(asked.field.name, mapping),
      objection: objectionTo(option, options, consequence, asked),
    };
    const table = openTable(mapping, asked);
    if (table !== undefined) {
      // Its label names the values instead of an example.
      return {
        label: tableLabel(table),
        proposed: { ...proposed, consequence: undefined },
        next: () => valueQuestion(table, asked),
      };
    }
    return { label: printable(describeField(mapping), 120), proposed, ...settled(asked, mapping) };
  });
}

function settled({ field }: Asked, mapping: FieldMapping | undefined): Settled<FieldAnswer> {
  return { value: { field: field.name, mapping } };
}

function consequencesFor(ways: readonly FieldMapping[], { field, proposal, isRequired }: Asked) {
  return consequencesOf(ways, field, proposal.sample, isRequired);
}

/** Why the proposal is not accepted without being read. A required field has no other way than a likely proposal. */
function objectionTo(
  { mapping, columns, confidence, doubt }: Proposal,
  [, second]: readonly Proposal[],
  consequence: Consequence | undefined,
  asked: Asked,
): string | undefined {
  const { isRequired } = asked;
  const table = 'otherwise' in mapping ? undefined : openTable(mapping, asked);
  if (table !== undefined) return `the meaning of ${formatList(table.unknown, '"', UNKNOWN_SHOWN)} is unknown`;
  const isUnsure = confidence < LIKELY;
  const unsure = `it is only ${Math.round(confidence * 100)}% sure`;
  if (isRequired) return isUnsure ? unsure : undefined;
  if (second !== undefined && columns.join() === second.columns.join()) return 'its values can be read in several ways';
  if (consequence !== undefined && consequence.invalid > 0) return 'some of its values do not fit';
  if (consequence?.after === '') return 'the sampled rows have no value';
  return isUnsure ? unsure : doubt;
}

/** What Enter answers: nothing unlikely, no reading of ambiguous dates, and nothing that makes most rows invalid. */
function markedProposal(
  options: readonly Proposal[],
  answers: readonly AnswerChoice<FieldAnswer>[],
  { field, proposal }: Asked,
): AnswerChoice<FieldAnswer> | undefined {
  const [first] = options;
  const nothing = markedAnswer(answers, ({ mapping }) => mapping === undefined);
  if (first === undefined) return undefined;
  const isUnsure = first.confidence < LIKELY || areReadings(options.map(({ mapping }) => mapping));
  if (isUnsure) return nothing ?? answers.find(isStep);
  return isMostlyInvalid(tryField(first.mapping, field, proposal.sample)) ? (nothing ?? answers[0]) : answers[0];
}

/** The answer itself, or the step that led to it. */
function markedEarlier(
  mapping: FieldMapping,
  answers: readonly AnswerChoice<FieldAnswer>[],
): AnswerChoice<FieldAnswer> | undefined {
  const words = 'value' in mapping ? 'value for every row…' : 'template' in mapping ? TEMPLATE : 'column…';
  return (
    markedAnswer(answers, (value) => isDeepStrictEqual(value.mapping, mapping)) ??
    answers.find(({ label }) => label.endsWith(words))
  );
}

function isStep(answer: AnswerChoice<FieldAnswer>): boolean {
  return 'next' in answer && answer.proposed === undefined;
}

/** Whether a date could be read in several ways. */
function areReadings(ways: readonly FieldMapping[]): boolean {
  const columns = new Set(ways.flatMap((way) => ('as' in way && way.as === 'date' ? [way.column] : [undefined])));
  return ways.length > 1 && columns.size === 1 && !columns.has(undefined);
}

function columnQuestion(asked: Asked): ChoiceQuestion<FieldAnswer> {
  const { field, earlier } = asked;
  const users = columnUsers(asked);
  const columns = asked.columns();
  const rank = ({ column, values }: ColumnChoice): number => (values.length === 0 ? 2 : users.has(column) ? 1 : 0);
  const before = earlier === undefined ? undefined : columnsOf(earlier)[0];
  const sorted = columns.toSorted((one, other) => rank(one) - rank(other));
  const answers = sorted.map((choice) => ({
    label: columnLabel(choice.column, choice.values, users.get(choice.column)),
    next: () => wayQuestion(choice, asked),
  }));
  const marked = answers[sorted.findIndex(({ column }) => column === before)];
  return { message: `Which column is ${field.name}?`, answers, marked };
}

/** The fields that use each column, other than this one. A text quotes columns that other fields use too. */
function columnUsers({ proposal, field }: Asked): ReadonlyMap<string, string> {
  const used = Object.entries(proposal.document.fields).filter(
    ([name, mapping]) => proposal.contract.field(name) !== field && !('template' in mapping),
  );
  return new Map(used.flatMap(([name, mapping]) => columnsOf(mapping).map((column) => [column, `used for ${name}`])));
}

/** How the values of a column are read. No question if there is one way, and all values fit. */
function wayQuestion({ column, ways }: ColumnChoice, asked: Asked): ChoiceQuestion<FieldAnswer> | Settled<FieldAnswer> {
  const { field, proposal } = asked;
  const [only] = ways;
  const name = printable(column, COLUMN_LIMIT);
  if (ways.length === 1 && only !== undefined) {
    const table = openTable(only, asked);
    if (table !== undefined) return valueQuestion(table, asked);
    const unfit = unfitValues(tryField(only, field, proposal.sample));
    if (unfit === '') return settled(asked, only);
    return {
      message: `"${name}": ${unfit}. The field needs ${field.kind.expected}.`,
      answers: [{ label: 'use it: rows with such a value are invalid, and are not sent', ...settled(asked, only) }],
      marked: BACK,
      back: 'choose another column',
    };
  }
  const consequences = consequencesFor(ways, asked);
  const answers = ways.map((mapping, index): AnswerChoice<FieldAnswer> => {
    const option = fieldOption(field.name, mapping);
    const proposed = { ...settled(asked, mapping), consequence: consequences[index], option, objection: undefined };
    return { label: printable(describeField(mapping), 120), proposed, ...settled(asked, mapping) };
  });
  return { message: `How is "${name}" written?`, answers, marked: areReadings(ways) ? BACK : undefined };
}

function templateQuestion(options: readonly Proposal[], asked: Asked): TextQuestion<FieldAnswer> {
  const { field, proposal, earlier } = asked;
  const [initial = ''] = [earlier, ...options.map(({ mapping }) => mapping)].flatMap((mapping) =>
    mapping !== undefined && 'template' in mapping ? [mapping.template] : [],
  );
  return {
    message: `The text for ${field.name}, with columns in braces`,
    initial,
    check(text) {
      const problem = templateProblem(text.trim(), proposal.sample.columns);
      return problem === undefined ? undefined : printable(problem);
    },
    answer: (text) => exampleQuestion({ template: text.trim() }, asked),
  };
}

/** Shows what a text makes of the first rows. */
function exampleQuestion(mapping: FieldMapping, asked: Asked): ChoiceQuestion<FieldAnswer> {
  const { field, proposal } = asked;
  // As accepted: words such as NULL in the columns of the text count as empty.
  const { sample } = withAnswers(proposal, new Map([[field.name, mapping]]));
  const trial = tryField(mapping, field, sample);
  const examples = trial.values.slice(0, EXAMPLES).map(({ sent }) => `  ${readable(sent)}`);
  const without = sample.contents.length - trial.values.length;
  const gap = `${count(without)} of the ${plural(sample.contents.length, 'sampled row')} ${without === 1 ? 'has' : 'have'} no text, because a column is empty.`;
  return {
    message: ['In the first rows:', ...examples, ...(without === 0 ? [] : [gap])].join('\n'),
    answers: [{ label: 'use this text', ...settled(asked, mapping) }],
    back: 'change it',
  };
}

function constantQuestion(asked: Asked): TextQuestion<FieldAnswer> {
  const { earlier } = asked;
  const { name, kind } = asked.field;
  const constantOf = (typed: string): string | number =>
    kind.numericCells === true ? numericCell(typed.trim()) : typed.trim();
  return {
    message: `${name} in every row`,
    initial: earlier !== undefined && 'value' in earlier ? String(earlier.value) : '',
    check: (text) => (kind.read(constantOf(text)) === undefined ? `Enter ${kind.expected}.` : undefined),
    answer: (text) => settled(asked, { value: constantOf(text) }),
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
    ...(at + 1 < unknown.length && known.includes('other')
      ? [{ label: 'other, and so is every value after it', ...settled(asked, { column, values, otherwise: 'other' }) }]
      : []),
    { label: 'nothing: rows with it are invalid, and are not sent', next: nextStep(values) },
  ];
  const place = unknown.length === 1 ? '' : ` (${at + 1} of ${unknown.length})`;
  return {
    message: `${name}: what does "${printable(value, COLUMN_LIMIT)}" mean?${place}`,
    answers,
    marked: answers.find((answer) => answerLabel(answer) === 'other'),
  };
}

/** The options that map fields. */
export interface FieldOptions {
  /** `FIELD=COLUMN`, in order. */
  readonly columns: readonly string[];
  /** `FIELD=VALUE`, in order. */
  readonly constants: readonly string[];
  /** Texts of cells that count as empty, besides those of the mapping file. */
  readonly empty?: readonly string[] | undefined;
}

/** A mapping as in a mapping file: `{ column: Announced, as: date, format: d/M/yyyy }`. */
const IN_FULL = /^[^=]*=\s*\{\s*(?:column|template|first|value)\s*:/u;

/** @throws ProblemError as {@link withOverrides} does, and for an invalid mapping in braces */
export async function overrideFields(
  document: MappingDocument,
  { columns, constants, empty }: FieldOptions,
): Promise<MappingDocument> {
  const inFull = columns.filter((given) => IN_FULL.test(given));
  if (inFull.length === 0) return withOverrides(document, { columns, constants, empty });
  const { parseMapping } = await import('../map/parse-document.ts');
  const parse = (given: string): FieldMapping | undefined => {
    if (!IN_FULL.test(given)) return undefined;
    const at = given.indexOf('=');
    const field = given.slice(0, at).trim();
    const { fields } = parseMapping(`fields: { ${field}: ${given.slice(at + 1)} }`, `--column ${field}`);
    return fields[field];
  };
  return withOverrides(document, { columns, constants, empty, parse });
}

/** The option that maps a field in this way. */
export function fieldOption(field: string, mapping: FieldMapping): readonly [option: string, value: string] {
  if ('value' in mapping) return ['--set', `${field}=${mapping.value}`];
  if ('template' in mapping) return ['-c', `${field}=${mapping.template}`];
  const [key, ...more] = Object.keys(mapping);
  if (key !== 'column' || !('column' in mapping) || more.length > 0) return ['-c', `${field}=${renderField(mapping)}`];
  const { column } = mapping;
  return ['-c', `${field}=${/[{}]/u.test(column) ? `{ column: ${JSON.stringify(column)} }` : column}`];
}
