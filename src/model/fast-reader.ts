/**
 * Between the reference path and a faster reader beside it: what that reader is given, and what it gives.
 * The reference path reads every row that the fast reader does not.
 */
import type { Content, Position, ReadPosition } from './row.ts';

export interface FieldPlan {
  /** Its names on the wire; none if the variant does not send the field. */
  readonly names: readonly string[];
  /** The columns that it is made from, by index; none for a constant. */
  readonly columns: readonly number[];
  /**
   * How its cell, trimmed and not empty, becomes its value. `text`: the cell is the value; a number of NDJSON becomes
   * text. `untyped`: a safe integer or a fraction if JavaScript writes that number as the cell has it, else text. `number`, `date-time`: the
   * kinds of that name (contract/value-kinds.ts). `value`: of NDJSON, the text or number as it is. `other`: only
   * `evaluate` knows.
   */
  readonly shape: 'text' | 'untyped' | 'number' | 'date-time' | 'other' | 'value';
  /** Its notes if it has a value that is not sent. */
  readonly leftOutNotes: readonly string[];
  /**
   * Maps and validates the field with the reference path's functions, from the cells among `columns`. Undefined if the
   * row needs the reference path.
   */
  evaluate(content: Content): EvaluatedField | undefined;
}

export interface EvaluatedField {
  /** Undefined if there is none. A field without wire names may have one: it counts as present and is not written. */
  readonly value: string | number | undefined;
  readonly notes: readonly string[];
}

export interface ReadPlan {
  readonly source: number;
  readonly form: CellForm | ObjectForm;
  readonly maxRowBytes: number;
  /** Trimmed cells, other than the empty one, that count as empty. */
  readonly emptyWords: readonly string[];
  /** In wire order. */
  readonly fields: readonly FieldPlan[];
}

export interface CellForm {
  readonly kind: 'cells';
  /** ASCII. */
  readonly delimiter: number;
  /** Whether `"` quotes cells; otherwise no character does. */
  readonly quoted: boolean;
  /** Columns of the input, at least two. */
  readonly width: number;
}

export interface ObjectForm {
  readonly kind: 'objects';
  /** The columns, each once: `company.name` is that key, or the key `name` in the object `company`. */
  readonly paths: readonly string[];
}

/** Numbers of one row in {@link RecordChunk.rows}. */
export const ROW_NUMBERS = 5;

/** Records of consecutive rows. Its memory is valid only during the call that receives it. */
export interface RecordChunk {
  readonly source: number;
  /** The number of its first row. */
  readonly firstRow: number;
  readonly count: number;
  /** The records as JSON, with commas between. */
  readonly json: Uint8Array;
  /** The input's bytes from the beginning of the first row to the end of the last. */
  readonly text: Uint8Array;
  /**
   * {@link ROW_NUMBERS} for each row: begin, end, line, next line, bytes of its record. Add `offset` to the first two and
   * `line` to the lines.
   */
  readonly rows: Uint32Array | readonly number[];
  readonly offset: number;
  readonly line: number;
  /** The notes of the records; `times` is the number of records that have them. */
  readonly notes: readonly { readonly list: readonly string[]; readonly times: number }[];
}

/** The position of a row of a chunk, by its index in the chunk. */
export function positionInChunk(
  { source, firstRow, rows, offset, line }: Pick<RecordChunk, 'source' | 'firstRow' | 'rows' | 'offset' | 'line'>,
  index: number,
): Position {
  const [begin = 0, end = 0, firstLine = 0, nextLine = 0] = rows.slice(index * ROW_NUMBERS, (index + 1) * ROW_NUMBERS);
  return {
    source,
    line: line + firstLine,
    nextLine: line + nextLine,
    row: firstRow + index,
    start: offset + begin,
    end: offset + end,
  };
}

/** Receives records. Implemented by the sealer (prepare/sealer.ts). */
export interface RecordSink {
  readonly maxRecordBytes: number;
  /** Records that the next chunk may have, at least one. */
  recordsLeft(): number;
  /** Bytes that the next chunk may have, if it has more than one record. */
  bytesLeft(): number;
  put(chunk: RecordChunk): void;
}

export interface FastReader {
  /**
   * Reads whole rows, and blank lines between them, up to the first row that it does not understand.
   *
   * @param bytes `bytes[at]` is the byte at `position`
   * @returns the position that it reached
   */
  read(bytes: Buffer, at: number, position: ReadPosition): FastRead;
}

export interface FastRead extends ReadPosition {
  /** Whether the next row does not end within the bytes. Otherwise the next row is for the reference path. */
  readonly needsMoreBytes: boolean;
}

export interface FastEngine {
  /**
   * Undefined if the engine does not support the plan or this machine.
   * @param rowsLeft how many rows may be read now
   */
  createFastReader(plan: ReadPlan, sink: RecordSink, rowsLeft: () => number): FastReader | undefined;
}
