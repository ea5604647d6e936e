/** The question about one field: which column or value it comes from. Each step can go back to the one before. */
import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../../contract/index.ts';
import { printable } from '../../lib/printable.ts';
import { count, plural } from '../../lib/units.ts';
import {
  columnsForField,
  columnsOf,
  type FieldMapping,
  numericCell,
  type Question,
  templateProblem,
  tryField,
  usualValues,
} from '../../map/index.ts';
import { columnLabel, readable, unfitValues, wayLabels } from '../../plan/field-examples.ts';
import { isMostlyInvalid, type MappingProposal, withAnswers } from '../../plan/mapping-proposal.ts';
import { BACK, Cancelled, type Choice, type Prompts } from '../../terminal/prompts.ts';
import { askValues, openTable, openTableLabel } from './ask-values.ts';

export interface FieldQuestion {
  readonly prompts: Prompts;
  readonly proposal: MappingProposal;
  readonly question: Question;
  /** The answer that the user has given before, to change it. */
  readonly earlier?: FieldMapping | undefined;
  /** Whether there is a question before this one. */
  readonly canGoBack: boolean;
}

/** The mapping is undefined if the user leaves the field out. */
export type FieldAnswer = typeof BACK | { readonly mapping: FieldMapping | undefined };

/** Rows whose example is shown for a text. */
const EXAMPLES = 3;

/** @throws Cancelled if the user stops */
export async function askField(asked: FieldQuestion): Promise<FieldAnswer> {
  const { prompts, question } = asked;
  const { field, isRequired } = fieldOf(asked);
  const choices = choicesFor(asked, field, isRequired);
  for (const drafts = draftsOf(asked); ; ) {
    const chosen = await prompts.select(messageFor(field, isRequired, question), choices, {
      initial: initialChoice(asked, field, choices),
    });
    if (chosen === BACK) return BACK;
    if (chosen === 'stop') throw new Cancelled();
    if (chosen === 'nothing') return { mapping: undefined };
    const mapping = typeof chosen === 'object' ? chosen : await STEPS[chosen](asked, field, drafts);
    const table = mapping && openTable(mapping, field, asked.proposal);
    const complete = table === undefined ? mapping : await askValues(prompts, table, field);
    if (complete !== undefined) return { mapping: complete };
  }
}

/** How the user says more about a mapping. Undefined: the user goes back. */
const STEPS = { column: askColumn, template: askTemplate, text: askText };

type FieldChoice = Choice<FieldMapping | keyof typeof STEPS | 'nothing' | 'stop' | typeof BACK>;

function choicesFor(
  { proposal, question, canGoBack }: FieldQuestion,
  field: Field,
  isRequired: boolean,
): readonly FieldChoice[] {
  const constants = constantsFor(field, question);
  const ways = question.options.map(({ mapping }) => mapping).filter((mapping) => !('value' in mapping));
  const anyText = `${constants.length === 0 ? 'one' : 'another'} value for every row…`;
  return [
    ...constants.map((value) => ({ value: { value }, label: `${value} in every row` })),
    ...wayChoices(ways, field, proposal),
    { value: 'column', label: ways.length === 0 ? 'a column…' : 'another column…' },
    ...(takesText(field) ? [{ value: 'template', label: 'a text made of columns…' } as const] : []),
    ...(field.kind.name === 'enum' ? [] : [{ value: 'text', label: anyText } as const]),
    isRequired ? { value: 'stop', label: 'stop here' } : { value: 'nothing', label: 'nothing: leave it out' },
    ...(canGoBack ? [{ value: BACK, label: 'back' } as const] : []),
  ];
}

function wayChoices(ways: readonly FieldMapping[], field: Field, proposal: MappingProposal) {
  const labels = wayLabels(ways, field, proposal.sample);
  return ways.map((value, index) => {
    const table = openTable(value, field, proposal);
    return { value, label: table === undefined ? (labels[index] ?? '') : openTableLabel(table) };
  });
}

/** Texts that the user has typed, to be edited after going back. */
interface Drafts {
  template: string;
  text: string;
}

function draftsOf({ question, earlier }: FieldQuestion): Drafts {
  const templates = [earlier, ...question.options.map(({ mapping }) => mapping)];
  const [template = ''] = templates.flatMap((mapping) =>
    mapping !== undefined && 'template' in mapping ? [mapping.template] : [],
  );
  return { template, text: earlier !== undefined && 'value' in earlier ? String(earlier.value) : '' };
}

function fieldOf({ proposal: { contract, variant }, question }: FieldQuestion) {
  const found = contract.fieldsOf(variant.variant).find(({ field }) => field.name === question.field);
  const field = found?.field ?? contract.field(question.field);
  if (field === undefined) throw new TypeError(`a question is about an unknown field: ${question.field}`);
  return { field, isRequired: found?.required === true };
}

function messageFor({ name, about, recommended }: Field, isRequired: boolean, { why, options }: Question): string {
  const importance = isRequired ? ' (required)' : recommended === undefined ? '' : ` (${recommended})`;
  const [column, ...others] = new Set(options.flatMap(({ mapping }) => columnsOf(mapping)));
  const isOneColumn = column !== undefined && others.length === 0 && options.length > 1;
  const sentence = isOneColumn
    ? `How are the values of "${column}" meant?`
    : `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
  const reason = why === '' ? '' : ` ${sentence}`;
  return `${name}${importance}: ${about}${printable(reason)}`;
}

/** The values to choose from, the proposed ones first if the list is open. */
function constantsFor(field: Field, { options }: Question): readonly string[] {
  const proposed = options.flatMap(({ mapping }) => ('value' in mapping ? [String(mapping.value)] : []));
  const values = usualValues(field);
  return field.kind.name === 'enum' ? values : [...new Set([...proposed, ...values])];
}

function initialChoice(
  { proposal, question, earlier }: FieldQuestion,
  field: Field,
  choices: readonly FieldChoice[],
): FieldChoice['value'] | undefined {
  const ways = question.options.map(({ mapping }) => mapping);
  const mapping = earlier ?? ways[0];
  if (mapping === undefined) return undefined;
  const nothing = choices.find(({ value }) => value === 'nothing');
  if (earlier === undefined && areReadings(ways)) return nothing?.value ?? 'column';
  const makesInvalid = earlier === undefined && isMostlyInvalid(tryField(mapping, field, proposal.sample));
  if (nothing !== undefined && makesInvalid) return nothing.value;
  const same = choices.find(({ value }) => isDeepStrictEqual(value, mapping));
  return same?.value ?? ('value' in mapping ? 'text' : 'template' in mapping ? 'template' : 'column');
}

/** Whether a date could be read in several ways: Enter chooses none of them. */
function areReadings(ways: readonly FieldMapping[]): boolean {
  const columns = new Set(ways.flatMap((way) => ('as' in way && way.as === 'date' ? [way.column] : [undefined])));
  return ways.length > 1 && columns.size === 1 && !columns.has(undefined);
}

function takesText({ kind }: Field): boolean {
  return kind.name === 'text' || (kind.name === 'untyped' && kind.numericCells !== true);
}

async function askColumn({ prompts, proposal, earlier }: FieldQuestion, field: Field) {
  const users = columnUsers(proposal, field.name);
  const columns = columnsForField(proposal.sample, proposal.contract, field);
  const rank = ({ column, values }: (typeof columns)[number]): number =>
    values.length === 0 ? 2 : users.has(column) ? 1 : 0;
  const choices = columns
    .toSorted((one, other) => rank(one) - rank(other))
    .map((value) => ({ value, label: columnLabel(value.column, value.values, users.get(value.column)) }));
  const before = earlier === undefined ? undefined : columnsOf(earlier)[0];
  for (let initial = columns.find(({ column }) => column === before); ; ) {
    const question = `Which column is ${field.name}?`;
    const chosen = await prompts.select<(typeof columns)[number] | typeof BACK>(
      question,
      [...choices, { value: BACK, label: 'back' }],
      { initial },
    );
    if (chosen === BACK) return undefined;
    const mapping = await askWay(prompts, proposal, field, chosen);
    if (mapping !== undefined) return mapping;
    initial = chosen;
  }
}

/** The fields that use each column, other than this one. A text quotes columns that other fields use too. */
function columnUsers({ document }: MappingProposal, field: string): ReadonlyMap<string, string> {
  const used = Object.entries(document.fields).filter(([name, mapping]) => name !== field && !('template' in mapping));
  return new Map(used.flatMap(([name, mapping]) => columnsOf(mapping).map((column) => [column, `used for ${name}`])));
}

/** How the values of a column are read, if there are several ways or some do not fit. Undefined: the user goes back. */
async function askWay(
  prompts: Prompts,
  proposal: MappingProposal,
  field: Field,
  { column, ways }: ReturnType<typeof columnsForField>[number],
): Promise<FieldMapping | undefined> {
  const [only] = ways;
  let message = `How is "${printable(column, 40)}" written?`;
  let choices: readonly Choice<FieldMapping | typeof BACK>[] = [
    ...wayChoices(ways, field, proposal),
    { value: BACK, label: 'back' },
  ];
  if (ways.length === 1 && only !== undefined) {
    const unfit = unfitValues(tryField(only, field, proposal.sample));
    if (unfit === '' || openTable(only, field, proposal) !== undefined) return only;
    message = `"${printable(column, 40)}": ${unfit}. The field needs ${field.kind.expected}.`;
    choices = [
      { value: BACK, label: 'choose another column' },
      { value: only, label: 'use it: rows with such a value are invalid, and are not sent' },
    ];
  }
  const answer = await prompts.select(message, choices, { initial: areReadings(ways) ? BACK : undefined });
  return answer === BACK ? undefined : answer;
}

async function askTemplate({ prompts, proposal }: FieldQuestion, field: Field, drafts: Drafts) {
  for (;;) {
    const typed = await prompts.text(`The text for ${field.name}, with columns in braces (empty: back)`, {
      initial: drafts.template,
      check: (text) => (text.trim() === '' ? undefined : printableProblem(text, proposal.sample.columns)),
    });
    if (typed.trim() === '') return undefined;
    drafts.template = typed;
    const mapping = { template: typed.trim() };
    // As accepted: words such as NULL in the columns of the text count as empty.
    const { sample } = withAnswers(proposal, new Map([[field.name, mapping]]));
    const trial = tryField(mapping, field, sample);
    const examples = trial.values.slice(0, EXAMPLES).map(({ sent }) => `  ${readable(sent)}`);
    const without = sample.contents.length - trial.values.length;
    const gap = `${count(without)} of the ${plural(sample.contents.length, 'sampled row')} ${without === 1 ? 'has' : 'have'} no text, because a column is empty.`;
    const isUsed = await prompts.select(
      ['In the first rows:', ...examples, ...(without === 0 ? [] : [gap])].join('\n'),
      [
        { value: true, label: 'use this text' },
        { value: false, label: 'change it' },
      ],
    );
    if (isUsed) return mapping;
  }
}

function printableProblem(text: string, columns: readonly string[]): string | undefined {
  const problem = templateProblem(text.trim(), columns);
  return problem === undefined ? undefined : printable(problem);
}

async function askText({ prompts }: FieldQuestion, { name, kind }: Field, drafts: Drafts) {
  const constantOf = (typed: string): string | number =>
    kind.numericCells === true ? numericCell(typed.trim()) : typed.trim();
  const typed = await prompts.text(`${name} in every row (empty: back)`, {
    initial: drafts.text,
    check: (answer) => {
      const isValid = answer.trim() === '' || kind.value.safeParse(constantOf(answer)).success;
      return isValid ? undefined : `Enter ${kind.expected}.`;
    },
  });
  return typed.trim() === '' ? undefined : { value: constantOf(typed) };
}
