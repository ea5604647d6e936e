/**
 * The seam between the reference path and a faster reader that stands beside it: what such a reader is told, and
 * what it gives. Beside it the reference path goes on to take every row that the reader does not.
 */
import type { Content, ReadPosition } from './row.ts';

/** One field of a record, as a reader of cells makes it. */
export interface FieldPlan {
  /** Its names on the wire; none where the variant leaves the field out. */
  readonly names: readonly string[];
  /** The cells that it is made from, by index; none for a constant. */
  readonly columns: readonly number[];
  /**
   * How its one cell becomes its value, trimmed and absent where it is empty. `text`: it is the value. `untyped`: a
   * number where writing that number gives the cell back exactly, else the text. `number`, `date-time`: as the kinds
   * of that name (contract/kinds.ts). `other`: as `evaluate` says, and nothing else is known. `value`: of NDJSON, it
   * is the value, be it a text or a number; there `text` makes a number the text of its digits.
   */
  readonly shape: 'text' | 'untyped' | 'number' | 'date-time' | 'other' | 'value';
  /** Notes of the mapping where the field has a value that is not sent. */
  readonly leftOutNotes: readonly string[];
  /** How a record is known by it, for whoever looks; absent where it is not. */
  readonly likeness?: Likeness;
  /**
   * The field by the reference path's own functions, from the row's content. It looks at the cells among
   * `columns` alone. Undefined where the row needs the reference path.
   */
  evaluate(content: Content): EvaluatedField | undefined;
}

/**
 * How a field makes two records likely the same: if it has the same value in both, the same text behind
 * {@link Look.fold}, or the same day of a date-time. `number` stands for the field, in every input of a run.
 */
export interface Likeness {
  readonly by: 'value' | 'text' | 'day';
  readonly number: number;
}

/** What a reader is told of somebody who looks at its rows. */
export interface Look {
  /** A text without regard to case, form and white space: of printable ASCII without two spaces running, lower case. */
  fold(text: string): string;
}

export interface EvaluatedField {
  /** Undefined where there is none. Where somebody looks, also of a field that is not sent. */
  readonly value: string | number | undefined;
  /** Notes of the mapping, and of the validation: those of all fields come first. */
  readonly mappingNotes: readonly string[];
  readonly validationNotes: readonly string[];
}

/** How rows become records. */
export interface ReadPlan {
  readonly source: number;
  readonly form: CellForm | ObjectForm;
  readonly maxRowBytes: number;
  /** Trimmed cells that count as empty, besides the empty one. */
  readonly emptyWords: readonly string[];
  /** In the order of the wire. */
  readonly fields: readonly FieldPlan[];
  /** Absent where nobody looks. */
  readonly look?: Look;
}

/** Rows of CSV. */
export interface CellForm {
  readonly kind: 'cells';
  /** ASCII. */
  readonly delimiter: number;
  /** Whether `"` quotes cells; if not, nothing does. */
  readonly quoted: boolean;
  /** Columns of the input, at least two. */
  readonly width: number;
}

/** Rows of NDJSON. */
export interface ObjectForm {
  readonly kind: 'objects';
  /** The columns, each once: `company.name` is that name, or the name below the other one (map/cells.ts says more). */
  readonly paths: readonly string[];
}

/** Numbers of one row in {@link RecordChunk.rows}. */
export const ROW_NUMBERS = 5;

/** Records of rows that stand one behind the other. What it shows is overwritten behind the call that it is given to. */
export interface RecordChunk {
  readonly source: number;
  /** The number of its first row. */
  readonly firstRow: number;
  readonly count: number;
  /** The records as JSON, with commas between. */
  readonly json: Uint8Array;
  /** The rows as they stand in the input: from where the first one begins to the end of the last. */
  readonly text: Uint8Array;
  /**
   * {@link ROW_NUMBERS} of each row: begin, end, line, the line behind it, bytes of its record. To be added to those of the
   * first two kinds is `offset`, to lines `line`.
   */
  readonly rows: Uint32Array;
  readonly offset: number;
  readonly line: number;
  /** Of the records, in the order in which they first came; `times` says how many records have them. */
  readonly notes: readonly { readonly list: readonly string[]; readonly times: number }[];
  /**
   * Where somebody looks, the halves of hashes (report/sketch.ts), the high one first: for each record one of each field
   * of the plan, of its value as JSON, both 0 where it is absent; and then one of its likeness.
   */
  readonly looks?: Int32Array;
}

/** Where records go: the sealer's side of it (batch/seal.ts says more). */
export interface RecordSink {
  /** Bytes of a record at the most. */
  readonly maxRecordBytes: number;
  /** Records that the next run may have, at least one. */
  recordsLeft(): number;
  /** Bytes that the next run may have, where it has more than one record. */
  bytesLeft(): number;
  put(run: RecordChunk): void;
}

export interface FastReader {
  /**
   * Takes whole rows, one behind the other, and blank lines between them, as long as it certainly understands them.
   *
   * @param bytes `bytes[at]` stands at `place`
   * @returns the place that it came to
   */
  read(bytes: Buffer, at: number, place: ReadPosition): FastRead;
}

export interface FastRead extends ReadPosition {
  /** Whether it stopped because a row does not end within the bytes. Else the next row is the reference path's. */
  readonly needsMoreBytes: boolean;
}

/** A reader that stands beside the reference path. */
export interface FastEngine {
  /** Undefined where it can do nothing with such a plan, or on this machine. */
  createFastReader(plan: ReadPlan, sink: RecordSink, most: () => number): FastReader | undefined;
}
