/** What a user is told where the work cannot go on: the problems of a ProblemError. Each of these fails where there is none. */
import { type Problem, ProblemError } from '../../src/model/problem.ts';

/** All problems that `work` throws. */
export function problemsOf(work: () => unknown): readonly Problem[] {
  try {
    work();
  } catch (error) {
    return problemsIn(error);
  }
  throw new Error('expected a ProblemError, and nothing was thrown');
}

/** The only problem that `work` throws. */
export function problemOf(work: () => unknown): Problem {
  return only(problemsOf(work));
}

/** All problems with which a promise is rejected. */
export function problemsFrom(work: Promise<unknown>): Promise<readonly Problem[]> {
  return work.then(() => {
    throw new Error('expected a ProblemError, and nothing was thrown');
  }, problemsIn);
}

/** The only problem with which a promise is rejected. */
export async function problemFrom(work: Promise<unknown>): Promise<Problem> {
  return only(await problemsFrom(work));
}

function problemsIn(error: unknown): readonly Problem[] {
  if (error instanceof ProblemError) return error.problems;
  throw error;
}

function only(problems: readonly Problem[]): Problem {
  const [problem, ...more] = problems;
  if (problem === undefined || more.length > 0) throw new Error(`expected one problem, found ${problems.length}`);
  return problem;
}
