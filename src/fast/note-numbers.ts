/** Numbers for the notes of records: the kernel counts numbers, and the same few notes repeat. */

/** Rows with further notes are for the reference path. */
const MAX_NUMBERS = 4096;

export interface NoteNumbers {
  /** 0 means no notes; undefined if there are too many different ones. */
  numberOf(notes: readonly string[]): number | undefined;
  notesOf(number: number): readonly string[];
}

export function createNoteNumbers(): NoteNumbers {
  const lists: (readonly string[])[] = [[]];
  const numbers = new Map<string, number>();
  return {
    numberOf(notes) {
      if (notes.length === 0) return 0;
      const name = JSON.stringify(notes);
      const known = numbers.get(name);
      if (known !== undefined || lists.length > MAX_NUMBERS) return known;
      numbers.set(name, lists.length);
      return lists.push(notes) - 1;
    },
    notesOf: (number) => lists[number] ?? [],
  };
}
