/**
 * The formats of inputs: names for `--format`, mapping files and run.json. input/ has one file for each, listed in `formats`
 * (input/decode.ts). CONTRIBUTING.md, "Add an input format", says what else there is. Needs no zod, because `--help` names the formats.
 */
interface FormatTraits {
  readonly title: string;
  readonly extensions: readonly string[];
  /** The file is text. It may be compressed, and its extension says how to decode it. Of others, input/ makes text. */
  readonly isText: boolean;
  /** The rows are cells under a header, and not objects. */
  readonly hasCells: boolean;
  /** Whether each row is text as the fast path reads it: cells of CSV, or an object on a line. */
  readonly isFast: boolean;
}

const traits = {
  csv: { title: 'CSV', extensions: ['.csv', '.tsv'], isText: true, hasCells: true, isFast: true },
  ndjson: { title: 'NDJSON', extensions: ['.ndjson', '.jsonl'], isText: true, hasCells: false, isFast: true },
  json: { title: 'JSON', extensions: ['.json'], isText: true, hasCells: false, isFast: true },
  xlsx: { title: 'Excel', extensions: ['.xlsx', '.xlsm'], isText: false, hasCells: true, isFast: false },
  parquet: { title: 'Parquet', extensions: ['.parquet'], isText: false, hasCells: false, isFast: true },
} as const satisfies Record<string, FormatTraits>;

export type InputFormat = keyof typeof traits;

/** Formats whose files are no text. */
export type PackedFormat = { [F in InputFormat]: (typeof traits)[F]['isText'] extends true ? never : F }[InputFormat];

export const formatTraits: Readonly<Record<InputFormat, FormatTraits>> = traits;

export const inputFormats = Object.keys(traits) as readonly InputFormat[];

const titles = inputFormats.map((format) => formatTraits[format].title);

/** `CSV, NDJSON, JSON, Excel or Parquet`. */
export const formatNames = (word: 'and' | 'or'): string => `${titles.slice(0, -1).join(', ')} ${word} ${titles.at(-1)}`;

/** The table of an input that is a sheet of a workbook. Names are from the file. */
export interface SheetTable {
  readonly format: 'xlsx';
  readonly sheet: string;
  readonly otherSheets: readonly { readonly name: string; readonly hidden: boolean }[];
}

/** A table that is no text in its file. */
export type PackedTable = SheetTable | ParquetTable;

/** The columns if there are no rows, which would show them. */
export interface ParquetTable {
  readonly format: 'parquet';
  readonly columns?: readonly string[] | undefined;
}
