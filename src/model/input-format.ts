/**
 * The formats of inputs: names for `--format`, mapping files and run.json. input/ has one file for each, and CONTRIBUTING.md,
 * "Add an input format", says what else there is.
 */
export const inputFormats = ['csv', 'ndjson', 'json', 'xlsx', 'parquet'] as const;

export type InputFormat = (typeof inputFormats)[number];

interface FormatTraits {
  /** In lower case. */
  readonly extensions: readonly string[];
  /** The file is text. It may be compressed, and its extension says how to decode it. Of others, input/ makes text. */
  readonly isText: boolean;
  /** The rows are cells under a header, and not objects. */
  readonly hasCells: boolean;
}

export const formatTraits: Readonly<Record<InputFormat, FormatTraits>> = {
  csv: { extensions: ['.csv', '.tsv'], isText: true, hasCells: true },
  ndjson: { extensions: ['.ndjson', '.jsonl'], isText: true, hasCells: false },
  json: { extensions: ['.json'], isText: true, hasCells: false },
  xlsx: { extensions: ['.xlsx', '.xlsm'], isText: false, hasCells: true },
  parquet: { extensions: ['.parquet'], isText: false, hasCells: false },
};

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
