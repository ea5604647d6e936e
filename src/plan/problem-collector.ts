/** Collects the problems of several steps, so that the user can fix all of them at once. */
import { type Problem, ProblemError } from '../model/problem.ts';

export class ProblemCollector {
  readonly #problems: Problem[] = [];

  /** The step's result; undefined if it threw a ProblemError. */
  collect<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#problems.push(...error.problems);
      return undefined;
    }
  }

  /** @throws ProblemError with all problems collected */
  throwIfAny(): void {
    if (this.#problems.length > 0) throw new ProblemError(this.#problems);
  }
}
