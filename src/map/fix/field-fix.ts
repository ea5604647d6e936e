/** A proposed mapping of one field. */
import type { FieldMapping } from '../document-schema.ts';

export interface FieldFix {
  readonly mapping: FieldMapping;
  /** What it assumes, as a clause without a full stop. */
  readonly why: string;
  /** Whether another proposal reads the same values differently, so that only the user knows which is right. */
  readonly isAmbiguous?: true;
}

/** A mapping from one column, with or without a transform. */
export type ColumnMapping = Extract<FieldMapping, { readonly column: string }>;

/** What all mappings from a column have in common. */
export function columnOf({ column, invalid }: ColumnMapping): Pick<ColumnMapping, 'column' | 'invalid'> {
  return invalid === undefined ? { column } : { column, invalid };
}
