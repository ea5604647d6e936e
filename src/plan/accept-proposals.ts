/** `--accept`: answers every question with its first proposal, if that is safe without a user who looks at it. */
import { type FieldMapping, isLikely, type Question, tryField } from '../map/index.ts';
import { percent } from './describe-mapping.ts';
import { type Answers, type MappingProposal, openQuestions, withAnswers } from './mapping-proposal.ts';
import { missingFields } from './required-fields.ts';

export interface Accepted {
  readonly answers: Answers;
  /** Optional fields that are left out, with the reason as a clause. */
  readonly leftOut: readonly { readonly question: Question; readonly why: string }[];
}

/** An answer can open another question, such as that of a title made of the company's column. */
export function acceptProposals(start: MappingProposal): Accepted {
  const answers = new Map<string, FieldMapping | undefined>();
  const leftOut: Accepted['leftOut'][number][] = [];
  for (let proposal = start; ; proposal = withAnswers(start, answers)) {
    const required = new Set(missingFields(proposal.document, proposal.contract, proposal.variant.variant));
    const question = openQuestions(proposal, answers).find(
      ({ field, options: [first] }) => first !== undefined && (isLikely(first) || !required.has(field)),
    );
    if (question === undefined) return { answers, leftOut };
    const why = required.has(question.field) ? undefined : objection(question, proposal);
    if (why !== undefined) leftOut.push({ question, why });
    answers.set(question.field, why === undefined ? question.options[0]?.mapping : undefined);
  }
}

/** Why the first proposal for an optional field is not used: it would make rows invalid, or could be wrong unseen. */
function objection({ field: name, options: [first, second] }: Question, { contract, sample }: MappingProposal) {
  const field = contract.field(name);
  if (first === undefined || field === undefined) return 'there is no proposal';
  const isSameColumn = second !== undefined && first.columns.join() === second.columns.join();
  if (isSameColumn) return 'its values can be read in several ways';
  const { values, invalid } = tryField(first.mapping, field, sample);
  if (invalid.length > 0) return 'some of its values do not fit';
  if (values.length === 0) return 'the sampled rows have no value';
  return isLikely(first) ? undefined : `it is only ${percent(first.confidence)} sure`;
}
