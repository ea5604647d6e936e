import { contracts } from '../../../src/contract/index.ts';
import { columnsIn } from '../../../src/map/discover/column.ts';
import { readingHints, readingOf } from '../../../src/map/discover/readings.ts';
import type { Sample } from '../../../src/map/index.ts';

/** Columns with their cells: `Company: a | b`. */
export function sampleOf(...columns: readonly string[]): Sample {
  const parsed = columns.map((line) => {
    const at = line.indexOf(': ');
    return {
      name: line.slice(0, at),
      cells: line
        .slice(at + 2)
        .split(' | ')
        .map((cell) => cell.trim()),
    };
  });
  const height = Math.max(...parsed.map(({ cells }) => cells.length));
  return {
    columns: parsed.map(({ name }) => name),
    rows: Array.from({ length: height }, (_, row) => parsed.map(({ cells }) => cells[row] ?? '')),
  };
}

/** How the first column can be read as the field, and what only the user can decide; undefined if it cannot. */
export function readingsOf(name: string, ...lines: readonly string[]) {
  const columns = columnsIn(sampleOf(...lines));
  const field = contracts.signals.field(name) ?? contracts.social.field(name);
  const reading = field && columns[0] && readingOf(columns[0], field, readingHints(columns));
  return reading && { ...reading, ways: reading.ways.map((way) => ({ ...way, column: undefined })) };
}
