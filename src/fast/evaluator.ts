/**
 * The kernel as a WebAssembly instance with its own memory, and the evaluation of fields for it with the functions of the
 * reference path that the plan contains.
 */
import type { EvaluatedField, ReadPlan } from '../model/fast-reader.ts';
import type { Content } from '../model/row.ts';
import code from './kernel/index.ts?wasm';

/** The exports of kernel/index.ts. Addresses and sizes are in bytes. */
interface Kernel {
  readonly memory: WebAssembly.Memory;
  readonly output: WebAssembly.Global;
  readonly rows: WebAssembly.Global;
  readonly notes: WebAssembly.Global;
  readonly noteTimes: WebAssembly.Global;
  readonly rowCount: WebAssembly.Global;
  readonly noteCount: WebAssembly.Global;
  readonly outputSize: WebAssembly.Global;
  readonly next: WebAssembly.Global;
  readonly lines: WebAssembly.Global;
  readonly starts: WebAssembly.Global;
  readonly ends: WebAssembly.Global;
  readonly marks: WebAssembly.Global;
  allocate(size: number): number;
  setDialect(delimiter: number, quoted: boolean, columns: number): void;
  setObjects(columns: number): void;
  setPath(column: number, text: number, size: number): void;
  addStep(shape: number, column: number, leftOut: number, keys: number): number;
  addKey(text: number, size: number): void;
  setFixed(json: number, size: number, note: number): void;
  addWord(text: number, size: number): number;
  beginAnswer(size: number, note: number): number;
  take(from: number, end: number, most: number, spare: number, largest: number, longest: number): number;
}

export interface Instance {
  readonly kernel: Kernel;
  /** The whole memory. Ask again after every call that may allocate. */
  bytes(): Buffer;
  /** The same as numbers of 32 bits. */
  words(): Uint32Array;
}

let compiled: WebAssembly.Module | undefined;

/** The imports of the kernel (kernel/host.ts). */
interface Host {
  readonly evaluate: (step: number) => number;
}

/** @returns undefined if this Node has no WebAssembly, or none with vectors */
export function createInstance(host: Host): Instance | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  compiled ??= WebAssembly.validate(code) ? new WebAssembly.Module(code) : undefined;
  if (compiled === undefined) return undefined;
  const { exports } = new WebAssembly.Instance(compiled, { host });
  // The compiler of kernel/index.ts has checked these types.
  const kernel = exports as unknown as Kernel;
  let bytes = Buffer.from(kernel.memory.buffer);
  let words = new Uint32Array(kernel.memory.buffer);
  /** When the memory grows, the old views become empty. Their length is cheaper to read than the buffer. */
  const refresh = (): void => {
    if (words.length > 0) return;
    bytes = Buffer.from(kernel.memory.buffer);
    words = new Uint32Array(kernel.memory.buffer);
  };
  return {
    kernel,
    bytes() {
      refresh();
      return bytes;
    },
    words() {
      refresh();
      return words;
    },
  };
}

/** Answers to the kernel in place of a size. */
export const ABSENT = -1;
const UNSURE = -2;

/** The kernel's callback: evaluates the field of a step for the row that it scanned last. */
export function createEvaluator(instance: Instance, plan: ReadPlan, notes: NoteNumbers): (step: number) => number {
  const cells = new RowCells(instance, plan.form);
  return (step) => {
    const field = plan.fields[step];
    if (field === undefined) return UNSURE;
    const evaluated = field.evaluate(cells.read(field.columns));
    return evaluated === undefined ? UNSURE : writeAnswer(instance, notes, evaluated);
  };
}

/** Marks of a cell (kernel/scan-cells.ts): plain, doubled quotes, absent. */
const PLAIN = 0;
const DOUBLED = 2;
const ABSENT_CELL = 32;

/** Reads cells of the row that the kernel scanned last. */
class RowCells {
  readonly #instance: Instance;
  readonly #form: ReadPlan['form'];
  /** Addresses, read once: a call into the kernel takes longer than most of the work here. */
  readonly #marks: number;
  readonly #starts: number;
  readonly #ends: number;
  /** Cells of a CSV row. Those that the field does not use may contain old values. */
  readonly #cells: string[];

  constructor(instance: Instance, form: ReadPlan['form']) {
    const { kernel } = instance;
    this.#instance = instance;
    this.#form = form;
    this.#marks = kernel.marks.value;
    this.#starts = kernel.starts.value / 4;
    this.#ends = kernel.ends.value / 4;
    this.#cells = new Array<string>(form.kind === 'cells' ? form.width : 0).fill('');
  }

  read(columns: readonly number[]): Content {
    if (this.#form.kind === 'objects') return this.#object(columns, this.#form.paths);
    for (const column of columns) {
      const text = this.#textAt(column);
      this.#cells[column] = (this.#markOf(column) & DOUBLED) === 0 ? text : text.replaceAll('""', '"');
    }
    return this.#cells;
  }

  #object(columns: readonly number[], paths: readonly string[]): Content {
    const entries: [string, unknown][] = [];
    for (const column of columns) {
      const mark = this.#markOf(column);
      if (mark === ABSENT_CELL) continue;
      const text = this.#textAt(column);
      entries.push([paths[column] ?? '', mark === PLAIN ? text : JSON.parse(text)]);
    }
    // Makes a key such as __proto__ an ordinary property.
    return Object.fromEntries(entries);
  }

  #markOf(column: number): number {
    return this.#instance.bytes()[this.#marks + column] ?? 0;
  }

  #textAt(column: number): string {
    const words = this.#instance.words();
    return this.#instance.bytes().toString('utf8', words[this.#starts + column], words[this.#ends + column]);
  }
}

/** Writes an evaluated field into the kernel's memory. Returns the bytes written, {@link ABSENT} or {@link UNSURE}. */
function writeAnswer({ kernel, bytes }: Instance, numbers: NoteNumbers, { value, notes }: EvaluatedField): number {
  const note = numbers.numberOf(notes);
  if (note === undefined) return UNSURE;
  const text = String(value ?? '');
  // A UTF-16 code unit becomes at most six bytes of JSON.
  const at = kernel.beginAnswer(2 + text.length * 6, note);
  return value === undefined ? ABSENT : bytes().write(JSON.stringify(value), at);
}

/** Rows with further notes are for the reference path. */
const MAX_NUMBERS = 4096;

/** Numbers for the notes of records: the kernel counts numbers, and the same few notes repeat. */
export class NoteNumbers {
  readonly #lists: (readonly string[])[] = [[]];
  readonly #numbers = new Map<string, number>();

  /** 0 means no notes; undefined if there are too many different ones. */
  numberOf(notes: readonly string[]): number | undefined {
    if (notes.length === 0) return 0;
    const name = JSON.stringify(notes);
    const known = this.#numbers.get(name);
    if (known !== undefined || this.#lists.length > MAX_NUMBERS) return known;
    this.#numbers.set(name, this.#lists.length);
    return this.#lists.push(notes) - 1;
  }

  notesOf(number: number): readonly string[] {
    return this.#lists[number] ?? [];
  }
}
