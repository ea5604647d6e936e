/** Rows of a table that are not data: the header again, and totals. */

import { isCells } from '../../lib/is-cells.ts';
import type { Content } from '../../model/row.ts';
import { normalise } from '../column-match.ts';

export type Junk = 'header' | 'total';

const TOTAL =
  /^(?:(?:grand |sub)?totals?|summe|gesamt(?:summe)?|suma|total general|totale|totaal|somme|soma|razem)\b/iu;

export function junkOf(columns: readonly string[], content: Content): Junk | undefined {
  if (!isCells(content)) return undefined;
  const cells = columns.flatMap((column, index) => {
    const cell = (content[index] ?? '').trim();
    return cell === '' || column.startsWith('_') ? [] : [{ column, cell }];
  });
  const [first] = cells;
  if (first === undefined) return undefined;
  const same = cells.filter(({ column, cell }) => normalise(column) === normalise(cell)).length;
  if (same > 1 && same * 2 > cells.length) return 'header';
  return TOTAL.test(first.cell) && cells.length * 2 <= columns.length ? 'total' : undefined;
}
