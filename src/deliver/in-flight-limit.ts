/**
 * Limits the batches in flight by number and by memory. The reader of the input waits here, so a slow service slows
 * down reading and memory stays bounded.
 */

/** Payloads and rows of batches in flight, in bytes: memory is bounded by this and one batch. */
const MEMORY_LIMIT = 64 * 1024 * 1024;

export class InFlightLimit {
  readonly #maxBatches: number;
  #batches = 0;
  #memory = 0;
  #waiting: (() => void)[] = [];

  constructor(maxBatches: number) {
    this.#maxBatches = maxBatches;
  }

  /** Adds a batch, even above the limit: the caller waits afterwards. */
  enter(bytes: number): void {
    this.#batches += 1;
    this.#memory += bytes;
  }

  /** Removes a batch. */
  leave(bytes: number): void {
    this.#batches -= 1;
    this.#memory -= bytes;
    if (this.#waiting.length === 0) return;
    const resolves = this.#waiting;
    this.#waiting = [];
    // Preparing the next batch takes longer than sending those that are ready, so it starts in the next turn of the
    // event loop: in this one, free connections are reused first.
    setImmediate(() => {
      for (const resolve of resolves) resolve();
    });
  }

  get isFull(): boolean {
    return this.#batches >= this.#maxBatches || (this.#batches > 0 && this.#memory >= MEMORY_LIMIT);
  }

  /** Resolves when a batch has left; the limit may still be reached. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Resolves when no batch is in flight. */
  async empty(): Promise<void> {
    while (this.#batches > 0) await this.change();
  }
}
