/** What is done with a plan whose run does not begin. */
import { type Problem, ProblemError } from '../model/problem.ts';
import { IncompleteMappingError, UndecidedTypeError } from './open-points.ts';
import type { Plan } from './plan-types.ts';

/** Closes the inputs, and with them the module of `--transform`. */
export async function closePlan({ job }: Plan): Promise<void> {
  for (const { source } of job.inputs) await source.close();
}

/** Closes the plan. Returns why it could not be made, except for what the user is asked later. */
export async function problemsOfPlan(planning: Promise<Plan>, mayAsk: boolean): Promise<readonly Problem[]> {
  try {
    await closePlan(await planning);
    return [];
  } catch (error) {
    return isAskedLater(error, mayAsk) ? [] : problemsOf(error);
  }
}

/** Whether the user is asked for what the error lacks. */
export function isAskedLater(error: unknown, mayAsk: boolean): boolean {
  const isOpen = error instanceof IncompleteMappingError || error instanceof UndecidedTypeError;
  return mayAsk && isOpen && error.reopenable;
}

/** @throws the error if it is no ProblemError */
export function problemsOf(error: unknown): readonly Problem[] {
  if (!(error instanceof ProblemError)) throw error;
  return error.problems;
}
