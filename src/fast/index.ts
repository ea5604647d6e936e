/**
 * The fast path (docs/fast-path.md): turns bytes of CSV and NDJSON rows into JSON records without a string, array or
 * object per cell. It takes a ReadPlan and bytes; gives records to a sink, and leaves rows that it does not understand,
 * and all invalid rows, to the reference path. Its output is that path's, byte for byte. May import model and lib.
 *
 * The WebAssembly kernel in kernel/ works on the bytes. This host gives it the plan and evaluates cells for it, with
 * functions of the reference path that the plan contains.
 */
import { isUtf8 } from 'node:buffer';
import {
  type EvaluatedField,
  type FastEngine,
  type FieldPlan,
  type ReadPlan,
  type RecordChunk,
  ROW_NUMBERS,
} from '../model/fast-reader.ts';
import type { Content, ReadPosition } from '../model/row.ts';
import { createInstance, type Instance } from './instance.ts';
import { createNoteNumbers, type NoteNumbers } from './note-numbers.ts';

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const LAST_ASCII = 0x7f;
/** Bytes given to the kernel at once. A longer row is for the reference path. */
const WINDOW_BYTES = 512 * 1024;
/** Answers to the kernel in place of a size. */
const ABSENT = -1;
const UNSURE = -2;
/** Why the kernel stopped (kernel/index.ts): no bytes are left, a row does not end, or it does not understand the row. */
const AT_END = 1;
const ROW_CUT = 2;
const NOT_UNDERSTOOD = 3;
/** Indexed by the kernel's numbers. */
const SHAPES: readonly FieldPlan['shape'][] = ['text', 'untyped', 'number', 'date-time', 'other', 'value'];
/** Longest answer, in characters, that is written byte by byte. */
const MAX_PLAIN = 96;
/** Minimum bytes reserved for an answer. */
const MIN_ANSWER_BYTES = 1024;
/** Flags of a cell (kernel/scan-cells.ts): doubled quotes, JSON escapes, a JSON number or word, absent. */
const DOUBLED = 2;
const WRITTEN = 4;
const TOKEN = 8;
const ABSENT_CELL = 32;

export const createFastReader: FastEngine['createFastReader'] = (plan, sink, rowsLeft) => {
  const notes = createNoteNumbers();
  const instance = createInstance({ evaluate: (step) => evaluate(step) });
  if (instance === undefined || !loadPlan(instance, plan, notes)) return undefined;
  const { kernel } = instance;
  const evaluate = createEvaluator(instance, plan, notes);
  // The kernel may overwrite the bytes after the window; every allocation has slack for that.
  const window = kernel.allocate(WINDOW_BYTES);

  /**
   * Gives the sink the records of the kernel's last call.
   * @param shift from an address in the kernel's memory to an index of the bytes
   * @param start offset of the bytes in the input
   */
  const putRecords = (firstRow: number, line: number, bytes: Buffer, shift: number, start: number): void => {
    const count = kernel.rowCount.value;
    if (count === 0) return;
    const output = kernel.output.value;
    const rowsAt = kernel.rows.value / 4;
    const rows = instance.words().subarray(rowsAt, rowsAt + count * ROW_NUMBERS);
    const [begin = 0] = rows;
    const end = rows[(count - 1) * ROW_NUMBERS + 1] ?? 0;
    const presentAt = kernel.present.value / 4;
    sink.put({
      source: plan.source,
      firstRow,
      count,
      json: instance.bytes().subarray(output, output + kernel.outputSize.value),
      text: bytes.subarray(begin + shift, end + shift),
      rows,
      offset: start + shift,
      line,
      notes: notesIn(instance, notes),
      present: instance.words().subarray(presentAt, presentAt + count),
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
          putRecords(rows + 1, line, bytes, begun - window, start);
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
function loadPlan({ kernel, bytes }: Instance, plan: ReadPlan, notes: NoteNumbers): boolean {
  const write: Write = (text) => {
    const size = Buffer.byteLength(text);
    const at = kernel.allocate(size);
    bytes().write(text, at);
    return { at, size };
  };
  if (!loadForm({ kernel, bytes }, plan.form, write)) return false;
  for (const word of plan.emptyWords) {
    // In the encoding of the input's cells.
    const { at, size } = write(plan.form.kind === 'cells' ? word : JSON.stringify(word).slice(1, -1));
    if (size > 0 && kernel.addWord(at, size) === 0) return false;
  }
  const emptyRow = plan.form.kind === 'cells' ? new Array<string>(plan.form.width).fill('') : {};
  for (const { shape, columns, names, leftOutNotes: leftOut, evaluate } of plan.fields) {
    const [column = -1] = columns;
    const isJoined = columns.length > 1;
    const leftOutNotes = notes.numberOf(leftOut);
    if (leftOutNotes === undefined) return false;
    const isRemembered = columns.length === 1 && shape !== 'text' && shape !== 'value';
    const place = isJoined ? -1 : column;
    const number = SHAPES.indexOf(shape);
    const keys = names.map((name) => `,${JSON.stringify(name)}:"`);
    if (kernel.addStep(number, place, isJoined, isRemembered, leftOutNotes, keys.length) === 0) return false;
    for (const key of keys) {
      const { at, size } = write(key);
      kernel.addKey(at, size);
    }
    const fixed = isJoined ? undefined : evaluate(emptyRow);
    if (fixed === undefined) continue;
    const mapped = notes.numberOf(fixed.mappingNotes);
    const judged = notes.numberOf(fixed.validationNotes);
    if (mapped === undefined || judged === undefined) return false;
    const { value } = fixed;
    const { at, size } = value === undefined ? { at: 0, size: ABSENT } : write(JSON.stringify(value));
    kernel.setFixed(at, size, mapped, judged);
  }
  return true;
}

/** Writes a text into the kernel's memory. */
type Write = (text: string) => { readonly at: number; readonly size: number };

function loadForm({ kernel }: Pick<Instance, 'kernel' | 'bytes'>, form: ReadPlan['form'], write: Write): boolean {
  if (form.kind === 'cells') {
    kernel.setDialect(form.delimiter, form.quoted, form.width);
    return true;
  }
  const { paths } = form;
  kernel.setDialect(0, false, paths.length);
  kernel.setObjects(paths.length, WINDOW_BYTES);
  for (const [column, path] of paths.entries()) {
    // A lone surrogate would become U+FFFD, which a row may contain.
    if (Buffer.from(path).toString() !== path) return false;
    const { at, size } = write(path);
    kernel.setPath(column, at, size);
  }
  return true;
}

/** The kernel's callback: evaluates the field of a step for the row that it scanned last. */
function createEvaluator(
  { kernel, bytes, words }: Instance,
  { fields, form }: ReadPlan,
  notes: NoteNumbers,
): (step: number) => number {
  // Constants are read once: a call into the kernel takes longer than most of the work here.
  const marks = kernel.marks.value;
  const starts = kernel.starts.value / 4;
  const ends = kernel.ends.value / 4;
  const markOf = (column: number): number => bytes()[marks + column] ?? 0;
  const textAt = (column: number): string => bytes().toString('utf8', words()[starts + column], words()[ends + column]);
  const contentOf = form.kind === 'cells' ? cellsOf(form.width) : objectOf(form.paths);

  function cellsOf(width: number): (columns: readonly number[]) => Content {
    /** Cells that the field is not made from may hold old values. */
    const cells = new Array<string>(width).fill('');
    return (columns) => {
      for (const column of columns) {
        const text = textAt(column);
        cells[column] = (markOf(column) & DOUBLED) === 0 ? text : text.replaceAll('""', '"');
      }
      return cells;
    };
  }

  function objectOf(paths: readonly string[]): (columns: readonly number[]) => Content {
    // fromEntries, so that a key such as __proto__ becomes an ordinary property.
    return (columns) =>
      Object.fromEntries(
        columns.flatMap((column) => {
          const mark = markOf(column);
          if (mark === ABSENT_CELL) return [];
          const text = textAt(column);
          const value: unknown = mark >= TOKEN ? JSON.parse(text) : mark === WRITTEN ? JSON.parse(`"${text}"`) : text;
          return [[paths[column] ?? '', value]];
        }),
      );
  }

  let room = 0;
  let roomSize = 0;
  let lastMapped = -1;
  let lastJudged = -1;

  const reserve = (size: number): void => {
    if (size <= roomSize) return;
    roomSize = Math.max(MIN_ANSWER_BYTES, size);
    room = kernel.answerRoom(roomSize);
  };

  /** Writes a text that needs no JSON escapes, byte by byte. Returns 0 if the text has other characters. */
  const writePlain = (text: string): number => {
    const size = text.length + 2;
    reserve(size);
    const memory = bytes();
    memory[room] = QUOTE;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code < FIRST_PRINTABLE || code > LAST_ASCII || code === QUOTE || code === BACKSLASH) return 0;
      memory[room + 1 + index] = code;
    }
    memory[room + size - 1] = QUOTE;
    return size;
  };

  const writeJson = (json: string): number => {
    // A UTF-16 code unit becomes at most three bytes of UTF-8.
    reserve(json.length * 3);
    return bytes().write(json, room);
  };

  const answer = ({ value, mappingNotes: mapped, validationNotes: judged }: EvaluatedField): number => {
    const mappedNumber = notes.numberOf(mapped);
    const judgedNumber = notes.numberOf(judged);
    if (mappedNumber === undefined || judgedNumber === undefined) return UNSURE;
    if (mappedNumber !== lastMapped || judgedNumber !== lastJudged) kernel.setNotes(mappedNumber, judgedNumber);
    lastMapped = mappedNumber;
    lastJudged = judgedNumber;
    if (value === undefined) return ABSENT;
    // For a short text, a call of Node or V8 takes longer than this loop.
    const plain = typeof value === 'string' && value.length <= MAX_PLAIN ? writePlain(value) : 0;
    return plain > 0 ? plain : writeJson(JSON.stringify(value));
  };

  return (step) => {
    const field = fields[step];
    if (field === undefined) return UNSURE;
    const evaluated = field.evaluate(contentOf(field.columns));
    return evaluated === undefined ? UNSURE : answer(evaluated);
  };
}

type NotedList = RecordChunk['notes'][number];

/** The notes of the records of the kernel's last call. */
function notesIn({ kernel, bytes, words }: Instance, notes: NoteNumbers): readonly NotedList[] {
  const count = kernel.noteCount.value;
  const lists = bytes();
  const times = words();
  const all: NotedList[] = [];
  for (let index = 0; index < count; index += 1) {
    const number = lists.readUInt16LE(kernel.notes.value + 2 * index);
    all.push({ list: notes.notesOf(number), times: times[kernel.noteTimes.value / 4 + number] ?? 0 });
  }
  return all;
}
