/** Required fields that no column is mapped to: the error, with a proposal and the commands that use it. */
import { formatList } from '../map/index.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { continueLines, questionLines } from './continue-mapping.ts';
import { mappedLines } from './describe-mapping.ts';
import { type MappingProposal, openQuestions } from './mapping-proposal.ts';
import type { PlanRequest } from './plan-types.ts';
import { missingFields } from './required-fields.ts';

/** A mapping that lacks required fields. On a terminal, the caller can ask the questions instead. */
export class IncompleteMappingError extends ProblemError {
  readonly proposal: MappingProposal;
  /** Whether the inputs can be opened again after the user has answered. */
  readonly reopenable: boolean;

  constructor(problem: Problem, proposal: MappingProposal, reopenable: boolean) {
    super(problem);
    this.name = 'IncompleteMappingError';
    this.proposal = proposal;
    this.reopenable = reopenable;
  }
}

/** @throws IncompleteMappingError if a required field is missing */
export function refuseIncomplete(proposal: MappingProposal, request: PlanRequest, reopenable: boolean): void {
  const { contract, document, discovered, variant: chosen } = proposal;
  const { variant } = chosen;
  const open = missingFields(document, contract, variant);
  if (open.length === 0) return;
  const questions = openQuestions(proposal, new Map());
  const required = questions.filter(({ field }) => open.includes(field));
  const optional = questions.flatMap(({ field }) => (open.includes(field) ? [] : [field]));
  const openLines = [
    'Open:',
    ...questionLines(proposal, required),
    ...(optional.length === 0 ? [] : [`  Optional, and uncertain: ${formatList(optional, '')}.`]),
  ];
  const type = variant === undefined ? contract.type : `${contract.type} (variant ${variant})`;
  throw new IncompleteMappingError(
    {
      code: 'mapping.required',
      message: `${type} requires ${formatList(open)}, but no column clearly contains ${open.length === 1 ? 'it' : 'them'}.`,
      where: request.files[0],
      hint: [
        'Mapped so far:',
        ...mappedLines(discovered),
        ...openLines,
        ...continueLines(proposal, request, reopenable),
      ].join('\n'),
    },
    proposal,
    reopenable,
  );
}
