/** What a format of rows is, and what decoding gives. A new format is one file and one line in index.ts. */
import type { BrokenRow, Content, Issue, Row } from '../model/row.ts';
import type { RowBounds, RowScanner, RowSlice } from './row-bounds.ts';

export type FormatName = 'csv' | 'ndjson' | 'json';

/** How to read an input; what is absent is detected (cli.md, "Options of upload"). */
export interface DecodeOptions {
  readonly format?: FormatName;
  /** Any name that the platform's TextDecoder knows; what an input's own byte order mark says wins. */
  readonly encoding?: string;
  /** One ASCII character; `tab` and `\t` are a tab. */
  readonly delimiter?: string;
  /** One ASCII character, or nothing: then no character quotes. */
  readonly quote?: string;
  /** Whether the first row names the columns. */
  readonly header: boolean;
  /** Physical line of the header, from 1, below a report's preamble. CSV alone has one. */
  readonly headerLine?: number;
  /** Longest row, in bytes before its line feed. */
  readonly maxRowBytes: number;
  /** What to do with a row of too few cells. */
  readonly ragged: 'reject' | 'pad';
}

/** An encoding that nothing proves. To be declared, or agreed to by somebody who has seen the cells. */
export interface EncodingGuess {
  readonly encoding: string;
  /** Up to three cells beyond ASCII as they read in that encoding. From the file: to be made printable. */
  readonly cells: readonly string[];
}

/** An input's format, as it was detected from its head. */
export interface DetectedInput {
  readonly format: FormatName;
  /** The input's, for messages. */
  readonly name: string;
  /** The standard's name of the encoding: `utf-8`, `utf-16le`, `windows-1252`. */
  readonly encoding: string;
  readonly guessed?: EncodingGuess;
  /** Whether the encoding is declared, although the head reads as UTF-8 with characters beyond ASCII. */
  readonly alsoUtf8?: true;
  readonly delimiter?: string;
  /** Empty where nothing quotes. */
  readonly quote?: string;
  /** Present where carriage returns, and no line feeds, end the lines. */
  readonly lineEnd?: '\r';
  /**
   * The input's columns in order, each name once. For JSON and NDJSON the paths seen in the first rows: a help for
   * detecting and for messages; other paths may follow.
   */
  readonly columns: readonly string[];
  /** Where the rows begin: behind byte order mark and header. The offset is one of the decoded text. */
  readonly body: { readonly byte: number; readonly line: number };
  /** Plain words for the user, to be joined by commas: `CSV`, `comma`, `UTF-8 with BOM`, `7 columns`. */
  readonly description: readonly string[];
}

/** Consecutive rows of one input. May hold no row, where only blank lines were read. */
export interface RowBlock {
  readonly rows: readonly (Row | BrokenRow)[];
  /** Behind the last row of the block and the blank lines that were read behind it. */
  readonly cursor: { readonly rows: number; readonly line: number; readonly byte: number };
}

/** The beginning of an input in UTF-8, behind its byte order mark. */
export interface Head {
  readonly name: string;
  readonly bytes: Buffer;
  /** Offset of `bytes` in the decoded text: 0, or 3 behind the byte order mark of UTF-8. */
  readonly offset: number;
  /** Whether the input ends with it. */
  readonly whole: boolean;
  /** For the user: `UTF-8 with BOM`. */
  readonly encoding: string;
  /** The standard's name: `utf-8`. */
  readonly encodingName: string;
  readonly guessed?: EncodingGuess;
  readonly alsoUtf8?: true;
}

/** What became of one row. */
export type ParsedRow = { readonly content: Content; readonly text?: string } | { readonly issue: Issue };

export interface Format {
  readonly name: FormatName;
  /** In lower case. */
  readonly extensions: readonly string[];
  /** @throws ProblemError where the head cannot be understood. */
  detect(
    head: Head,
    options: DecodeOptions,
  ): Omit<DetectedInput, 'name' | 'encoding' | 'guessed' | 'alsoUtf8'>;
  /**
   * Where the rows begin and end, from `detected.body` on. `name`: the input's, for what is wrong with it as a
   * whole, which is thrown as a ProblemError.
   */
  createScanner(detected: DetectedInput, options: DecodeOptions, name: string): RowScanner;
  /** Parses whole rows of valid UTF-8 without a fault in their bounds: one result a row, in their order. */
  parse(
    slice: RowSlice,
    rows: readonly RowBounds[],
    detected: DetectedInput,
    options: DecodeOptions,
  ): ParsedRow[];
  /** Gives the same, for the head alone: at a start, something quicker than `parse` may be worth its while. */
  parseHead?(
    slice: RowSlice,
    rows: readonly RowBounds[],
    detected: DetectedInput,
    options: DecodeOptions,
  ): ParsedRow[];
}
