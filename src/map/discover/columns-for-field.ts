/** The columns of an input as sources of one field, for a user who chooses: the likeliest first. */
import type { Contract, Field } from '../../contract/index.ts';
import type { FieldMapping } from '../document-schema.ts';
import { columnsIn } from './columns-in.ts';
import type { Sample } from './proposal.ts';
import { candidateFor, waysToMap } from './score.ts';

export interface ColumnChoice {
  readonly column: string;
  /** Different values of the sample, in the order of the rows. */
  readonly values: readonly string[];
  /** How the column's values become the field's: several if its dates can be read in several ways. */
  readonly ways: readonly FieldMapping[];
}

export function columnsForField(sample: Sample, contract: Contract, field: Field): readonly ColumnChoice[] {
  return columnsIn(sample)
    .map((column) => ({ column, confidence: candidateFor(column, field, contract.type)?.confidence ?? 0 }))
    .sort((one, other) => other.confidence - one.confidence)
    .map(({ column }) => ({
      column: column.name,
      values: [...column.profile.distinct, ...column.profile.placeholders],
      ways: waysToMap(column, field),
    }));
}
