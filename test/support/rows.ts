/** Helpers of the tests in this folder. */
import type { Content, Row } from '../../src/model/row.ts';

/** A row whose position does not matter. */
export function rowOf(content: Content): Row {
  return { position: { source: 0, line: 2, row: 1, start: 0, end: 1, nextLine: 3 }, content };
}
