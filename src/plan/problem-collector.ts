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
  collect<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      this.#keep(error);
      return undefined;
    }
  }

  /** The same for a step that takes time. */
  async collectFrom<T>(step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      this.#keep(error);
      return undefined;
    }
  }

  /** @throws ProblemError with all problems collected; the step's own error if there is one */
  throwIfAny(): void {
    const [first, ...others] = this.#errors;
    if (first === undefined) return;
    throw others.length === 0 ? first : new ProblemError(this.#errors.flatMap(({ problems }) => problems));
  }

  #keep(error: unknown): void {
    if (!(error instanceof ProblemError)) throw error;
    this.#errors.push(error);
  }
}
