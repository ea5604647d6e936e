/** Builds the row ranges of a batch, row by row or chunk by chunk. */
import type { RowRange, Span } from '../model/batch.ts';
import { type RecordChunk, ROW_NUMBERS } from '../model/fast-reader.ts';

export type MutableRange = { -readonly [Key in keyof RowRange]: RowRange[Key] } & { spans?: Span[] };

/** Adds `rows` consecutive rows on consecutive lines. */
export function extendRanges(
  ranges: MutableRange[],
  source: number,
  row: number,
  line: number,
  rows: number,
  start: number,
  end: number,
): void {
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

export function extendRangesByChunk(
  ranges: MutableRange[],
  { source, firstRow, count, rows, offset, line }: RecordChunk,
): void {
  const number = (index: number, which: number): number => rows[index * ROW_NUMBERS + which] ?? 0;
  const hasOneLinePerRow = number(count - 1, 3) - number(0, 2) === count;
  const step = hasOneLinePerRow ? count : 1;
  for (let index = 0; index < count; index += step) {
    const start = offset + number(index, 0);
    const end = offset + number(index + step - 1, 1);
    extendRanges(ranges, source, firstRow + index, line + number(index, 2), step, start, end);
  }
}
