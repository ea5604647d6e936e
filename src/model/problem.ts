/** Errors that the user can fix. The schema of a problem is in summary.ts, so that this file needs no zod. */
import type { Problem } from './summary.ts';

export type { Problem };

/** Ends a command. Has every problem found so far, so that the user can fix them together. */
export class ProblemError extends Error {
  readonly problems: readonly Problem[];
  /** docs/reference.md, "Exit codes". */
  readonly exitCode: number = 2;

  constructor(problems: Problem | readonly Problem[]) {
    const list: readonly Problem[] = 'code' in problems ? [problems] : problems;
    super(list.map((problem) => problem.message).join('\n'));
    this.name = 'ProblemError';
    this.problems = list;
  }

  /** Of the first problem. */
  get code(): string | undefined {
    return this.problems[0]?.code;
  }
}

/** An exception that is no {@link ProblemError}. */
export function bugProblem(error: unknown): Problem {
  return { code: 'bug', message: String(error) };
}
