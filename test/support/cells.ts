/** CSV rows for tests of the fast reader alone. */

import type { CellForm } from '../../src/model/fast-reader.ts';
import { type Content, isCells } from '../../src/model/row.ts';

export const twoColumns: CellForm = { kind: 'cells', delimiter: 0x2c, quoted: true, width: 2 };

/** A cell of a CSV row; empty if there is none. */
export function cellAt(content: Content, column: number): string {
  return isCells(content) ? (content[column] ?? '') : '';
}
