/**
 * What a batch was put together from, and what is made of it when somebody asks: where it is split, refused or not
 * delivered, and that is seldom.
 */
import type { Batch, BatchRow, RowRange } from '../model/batch.ts';
import { type RecordChunk, ROW_NUMBERS } from '../model/fast-reader.ts';
import type { Content } from '../model/row.ts';

/** Reads one row of an input, from its bytes as they stand there. */
export type ReadRow = (source: number, bytes: Buffer) => Content | string;

/** Records that came together, of rows that stand one behind the other. */
export interface Part
  extends Pick<RecordChunk, 'source' | 'firstRow' | 'count' | 'rows' | 'offset' | 'line'> {
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

/** A batch whose rows and offsets are made when they are asked for. */
export class BatchOfParts implements Batch {
  readonly id: string;
  readonly records: number;
  readonly payload: Uint8Array;
  readonly digest: string;
  readonly ranges: readonly RowRange[];
  readonly release: () => void;
  readonly #made: Made;
  readonly #readRow: ReadRow | undefined;
  #rows: readonly BatchRow[] | undefined;
  #offsets: readonly number[] | undefined;

  /** @param release gives the memory of payload and text back */
  constructor(
    { id, records, payload, digest, ranges }: Omit<Batch, 'rows' | 'offsets' | 'release'>,
    made: Made,
    readRow: ReadRow | undefined,
    release: () => void,
  ) {
    this.id = id;
    this.records = records;
    this.payload = payload;
    this.digest = digest;
    this.ranges = ranges;
    this.release = release;
    this.#made = made;
    this.#readRow = readRow;
  }

  get offsets(): readonly number[] {
    this.#offsets ??= offsetsOf(this.#made);
    return this.#offsets;
  }

  get rows(): readonly BatchRow[] {
    this.#rows ??= this.#made.parts.flatMap((part) => rowsOf(part, this.#made.text, this.#readRow));
    return this.#rows;
  }
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
