/** Maps and validates the sampled rows of a proposal, before anything is saved or sent. */
import { compileMapping } from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import { createReasons, describeReason } from '../report/failure-reasons.ts';
import { createValidator } from '../validate/index.ts';
import type { MappingProposal } from './mapping-proposal.ts';

export interface MappingTrial {
  readonly rows: number;
  readonly valid: number;
  /** Why rows are invalid, the most frequent reason first. */
  readonly reasons: readonly { readonly reason: string; readonly rows: number }[];
  /** The first records as they would be sent, in JSON. */
  readonly records: readonly string[];
}

const RECORDS = 2;

/** @throws ProblemError if the mapping does not fit the columns, or lacks a required field */
export function tryMapping({ name, document, contract, variant, sample }: MappingProposal): MappingTrial {
  const { columns, sampled, rowForm } = sample;
  const mapping = compileMapping(document, contract, variant.variant, columns, rowForm, name);
  const validate = createValidator(contract, variant.variant, mapping.columnOf);
  const encode = contract.encoder(variant.variant);
  const reasons = createReasons();
  const records: string[] = [];
  let valid = 0;
  for (const row of sampled) {
    const validated = validate(mapping.apply(row));
    if ('issues' in validated) {
      reasons.add({ source: 0, line: 0 }, validated.issues);
    } else {
      valid += 1;
      if (records.length < RECORDS) records.push(encode(validated.record));
    }
  }
  return {
    rows: sampled.length,
    valid,
    reasons: reasons.invalid().map((group) => ({ reason: describeReason(group), rows: group.rows })),
    records,
  };
}

/**
 * Checks what the user has given, before questions are asked and before an incomplete mapping is saved.
 *
 * @throws ProblemError if the mapping does not fit the columns; not if a required field is open
 */
export function checkColumns({ name, document, contract, variant, sample }: MappingProposal): void {
  try {
    compileMapping(document, contract, variant.variant, sample.columns, sample.rowForm, name);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const problems = error.problems.filter(({ code }) => code !== 'mapping.required');
    if (problems.length > 0) throw new ProblemError(problems);
  }
}
