/** Builds and reads the row ranges of a batch. */
import type { Position, RowRange, Span } from './position.ts';

export function spansOf({
  spans,
  firstRow,
  firstLine,
  lastRow,
}: Pick<RowRange, 'spans' | 'firstRow' | 'firstLine' | 'lastRow'>): readonly Span[] {
  return spans ?? [[firstRow, firstLine, lastRow - firstRow + 1]];
}

export function rowsOf(range: RowRange) {
  const { source } = range;
  return spansOf(range).flatMap(([row, line, rows]) =>
    Array.from({ length: rows }, (_, n) => ({ source, row: row + n, line: line + n })),
  );
}

/** A growing range of rows. */
export interface MutableRange extends RowRange {
  lastRow: number;
  lastLine: number;
  end: number;
  spans?: Span[];
}

/** Rows on consecutive lines, and their bytes. `row`, `line`: of the first one; `rows`: how many. */
export interface ConsecutiveRows {
  readonly source: number;
  readonly row: number;
  readonly line: number;
  readonly rows: number;
  readonly start: number;
  readonly end: number;
}

/** Adds rows after the last ones. */
export function extendRanges(ranges: MutableRange[], { source, row, line, rows, start, end }: ConsecutiveRows): void {
  const lastRow = row + rows - 1;
  const lastLine = line + rows - 1;
  const last = ranges.at(-1);
  if (last === undefined || last.source !== source) {
    ranges.push({ source, firstRow: row, lastRow, firstLine: line, lastLine, start, end });
    return;
  }
  // Rows between were dropped, or a row has several lines.
  if (row !== last.lastRow + 1 || line !== last.lastLine + 1) {
    last.spans ??= [[last.firstRow, last.firstLine, last.lastRow - last.firstRow + 1]];
    last.spans.push([row, line, 0]);
  }
  const span = last.spans?.pop();
  if (span !== undefined) last.spans?.push([span[0], span[1], span[2] + rows]);
  last.lastRow = lastRow;
  last.lastLine = lastLine;
  last.end = end;
}

/** The ranges of single rows, in their order: one range per input. */
export function rangesOf(rows: readonly Position[]): readonly RowRange[] {
  const ranges: MutableRange[] = [];
  for (const { source, row, line, start, end } of rows) {
    extendRanges(ranges, { source, row, line, rows: 1, start, end });
  }
  return ranges;
}

/** Sorts batches by their rows: they settle in any order, and the parts of a split one are sealed late. */
export function byFirstRow({ ranges: [one] }: WithRanges, { ranges: [other] }: WithRanges): number {
  if (one === undefined || other === undefined) return 0;
  return one.source - other.source || one.firstRow - other.firstRow;
}

interface WithRanges {
  readonly ranges: readonly RowRange[];
}
