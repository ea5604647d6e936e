/**
 * Asks a user about an automatic mapping, one open point after the other, until the mapping is used, saved or dropped. The
 * state is the answers so far: they decide which questions are open, and to go back is to drop the last one.
 */
import { printable } from '../../lib/printable.ts';
import { columnsOf, describeField, type FieldMapping, type Question } from '../../map/index.ts';
import {
  type Answers,
  type MappingProposal,
  openQuestions,
  withAnswers,
  wouldBeSent,
} from '../../plan/mapping-proposal.ts';
import { checkColumns, tryMapping } from '../../plan/try-mapping.ts';
import { BACK, Cancelled, type Choice, type Prompts } from '../../terminal/prompts.ts';
import { askField } from './ask-field.ts';
import { introLines, overviewLines } from './mapping-overview.ts';

export interface Interview<T extends string> {
  readonly prompts: Prompts;
  readonly print: (line: string) => void;
  /** Columns of the screen. */
  readonly width: number;
  readonly proposal: MappingProposal;
  /** What can be done with the finished mapping. */
  readonly endings: readonly Choice<T>[];
  /** Whether there is a question before the first one. */
  readonly canGoBack: boolean;
}

export interface Settled<T extends string> {
  readonly proposal: MappingProposal;
  readonly answers: Answers;
  readonly ending: T;
}

/** @throws Cancelled if the user stops, ProblemError if the mapping does not fit the columns */
export async function interview<T extends string>(about: Interview<T>): Promise<Settled<T> | typeof BACK> {
  const { prompts, print, canGoBack } = about;
  const answers = new Map<string, FieldMapping | undefined>();
  /** Also answers that the user has gone back from. */
  const given = new Map<string, FieldMapping | undefined>();
  checkColumns(about.proposal);
  for (const line of introLines(about.proposal, openQuestions(about.proposal, answers).length)) print(line);
  for (;;) {
    const proposal = answers.size === 0 ? about.proposal : withAnswers(about.proposal, answers);
    const [open] = openQuestions(proposal, answers);
    const hasBefore = canGoBack || answers.size > 0;
    const step = open ?? (await review(about, proposal, hasBefore));
    if (typeof step === 'object') {
      const { field } = step;
      const earlier = given.get(field);
      const isChange = open === undefined;
      const asked = { prompts, proposal, question: step, earlier, canGoBack: hasBefore || isChange };
      const answer = await askField(asked);
      if (answer !== BACK) {
        // A changed answer becomes the last one.
        answers.delete(field);
        answers.set(field, answer.mapping);
        given.set(field, answer.mapping);
      }
      if (answer !== BACK || isChange) continue;
    } else if (step !== BACK) return { proposal, answers, ending: step };
    const last = [...answers.keys()].at(-1);
    if (last === undefined) return BACK;
    answers.delete(last);
  }
}

/** Shows the whole mapping, and asks what to do with it: end, go back, or change a field. */
async function review<T extends string>(
  { prompts, print, width, endings }: Interview<T>,
  proposal: MappingProposal,
  hasBefore: boolean,
): Promise<T | typeof BACK | Question> {
  const trial = tryMapping(proposal);
  for (const line of overviewLines(proposal, trial, width)) print(line);
  const isUseless = trial.rows > 0 && trial.valid === 0;
  for (;;) {
    const answer = await prompts.select<T | typeof BACK | 'change' | 'stop'>(
      isUseless ? 'What now?' : 'Is that right?',
      [
        ...(isUseless ? [] : endings),
        { value: 'change', label: 'change a field' },
        ...(hasBefore ? [{ value: BACK, label: 'back' } as const] : []),
        { value: 'stop', label: 'stop here' },
      ],
    );
    if (answer === 'stop') throw new Cancelled();
    if (answer !== 'change') return answer;
    const question = await askWhichField(prompts, proposal);
    if (question !== undefined) return question;
  }
}

/** A question about a field that the user wants to change. Undefined: the user goes back. */
async function askWhichField(prompts: Prompts, proposal: MappingProposal): Promise<Question | undefined> {
  const { contract, document, discovered } = proposal;
  const mappings = new Map(
    Object.entries(document.fields).map(([name, mapping]) => [contract.field(name)?.name ?? name, mapping]),
  );
  const fields = contract.fields.map(({ name }) => name).filter((name) => wouldBeSent(proposal, name));
  const labelOf = (field: string): string => {
    const mapping = mappings.get(field);
    return `${field}: ${mapping === undefined ? 'not used' : printable(describeField(mapping), 60)}`;
  };
  const field = await prompts.select('Which field?', [
    ...fields.map((name) => ({ value: name, label: labelOf(name) })),
    { value: BACK, label: 'back' },
  ]);
  if (field === BACK) return undefined;
  const mapping = mappings.get(field);
  const now = mapping && { field, mapping, columns: columnsOf(mapping), confidence: 1, reason: 'used now' };
  const found = discovered.questions.find((question) => question.field === field)?.options ?? [];
  return { field, why: '', options: now === undefined ? found : [now] };
}
