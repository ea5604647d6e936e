/**
 * The fast path (docs/fast-path.md): rows of CSV and NDJSON to records as JSON bytes, without a string, an array or an object
 * for a cell. It takes the rows that it certainly understands and leaves each other one, and each that is invalid, to
 * the reference path. What it gives is what that path would give, byte for byte; test/fast/ proves it.
 *
 * The work on bytes is done in kernel/, which becomes WebAssembly. Here it is told the plan, given the bytes, and
 * answered when it asks what a cell comes to. It knows the contract's kinds by the shapes of model/engine.ts alone;
 * transforms and validation come as functions of the reference path, which are called for a cell and not for a row.
 */
import { isUtf8 } from 'node:buffer';
import {
  type EvaluatedField,
  type FastEngine,
  type FieldPlan,
  type Likeness,
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
const LAST_OF_ASCII = 0x7f;
/** Bytes that the kernel is given at once; a row that is longer is the reference path's. */
const WINDOW_BYTES = 512 * 1024;
/** What the kernel is answered in place of a size. */
const ABSENT = -1;
const UNSURE = -2;
/** Why the kernel stopped: for want of bytes or of a row's end, or because the next row is the reference path's. */
const OVER = 1;
const CUT_OFF = 2;
const LEFT = 3;
/** By the kernel's numbers. */
const SHAPES: readonly FieldPlan['shape'][] = ['text', 'untyped', 'number', 'date-time', 'other', 'value'];
const LIKENESSES: readonly (Likeness['by'] | undefined)[] = [undefined, 'value', 'text', 'day'];
/** Characters of an answer that may be written one by one. */
const MOST_PLAIN = 96;
/** Bytes of room for an answer, at the least. */
const LEAST_ROOM = 1024;
/** Marks of a cell: it has doubled quotes, or escapes of JSON; it is another token of JSON, or it is not there. */
const DOUBLED = 2;
const WRITTEN = 4;
const TOKEN = 8;
const ABSENT_CELL = 32;

export const createFastReader: FastEngine['createFastReader'] = (plan, sink, most) => {
  const notes = createNoteNumbers();
  const instance = createInstance({
    evaluate: (step) => evaluate(step),
    fold: (start, size) => fold(start, size),
  });
  if (instance === undefined || !tell(instance, plan, notes)) return undefined;
  const { kernel } = instance;
  const evaluate = evaluator(instance, plan, notes);
  const fold = folder(instance, plan);
  const numbersOfLook = plan.look === undefined ? 0 : 2 * (plan.fields.length + 1);
  // The kernel writes behind the window's end: there is room for that behind all that is allocated.
  const window = kernel.allocate(WINDOW_BYTES);

  /**
   * Hands over what was taken last, of which the first row is number `firstRow`.
   * @param shift from an address in the kernel's memory to an index of the bytes
   * @param start offset of the bytes in the input
   */
  const handOver = (firstRow: number, line: number, bytes: Buffer, shift: number, start: number): void => {
    const count = kernel.rowCount.value;
    if (count === 0) return;
    const output = kernel.output.value;
    const rowsAt = kernel.rows.value / 4;
    const rows = instance.words().subarray(rowsAt, rowsAt + count * ROW_NUMBERS);
    const [begin = 0] = rows;
    const end = rows[(count - 1) * ROW_NUMBERS + 1] ?? 0;
    const looks = kernel.looks.value / 4;
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
      ...(numbersOfLook === 0
        ? {}
        : { looks: instance.halves().subarray(looks, looks + count * numbersOfLook) }),
    });
  };

  return {
    read(bytes: Buffer, at: number, place: ReadPosition) {
      /** From an index of the bytes to an offset of the input. */
      const start = place.byte - at;
      const end = certainEnd(bytes, at);
      const isClean = bytes.indexOf(LINE_FEED, end) < 0;
      let left = most();
      let { rows, line } = place;
      let from = at;
      let state = OVER;
      while (left > 0 && state !== LEFT && from < end) {
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
          handOver(rows + 1, line, bytes, begun - window, start);
          rows += kernel.rowCount.value;
          left -= kernel.rowCount.value;
          line += kernel.lines.value;
          from = begun + kernel.next.value - window;
        } while (state < OVER && left > 0);
        // A row that is longer than the window; or one that goes over the end.
        if (state === CUT_OFF && from === begun) break;
      }
      const short =
        left > 0 && state !== LEFT && isClean && (state !== CUT_OFF || end - from <= WINDOW_BYTES);
      return { rows, line, byte: start + from, needsMoreBytes: short };
    },
  };
};

/** Behind the last line feed in front of which all bytes from `from` on are UTF-8, or somewhere before that; or `from`. */
function certainEnd(bytes: Buffer, from: number): number {
  let end = Math.max(from, bytes.lastIndexOf(LINE_FEED) + 1);
  while (end > from && !isUtf8(bytes.subarray(from, end))) {
    const middle = from + Math.floor((end - from) / 2);
    end = Math.max(from, bytes.lastIndexOf(LINE_FEED, middle - 1) + 1);
  }
  return end;
}

/** Tells the kernel how rows become records. False where it has no room for that. */
function tell({ kernel, bytes }: Instance, plan: ReadPlan, notes: NoteNumbers): boolean {
  const written: Write = (text) => {
    const size = Buffer.byteLength(text);
    const at = kernel.allocate(size);
    bytes().write(text, at);
    return { at, size };
  };
  if (!tellForm({ kernel, bytes }, plan.form, written)) return false;
  for (const word of plan.emptyWords) {
    // As the cells of the form are written.
    const { at, size } = written(plan.form.kind === 'cells' ? word : JSON.stringify(word).slice(1, -1));
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
    const isHidden = names.length === 0 && plan.look !== undefined;
    const keys = isHidden ? ['"'] : names.map((name) => `,${JSON.stringify(name)}:"`);
    if (kernel.addStep(number, place, isJoined, isRemembered, leftOutNotes, keys.length) === 0) return false;
    for (const key of keys) {
      const { at, size } = written(key);
      kernel.addKey(at, size);
    }
    if (isHidden) kernel.hide();
    const fixed = isJoined ? undefined : evaluate(emptyRow);
    if (fixed === undefined) continue;
    const mapped = notes.numberOf(fixed.mappingNotes);
    const judged = notes.numberOf(fixed.validationNotes);
    if (mapped === undefined || judged === undefined) return false;
    const { value } = fixed;
    const { at, size } = value === undefined ? { at: 0, size: ABSENT } : written(JSON.stringify(value));
    kernel.setFixed(at, size, mapped, judged);
  }
  if (plan.look === undefined) return true;
  kernel.look();
  for (const [step, { likeness }] of plan.fields.entries()) {
    if (likeness !== undefined) kernel.setLikeness(step, LIKENESSES.indexOf(likeness.by), likeness.number);
  }
  return true;
}

/** Puts a text into the kernel's memory. */
type Write = (text: string) => { readonly at: number; readonly size: number };

function tellForm(
  { kernel }: Pick<Instance, 'kernel' | 'bytes'>,
  form: ReadPlan['form'],
  written: Write,
): boolean {
  if (form.kind === 'cells') {
    kernel.setDialect(form.delimiter, form.quoted, form.width);
    return true;
  }
  const { paths } = form;
  kernel.setDialect(0, false, paths.length);
  kernel.setObjects(paths.length, WINDOW_BYTES);
  for (const [column, path] of paths.entries()) {
    // Half a character would become another one, which a row may have.
    if (Buffer.from(path).toString() !== path) return false;
    const { at, size } = written(path);
    kernel.setPath(column, at, size);
  }
  return true;
}

/** What the kernel asks: what the field of a step comes to for the row that it scanned last. */
function evaluator(
  { kernel, bytes, words }: Instance,
  { fields, form }: ReadPlan,
  notes: NoteNumbers,
): (step: number) => number {
  // Nothing is asked of the kernel twice here that stays as it is: asking takes longer than most of what is done.
  const marks = kernel.marks.value;
  const starts = kernel.starts.value / 4;
  const ends = kernel.ends.value / 4;
  const markOf = (column: number): number => bytes()[marks + column] ?? 0;
  const textAt = (column: number): string =>
    bytes().toString('utf8', words()[starts + column], words()[ends + column]);
  const contentOf = form.kind === 'cells' ? cellsOf(form.width) : objectOf(form.paths);

  function cellsOf(width: number): (columns: readonly number[]) => Content {
    /** What stands in cells that a field is not made from means nothing. */
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
    // As entries, so that a name such as __proto__ is a name.
    return (columns) =>
      Object.fromEntries(
        columns.flatMap((column) => {
          const mark = markOf(column);
          if (mark === ABSENT_CELL) return [];
          const text = textAt(column);
          const value: unknown =
            mark >= TOKEN ? JSON.parse(text) : mark === WRITTEN ? JSON.parse(`"${text}"`) : text;
          return [[paths[column] ?? '', value]];
        }),
      );
  }

  let room = 0;
  let roomSize = 0;
  let lastMapped = -1;
  let lastJudged = -1;

  const makeRoom = (size: number): void => {
    if (size <= roomSize) return;
    roomSize = Math.max(LEAST_ROOM, size);
    room = kernel.answerRoom(roomSize);
  };

  /** Writes a text of characters that JSON takes as they are, byte by byte; gives 0 where it has others. */
  const writePlain = (text: string): number => {
    const size = text.length + 2;
    makeRoom(size);
    const memory = bytes();
    memory[room] = QUOTE;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code < FIRST_PRINTABLE || code > LAST_OF_ASCII || code === QUOTE || code === BACKSLASH) return 0;
      memory[room + 1 + index] = code;
    }
    memory[room + size - 1] = QUOTE;
    return size;
  };

  const writeJson = (json: string): number => {
    // A UTF-16 code unit is at most three bytes of UTF-8.
    makeRoom(json.length * 3);
    return bytes().write(json, room);
  };

  const answer = ({ value, mappingNotes: mapped, validationNotes: judged }: EvaluatedField): number => {
    const mappedNumber = notes.numberOf(mapped);
    const judgedNumber = notes.numberOf(judged);
    if (mappedNumber === undefined || judgedNumber === undefined) return UNSURE;
    if (mappedNumber !== lastMapped || judgedNumber !== lastJudged)
      kernel.setNotes(mappedNumber, judgedNumber);
    lastMapped = mappedNumber;
    lastJudged = judgedNumber;
    if (value === undefined) return ABSENT;
    // Of a short text a call of Node's or V8's takes longer than its characters.
    const plain = typeof value === 'string' && value.length <= MOST_PLAIN ? writePlain(value) : 0;
    return plain > 0 ? plain : writeJson(JSON.stringify(value));
  };

  return (step) => {
    const field = fields[step];
    if (field === undefined) return UNSURE;
    const evaluated = field.evaluate(contentOf(field.columns));
    return evaluated === undefined ? UNSURE : answer(evaluated);
  };
}

/** What the kernel asks where somebody looks: a text as it is folded. */
function folder({ kernel, bytes }: Instance, { look }: ReadPlan): (start: number, size: number) => number {
  return (start, size) => {
    const text: unknown = JSON.parse(`"${bytes().toString('utf8', start, start + size)}"`);
    const folded = look?.fold(String(text)) ?? '';
    const room = kernel.foldedRoom(folded.length * 3);
    return bytes().write(folded, room);
  };
}

type NotedList = RecordChunk['notes'][number];

/** The notes of the records that were taken last. */
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
