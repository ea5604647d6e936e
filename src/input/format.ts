/** What a row format provides, and what decoding gives. model/input-format.ts lists the formats. */
import type { DecodeOptions } from '../model/decode-options.ts';
import type { InputFormat } from '../model/input-format.ts';
import type { ReadPosition } from '../model/position.ts';
import type { BrokenRow, Issue, Row } from '../model/row.ts';
import type { RowBounds, RowScanner, RowSlice } from './row-bounds.ts';

/** An encoding that nothing proves. The user must declare or confirm it. */
export interface EncodingGuess {
  readonly encoding: string;
  /** Up to three non-ASCII cells as they read in that encoding. From the file: escape before printing. */
  readonly cells: readonly string[];
}

/** An input's encoding and format, detected from its head. */
export interface DetectedInput {
  readonly format: InputFormat;
  /** The input's name, for messages. */
  readonly name: string;
  /** The WHATWG name of the encoding: `utf-8`, `utf-16le`, `windows-1252`. */
  readonly encoding: string;
  readonly guessed?: EncodingGuess | undefined;
  /** Present if another encoding is declared, but the head is UTF-8 with non-ASCII characters. */
  readonly alsoUtf8?: true | undefined;
  readonly delimiter?: string | undefined;
  /** Empty if there is no quoting. */
  readonly quote?: string;
  /** Present if carriage returns end the lines, and line feeds do not. */
  readonly lineEnd?: '\r' | undefined;
  /**
   * The input's columns in order, each name once. For JSON and NDJSON the paths in the first rows, for detection and
   * messages; later rows may have others.
   */
  readonly columns: readonly string[];
  /** Where the rows begin, after byte order mark and header. An offset in the decoded text. */
  readonly body: { readonly byte: number; readonly line: number };
  /** Words for the user, to be joined by commas: `CSV`, `comma`, `UTF-8 with BOM`, `7 columns`. */
  readonly description: readonly string[];
}

/** Consecutive rows of one input. Has no rows if only blank lines were read. */
export interface RowBlock {
  readonly rows: readonly (Row | BrokenRow)[];
  /** Rows before those that the fast reader has read. */
  readonly fastRows: number;
  /** After the last row of the block and the blank lines that follow it. */
  readonly cursor: ReadPosition;
}

/** The beginning of an input in UTF-8, after its byte order mark. */
export interface Head extends Pick<DetectedInput, 'name' | 'guessed' | 'alsoUtf8'> {
  readonly bytes: Buffer;
  /** Offset of `bytes` in the decoded text: 0, or 3 after the byte order mark of UTF-8. */
  readonly offset: number;
  /** Whether it is the whole input. */
  readonly whole: boolean;
  /** For the user: `UTF-8 with BOM`. */
  readonly encoding: string;
  /** The WHATWG name: `utf-8`. */
  readonly encodingName: string;
}

/** The result of parsing one row. `cells`: those of a row with more or fewer cells than columns. */
export type ParsedRow = Omit<Row, 'position'> | { readonly issue: Issue; readonly cells?: readonly string[] };

/** One result per row, in order. Undefined for a blank line, that is, a row whose cells are all empty. */
export type ParseRows = (
  slice: RowSlice,
  rows: readonly RowBounds[],
  detected: DetectedInput,
  options: DecodeOptions,
) => (ParsedRow | undefined)[];

export interface Format {
  /** @throws ProblemError if the head cannot be understood. */
  detect(head: Head, options: DecodeOptions): Omit<DetectedInput, 'name' | 'encoding' | 'guessed' | 'alsoUtf8'>;
  /**
   * Finds the bounds of the rows, starting at `detected.body`. The scanner throws a ProblemError if the input as a whole is
   * malformed.
   */
  createScanner(
    detected: Pick<DetectedInput, 'body' | 'name' | 'delimiter' | 'quote' | 'lineEnd'>,
    options: DecodeOptions,
  ): RowScanner;
  /** Parses rows of valid UTF-8 whose bounds have no problem. */
  readonly parse: ParseRows;
  /** As {@link parse}, but faster for the few rows of a head. */
  readonly parseHead?: ParseRows;
}
