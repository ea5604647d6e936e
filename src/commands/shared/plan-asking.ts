/** Plans an upload; on a terminal, asks for what is open in the mapping. */
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { printable } from '../../lib/printable.ts';
import { type Plan, type PlanRequest, planRun } from '../../plan/index.ts';
import { savedMapping } from '../../plan/mapping-comments.ts';
import { type MappingProposal, openQuestions } from '../../plan/mapping-proposal.ts';
import { IncompleteMappingError } from '../../plan/missing-fields.ts';
import type { Choice } from '../../terminal/prompts.ts';
import { askMapping, confirmEncodings } from './ask-mapping.ts';
import type { Context } from './command.ts';
import { closePlan } from './plan-request.ts';
import { mappingFileOf, saveMapping } from './save-mapping.ts';

/**
 * An automatic mapping is shown before anything is sent to a service; with `--sandbox`, only if something is open. A pipe cannot
 * be read twice, so it causes no questions.
 *
 * @param baseUrl the service's; undefined for the sandbox
 * @throws Cancelled if the user stops, ProblemError as {@link planRun} does
 */
export async function planAsking(context: Context, request: PlanRequest, baseUrl: string | undefined): Promise<Plan> {
  const { streams } = context;
  if (!streams.interactive) return planRun(request, streams.stdin);
  const settled = await askMapping(context, {
    request,
    propose: async (asked) => {
      const planned = await planOrProposal(asked, streams.stdin);
      if (!('job' in planned)) return planned;
      const { proposal, automatic } = planned;
      const isShown = (automatic && baseUrl !== undefined) || asked.type !== request.type;
      const isAsked = proposal !== undefined && (isShown || openQuestions(proposal, new Map()).length > 0);
      if (!isAsked) return { done: planned };
      await closePlan(planned);
      return proposal;
    },
    endings: endingsFor(request, baseUrl),
  });
  if ('done' in settled) {
    await confirmEncodings(context, settled.done.guessed);
    return settled.done;
  }
  const { proposal, answers, ending } = settled;
  if (ending === 'save') {
    const target = mappingFileOf(request);
    await saveMapping(target, savedMapping(proposal, answers));
    const command = request.suggest(
      'upload',
      ...request.files,
      '-m',
      target,
      ...(request.skipBadFiles ? ['--skip-bad-files'] : []),
    );
    streams.err(`Saved to ${printable(target)}. The next time:\n  ${command}\n`);
  }
  // The mapping has the omissions that options ask for, except those of fields that the user left out.
  const { contract, document, type, variant } = proposal;
  const completed = { type: contract.type, mapping: document, omitInvalid: [] };
  return planRun({ ...request, ...completed, why: { type: type.why, variant: variant.why } }, streams.stdin);
}

/** @throws ProblemError if the plan fails, unless the user can complete the mapping */
async function planOrProposal(request: PlanRequest, stdin: Readable): Promise<Plan | MappingProposal> {
  try {
    return await planRun(request, stdin);
  } catch (error) {
    if (error instanceof IncompleteMappingError && error.reopenable) return error.proposal;
    throw error;
  }
}

function endingsFor(request: PlanRequest, baseUrl: string | undefined): readonly Choice<'send' | 'save'>[] {
  const send = `send to ${baseUrl === undefined ? 'the sandbox on this machine' : printable(baseUrl)}`;
  const target = mappingFileOf(request);
  return [
    { value: 'send', label: send },
    ...(existsSync(target)
      ? []
      : [{ value: 'save' as const, label: `${send}, and save the mapping for the next time: ${printable(target)}` }]),
  ];
}
