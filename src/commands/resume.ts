/** `signals resume`: finishes a run in its own folder, or all unfinished runs. */

import { findRunFolder, runsRoot } from '../app/find-run.ts';
import { type ResumeOptions, resumeOptions } from '../app/resume-run.ts';
import { assertNotReplaced } from '../app/same-data.ts';
import { lockHolder, RunLockedError } from '../journal/lock.ts';
import { readRunFile } from '../journal/run-file.ts';
import { hasStarted } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import { errorObject } from '../lib/version.ts';
import { sumOf } from '../model/counts.ts';
import { firstExitCode } from '../model/exit-code.ts';
import { failure } from '../model/outcome.ts';
import { ProblemError } from '../model/problem.ts';
import { flag, usageError } from '../options/option-spec.ts';
import { reportOf } from '../report/problem-text.ts';
import { isRowLimit } from '../run/row-limits.ts';
import { type CataloguedRun, readCatalogue, rootOf, type UnreadableFolder } from '../stored-runs/catalogue.ts';
import { type Context, defineCommand } from './command.ts';
import { endingOf, runOnEnd, withOnEnd } from './screen/on-end.ts';
import { showResume } from './screen/show-run.ts';

export const command = defineCommand({
  options: { ...resumeOptions, all: flag('resume every unfinished run, one after the other') },
  run: (context, args, options) =>
    withOnEnd(context, options, async () => {
      const [wanted = 'last'] = args;
      if (!options.all) {
        const folder = await findRunFolder(context, options, wanted);
        return (await showResume(context, options, folder, { kind: 'resume' })) ?? 0;
      }
      if (args.length > 0) throw usageError('Pass either a run or --all, not both.');
      if (options.input.length > 0) throw usageError('Pass --input with one run, not with --all.');
      return resumeAll({ ...context, rateLimits: new Map() }, options);
    }),
  more: [
    'RUN is an id, an unambiguous part of an id, a folder, or an archive of `runs pack --hand-over` (default: the last run).',
    'Delivered batches are not sent again.',
    '',
    'Examples:',
    '  signals resume',
    '  signals resume --all --quiet',
    '  signals resume 20261120T091502Z-funding-3f9a --rate 5/s',
  ],
});

/** Resumes the runs one after the other; a problem of one does not stop the others. */
async function resumeAll(context: Context, options: ResumeOptions): Promise<number> {
  const { streams } = context;
  const root = await runsRoot(context, options);
  const codes: number[] = [];
  for (const run of await readCatalogue(root)) {
    if (context.signal.aborted) break;
    const { folder } = run;
    try {
      if (!(await mayHaveWork(context, options, run))) continue;
      const code = await showResume(context, options, folder, { kind: 'all' });
      if (code !== undefined) codes.push(code);
    } catch (error) {
      const { exitCode, problems } = reportOf(error);
      if (exitCode === 1) throw error;
      // A later run has sent the data of this one.
      if (problems.some(({ code }) => code === 'resume.replaced')) continue;
      codes.push(exitCode);
      if (options.json) streams.json(errorObject(exitCode, problems, folder.id));
      for (const problem of problems) streams.problem('error', problem, folder.id);
      await runOnEnd(context, options, endingOf(error, folder.id));
    }
  }
  if (codes.length > 0) return firstExitCode(codes);
  const nothing = errorObject(0, []);
  if (options.json) streams.json(nothing);
  else if (!options.quiet) streams.print(`No run in ${printable(root)} has anything left to send.\n`);
  await runOnEnd(context, options, nothing);
  return 0;
}

/** @throws RunLockedError if a process is working on the run, ProblemError `resume.limit`, `resume.replaced`, or why it is unreadable */
async function mayHaveWork(
  context: Context,
  options: ResumeOptions,
  run: CataloguedRun | UnreadableFolder,
): Promise<boolean> {
  const { folder } = run;
  if (!(await hasStarted(folder))) return false;
  const holder = lockHolder(folder.path);
  if (holder !== undefined) throw new RunLockedError(folder.path, holder);
  if ('problem' in run) throw run.problem;
  if (run.handedOver !== undefined && !options.again) return false;
  if (run.state === 'complete' && sumOf(run.rows, failure.options) === 0) return false;
  if (!isRowLimit(run.stop)) return true;
  if (run.hasSentNothing === true)
    await assertNotReplaced(rootOf(folder.path), { folder, file: await readRunFile(folder.path) });
  // Only the user can decide to send its rows, by naming it.
  const message = `${run.stop.message} The run stays stopped.`;
  const hint = `To send the rest anyway: \`${context.suggest('resume', folder.id)}\`. If it is not needed, delete ${folder.path}.`;
  throw new ProblemError({ code: 'resume.limit', message, hint }, 6);
}
