/** Simulated time: a queue of steps, taken one at a time, and random numbers by which everything that can vary is decided. */

import { generator } from '../../src/sandbox/fault.ts';

export class Random {
  /** In [0, 1). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = generator(seed);
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
  /** The next one comes last. */
  readonly #steps: Step[] = [];

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
      const step = this.#steps.pop();
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
    this.#steps.splice(this.#steps.findLastIndex((other) => isBefore(step, other)) + 1, 0, step);
  }
}

function isBefore(one: Step, other: Step): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
