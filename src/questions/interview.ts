/** Decides what is open in an automatic mapping: one question after the other, or `--accept`, which answers without a user. */
import { printable } from '../lib/printable.ts';
import { count, plural } from '../lib/units.ts';
import { columnsOf, describeField, type FieldMapping, type Question } from '../map/index.ts';
import { type FieldAnswer, fieldQuestion } from './field-question.ts';
import {
  type Answers,
  checkColumns,
  type LeftOutField,
  type MappingProposal,
  type MappingTrial,
  missingFields,
  openQuestions,
  tryMapping,
  withAnswers,
  wouldBeSent,
} from './mapping-proposal.ts';
import { describeLeftOut, mappedLines, unusualParts } from './mapping-text.ts';
import { type Ask, acceptable, type BACK, type ChoiceQuestion, converse } from './question.ts';

const REASONS_SHOWN = 3;

const YES = 'yes';

export interface Interview {
  readonly ask: Ask;
  readonly print: (line: string) => void;
  readonly proposal: MappingProposal;
  /** What is asked about the finished mapping. */
  readonly question: string;
  /** Whether there is a question before the first one. */
  readonly canGoBack: boolean;
}

export interface SettledMapping {
  readonly proposal: MappingProposal;
  readonly answers: Answers;
  /** Set at the end. */
  readonly isConfirmed?: true;
}

/** @throws Cancelled if the user stops, ProblemError if the mapping does not fit the columns */
export async function interview(about: Interview): Promise<SettledMapping | typeof BACK> {
  const { ask, print, canGoBack } = about;
  const none: Answers = new Map();
  checkColumns(about.proposal);
  for (const line of introLines(about.proposal, openQuestions(about.proposal, none).length)) print(line);
  return converse<SettledMapping, typeof YES | FieldAnswer>({
    start: { proposal: about.proposal, answers: none },
    next({ proposal, answers, isConfirmed }) {
      if (isConfirmed) return undefined;
      const [open] = openQuestions(proposal, answers);
      return open === undefined ? review(about, proposal) : fieldQuestion(proposal, open);
    },
    apply(stage, answer) {
      if (answer === YES) return { ...stage, isConfirmed: true };
      const answers = new Map(stage.answers).set(answer.field, answer.mapping);
      return { proposal: withAnswers(about.proposal, answers), answers };
    },
    ask,
    canGoBack,
  });
}

function review({ print, question }: Interview, proposal: MappingProposal): ChoiceQuestion<typeof YES | FieldAnswer> {
  const trial = tryMapping(proposal);
  const lines = ['', ...mappedLines(proposal, []), ...describeLeftOut(proposal.variant), '', trialSentence(trial)];
  for (const line of lines) print(line);
  const isUseless = trial.rows > 0 && trial.valid === 0;
  return {
    message: isUseless ? 'What now?' : question,
    answers: [
      ...(isUseless ? [] : [{ value: YES, label: YES } as const]),
      { label: 'change a field', next: () => changeQuestion(proposal) },
      { label: 'cancel' },
    ],
  };
}

function changeQuestion(proposal: MappingProposal): ChoiceQuestion<FieldAnswer> {
  const { contract, document, discovered } = proposal;
  const mappings = new Map(
    Object.entries(document.fields).map(([name, mapping]) => [contract.field(name)?.name ?? name, mapping]),
  );
  const fields = contract.fields.map(({ name }) => name).filter((name) => wouldBeSent(proposal, name));
  const questionAbout = (field: string, mapping: FieldMapping | undefined): Question => {
    const now = mapping && { field, mapping, columns: columnsOf(mapping), confidence: 1, reason: 'used now' };
    const found = discovered.questions.find((question) => question.field === field)?.options ?? [];
    return { field, why: '', options: now === undefined ? found : [now] };
  };
  return {
    message: 'Which field?',
    answers: fields.map((field) => {
      const mapping = mappings.get(field);
      const words = mapping === undefined ? 'not used' : printable(describeField(mapping), 60);
      const next = () => fieldQuestion(proposal, questionAbout(field, mapping));
      return { label: `${field}: ${words}`, next };
    }),
  };
}

/** What the questions are about, before the first one. */
function introLines({ name, form, contract, type }: MappingProposal, open: number): readonly string[] {
  return [
    printable(`${name}: ${[...unusualParts(form), `a list of ${contract.title}`].join(', ')}, ${type.why}.`),
    ...(open === 0
      ? []
      : [
          `${plural(open, 'question is', 'questions are')} open. Nothing is sent or saved before the end. Escape goes back, Ctrl-C stops.`,
        ]),
  ];
}

/** `198 of the first 200 rows are valid; 2 are not: company_name (from Company) is missing (2 rows).` */
export function trialSentence({ rows, isWhole, valid, reasons }: MappingTrial): string {
  if (rows === 0) return 'The file has no rows.';
  if (valid === rows)
    return rows === 1
      ? 'The only sampled row is valid.'
      : `All ${isWhole ? '' : 'of the first '}${count(rows)} rows are valid.`;
  const shown = reasons.slice(0, REASONS_SHOWN).map((each) => `${each.reason} (${plural(each.rows, 'row')})`);
  const are = (number: number): string => (number === 1 ? 'is' : 'are');
  return `${count(valid)} of ${isWhole ? '' : 'the first '}${count(rows)} rows ${are(valid)} valid; ${count(rows - valid)} ${are(rows - valid)} not: ${shown.join('; ')}.`;
}

export interface AcceptedAnswers {
  readonly answers: Answers;
  readonly leftOut: readonly LeftOutField[];
}

/**
 * `--accept`: answers every question with its first proposal, if that is safe without a user who looks at it. An answer can open another question, such as that of a title made of the company's column. A required field stays open.
 */
export function acceptProposals(start: MappingProposal): AcceptedAnswers {
  const answers = new Map<string, FieldMapping | undefined>();
  const leftOut: LeftOutField[] = [];
  for (let proposal = start; ; proposal = withAnswers(start, answers)) {
    const required = new Set(missingFields(proposal.document, proposal.contract, proposal.variant.variant));
    const [next] = openQuestions(proposal, answers).flatMap((question) => {
      const accepted = acceptable(fieldQuestion(proposal, question));
      return 'objection' in accepted && required.has(question.field) ? [] : [{ question, accepted }];
    });
    if (next === undefined) return { answers, leftOut };
    const { question, accepted } = next;
    if ('objection' in accepted) leftOut.push({ question, why: accepted.objection });
    answers.set(question.field, 'objection' in accepted ? undefined : accepted.value.mapping);
  }
}
