/** What becomes of a row on its way to a record: content, issues, the mapped row. */
import { z } from 'zod';
import type { Position } from './position.ts';
import type { Candidate } from './record.ts';

/** The cells of a CSV row in column order, or the object of an NDJSON line. */
export type Content = readonly string[] | Readonly<Record<string, unknown>>;

/** One parsed row of an input, not yet mapped. */
export interface Row {
  readonly position: Position;
  readonly content: Content;
  /**
   * The row for the rejects file. Present if `content` cannot be written back exactly: numbers that JSON.parse rounds, cells
   * without a value.
   */
  readonly text?: Content | string;
  /** Cells of a sheet that have no value. The row is invalid if the mapping reads one of them. */
  readonly cellIssues?: readonly CellIssue[] | undefined;
}

/** A cell of a sheet that has an error (`#N/A`) instead of a value, or a formula that was never calculated. */
export interface CellIssue extends Pick<Issue, 'expected' | 'hint'> {
  readonly column: string;
  /** The cell in `content`. */
  readonly text: string;
  readonly found: string;
}

/** A row that cannot be parsed. It is invalid; the rows around it are not affected. */
export interface BrokenRow {
  readonly position: Position;
  readonly issue: Issue;
  /** The row for the rejects file: its cells, or its text as in the input, cut at {@link RAW_LIMIT} characters. */
  readonly raw: Content | string;
}

/** A mapped row, not yet validated. */
export interface Mapped {
  readonly candidate: Candidate;
  /** Errors of transforms. Their fields are absent from the candidate. */
  readonly issues: readonly Issue[];
  /** See `noteKey`. */
  readonly notes: readonly string[];
}

/** Why a row is invalid. report/ formats it. */
export interface Issue {
  readonly code: IssueCode;
  /** The API's field. Absent if the issue concerns the whole row. */
  readonly field?: string | undefined;
  /** The column, JSON path or template that the field is made from. */
  readonly column?: string | undefined;
  /** The value found in the input, cut at a limit. Absent if there is none. */
  readonly found?: string | undefined;
  /** Completes the sentence "expected …": `one of funding, news`. */
  readonly expected: string;
  /** How to fix it: "did you mean job_posting?" */
  readonly hint?: string | undefined;
}

/** Longest raw row in the rejects file, in characters. */
export const RAW_LIMIT = 32_768;
export const issueCode = z.enum([
  'missing', // a required field is absent
  'constants', // no mapped column has a value: the record would have constants only
  'type', // an object, an array, a boolean: not a value of this field
  'enum', // not one of the allowed values
  'number', // not a number
  'range', // a number outside the allowed range
  'date', // not an ISO 8601 date-time, or not of the mapping's format
  'domain', // no domain in the cell
  'value', // not in the mapping's table of values
  'columns', // more or fewer cells than the header
  'cell', // an error of a spreadsheet, or a formula without a value
  'quote', // a quote that is never closed, or text after a closing quote
  'encoding', // bytes that are not text in the input's encoding
  'json', // not a JSON object
  'transform', // the function of --transform failed, or returned no row
  'size', // a row or a record larger than the limit
]);

/** Why a row is invalid. */
export type IssueCode = z.infer<typeof issueCode>;
