/** Prompts of upload and map about a mapping: uncertain proposals, and required fields without a column. */
import type { Contract } from '../../contract/index.ts';
import type { EncodingGuess } from '../../decode/index.ts';
import { printable } from '../../lib/printable.ts';
import { type FieldMapping, type Question, renderField } from '../../map/index.ts';
import { percent } from '../../plan/describe-mapping.ts';
import { type Plan, type PlanRequest, planRun } from '../../plan/index.ts';
import { IncompleteMappingError } from '../../plan/missing-fields.ts';
import { Cancelled, createPrompts, type Prompts } from '../../terminal/prompts.ts';
import type { Context } from './command.ts';
import { closePlan } from './plan-request.ts';

export interface OpenQuestions {
  readonly contract: Contract;
  /** Required fields that nothing is mapped to. */
  readonly open: readonly string[];
  readonly questions: readonly Question[];
  readonly columns: readonly string[];
}

/** With more columns than this, the user types the name. */
const COLUMNS_SHOWN = 60;

/** Answers by field. A field that the user leaves out is absent. */
export async function askQuestions(
  prompts: Prompts,
  about: OpenQuestions,
): Promise<Readonly<Record<string, FieldMapping>>> {
  const answers: Record<string, FieldMapping> = {};
  const unasked = about.open.filter((field) => !about.questions.some((question) => question.field === field));
  const questions = [
    ...unasked.map((field): Question => ({ field, why: 'no candidate', options: [] })),
    ...about.questions,
  ];
  for (const question of questions) {
    const answer = await askOne(prompts, about, question);
    if (answer !== undefined) answers[question.field] = answer;
  }
  return answers;
}

async function askOne(prompts: Prompts, about: OpenQuestions, question: Question): Promise<FieldMapping | undefined> {
  const { field, why, options } = question;
  const required = about.open.includes(field);
  const ways = options.map(({ mapping, confidence, reason }, index) => ({
    value: `option ${index}`,
    label: printable(renderField(mapping)),
    hint: `${percent(confidence)}, ${printable(reason)}`,
  }));
  const answer = await prompts.select(
    `${field}${required ? ' (required)' : ''}: ${printable(why)}. ${about.contract.field(field)?.about ?? ''}`,
    [
      ...ways,
      { value: 'column', label: 'another column' },
      { value: 'value', label: 'one value for every row' },
      { value: 'nothing', label: required ? 'nothing: stop here' : 'nothing: leave the field out' },
    ],
  );
  if (answer === 'nothing') return undefined;
  if (answer === 'column') return { column: await askColumn(prompts, field, about.columns) };
  if (answer === 'value') return { value: await askValue(prompts, field, about.contract) };
  return options[Number(answer.slice('option '.length))]?.mapping;
}

function askColumn(prompts: Prompts, field: string, columns: readonly string[]): Promise<string> {
  if (columns.length > COLUMNS_SHOWN) {
    return prompts.text(`Which column is ${field}?`, {
      check: (name) => (columns.includes(name) ? undefined : 'No column has this name.'),
    });
  }
  return prompts.select(
    `Which column is ${field}?`,
    columns.map((name) => ({ value: name, label: printable(name) })),
  );
}

function askValue(prompts: Prompts, field: string, contract: Contract): Promise<string> {
  const kind = contract.field(field)?.kind;
  if (kind?.name === 'enum' && kind.values !== undefined) {
    return prompts.select(
      `${field} for every row?`,
      kind.values.map((value) => ({ value, label: value })),
    );
  }
  return prompts.text(`${field} for every row?`, {
    check: (text) => (text.trim() === '' ? 'Enter a value.' : undefined),
  });
}

/** Asks whether a guessed encoding is right, showing words of the file. @throws Cancelled if it is not */
export async function confirmEncoding(context: Context, name: string, guess: EncodingGuess): Promise<void> {
  const { streams, signal } = context;
  const question = `The encoding of ${printable(name)} is a guess. ${describeGuess(guess)} Is that right?`;
  if (await createPrompts(streams, signal).confirm(question)) return;
  streams.err('Pass the right encoding with --encoding.\n');
  throw new Cancelled();
}

/** Words of the file as the guessed encoding decodes them, in a sentence. */
export function describeGuess({ encoding, cells }: EncodingGuess): string {
  return `Decoded as ${encoding}, it contains ${cells.map((cell) => `"${printable(cell, 60)}"`).join(', ')}.`;
}

/**
 * Makes the plan; on a terminal, prompts for what is uncertain. A pipe cannot be read twice, so it causes no prompts.
 *
 * @throws ProblemError as {@link planRun} does
 */
export async function planAsking({ streams, signal }: Context, request: PlanRequest): Promise<Plan> {
  const ask = async (about: OpenQuestions): Promise<Plan> => {
    const answers = await askQuestions(createPrompts(streams, signal), about);
    return planRun({ ...request, type: about.contract.type, answers }, streams.stdin);
  };
  let plan: Plan;
  try {
    plan = await planRun(request, streams.stdin);
  } catch (error) {
    if (!(error instanceof IncompleteMappingError) || !error.incomplete.reopenable || !streams.interactive) throw error;
    return ask(error.incomplete);
  }
  if (plan.questions.length === 0 || !streams.interactive) return plan;
  await closePlan(plan);
  return ask({ contract: plan.job.contract, open: [], questions: plan.questions, columns: plan.columns });
}
