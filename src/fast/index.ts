/**
 * The fast path (docs/internals/decisions.md, 0009): turns bytes of CSV and NDJSON rows into JSON records without a string, array or
 * object per cell. It takes a ReadPlan and bytes; gives records to a sink, and leaves rows that it does not understand,
 * and all invalid rows, to the reference path. Its output is that path's, byte for byte. May import model and lib.
 *
 * The WebAssembly kernel in kernel/ works on the bytes. This host gives it the plan and evaluates cells for it, with
 * functions of the reference path that the plan contains.
 */
import { isUtf8 } from 'node:buffer';
import { LINE_FEED } from '../lib/text.ts';
import { type FastEngine, type FieldPlan, type ReadPlan, ROW_NUMBERS } from '../model/fast-reader.ts';
import type { ReadPosition } from '../model/row.ts';
import { ABSENT, createEvaluator, createInstance, type Instance, NoteNumbers } from './evaluator.ts';

/** Bytes given to the kernel at once. A longer row is for the reference path. */
const WINDOW_BYTES = 512 * 1024;
/** Why the kernel stopped (kernel/index.ts): no bytes are left, a row does not end, or it does not understand the row. */
const AT_END = 1;
const ROW_CUT = 2;
const NOT_UNDERSTOOD = 3;
/** In place of a column (kernel/record.ts): the field is a constant, or made from several cells. */
const NO_COLUMN = -1;
const SEVERAL = -2;
/** Indexed by the kernel's numbers. */
const SHAPES: readonly FieldPlan['shape'][] = ['text', 'untyped', 'number', 'date-time', 'other', 'value'];

/** Bytes of the input, of which the kernel has read rows. */
interface ReadBlock {
  readonly firstRow: number;
  /** Of the first row. */
  readonly line: number;
  readonly bytes: Buffer;
  /** From an address in the kernel's memory to an index of the bytes. */
  readonly shift: number;
  /** Offset of the bytes in the input. */
  readonly start: number;
}

export const createFastReader: FastEngine['createFastReader'] = (plan, sink, rowsLeft) => {
  const notes = new NoteNumbers();
  const instance = createInstance({ evaluate: (step) => evaluate(step) });
  if (instance === undefined || !loadPlan(instance, plan, notes)) return undefined;
  const { kernel } = instance;
  const evaluate = createEvaluator(instance, plan, notes);
  // The kernel may overwrite the bytes after the window; every allocation has slack for that.
  const window = kernel.allocate(WINDOW_BYTES);

  /** Gives the sink the records of the kernel's last call. */
  const putRecords = ({ firstRow, line, bytes, shift, start }: ReadBlock): void => {
    const count = kernel.rowCount.value;
    if (count === 0) return;
    const output = kernel.output.value;
    const rowsAt = kernel.rows.value / 4;
    const rows = instance.words().subarray(rowsAt, rowsAt + count * ROW_NUMBERS);
    const [begin = 0] = rows;
    const end = rows[(count - 1) * ROW_NUMBERS + 1] ?? 0;
    sink.put({
      source: plan.source,
      firstRow,
      count,
      json: instance.bytes().subarray(output, output + kernel.outputSize.value),
      text: bytes.subarray(begin + shift, end + shift),
      rows,
      offset: start + shift,
      line,
      notes: Array.from({ length: kernel.noteCount.value }, (_, index) => {
        const number = instance.bytes().readUInt16LE(kernel.notes.value + 2 * index);
        return { list: notes.notesOf(number), times: instance.words()[kernel.noteTimes.value / 4 + number] ?? 0 };
      }),
    });
  };

  return {
    read(bytes: Buffer, at: number, position: ReadPosition) {
      /** From an index of the bytes to an offset of the input. */
      const start = position.byte - at;
      const end = lastUtf8LineEnd(bytes, at);
      const isClean = bytes.indexOf(LINE_FEED, end) < 0;
      let left = rowsLeft();
      let { rows, line } = position;
      let from = at;
      let state = AT_END;
      while (left > 0 && state !== NOT_UNDERSTOOD && from < end) {
        const size = Math.min(end - from, WINDOW_BYTES);
        instance.bytes().set(bytes.subarray(from, from + size), window);
        const begun = from;
        do {
          state = kernel.take(
            window + from - begun,
            window + size,
            Math.min(left, sink.recordsLeft()),
            sink.bytesLeft(),
            sink.maxRecordBytes,
            plan.maxRowBytes,
          );
          putRecords({ firstRow: rows + 1, line, bytes, shift: begun - window, start });
          rows += kernel.rowCount.value;
          left -= kernel.rowCount.value;
          line += kernel.lines.value;
          from = begun + kernel.next.value - window;
        } while (state < AT_END && left > 0);
        // The row is longer than the window, or not complete.
        if (state === ROW_CUT && from === begun) break;
      }
      const short =
        left > 0 && state !== NOT_UNDERSTOOD && isClean && (state !== ROW_CUT || end - from <= WINDOW_BYTES);
      return { rows, line, byte: start + from, needsMoreBytes: short };
    },
  };
};

/** The index after a line feed up to which all bytes from `from` are UTF-8, or `from`. Not always the last one. */
function lastUtf8LineEnd(bytes: Buffer, from: number): number {
  let end = Math.max(from, bytes.lastIndexOf(LINE_FEED) + 1);
  while (end > from && !isUtf8(bytes.subarray(from, end))) {
    const middle = from + Math.floor((end - from) / 2);
    end = Math.max(from, bytes.lastIndexOf(LINE_FEED, middle - 1) + 1);
  }
  return end;
}

/** Loads the plan into the kernel. False if the plan is too large. */
function loadPlan({ kernel, bytes }: Instance, { form, emptyWords, fields }: ReadPlan, notes: NoteNumbers): boolean {
  const isCells = form.kind === 'cells';
  /** Writes a text into the kernel's memory. */
  const write = (text: string): { readonly at: number; readonly size: number } => {
    const size = Buffer.byteLength(text);
    const at = kernel.allocate(size);
    bytes().write(text, at);
    return { at, size };
  };
  if (isCells) kernel.setDialect(form.delimiter, form.quoted, form.width);
  else {
    kernel.setDialect(0, false, form.paths.length);
    kernel.setObjects(form.paths.length);
    for (const [column, path] of form.paths.entries()) {
      // A lone surrogate would become U+FFFD, which a row may contain.
      if (Buffer.from(path).toString() !== path) return false;
      const { at, size } = write(path);
      kernel.setPath(column, at, size);
    }
  }
  for (const word of emptyWords) {
    // As the input has it. The kernel does not compare a string of NDJSON with escapes.
    const cell = isCells && form.quoted ? word.replaceAll('"', '""') : word;
    // A lone surrogate would become U+FFFD, which a cell may have.
    if (Buffer.from(cell).toString() !== cell) continue;
    const { at, size } = write(cell);
    if (size > 0 && kernel.addWord(at, size) === 0) return false;
  }
  const emptyRow = isCells ? new Array<string>(form.width).fill('') : {};
  for (const { shape, columns, names, leftOutNotes, evaluate } of fields) {
    const [column = NO_COLUMN] = columns;
    const isJoined = columns.length > 1;
    const leftOut = notes.numberOf(leftOutNotes);
    if (
      leftOut === undefined ||
      kernel.addStep(SHAPES.indexOf(shape), isJoined ? SEVERAL : column, leftOut, names.length) === 0
    ) {
      return false;
    }
    for (const name of names) {
      const { at, size } = write(`,${JSON.stringify(name)}:"`);
      kernel.addKey(at, size);
    }
    const fixed = isJoined ? undefined : evaluate(emptyRow);
    if (fixed === undefined) continue;
    const note = notes.numberOf(fixed.notes);
    if (note === undefined) return false;
    const { at, size } = fixed.value === undefined ? { at: 0, size: ABSENT } : write(JSON.stringify(fixed.value));
    kernel.setFixed(at, size, note);
  }
  return true;
}
