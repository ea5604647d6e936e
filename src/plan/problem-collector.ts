/** Collects the problems of several steps, so that the user can fix all of them at once. */
import { type Problem, ProblemError } from '../model/problem.ts';

export class ProblemCollector {
  readonly #errors: ProblemError[] = [];

  get isEmpty(): boolean {
    return this.#errors.length === 0;
  }

  add(problems: readonly Problem[]): void {
    if (problems.length > 0) this.#errors.push(new ProblemError(problems));
  }

  /** The step's result; undefined if it threw a ProblemError. */
  async collect<T>(step: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#errors.push(error);
      return undefined;
    }
  }

  /** @throws ProblemError with all problems collected; the step's own error if there is one */
  throwIfAny(): void {
    const [first, ...others] = this.#errors;
    if (first === undefined) return;
    throw others.length === 0 ? first : new ProblemError(this.#errors.flatMap(({ problems }) => problems));
  }
}
