/**
 * Questions about a mapping, on a terminal: what discovery is not sure of, and what is required and was not found.
 * `upload` and `map` ask in the same words.
 */
import type { Contract } from '../../contract/index.ts';
import type { EncodingGuess } from '../../decode/index.ts';
import { printable } from '../../lib/printable.ts';
import { type FieldMapping, type Question, renderField } from '../../map/index.ts';
import { IncompleteMappingError, percent } from '../../plan/detect-mapping.ts';
import { type Plan, type PlanRequest, planRun } from '../../plan/index.ts';
import { createPrompts, type Prompts } from '../../terminal/prompts.ts';
import type { Streams } from '../../terminal/streams.ts';

export interface Open {
  readonly contract: Contract;
  /** Required fields that nothing is mapped to. */
  readonly open: readonly string[];
  readonly questions: readonly Question[];
  readonly columns: readonly string[];
}

/** A select longer than this is no help. */
const COLUMNS_SHOWN = 60;

/** Answers by field. A field that is left out has none. */
export async function askOpen(
  prompts: Prompts,
  about: Open,
): Promise<Readonly<Record<string, FieldMapping>>> {
  const answers: Record<string, FieldMapping> = {};
  const unasked = about.open.filter((field) => !about.questions.some((question) => question.field === field));
  const questions = [
    ...unasked.map((field): Question => ({ field, why: 'no column looks like it', options: [] })),
    ...about.questions,
  ];
  for (const question of questions) {
    const answer = await askOne(prompts, about, question);
    if (answer !== undefined) answers[question.field] = answer;
  }
  return answers;
}

async function askOne(prompts: Prompts, about: Open, question: Question): Promise<FieldMapping | undefined> {
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
      { value: 'nothing', label: required ? 'nothing: stop here' : 'nothing: leave it out' },
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
      check: (name) => (columns.includes(name) ? undefined : 'There is no such column.'),
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
      `${field} of every row?`,
      kind.values.map((value) => ({ value, label: value })),
    );
  }
  return prompts.text(`${field} of every row?`, {
    check: (text) => (text.trim() === '' ? 'An empty text is no value.' : undefined),
  });
}

/** Whether a guessed encoding is right, asked on words of the file itself. */
export function agreesOnEncoding(prompts: Prompts, name: string, guess: EncodingGuess): Promise<boolean> {
  return prompts.confirm(`${printable(name)} does not say its encoding. ${guessSaid(guess)} Is that right?`);
}

/** What the guess makes of the file's words, in a sentence. */
export function guessSaid({ encoding, cells }: EncodingGuess): string {
  return `As ${encoding} it reads ${cells.map((cell) => `"${printable(cell, 60)}"`).join(', ')}.`;
}

/**
 * The plan, with questions where somebody can answer them. A pipe cannot be read twice, so nothing is asked about it.
 *
 * @throws ProblemError as {@link planRun} does
 */
export async function planAsking(request: PlanRequest, streams: Streams, signal: AbortSignal): Promise<Plan> {
  const ask = async (about: Open): Promise<Plan> => {
    const answers = await askOpen(createPrompts(streams, signal), about);
    return planRun({ ...request, type: about.contract.type, answers }, streams.stdin);
  };
  let plan: Plan;
  try {
    plan = await planRun(request, streams.stdin);
  } catch (error) {
    if (!(error instanceof IncompleteMappingError) || !error.reopenable || !streams.interactive) throw error;
    return ask(error);
  }
  if (plan.questions.length === 0 || !streams.interactive) return plan;
  const { job, questions, columns } = plan;
  for (const { source } of job.inputs) await source.close();
  return ask({ contract: job.contract, open: [], questions, columns });
}
