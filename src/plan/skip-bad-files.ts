/** `--skip-bad-files`: which files can be planned. */
import type { Readable } from 'node:stream';
import { argumentOf, findInputs } from '../input/open-inputs.ts';
import { ProblemError } from '../model/problem.ts';
import { isAskedLater, problemsOf, problemsOfPlan } from './close-plan.ts';
import type { Plan, PlanRequest } from './plan-types.ts';

type PlanRun = (request: PlanRequest, stdin: Readable) => Promise<Plan>;

/**
 * Plans each file alone, and then those together that could be planned. A pipe can be read only once: it is never skipped. An
 * archive is one file.
 *
 * @throws ProblemError with the problems of all files if none can be planned
 */
export async function planGoodFiles(request: PlanRequest, stdin: Readable, planRun: PlanRun): Promise<Plan> {
  const all = { ...request, skipBadFiles: false };
  const { found, problems } = await findInputs(request.files);
  const skipped = [...problems];
  const files: string[] = [];
  for (const input of found) {
    const file = input.kind === 'stdin' ? '-' : argumentOf({ name: input.path, ...input });
    const planning = input.kind === 'file' ? planRun({ ...all, files: [file] }, stdin) : undefined;
    const issues = planning === undefined ? [] : await problemsOfPlan(planning, request.mayAsk === true);
    if (issues.length === 0) files.push(file);
    else skipped.push(...issues);
  }
  if (files.length === 0) throw new ProblemError(skipped);
  try {
    const plan = await planRun({ ...all, files }, stdin);
    return { ...plan, skipped: skipped.map((issue) => ({ ...issue, message: `Skipped this file. ${issue.message}` })) };
  } catch (error) {
    if (skipped.length === 0 || isAskedLater(error, request.mayAsk === true)) throw error;
    throw new ProblemError([...skipped, ...problemsOf(error)]);
  }
}
