/** The text of a saved mapping, with comments: why each field is mapped, what is open, and which columns are unused. */
import {
  type Discovered,
  type FieldMapping,
  formatList,
  type Proposal,
  type Question,
  renderField,
  renderMapping,
} from '../map/index.ts';
import type { Accepted } from './accept-proposals.ts';
import { percent } from './describe-mapping.ts';
import { type Answers, type MappingProposal, openQuestions } from './mapping-proposal.ts';

/** @param leftOut the optional fields that `--accept` does not map */
export function savedMapping(proposal: MappingProposal, answers: Answers, leftOut: Accepted['leftOut'] = []): string {
  const { document, discovered } = proposal;
  const reasons = certainOf(discovered).map(
    ({ field, confidence, reason }) =>
      [field, confidence === 1 ? reason : `${percent(confidence)}: ${reason}`] as const,
  );
  const chosen = [...answers.keys()].map((field) => [field, 'chosen'] as const);
  return renderMapping(document, {
    fields: new Map([...reasons, ...chosen]),
    end: [
      ...openQuestions(proposal, answers).flatMap(({ field, why, options }) => [
        `Uncertain: ${field}, ${why}.`,
        ...optionLines(field, options),
      ]),
      ...leftOut.flatMap(({ question: { field, options }, why }) => [
        `Left out: ${field}, because ${why}.`,
        ...optionLines(field, options),
      ]),
      ...unusedLines(discovered).map((line) => `Unused: ${line}.`),
    ],
  });
}

function optionLines(field: string, options: Question['options']): readonly string[] {
  return options.map(({ mapping, confidence }) => `${field}: ${renderField(mapping)}   # ${percent(confidence)}`);
}

/** The fields that need no question. */
export function certainOf({ byName, used }: Discovered): readonly Proposal[] {
  return [
    ...byName.map(({ field, column }) => {
      const mapping: FieldMapping = { column };
      return { field, mapping, columns: [column], confidence: 1, reason: 'name matches' };
    }),
    ...used,
  ];
}

/** One line per reason. */
export function unusedLines({ unused }: Pick<Discovered, 'unused'>): readonly string[] {
  const reasons = [...new Set(unused.map(({ why }) => why))];
  return reasons.map((why) => {
    const names = unused.filter((each) => each.why === why).map(({ column }) => column);
    return `${formatList(names)} (${why})`;
  });
}
