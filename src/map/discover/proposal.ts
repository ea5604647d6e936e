/** What discovery is given and what it gives: plain data. */
import type { FieldMapping, MappingDocument } from '../document-schema.ts';

/** The beginning of an input. */
export interface Sample {
  readonly columns: readonly string[];
  /** Cells of a row in the order of the columns; JSON values where the input is NDJSON, undefined where absent. */
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
}

export interface Question {
  readonly field: string;
  /** Why it is asked, in words, without a full stop. */
  readonly why: string;
  /** The best first. */
  readonly options: readonly Proposal[];
}

export interface Discovery {
  /** What was given, and what is certain enough. */
  readonly document: MappingDocument;
  /** Used, in the order of the interface. */
  readonly used: readonly Proposal[];
  readonly questions: readonly Question[];
  /** Columns from which nothing is made and about which nothing is asked, each with the reason. */
  readonly unused: readonly { readonly column: string; readonly why: string }[];
}
