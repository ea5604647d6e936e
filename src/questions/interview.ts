/** Decides what is open in an automatic mapping: one question after the other, or `--accept`, which answers without a user. */
import { printable } from '../lib/printable.ts';
import { formatList } from '../lib/text.ts';
import { count, plural } from '../lib/units.ts';
import { columnsOf, describeField, type FieldMapping, type Question } from '../map/index.ts';
import { table } from '../report/text-layout.ts';
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
import { describeVariant, mappedLines, unusualParts } from './mapping-text.ts';
import { type Ask, acceptable, answerLabel, type BACK, type ChoiceQuestion, converse } from './question.ts';

const REASONS_SHOWN = 3;

const YES = 'yes';

/** All suggested answers at once, or one question after the other. */
const SUGGESTED = 'suggested';
const EACH = 'each';

type Answer = FieldAnswer | typeof YES | typeof SUGGESTED | typeof EACH;

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
  /** Whether the user decides each uncertain field. */
  readonly isEach?: true;
  /** Set at the end. */
  readonly isConfirmed?: true;
}

/** @throws Cancelled if the user stops, ProblemError if the mapping does not fit the columns */
export async function interview(about: Interview): Promise<SettledMapping | typeof BACK> {
  const { ask, print, canGoBack } = about;
  const none: Answers = new Map();
  checkColumns(about.proposal);
  for (const line of introLines(about.proposal)) print(line);
  return converse<SettledMapping, Answer>({
    start: { proposal: about.proposal, answers: none },
    next(stage) {
      const { proposal, answers } = stage;
      if (stage.isConfirmed) return undefined;
      const { hard, suggested } = openFields(proposal, answers);
      const [open] = [...hard, ...suggested];
      if (open === undefined) return review(about, proposal);
      const isOne = hard.length > 0 || suggested.length === 1 || stage.isEach;
      return isOne ? open.asked : suggestedQuestion(about, suggested);
    },
    apply(stage, answer) {
      if (answer === YES) return { ...stage, isConfirmed: true };
      if (answer === EACH) return { ...stage, isEach: true };
      const answers =
        answer === SUGGESTED
          ? acceptProposals(stage.proposal, stage.answers).answers
          : new Map(stage.answers).set(answer.field, answer.mapping);
      return { ...stage, proposal: withAnswers(about.proposal, answers), answers };
    },
    ask,
    canGoBack,
  });
}

interface OpenField {
  readonly question: Question;
  readonly asked: ChoiceQuestion<FieldAnswer>;
}

/** An answer that needs no user: the first proposal, or to leave out an optional field, with the objection. */
interface Suggestion extends OpenField {
  readonly mapping: FieldMapping | undefined;
  readonly objection: string | undefined;
}

/** What is open: required fields that only the user can answer, and the others. */
function openFields(proposal: MappingProposal, answers: Answers) {
  const required = new Set(missingFields(proposal.document, proposal.contract, proposal.variant.variant));
  const hard: OpenField[] = [];
  const suggested: Suggestion[] = [];
  for (const question of openQuestions(proposal, answers)) {
    const asked = fieldQuestion(proposal, question);
    const accepted = acceptable(asked);
    if ('value' in accepted) suggested.push({ question, asked, mapping: accepted.value.mapping, objection: undefined });
    else if (required.has(question.field)) hard.push({ question, asked });
    else suggested.push({ question, asked, mapping: undefined, objection: accepted.objection });
  }
  return { hard, suggested };
}

/** One question about all fields that are uncertain. */
function suggestedQuestion({ print }: Interview, suggested: readonly Suggestion[]): ChoiceQuestion<Answer> {
  print('');
  const lines = suggested.map(({ question, asked, objection }) => {
    const [first] = asked.answers;
    const answer = objection === undefined && first ? answerLabel(first) : `left out, because ${objection}`;
    return [`  ${question.field}`, printable(answer)];
  });
  for (const line of table(lines)) print(line);
  const names = (isUsed: boolean): string =>
    formatList(
      suggested.flatMap(({ question, objection }) => ((objection === undefined) === isUsed ? [question.field] : [])),
      '',
    );
  const parts = [names(true) && `use ${names(true)}`, names(false) && `leave out ${names(false)}`];
  return {
    message: `${plural(suggested.length, 'field is', 'fields are')} uncertain.`,
    answers: [
      { value: SUGGESTED, label: parts.filter(Boolean).join(', and ') },
      { value: EACH, label: 'decide each' },
    ],
  };
}

function review({ print, question }: Interview, proposal: MappingProposal): ChoiceQuestion<typeof YES | FieldAnswer> {
  const trial = tryMapping(proposal);
  const lines = ['', ...mappedLines(proposal, []), ...describeVariant(proposal.variant), '', trialSentence(trial)];
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
function introLines(proposal: MappingProposal): readonly string[] {
  const { name, form, contract, type } = proposal;
  const { hard, suggested } = openFields(proposal, new Map());
  // A column with unknown words leads to another question.
  const further = hard.filter(
    ({ asked: { answers } }) => answers[0]?.option !== undefined && answers[0].next !== undefined,
  );
  const open = hard.length + further.length + Math.min(1, suggested.length);
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
export function acceptProposals(start: MappingProposal, given: Answers = new Map()): AcceptedAnswers {
  const answers = new Map(given);
  const leftOut: LeftOutField[] = [];
  for (let proposal = start; ; proposal = withAnswers(start, answers)) {
    const [next] = openFields(proposal, answers).suggested;
    if (next === undefined) return { answers, leftOut };
    const { question, mapping, objection } = next;
    if (objection !== undefined) leftOut.push({ question, why: objection });
    answers.set(question.field, mapping);
  }
}
