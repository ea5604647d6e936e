import type { Position } from '../model/position.ts';
import type { Prepared, PreparedSkipped } from '../model/prepared.ts';

/** Adds a skipped row to the prepared items. Consecutive rows become one item. @param by the earlier run that sent it */
export function addSkipped(
  out: Prepared[],
  { source, row, line }: Pick<Position, 'source' | 'row' | 'line'>,
  why: PreparedSkipped['why'],
  by?: string,
): void {
  const last = out.at(-1);
  const isNext = last?.kind === 'skipped' && last.source === source && last.lastRow + 1 === row;
  if (isNext && last.why === why && last.by === by) out[out.length - 1] = { ...last, lastRow: row, lastLine: line };
  else out.push({ kind: 'skipped', source, firstRow: row, lastRow: row, firstLine: line, lastLine: line, why, by });
}
