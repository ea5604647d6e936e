/** The input and output of discovery: plain data. */
import type { FieldMapping, MappingDocument } from '../document-schema.ts';

/** The beginning of an input. */
export interface Sample {
  /** The input's name. */
  readonly name?: string | undefined;
  readonly columns: readonly string[];
  /** Cells in the order of the columns; JSON values for NDJSON, undefined if absent. */
  readonly rows: readonly (readonly unknown[])[];
}

export interface Proposal {
  readonly field: string;
  readonly mapping: FieldMapping;
  readonly columns: readonly string[];
  /** 0 to 1. */
  readonly confidence: number;
  /** In words, without a full stop. */
  readonly reason: string;
  /** Why only the user can decide how the values are read, as a clause. */
  readonly doubt?: string | undefined;
}

export interface Question {
  readonly field: string;
  /** The reason in words, without a full stop. */
  readonly why: string;
  /** The best first. */
  readonly options: readonly Proposal[];
}

export interface Discovery {
  /** The given fields and the used proposals. */
  readonly document: MappingDocument;
  /** In the order of the API. */
  readonly used: readonly Proposal[];
  readonly questions: readonly Question[];
  /** Columns that no field and no question uses, with the reason if it is known. */
  readonly unused: readonly { readonly column: string; readonly why?: string | undefined }[];
  /** Words such as N/A in the discovered columns: they count as empty, also in `document`. */
  readonly empty: readonly string[];
}
