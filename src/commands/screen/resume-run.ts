/** Resumes a run in its own folder, for `resume` and `upload --run-id`. */
import { reopenDestination } from '../../app/destination.ts';
import { assertMaySend, type OpenedRun } from '../../app/open-run.ts';
import { planResume, protectRejects, reopenFiles } from '../../app/resume-run.ts';
import { beginClaims, openClaims } from '../../app/run-claims.ts';
import { type ContextParts, type SummarisedRun, summariseRun } from '../../app/run-context.ts';
import type { NamedRun } from '../../app/run-id.ts';
import { openRunSource, reopenOptions } from '../../app/run-source.ts';
import { reopenRun, type SendRequest } from '../../app/send-request.ts';
import { endRun, isUntidy, sendRun } from '../../app/send-run.ts';
import { describeShard } from '../../app/shard.ts';
import { removeFile } from '../../journal/file-system.ts';
import { fileNow } from '../../journal/run-file.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { withResources } from '../../lib/resources.ts';
import { flag, type OptionValues, under } from '../../options/option-spec.ts';
import { sharedOptions } from '../../options/option-table.ts';
import { restoreOptions, withoutLimits } from '../../options/run-options.ts';
import { stateFolder } from '../../options/state-folder.ts';
import { createSuggest, destinationOptions } from '../../options/suggest.ts';
import { endEntry } from '../../report/log-entry.ts';
import { isRowLimit } from '../../run/row-limits.ts';
import type { RunFiles } from '../../run/run-files.ts';
import { nameOfRun } from '../../stored-runs/resolve-run.ts';
import type { Context } from '../command.ts';
import { runOnEnd } from './on-end.ts';
import { printResult } from './print.ts';
import { announce, showRun } from './show-run.ts';

export const resumeOptions = {
  ...under('Selection:', {
    unknown: flag('also send social events that may have arrived: if they have, they count twice'),
    refused: flag('also send what the service refused'),
  }),
  ...sharedOptions('resume'),
  ...reopenOptions,
};

/** The row limits come from run.json, or from `upload --run-id`. */
export type ResumeOptions = OptionValues<typeof resumeOptions>;

interface ResumeCall {
  /** What becomes of a run that `upload --run-id` names again. */
  readonly judge?: (opened: OpenedRun) => Promise<NamedRun>;
  /** Says nothing about a run of which nothing is left to send. */
  readonly skipsDone?: boolean;
}

/** Resolves to the exit code; undefined if the run was skipped, or is replaced. */
export async function resumeRun(
  context: Context,
  given: ResumeOptions,
  folder: RunFolder,
  { judge, skipsDone = false }: ResumeCall = {},
): Promise<number | undefined> {
  const { run, options } = await reopenRun(context, given, folder);
  const { suggest, request } = run;
  const { again, quiet } = options;
  const { onUnknown, fsync, out } = request.settings;

  return withResources(async (adopt) => {
    const mayEnd = judge === undefined ? 'sent' : 'read';
    const { runFiles, opened, duplicates } = await reopenFiles(adopt, context, run, { mayEnd, again, quiet });
    const { runState } = opened;
    const named = await judge?.(opened);
    if (named?.next === 'replace') return undefined;
    const selection = { unknown: given.unknown || onUnknown === 'resend', refused: given.refused };
    const { isDone, from, state } = planResume(runState, selection);
    if (isDone && skipsDone) return undefined;
    if (isDone || named?.next === 'report') {
      const text = named?.next === 'report' ? named.text : undefined;
      const parts = { folder, file: opened.file, suggest, exit: { failOn: options.failOn }, isReported: true };
      return reportFinished(context, options, await summaryOfFinished(opened, runFiles, parts, out), text);
    }
    // A named run whose data a later run has sent can still be reported, and replaced by other data.
    if (judge !== undefined) await assertMaySend(context, opened, again);
    const edited = await protectRejects(opened, state, suggest);
    const source = await openRunSource(adopt, context, options, {
      ...run,
      file: opened.file,
      runState,
      from,
      duplicates,
    });
    await runFiles.restore({
      bytes: opened.bytes,
      runState,
      rejects: state.listed === undefined ? state.rejects : undefined,
    });
    // It may count batches that the journal has lost.
    if (again) removeFile(`${folder.path}/summary.json`);

    const rowLimit = isRowLimit(runState.stop) ? runState.stop : undefined;
    const destination = await reopenDestination(adopt, context, run, runState);
    const { baseUrl, sandbox } = destination;
    const file = fileNow(opened.file, destination);
    const stateDir = stateFolder(context.env);
    const found = openClaims(adopt, stateDir, file);
    const { claims, warnings: unclaimed } = await beginClaims(found, stateDir, { folder, file }, fsync);
    const { notes } = restoreOptions(given, rowLimit === undefined ? file : withoutLimits(file));
    const warnings = [...request.warnings, ...destination.warnings, ...unclaimed, ...edited];
    announce(context, warnings, [
      `Resuming ${folder.id}; sending to ${sandbox ? 'a new sandbox on this machine' : baseUrl}.`,
      ...notes,
      ...(rowLimit === undefined ? [] : [`The row limit that stopped it no longer applies: ${rowLimit.message}`]),
      ...(file.shard === undefined ? [] : [describeShard(file.shard, request.settings)]),
    ]);
    const { job, prepare, transform } = source;
    return showRun(context, options, { job, settings: request.settings }, (environment) =>
      sendRun(environment, {
        request: rowLimit === undefined ? request : unlimited(request),
        job,
        prepare,
        destination,
        lock: opened.lock,
        folder,
        file,
        runFiles,
        claims,
        resume: { ...state, baseUrl },
        warnings,
        suggest: createSuggest(context, options, { again: false, transform, ...destinationOptions(destination) }),
      }),
    );
  });
}

/** Finishes first what the process that ended the run has left, if it was killed. */
async function summaryOfFinished(
  { folder, bytes, runState }: OpenedRun,
  runFiles: RunFiles,
  parts: Omit<ContextParts, 'name'>,
  out: string,
): Promise<SummarisedRun> {
  if (!isUntidy(folder, runState)) return summariseRun(runState, { ...parts, name: await nameOfRun(folder, out) });
  await runFiles.restore({ bytes, runState, rejects: undefined });
  return endRun(runFiles, runState, { ...parts, out, warnings: [] });
}

/** Without the row limits: the user has decided to send the rest. */
function unlimited({ settings, ...request }: SendRequest): SendRequest {
  return { ...request, settings: { ...settings, maxInvalid: undefined, minRows: undefined } };
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
