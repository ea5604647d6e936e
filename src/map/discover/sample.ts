/** Rows as discovery looks at them: one cell for each column, whatever the format. */
import type { Content } from '../../model/row.ts';
import { isCells, type JsonObject, pathReader } from '../column-values.ts';
import type { Sample } from './proposal.ts';

export function sampleCells(columns: readonly string[], contents: readonly Content[]): Sample['rows'] {
  const none: ReadonlySet<string> = new Set();
  const readers = columns.map((column) => pathReader(column, none));
  return contents.map((content) => {
    if (isCells(content)) return columns.map((_, index) => content[index]);
    const object: JsonObject = content;
    return readers.map((read) => read(object));
  });
}
