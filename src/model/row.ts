/** Rows: where they are in the inputs of a run, and what becomes of a row on its way to a record (content, issues, the mapped row). */
import { z } from 'zod';
import type { Candidate } from './record.ts';

/** The cells of a CSV row in column order, or the object of an NDJSON line. */
export type Content = readonly string[] | Readonly<Record<string, unknown>>;

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
  /** Fields with a constant in place of an empty cell. */
  readonly filled?: readonly string[] | undefined;
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
/** The type of data that a schema describes. Schemas document the files of a run; nothing is parsed with them. */
export type Data<S extends z.ZodType> = DeepReadonly<z.infer<S>>;
type DeepReadonly<T> = T extends object
  ? {
      readonly [K in keyof T]: DeepReadonly<T[K]>;
    }
  : T;

/** Whether the content of a row is its cells, and not an object or a text. */
export function isCells(content: unknown): content is readonly string[] {
  return Array.isArray(content);
}

export const position = z.object({
  source: z.int().describe("Index of the input in the run's list of inputs, from 0"),
  line: z.int().describe('Physical line on which the row starts, from 1. Line ends inside quoted cells are counted'),
  nextLine: z.int().describe('Physical line after the row'),
  row: z.int().describe('Number of the row, from 1. Header and blank lines are not counted'),
  start: z.int().describe("Offset of the row's first byte in the input's text, decompressed and as UTF-8"),
  end: z.int().describe("Offset after the row's line end"),
});

/** Position of a row in the inputs of a run. */
export type Position = Data<typeof position>;

/** The line of a row in its input, by the input's index. */
export const rowPlace = position.pick({ source: true, line: true });

export type RowPlace = Data<typeof rowPlace>;

const readPosition = z.object({
  rows: z.int().describe('Rows before it'),
  line: z.int().describe('Physical line of the next byte, from 1'),
  byte: z.int().describe("Offset of the next byte in the input's text"),
});

/** A position between two rows of an input: where reading continues. */
export type ReadPosition = Data<typeof readPosition>;

export const cursor = readPosition.extend({ source: z.int() });

/** The end of the accounted rows of an input: each row before it is in a sealed batch or was dropped with a reason. */
export type Cursor = Data<typeof cursor>;

const span = z
  .tuple([z.int(), z.int(), z.int()])
  .describe('Rows on consecutive lines: row and line of the first one, and the number of rows');

export type Span = Data<typeof span>;

export const rowRange = z.object({
  source: z.int(),
  firstRow: z.int(),
  lastRow: z.int(),
  firstLine: z.int(),
  lastLine: z.int().describe('Line on which the last row starts'),
  start: z.int(),
  end: z.int().describe('Exclusive. All other bounds are inclusive'),
  spans: z
    .array(span)
    .optional()
    .describe('The rows of the range that are included. Absent if they all are, on consecutive lines'),
});

export type RowRange = Data<typeof rowRange>;

const MAX_PATHS = 5000;

/** Maximum number of keys in a path. Parts between dots count too, because a key can contain dots. */
const MAX_PARTS = 32;

/** Adds the paths of an object's leaves in order, which are its column names: `company.name`, `tags.0`. An empty object adds none. */
export function addPaths(content: object, paths: Set<string>, prefix = '', depth = 1): void {
  for (const [key, value] of Object.entries(content)) {
    if (paths.size >= MAX_PATHS) return;
    const path = prefix + key;
    if (typeof value !== 'object' || value === null) {
      if (path.split('.', MAX_PARTS + 1).length <= MAX_PARTS) paths.add(path);
    } else if (depth < MAX_PARTS) addPaths(value, paths, `${path}.`, depth + 1);
  }
}
