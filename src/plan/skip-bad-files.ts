/** `--skip-bad-files`: which files can be planned. */
import type { Readable } from 'node:stream';
import { type Problem, ProblemError } from '../model/problem.ts';
import { argumentOf, findInputs } from '../source/index.ts';
import { closePlan } from './close-plan.ts';
import { IncompleteMappingError } from './missing-fields.ts';
import type { Plan, PlanRequest } from './plan-types.ts';
import { UndecidedTypeError } from './undecided-type.ts';

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
    const issues = input.kind === 'file' ? await problemsOf(planRun({ ...all, files: [file] }, stdin), request) : [];
    if (issues.length === 0) files.push(file);
    else skipped.push(...issues);
  }
  if (files.length === 0) throw new ProblemError(skipped);
  const plan = await planRun({ ...all, files }, stdin);
  return { ...plan, skipped: skipped.map((issue) => ({ ...issue, message: `Skipped this file. ${issue.message}` })) };
}

async function problemsOf(planning: Promise<Plan>, { mayAsk }: PlanRequest): Promise<readonly Problem[]> {
  try {
    await closePlan(await planning);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    // The user is asked what is open.
    const isAsked = error instanceof IncompleteMappingError || error instanceof UndecidedTypeError;
    return isAsked && mayAsk === true ? [] : error.problems;
  }
}
