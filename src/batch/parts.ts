/**
 * What a batch was put together from, and what is made of it when somebody asks: where it is split, refused or not
 * delivered, and that is seldom.
 */
import type { Batch, BatchRow } from '../model/batch.ts';
import { type RecordRun, ROW_NUMBERS } from '../model/engine.ts';
import type { Content } from '../model/row.ts';

/** Reads one row of an input, from its bytes as they stand there. */
export type ReadRow = (source: number, bytes: Buffer) => Content | string;

/** Records that came together, of rows that stand one behind the other. */
export interface Part extends Pick<RecordRun, 'source' | 'firstRow' | 'count' | 'rows' | 'offset' | 'line'> {
  /** Where in the text the first row begins; absent where the row is at hand as `content`, or nowhere. */
  readonly text?: number;
  readonly content?: Content | string;
}

export interface Made {
  readonly parts: readonly Part[];
  /** Where in the payload the first record begins. */
  readonly firstOffset: number;
  /** Rows as they stand in the input, one part behind the other. */
  readonly text: Buffer;
}

/** @param release gives the memory of payload and text back */
export function batchOf(
  batch: Omit<Batch, 'rows' | 'offsets' | 'release'>,
  made: Made,
  readRow: ReadRow | undefined,
  release: () => void,
): Batch {
  let rows: readonly BatchRow[] | undefined;
  let offsets: readonly number[] | undefined;
  return {
    ...batch,
    release,
    get offsets() {
      offsets ??= offsetsOf(made);
      return offsets;
    },
    get rows() {
      rows ??= made.parts.flatMap((part) => rowsOf(part, made.text, readRow));
      return rows;
    },
  };
}

function rowsOf(part: Part, text: Buffer, readRow: ReadRow | undefined): readonly BatchRow[] {
  const { source, firstRow, count, rows, offset, line, content } = part;
  const first = rows[0] ?? 0;
  return Array.from({ length: count }, (_, index) => {
    const [begin = 0, behind = 0, before = 0, through = 0] = rows.subarray(index * ROW_NUMBERS);
    const position = {
      source,
      line: line + before,
      nextLine: line + through,
      row: firstRow + index,
      start: offset + begin,
      end: offset + behind,
    };
    if (content !== undefined) return { position, content };
    if (part.text === undefined || readRow === undefined) return { position };
    const at = part.text - first;
    return { position, content: readRow(source, text.subarray(at + begin, at + behind)) };
  });
}

function offsetsOf({ parts, firstOffset }: Made): readonly number[] {
  const offsets = [firstOffset];
  for (const { rows } of parts) {
    for (let size = ROW_NUMBERS - 1; size < rows.length; size += ROW_NUMBERS) {
      offsets.push((offsets.at(-1) ?? 0) + (rows[size] ?? 0) + 1);
    }
  }
  return offsets;
}
