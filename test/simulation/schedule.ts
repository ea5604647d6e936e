/** Simulated time: a queue of steps, taken one at a time, and random numbers by which everything that can vary is decided. */

/** Mulberry32. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.integer(0, values.length - 1)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }

  /** Another sequence, so that a choice more here changes nothing there. */
  fork(): Random {
    return new Random(this.integer(0, 2 ** 32 - 1));
  }
}

/** Whose step it is: steps of a process wait while it is stopped, and are dropped once it is gone. */
export interface Owner {
  readonly isGone: boolean;
  /** When it goes on, in simulated milliseconds; 0 if it is not stopped. */
  readonly stoppedUntil: number;
  /** Runs a step as this process. */
  enter(step: () => void): void;
}

export interface Step {
  readonly at: number;
  readonly order: number;
  readonly owner: Owner | undefined;
  readonly run: () => void;
  isCancelled: boolean;
}

export class Schedule {
  /** Milliseconds since the simulation began. */
  now = 0;
  steps = 0;
  #order = 0;
  readonly #heap: Step[] = [];

  /** Runs `run` after `delay` milliseconds. */
  in(delay: number, owner: Owner | undefined, run: () => void): Step {
    const step = { at: this.now + Math.max(0, delay), order: this.#order, owner, run, isCancelled: false };
    this.#order += 1;
    this.#push(step);
    return step;
  }

  /** Takes steps until `isDone`. @throws Error if nothing is left to do, or after `limit` steps */
  async until(isDone: () => boolean, limit: number): Promise<void> {
    const end = this.steps + limit;
    while (!isDone()) {
      const step = this.#pop();
      if (step === undefined) throw new Error('nothing is left to happen, and the programs have not ended');
      if (this.steps >= end) throw new Error(`no end after ${limit} steps`);
      const { owner } = step;
      if (step.isCancelled || owner?.isGone === true) continue;
      if (owner !== undefined && owner.stoppedUntil > step.at) {
        // In another order: answers that came meanwhile may be seen before timers that are due.
        this.#push({ ...step, at: owner.stoppedUntil + ((step.order * 0.618) % 1) * 5 });
        continue;
      }
      this.steps += 1;
      this.now = Math.max(this.now, step.at);
      if (owner === undefined) step.run();
      else owner.enter(step.run);
      // Everything that follows from it without waiting: promises and stream callbacks.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #push(step: Step): void {
    const heap = this.#heap;
    let at = heap.push(step) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, step)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = step;
  }

  #pop(): Step | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = heap[child];
      const right = heap[child + 1];
      if (below === undefined) break;
      if (right !== undefined && isBefore(right, below)) {
        child += 1;
        below = right;
      }
      if (isBefore(last, below)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(one: Step, other: Step): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
