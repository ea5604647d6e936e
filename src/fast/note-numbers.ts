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
