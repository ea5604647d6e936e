/** Notes of records by number: the kernel keeps numbers, and the same few notes come back all the time. */

/** What no number is given for is the reference path's. */
const MOST = 4096;

export interface NoteNumbers {
  /** 0 stands for no notes; undefined where there are too many different ones. */
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
      if (known !== undefined || lists.length > MOST) return known;
      numbers.set(name, lists.length);
      return lists.push(notes) - 1;
    },
    notesOf: (number) => lists[number] ?? [],
  };
}
