/** `--skip` and `--limit`: counts the rows of a run across its inputs and selects those that are used. */
export class RowWindow {
  readonly #skip: number;
  readonly #end: number;
  #rows = 0;

  constructor({ skip, limit }: { readonly skip: number; readonly limit: number }) {
    this.#skip = skip;
    this.#end = skip + limit;
  }

  /** Counts one row. Returns undefined if it is in the window, otherwise the option that excludes it. */
  next(): 'skip' | 'limit' | undefined {
    this.#rows += 1;
    if (this.#rows <= this.#skip) return 'skip';
    return this.#rows > this.#end ? 'limit' : undefined;
  }

  /** Counts rows that were used, in this run or before a resume. */
  add(rows: number): void {
    this.#rows += rows;
  }

  /** How many of the next rows are in the window. */
  get remaining(): number {
    return this.#rows < this.#skip ? 0 : Math.max(0, this.#end - this.#rows);
  }
}
