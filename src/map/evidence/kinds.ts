/**
 * Kinds of evidence for what the rows of a table are. Each kind says what it shows, by which headers and values it is
 * recognised, and how much it weighs. The tables are signals-kinds.ts, social-kinds.ts and neither-kinds.ts.
 */
import type { RecordType } from '../../model/record.ts';
import type { ColumnProfile } from '../discover/column-facts.ts';

/** What the rows can be. */
export type Verdict = RecordType | 'neither';

/** Facts about the whole table that decide whether some evidence counts. */
export interface TableFacts {
  /** Rows are people: what such a table says about companies is about their employers. */
  readonly people: boolean;
  /** Rows are about companies: two kinds of columns describe them. */
  readonly companies: boolean;
  /** A column has the authors of texts or the people who reacted. */
  readonly authors: boolean;
  /** A column has the social networks of the rows. */
  readonly networks: boolean;
  /** Rows have a date or a name, and numbers for everything else. */
  readonly measures: boolean;
  /** Several headers are days. */
  readonly days: boolean;
  /** Several headers are questions. */
  readonly asks: boolean;
}

export interface EvidenceKind {
  /** A noun for messages: "headcounts". */
  readonly what: string;
  /** For the verdict of its table; negative against it. A verdict needs {@link ENOUGH}: most kinds need a second one. */
  readonly weight: number;
  /** For the other verdicts. */
  readonly others?: Readonly<Partial<Record<Verdict, number>>> | undefined;
  /** Meanings of headers that show it: patterns of header-matcher.ts. */
  readonly headers?: string | undefined;
  /** Restricts `headers`: whether the values can be of this kind. Columns without values pass. */
  readonly check?: ((profile: ColumnProfile) => boolean) | undefined;
  /** Values that show it without a header. */
  readonly values?: ((profile: ColumnProfile) => boolean) | undefined;
  /** Values that it suggests for fields that no column contains. */
  readonly proposes?: Readonly<Record<string, string>> | undefined;
  /** Says who or where, and not what happened: a verdict needs another kind beside such ones. */
  readonly context?: true | undefined;
  /** What a proposed title calls such a signal, if not by its source. */
  readonly subject?: string | undefined;
  /** Counts only if this holds for the table. */
  readonly when?: ((table: TableFacts) => boolean) | undefined;
}

/** The total that a verdict needs: a company and its website, for example. */
export const ENOUGH: Readonly<Record<Verdict, number>> = { signals: 3.5, social: 3.5, neither: 2.5 };

/**
 * What each further column of a kind adds, up to {@link MOST_FURTHER} columns. An invoice has many columns that only invoices
 * have, but "Company ID", "Company Phone" and "Company Owner" together show no more than one of them.
 */
export const FURTHER: Readonly<Record<Verdict, number>> = { signals: 0, social: 0, neither: 0.5 };
export const MOST_FURTHER = 3;

/** How far the total must be above that of each other verdict. */
export const MARGIN = 1.5;

/** A column that shows what the rows are. */
export interface ColumnEvidence {
  readonly column: string;
  readonly what: string;
  readonly weight: number;
}
