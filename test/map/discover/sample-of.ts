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
