/** Collects what the next commit accounts for: cursors, dropped rows and notes. */
import type { Commit, Dropped, SentRows } from '../model/commit.ts';
import { hasPlace } from '../model/note.ts';
import type { Cursor, Position, RowPlace } from '../model/position.ts';

export type DropReason = keyof Dropped;

export class CommitBuilder {
  #dropped = { invalid: 0, skipped: 0, duplicate: 0 };
  #notes = new Map<string, number>();
  /** Notes of the run that have a place, and the places that the next commit will have. */
  readonly #placed = new Set<string>();
  #firstNotes = new Map<string, RowPlace>();
  #sentBefore = new Map<string, SentRows>();
  #cursors = new Map<number, Cursor>();
  /** The input of the last row, or -1. Its cursor changes with every row, so it is stored in numbers until it is needed. */
  #source = -1;
  #rows = 0;
  #line = 0;
  #byte = 0;

  /** Moves the cursor of an input to the end of a row. */
  advance(source: number, row: number, nextLine: number, end: number): void {
    if (this.#source !== source) {
      this.#storeCursor();
      // The order of the cursors is that of the first rows.
      if (!this.#cursors.has(source)) this.#cursors.set(source, { source, rows: row, line: nextLine, byte: end });
      this.#source = source;
    }
    this.#rows = row;
    this.#line = nextLine;
    this.#byte = end;
  }

  drop(
    { source, row, nextLine, end }: Position,
    why: DropReason,
    sentBefore: Omit<SentRows, 'rows'> | undefined,
  ): void {
    this.#dropped[why] += 1;
    if (sentBefore !== undefined) {
      const key = `${sentBefore.state} ${sentBefore.run}`;
      this.#sentBefore.set(key, { ...sentBefore, rows: (this.#sentBefore.get(key)?.rows ?? 0) + 1 });
    }
    this.advance(source, row, nextLine, end);
  }

  countNote(note: string, times: number, place?: RowPlace): void {
    this.#notes.set(note, (this.#notes.get(note) ?? 0) + times);
    if (place === undefined || !hasPlace(note) || this.#placed.has(note)) return;
    this.#placed.add(note);
    this.#firstNotes.set(note, place);
  }

  /** Whether the run has the place where the note applies first. */
  isPlaced(note: string): boolean {
    return this.#placed.has(note);
  }

  /** Returns the commit and starts the next one. */
  take(): Commit {
    this.#storeCursor();
    const commit = {
      cursors: [...this.#cursors.values()],
      dropped: this.#dropped,
      notes: Object.fromEntries(this.#notes),
      firstNotes: this.#firstNotes.size === 0 ? undefined : Object.fromEntries(this.#firstNotes),
      sentBefore: this.#sentBefore.size === 0 ? undefined : [...this.#sentBefore.values()],
    };
    this.#dropped = { invalid: 0, skipped: 0, duplicate: 0 };
    this.#notes = new Map();
    this.#firstNotes = new Map();
    this.#sentBefore = new Map();
    this.#cursors = new Map();
    return commit;
  }

  #storeCursor(): void {
    if (this.#source < 0) return;
    const cursor = { source: this.#source, rows: this.#rows, line: this.#line, byte: this.#byte };
    this.#cursors.set(this.#source, cursor);
    this.#source = -1;
  }
}
