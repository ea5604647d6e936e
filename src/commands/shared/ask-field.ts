/** The question about one field: which column or value it comes from. Each step can go back to the one before. */
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
import { type MappingProposal, withAnswers } from '../../plan/mapping-proposal.ts';
import { BACK, Cancelled, type Choice, type Prompts } from '../../terminal/prompts.ts';

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
  const { prompts, proposal, question, canGoBack } = asked;
  const { field, isRequired } = fieldOf(asked);
  const constants = constantsFor(field, question);
  const ways = question.options.map(({ mapping }) => mapping).filter((mapping) => !('value' in mapping));
  const labels = wayLabels(ways, field, proposal.sample);
  const choices: Choice<string>[] = [
    ...constants.map((value) => ({ value: `value ${value}`, label: `${value} in every row` })),
    ...ways.map((_, index) => ({ value: `way ${index}`, label: labels[index] ?? '' })),
    { value: 'column', label: ways.length === 0 ? 'a column…' : 'another column…' },
    ...(takesText(field) ? [{ value: 'template', label: 'a text made of columns…' }] : []),
    ...(field.kind.name === 'enum'
      ? []
      : [
          {
            value: 'text',
            label: constants.length === 0 ? 'one value for every row…' : 'another value for every row…',
          },
        ]),
    isRequired ? { value: 'stop', label: 'stop here' } : { value: 'nothing', label: 'nothing: leave it out' },
    ...(canGoBack ? [{ value: BACK, label: 'back' }] : []),
  ];
  for (let drafts: Drafts = draftsOf(asked); ; ) {
    const chosen = await prompts.select(messageFor(field, isRequired, question), choices, {
      initial: initialChoice(asked, choices, ways),
    });
    if (chosen === BACK) return BACK;
    if (chosen === 'stop') throw new Cancelled();
    if (chosen === 'nothing') return { mapping: undefined };
    if (chosen.startsWith('value ')) return { mapping: { value: chosen.slice('value '.length) } };
    if (chosen.startsWith('way ')) return { mapping: ways[Number(chosen.slice('way '.length))] };
    const step = chosen === 'column' ? askColumn : chosen === 'template' ? askTemplate : askText;
    const answer = await step(asked, field, drafts);
    if (answer.mapping !== undefined) return { mapping: answer.mapping };
    drafts = { ...drafts, ...answer.drafts };
  }
}

/** Texts that the user has typed, to be edited after going back. */
interface Drafts {
  readonly template: string;
  readonly text: string;
}

/** Without a mapping, the user goes back. */
interface StepAnswer {
  readonly mapping?: FieldMapping | undefined;
  readonly drafts?: Partial<Drafts>;
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
  { question, earlier }: FieldQuestion,
  choices: readonly Choice<string>[],
  ways: readonly FieldMapping[],
): string | undefined {
  const mapping = earlier ?? question.options[0]?.mapping;
  if (mapping === undefined) return undefined;
  const same = ways.findIndex((way) => JSON.stringify(way) === JSON.stringify(mapping));
  const named = same >= 0 ? `way ${same}` : 'value' in mapping ? `value ${mapping.value}` : kindOf(mapping);
  return choices.some(({ value }) => value === named) ? named : 'value' in mapping ? 'text' : undefined;
}

function kindOf(mapping: FieldMapping): string {
  return 'template' in mapping ? 'template' : 'column';
}

function takesText({ kind }: Field): boolean {
  return kind.name === 'text' || (kind.name === 'untyped' && kind.numericCells !== true);
}

async function askColumn({ prompts, proposal, earlier }: FieldQuestion, field: Field): Promise<StepAnswer> {
  const { sample, contract } = proposal;
  const users = columnUsers(proposal, field.name);
  const columns = columnsForField(sample, contract, field);
  const rank = ({ column, values }: (typeof columns)[number]): number =>
    values.length === 0 ? 2 : users.has(column) ? 1 : 0;
  const listed = columns.toSorted((one, other) => rank(one) - rank(other));
  const choices = listed.map(({ column, values }, index) => ({
    value: String(index),
    label: columnLabel(column, values, users.get(column)),
  }));
  const before = earlier === undefined ? undefined : columnsOf(earlier)[0];
  for (let marked = listed.findIndex(({ column }) => column === before); ; ) {
    const answer = await prompts.select(
      `Which column has the ${field.name}?`,
      [...choices, { value: BACK, label: 'back' }],
      { initial: marked < 0 ? undefined : String(marked) },
    );
    const chosen = answer === BACK ? undefined : listed[Number(answer)];
    if (chosen === undefined) return {};
    const mapping = await askWay(prompts, proposal, field, chosen.column, chosen.ways);
    if (mapping !== undefined) return { mapping };
    marked = Number(answer);
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
  { sample }: MappingProposal,
  field: Field,
  column: string,
  ways: readonly FieldMapping[],
): Promise<FieldMapping | undefined> {
  const [only] = ways;
  if (ways.length === 1 && only !== undefined) {
    const unfit = unfitValues(tryField(only, field, sample));
    if (unfit === '') return only;
    const message = `"${printable(column, 40)}": ${unfit}. The field needs ${field.kind.expected}.`;
    const answer = await prompts.select(message, [
      { value: BACK, label: 'choose another column' },
      { value: 'use', label: 'use it: rows with such a value are invalid, and are not sent' },
    ]);
    return answer === BACK ? undefined : only;
  }
  const labels = wayLabels(ways, field, sample);
  const answer = await prompts.select(`How is "${printable(column, 40)}" written?`, [
    ...ways.map((_, index) => ({ value: String(index), label: labels[index] ?? '' })),
    { value: BACK, label: 'back' },
  ]);
  return answer === BACK ? undefined : ways[Number(answer)];
}

async function askTemplate(
  { prompts, proposal }: FieldQuestion,
  field: Field,
  { template }: Drafts,
): Promise<StepAnswer> {
  for (let initial = template; ; ) {
    const typed = await prompts.text(`The text for ${field.name}, with columns in braces (empty: back)`, {
      initial,
      check: (text) => (text.trim() === '' ? undefined : printableProblem(text, proposal.sample.columns)),
    });
    if (typed.trim() === '') return { drafts: { template: initial } };
    const mapping = { template: typed.trim() };
    // As accepted: words such as NULL in the columns of the text count as empty.
    const { sample } = withAnswers(proposal, new Map([[field.name, mapping]]));
    const trial = tryField(mapping, field, sample);
    const examples = trial.values.slice(0, EXAMPLES).map(({ sent }) => `  ${readable(sent)}`);
    const without = sample.contents.length - trial.values.length;
    const gaps =
      without === 0
        ? []
        : [
            `${count(without)} of the ${plural(sample.contents.length, 'sampled row')} ${without === 1 ? 'has' : 'have'} no text, because a column is empty.`,
          ];
    const answer = await prompts.select(['In the first rows:', ...examples, ...gaps].join('\n'), [
      { value: 'use', label: 'use this text' },
      { value: BACK, label: 'change it' },
    ]);
    if (answer === 'use') return { mapping };
    initial = typed;
  }
}

function printableProblem(text: string, columns: readonly string[]): string | undefined {
  const problem = templateProblem(text.trim(), columns);
  return problem === undefined ? undefined : printable(problem);
}

async function askText({ prompts }: FieldQuestion, { name, kind }: Field, { text }: Drafts): Promise<StepAnswer> {
  const constantOf = (typed: string): string | number =>
    kind.numericCells === true ? numericCell(typed.trim()) : typed.trim();
  const typed = await prompts.text(`${name} in every row (empty: back)`, {
    initial: text,
    check: (answer) => {
      const isValid = answer.trim() === '' || kind.value.safeParse(constantOf(answer)).success;
      return isValid ? undefined : `Enter ${kind.expected}.`;
    },
  });
  return typed.trim() === '' ? {} : { mapping: { value: constantOf(typed) }, drafts: { text: typed } };
}
