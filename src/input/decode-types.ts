/** What a row format provides, and what decoding gives. model/input-format.ts lists the formats. */
import type { DecodeOptions } from '../model/decode-options.ts';
import type { InputFormat } from '../model/input-format.ts';
import type { BrokenRow, Issue, ReadPosition, Row } from '../model/row.ts';

export interface TextPosition {
  readonly byte: number;
  /** Physical line, from 1; `byte` is an offset in the decoded text. */
  readonly line: number;
}

/** An encoding that nothing proves. The user must declare or confirm it. */
export interface EncodingGuess {
  readonly encoding: string;
  /** Up to three non-ASCII cells as they read in that encoding. From the file: escape before printing. */
  readonly cells: readonly string[];
}

export interface DetectedInput {
  readonly format: InputFormat;
  readonly name: string;
  /** The WHATWG name of the encoding: `utf-8`, `utf-16le`, `windows-1252`. */
  readonly encoding: string;
  readonly guessed?: EncodingGuess | undefined;
  /** Present if another encoding is declared, but the head is UTF-8 with non-ASCII characters. */
  readonly alsoUtf8?: true | undefined;
  readonly delimiter?: string | undefined;
  readonly quote?: string;
  /** Whether carriage returns end its lines. They are read as line feeds. */
  readonly hasReturns: boolean;
  /** In order, each name once. Of JSON the paths in the first rows: later rows may have others. */
  readonly columns: readonly string[];
  /** Where the rows begin, after byte order mark and header. An offset in the decoded text. */
  readonly body: TextPosition;
  /** Words for the user, to be joined by commas: `CSV`, `comma`, `UTF-8 with BOM`, `7 columns`. */
  readonly description: readonly string[];
}

export interface DetectedTable extends Pick<DetectedInput, 'columns' | 'body' | 'delimiter' | 'quote'> {
  readonly notes?: readonly string[];
}

/** Consecutive rows of one input. Has no rows if only blank lines were read. */
export interface RowBlock {
  readonly rows: readonly (Row | BrokenRow)[];
  /** Rows before those that the fast reader has read. */
  readonly fastRows: number;
  /** After the last row of the block and the blank lines that follow it. */
  readonly cursor: ReadPosition;
}

/**
 * Of consecutive rows of one input. A row is undefined if it is left out, and broken if its transform fails. Broken rows stay as
 * they are.
 */
export type TransformRows = (rows: readonly (Row | BrokenRow)[]) => Promise<readonly (Row | BrokenRow | undefined)[]>;

/** The beginning of an input in UTF-8, after its byte order mark. */
export interface Head extends Pick<DetectedInput, 'name' | 'guessed' | 'alsoUtf8'> {
  readonly bytes: Buffer;
  /** Offset of `bytes` in the decoded text: 0, or 3 after the byte order mark of UTF-8. */
  readonly offset: number;
  readonly whole: boolean;
  readonly encoding: string;
  readonly encodingName: string;
}

/** The result of parsing one row. `cells`: those of a row with more or fewer cells than columns. */
export type ParsedRow =
  | Omit<Row, 'position'>
  | { readonly issue: Issue; readonly cells?: readonly string[] | undefined };

/** The bounds of one row that is not blank. Offsets count from the beginning of the input. */
export interface RowBounds {
  readonly start: number;
  readonly end: number;
  /** Physical line on which the row starts, from 1. */
  readonly line: number;
  /** Physical line after the row. The end of the input ends a line. */
  readonly nextLine: number;
  readonly problem?: BoundsProblem | undefined;
}

export interface BoundsProblem {
  /** `text`: text after a closing quote. `open`: a quote that never closes. `size`: more than maxRowBytes. */
  readonly kind: 'text' | 'open' | 'size';
  /** Offset of the quote that causes it. Absent if there is none, or if it is after the row. */
  readonly at?: number;
  /** The row's first bytes, if the row is too long to be stored. */
  readonly excerpt?: Buffer;
}

export interface RowSlice {
  /** The bytes of the rows. The next call of push overwrites them. */
  readonly bytes: Buffer;
  readonly offset: number;
  readonly rows: readonly RowBounds[];
  readonly end: number;
  readonly line: number;
}

export function bytesOf({ bytes, offset }: RowSlice, { start, end, problem }: RowBounds): Buffer {
  return problem?.excerpt ?? bytes.subarray(start - offset, end - offset);
}

/** What is particular to a format. CONTRIBUTING.md says how to add one. */
export interface Format {
  /** Asked if neither option, extension nor content type tells the format. @param start the text without leading white space */
  recognises(start: string): boolean;
  detect(head: Head, options: DecodeOptions): DetectedTable;
  readonly parse: ParseRows;
  /** Makes lines of its text, if rows are not lines of it. @param name of the input, for errors */
  readonly lines?: (name: string) => LineMaker;
  /** The bytes of a row as they are in the input, if the format changes them so that the row is a line. */
  readonly restore?: (row: Buffer) => Buffer;
  /** For the first rows of an input, if `parse` is slow to start. The result is the same. Default: `parse`. */
  readonly parseHead?: ParseRows;
}

/** Gets the text in chunks. Both throw a ProblemError. */
export interface LineMaker {
  push(chunk: Uint8Array): Buffer;
  end(): void;
}

/** Parses rows of UTF-8 whose bounds have no problem, one result a row: undefined for a blank line, whose cells are all empty. */
export type ParseRows = (
  rows: readonly Buffer[],
  detected: DetectedInput,
  options: DecodeOptions,
) => (ParsedRow | undefined)[];
