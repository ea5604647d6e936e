/** The formats of inputs: names for `--format`, mapping files and run.json. `decode/` has one file for each. */
export const inputFormats = ['csv', 'ndjson', 'json', 'xlsx', 'parquet'] as const;

export type InputFormat = (typeof inputFormats)[number];

/** Whether the rows of a format are cells under a header, and not objects. */
export function hasCells(format: InputFormat): boolean {
  return format === 'csv' || format === 'xlsx';
}

/** The table of an input that is a sheet of a workbook. Names are from the file. */
export interface SheetTable {
  readonly format: 'xlsx';
  readonly sheet: string;
  readonly otherSheets: readonly { readonly name: string; readonly hidden: boolean }[];
}

/** A table that is no text in its file. */
export type PackedTable = SheetTable | { readonly format: 'parquet' };
