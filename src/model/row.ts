/** Where a row stands in the inputs of a run. */
export interface Position {
  /** Index of the input in the run's list of inputs, from 0. */
  readonly source: number;
  /** Physical line on which the row starts, from 1. Line ends inside quoted cells are counted. */
  readonly line: number;
  /** Physical line behind the row: where the next row would start. */
  readonly nextLine: number;
  /** Number of the row, from 1. Header and blank lines are not counted. */
  readonly row: number;
  /**
   * Offset of the row's first byte in the input's text: as UTF-8, and unpacked. For an input that is UTF-8 and not
   * compressed, the offset in the input itself.
   */
  readonly start: number;
  /** Offset just behind the row's line end, of the same text. */
  readonly end: number;
}

/** A position between two rows of an input: where reading continues. */
export interface ReadPosition {
  /** Rows before it. */
  readonly rows: number;
  /** Physical line of the next byte, from 1. */
  readonly line: number;
  /** Offset of the next byte in the input's text. */
  readonly byte: number;
}

/** What a row holds: the cells of a CSV row in column order, or the object of an NDJSON line. */
export type Content = readonly string[] | Readonly<Record<string, unknown>>;

/** One parsed line item of an input. Not yet understood. */
export interface Row {
  readonly position: Position;
  readonly content: Content;
  /** The row as it stands in the input, where its content could not be written back exactly: JSON's long numbers. */
  readonly text?: string;
}

/** A row that could not be parsed. It is invalid, and the rows around it are untouched. */
export interface BrokenRow {
  readonly position: Position;
  readonly issue: Issue;
  /** The row as it stands in the input, cut at {@link RAW_LIMIT} characters. */
  readonly raw: string;
}

/** Why a row did not become a record. Rendered for people by report/. */
export interface Issue {
  readonly code: IssueCode;
  /** The interface's field. Absent where the whole row is at fault. */
  readonly field?: string | undefined;
  /** The column (or JSON path, or template) of the input from which the field is made. */
  readonly column?: string | undefined;
  /** What was found, bounded in length, as it stands in the input. Absent where nothing was. */
  readonly found?: string;
  /** What was expected, in words that end a sentence: "expected one of funding, news". */
  readonly expected: string;
  /** What to do about it, where that is known: "did you mean job_posting?" */
  readonly hint?: string;
}

export type IssueCode =
  | 'missing' // a required field is absent
  | 'type' // an object, an array, a boolean: not a value of this field
  | 'enum' // not one of the allowed values
  | 'number' // not a number
  | 'range' // a number outside the allowed range
  | 'date' // not an ISO 8601 date-time, or not of the mapping's format
  | 'domain' // no domain in the cell
  | 'value' // not in the mapping's table of values
  | 'columns' // more or fewer cells than the header
  | 'quote' // a quote that never closes, or text behind a closing quote
  | 'encoding' // bytes that are not text in the input's encoding
  | 'json' // not a JSON object
  | 'transform' // the function of --transform failed, or made no row
  | 'size'; // a row or a record larger than the limit

/** Longest raw row that is kept for the rejects file, in characters. */
export const RAW_LIMIT = 32_768;
