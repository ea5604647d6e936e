/** The rows of a range of consecutive rows (`RowRange`), each with its line. */

/** Rows on consecutive lines: row and line of the first one, and the number of rows. */
type Span = readonly [row: number, line: number, rows: number];

interface Range {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstLine: number;
  readonly spans?: readonly Span[] | undefined;
}

export function spansOf({ spans, firstRow, firstLine, lastRow }: Range): readonly Span[] {
  return spans ?? [[firstRow, firstLine, lastRow - firstRow + 1]];
}

export function rowsOf(range: Range): readonly { readonly row: number; readonly line: number }[] {
  return spansOf(range).flatMap(([row, line, rows]) =>
    Array.from({ length: rows }, (_, n) => ({ row: row + n, line: line + n })),
  );
}
