/** Helpers of the tests in this folder. */
import { type Problem, ProblemError } from '../../src/model/problem.ts';
import type { Content, Row } from '../../src/model/row.ts';

/** A row whose position does not matter. */
export function rowOf(content: Content): Row {
  return { position: { source: 0, line: 2, row: 1, start: 0, end: 1, nextLine: 3 }, content };
}

/** The problems that `work` throws; fails where it throws none. */
export function problemsOf(work: () => unknown): readonly Problem[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ProblemError) return error.problems;
    throw error;
  }
  throw new Error('expected a ProblemError, and nothing was thrown');
}
