/** Resumes a run in its own folder with a screen, for `resume` and `upload --run-id`. */
import { prepareResume, type ResumeCall, type ResumeOptions } from '../../app/resume-run.ts';
import type { SummarisedRun } from '../../app/run-context.ts';
import { reopenRun } from '../../app/send-request.ts';
import { sendRun } from '../../app/send-run.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { withResources } from '../../lib/resources.ts';
import { endEntry } from '../../report/log-entry.ts';
import type { Context } from '../command.ts';
import { runOnEnd } from './on-end.ts';
import { printResult } from './print.ts';
import { announce, showRun } from './show-run.ts';

/** Resolves to the exit code; undefined if the run was skipped, or is replaced. */
export async function showResume(
  context: Context,
  given: ResumeOptions,
  folder: RunFolder,
  call: ResumeCall = {},
): Promise<number | undefined> {
  const reopened = await reopenRun(context, given, folder);
  const { options } = reopened;
  return withResources(async (adopt) => {
    const prepared = await prepareResume(adopt, context, { given, ...reopened }, call);
    if (prepared === undefined) return undefined;
    if (prepared.next === 'report') {
      call.onReported?.();
      return reportFinished(context, options, prepared.ended, prepared.text);
    }
    const { sending, lines } = prepared;
    announce(context, sending.warnings, lines);
    const { job, request } = sending;
    return showRun(context, options, { job, settings: request.settings }, (environment) =>
      sendRun(environment, sending),
    );
  });
}

/**
 * Reports a run of which nothing is sent now.
 *
 * @param text default: how it ended
 * @returns its exit code
 */
async function reportFinished(
  context: Context,
  options: ResumeOptions,
  { summary, text: textOf }: SummarisedRun,
  text?: string,
): Promise<number> {
  context.streams.log(endEntry(summary));
  printResult(context, options, summary, {
    textOf: (style) => text ?? `Nothing was sent now. ${textOf(style, options.verbose)}`,
  });
  await runOnEnd(context, options, summary);
  return summary.exitCode;
}
