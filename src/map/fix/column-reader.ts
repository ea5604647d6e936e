/** Reads one column of rows as they are, before any transform. */
import { columnFinder } from '../column-match.ts';
import { cellReader, pathReader, type Read } from '../column-values.ts';

/** @param wanted as a mapping names it */
export function columnReader(columns: readonly string[], rowForm: 'csv' | 'ndjson', wanted: string): Read {
  const found = columnFinder(columns)(wanted);
  if (rowForm === 'ndjson') return pathReader(found.kind === 'one' ? found.name : wanted, new Set());
  return cellReader(found.kind === 'one' ? found.index : -1, new Set());
}
