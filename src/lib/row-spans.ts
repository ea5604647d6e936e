/** The rows of a range (`RowRange` and `Span` in model/batch.ts), each with its line. */
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
