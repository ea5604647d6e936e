/** `--accept`: answers every question with its first proposal, if that is safe without a user who looks at it. */
import type { FieldMapping, Question } from '../map/index.ts';
import { fieldQuestion } from './field-question.ts';
import { type Answers, type MappingProposal, missingFields, openQuestions, withAnswers } from './mapping-proposal.ts';
import { acceptable } from './question.ts';

/** An optional field that is left out. */
export interface LeftOutField {
  readonly question: Question;
  /** A clause. */
  readonly why: string;
}

export interface AcceptedAnswers {
  readonly answers: Answers;
  readonly leftOut: readonly LeftOutField[];
}

/** An answer can open another question, such as that of a title made of the company's column. A required field stays open. */
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
