/** Evaluates fields for the kernel, with the functions of the reference path that the plan contains. */
import type { EvaluatedField, ReadPlan } from '../model/fast-reader.ts';
import type { Content } from '../model/row.ts';
import type { Instance } from './instance.ts';
import type { NoteNumbers } from './note-numbers.ts';

/** Answers to the kernel in place of a size. */
export const ABSENT = -1;
const UNSURE = -2;

/** The kernel's callback: evaluates the field of a step for the row that it scanned last. */
export function createEvaluator(instance: Instance, plan: ReadPlan, notes: NoteNumbers): (step: number) => number {
  const cells = new RowCells(instance, plan.form);
  const answers = new AnswerWriter(instance, notes);
  return (step) => {
    const field = plan.fields[step];
    if (field === undefined) return UNSURE;
    const evaluated = field.evaluate(cells.read(field.columns));
    return evaluated === undefined ? UNSURE : answers.write(evaluated);
  };
}

/** Flags of a cell (kernel/scan-cells.ts): doubled quotes, JSON escapes, absent. */
const DOUBLED = 2;
const WRITTEN = 4;
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
      const isPlain = mark < WRITTEN;
      entries.push([paths[column] ?? '', isPlain ? text : JSON.parse(mark === WRITTEN ? `"${text}"` : text)]);
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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const LAST_ASCII = 0x7f;
/** Longest answer, in characters, that is written byte by byte. */
const MAX_PLAIN = 96;
/** Minimum bytes reserved for an answer. */
const MIN_ANSWER_BYTES = 1024;

/** Writes evaluated fields into the kernel's memory. */
class AnswerWriter {
  readonly #instance: Instance;
  readonly #notes: NoteNumbers;
  /** The reserved memory, and its size. */
  #at = 0;
  #size = 0;
  /** The notes that the kernel was given last. */
  #lastMapped = -1;
  #lastJudged = -1;

  constructor(instance: Instance, notes: NoteNumbers) {
    this.#instance = instance;
    this.#notes = notes;
  }

  /** Returns the bytes written, {@link ABSENT} or {@link UNSURE}. */
  write({ value, mappingNotes, validationNotes }: EvaluatedField): number {
    const mapped = this.#notes.numberOf(mappingNotes);
    const judged = this.#notes.numberOf(validationNotes);
    if (mapped === undefined || judged === undefined) return UNSURE;
    if (mapped !== this.#lastMapped || judged !== this.#lastJudged) this.#instance.kernel.setNotes(mapped, judged);
    this.#lastMapped = mapped;
    this.#lastJudged = judged;
    if (value === undefined) return ABSENT;
    // For a short text, a call of Node or V8 takes longer than this loop.
    const plain = typeof value === 'string' && value.length <= MAX_PLAIN ? this.#writePlain(value) : 0;
    return plain > 0 ? plain : this.#writeJson(JSON.stringify(value));
  }

  /** Writes a text that needs no JSON escapes, byte by byte. Returns 0 if the text has other characters. */
  #writePlain(text: string): number {
    const size = text.length + 2;
    this.#reserve(size);
    const memory = this.#instance.bytes();
    const at = this.#at;
    memory[at] = QUOTE;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code < FIRST_PRINTABLE || code > LAST_ASCII || code === QUOTE || code === BACKSLASH) return 0;
      memory[at + 1 + index] = code;
    }
    memory[at + size - 1] = QUOTE;
    return size;
  }

  #writeJson(json: string): number {
    // A UTF-16 code unit becomes at most three bytes of UTF-8.
    this.#reserve(json.length * 3);
    return this.#instance.bytes().write(json, this.#at);
  }

  #reserve(size: number): void {
    if (size <= this.#size) return;
    this.#size = Math.max(MIN_ANSWER_BYTES, size);
    this.#at = this.#instance.kernel.answerRoom(this.#size);
  }
}
