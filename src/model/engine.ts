/**
 * The seam between the reference path and a faster reader that stands beside it: what such a reader is told, and
 * what it gives. Beside it the reference path goes on to take every row that the reader does not.
 */
import type { Place } from './row.ts';

/** One field of a record, as a reader of cells makes it. */
export interface FieldPlan {
  /** Its names on the wire; none where the variant leaves the field out. */
  readonly names: readonly string[];
  /** The cells that it is made from, by index; none for a constant. */
  readonly columns: readonly number[];
  /**
   * How its one cell becomes its value, trimmed and absent where it is empty. `text`: it is the value. `untyped`: a
   * number where writing that number gives the cell back exactly, else the text. `number`, `date-time`: as the kinds
   * of that name (contract/kinds.ts). `other`: as `evaluate` says, and nothing else is known.
   */
  readonly shape: 'text' | 'untyped' | 'number' | 'date-time' | 'other';
  /** Notes of the mapping where the field has a value that is not sent. */
  readonly leftOut: readonly string[];
  /**
   * The field by the reference path's own functions, from the row's cells. It looks at those among
   * `columns` alone. Undefined where the row needs the reference path.
   */
  evaluate(cells: readonly string[]): Evaluated | undefined;
}

export interface Evaluated {
  /** The value as JSON text; undefined where there is none. */
  readonly json: string | undefined;
  /** Notes of the mapping, and of the validation: those of all fields come first. */
  readonly mapped: readonly string[];
  readonly judged: readonly string[];
}

/** How rows of CSV become records. */
export interface ReadingPlan {
  readonly source: number;
  /** ASCII. */
  readonly delimiter: number;
  /** Whether `"` quotes cells; if not, nothing does. */
  readonly quoted: boolean;
  /** Columns of the input, at least two. */
  readonly width: number;
  readonly maxRowBytes: number;
  /** Trimmed cells that count as empty, besides the empty one. */
  readonly empty: readonly string[];
  /** In the order of the wire. */
  readonly fields: readonly FieldPlan[];
}

/**
 * Hands over a record of `size` bytes. The position of its row (row.ts) comes number by number, so that no object is
 * made for a row; `notes` are those of the record.
 */
export type PutRecord<Held, Result> = (
  size: number,
  source: number,
  row: number,
  line: number,
  nextLine: number,
  start: number,
  end: number,
  notes: readonly string[],
  held: Held,
) => Result;

/** Where records go: the sealer's side of it (batch/seal.ts says more). */
export interface RecordSink<Held> {
  readonly most: number;
  room(bytes: number): Buffer;
  place(): number;
  readonly put: PutRecord<Held, void>;
  /** Keeps the rows of these bytes, of which the first stands at `offset` of the input. They must not change any more. */
  hold(bytes: Buffer, offset: number): Held;
}

export interface RowTaker {
  /**
   * Takes whole rows, one behind the other, and blank lines between them, as long as it certainly understands them.
   *
   * @param bytes `bytes[at]` stands at `place`
   * @returns the place that it came to
   */
  take(bytes: Buffer, at: number, place: Place): Taken;
}

export interface Taken extends Place {
  /** Whether it stopped because a row does not end within the bytes. Else the next row is the reference path's. */
  readonly short: boolean;
}

/** A reader that stands beside the reference path. */
export interface Engine {
  createReader<Held>(plan: ReadingPlan, sink: RecordSink<Held>, most: () => number): RowTaker;
}
