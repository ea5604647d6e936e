/** An upload without a service: on a terminal it offers the sandbox or the settings, elsewhere it names both commands. */
import { statSync } from 'node:fs';
import type { Suggest } from '../../lib/shell.ts';
import { type Problem, ProblemError } from '../../model/problem.ts';
import { type PlanRequest, planRun } from '../../plan/index.ts';
import { IncompleteMappingError } from '../../plan/missing-fields.ts';
import { UndecidedTypeError } from '../../plan/undecided-type.ts';
import { Cancelled, createPrompts } from '../../terminal/prompts.ts';
import type { Context } from './command.ts';
import { initSettings } from './init-settings.ts';
import { closePlan } from './plan-request.ts';

/**
 * @returns where to send: to a sandbox, or to the service that is configured now
 * @throws ProblemError `settings.base_url`, with the problems of the inputs, so that you can fix all of them at once
 */
export async function chooseService(
  context: Context,
  inputs: PlanRequest,
  options: Parameters<typeof initSettings>[1],
  suggest: Suggest,
): Promise<'sandbox' | 'service'> {
  const { streams } = context;
  const problems = await inputProblems(context, inputs);
  if (!streams.interactive || problems.length > 0) throw new ProblemError([noService(context, suggest), ...problems]);
  const choice = await createPrompts(context).select('No service is configured. Where do you want to send?', [
    { value: 'sandbox', label: 'to a sandbox on this machine, to try it', hint: 'nothing leaves this machine' },
    { value: 'service', label: 'to a service', hint: 'asks for its address and your key, and saves them' },
    { value: 'nowhere', label: 'stop here' },
  ]);
  if (choice === 'nowhere') throw new Cancelled();
  if (choice === 'service') await initSettings(context, options);
  return choice;
}

/** What is wrong with the inputs, except for what a user on a terminal is asked about. */
async function inputProblems({ streams }: Context, inputs: PlanRequest): Promise<readonly Problem[]> {
  // Reading a pipe would lose its data.
  const isFifo = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFIFO() === true;
  if (inputs.files.some((file) => file === '-' || isFifo(file))) return [];
  try {
    await closePlan(await planRun({ ...inputs, mayAsk: streams.interactive }, streams.stdin));
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const isAsked = error instanceof IncompleteMappingError || error instanceof UndecidedTypeError;
    return isAsked && error.reopenable && streams.interactive ? [] : error.problems;
  }
}

function noService({ argv }: Context, suggest: Suggest): Problem {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return {
    code: 'settings.base_url',
    message: 'No service URL is configured.',
    hint: [
      `To try it without a service: \`${suggest(...argv.toSpliced(end, 0, '--sandbox'))}\`.`,
      `To set up a service: \`${suggest('config', 'init')}\` on a terminal; elsewhere SIGNALS_BASE_URL and SIGNALS_API_KEY, or --base-url.`,
    ].join('\n'),
  };
}
