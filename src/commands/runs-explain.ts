/** `signals runs explain`: finds which records of delivered batches the service rejected, by sending parts of them again. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Destination, reopenDestination } from '../app/destination.ts';
import { type Explanation, explainRun } from '../app/explain-run.ts';
import { findRunFolder } from '../app/find-run.ts';
import { assertMaySend, openRun, type ReopenedRun, reopenRun } from '../app/open-run.ts';
import { openRunSource, reopenOptions } from '../app/run-source.ts';
import { deliverySettings, openTransport } from '../app/send-run.ts';
import { contracts } from '../contract/index.ts';
import { systemClock } from '../deliver/index.ts';
import { mostRequests } from '../deliver/split-batch.ts';
import { cursorsOf } from '../journal/apply-event.ts';
import type { RunFile, StoredRun } from '../journal/run-file.ts';
import { type RunFolder, spoolName } from '../journal/run-folder.ts';
import { withResources } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { plural } from '../lib/units.ts';
import { sumOf } from '../model/counts.ts';
import { openFailures } from '../model/outcome.ts';
import { ProblemError } from '../model/problem.ts';
import type { RunState } from '../model/run-state.ts';
import type { OptionValues } from '../options/option-spec.ts';
import { sharedOptions } from '../options/option-table.ts';
import { type ExplainResult, explainExitCode, explainText } from '../report/runs-text.ts';
import { createRejectsFiles, rejectsFileNames } from '../run/rejects-folder.ts';
import { type RejectingBatch, RejectingBatches } from '../run/stored-batches.ts';
import { type Explained, openExplainLog, readExplained } from '../stored-runs/explain-log.ts';
import { type Context, defineCommand } from './command.ts';
import { confirm, printResult } from './screen/print.ts';
import { announce, longestOutage } from './screen/show-run.ts';

const PROGRESS_EVERY_MS = 10_000;

const explainOptions = { ...sharedOptions('explain'), ...reopenOptions };

type ExplainOptions = OptionValues<typeof explainOptions>;

export const command = defineCommand({
  options: explainOptions,
  more: [
    'For market signals: the service counts the records that it rejects, but does not name them. Halves of a batch are',
    'sent again until the counts single out each record; records that the service has come back as deduplicated. The',
    'rows are added to the rejects files. A second explain continues where the first one ended.',
  ],
  run: async (context, [wanted = 'last'], options) =>
    explainStored(context, options, await findRunFolder(context, options, wanted)),
});

interface Job extends ReopenedRun {
  readonly explained: Explained;
  /** All batches with rejected records, and those to examine. */
  readonly rejecting: readonly RejectingBatch[];
  readonly batches: readonly RejectingBatch[];
}

async function explainStored(context: Context, given: ExplainOptions, folder: RunFolder): Promise<number> {
  return withResources(async (adopt) => {
    const found = new RejectingBatches();
    const run = await openRun(adopt, context, folder, {
      again: given.again,
      quiet: given.quiet,
      prepare: async (stored) => ({ ...(await reopenRun(context, given, stored)), readers: [found.on] }),
    });
    const { lock, runState, file, options, suggest, request } = run;
    await assertMaySend(context, run, options.again);
    const rejecting = found.all();
    await assertExplainable(run, rejecting.length > 0);
    assertFinished(file, runState, suggest);
    const explained = await readExplained(folder.path);
    const batches = rejecting.filter(({ id, isUnaccounted }) => !isUnaccounted && !explained.batches.has(id));
    const job: Job = { ...run, explained, batches, rejecting };
    if (batches.length === 0) return report(context, options, job, undefined);

    const ended = new Set(runState.sources.keys());
    const from = { cursors: cursorsOf(runState), ended, sealed: 0, toRebuild: batches };
    const source = await openRunSource(adopt, context, run, { ...options, from });
    const destination = await reopenDestination(adopt, context, run);
    announce(context, [...request.warnings, ...destination.warnings], planLines(job, destination));
    if (!options.yes) await confirm(context, 'Send these requests?', 'Sending these requests');

    const log = adopt(await openExplainLog(folder.path, explained, request.settings), (one) => one.close());
    const rejects = adopt(createRejectsFiles(folder.path, file), (files) => files.close());
    const transport = adopt(await openTransport(request, destination), (one) => one.close());
    context.takeSignals(suggest('runs', 'explain', folder.id));
    const explanation = await explainRun({
      folder: folder.path,
      batches,
      explained,
      contract: contracts[file.type],
      prepare: source.prepare,
      delivery: deliverySettings(request, destination, longestOutage(context)),
      graceMs: request.settings.grace,
      rejectsNames: rejectsFileNames(file),
      transport,
      lock,
      log,
      rejects,
      clock: systemClock,
      signal: context.signal,
      onProgress: progress(context, options),
    });
    return report(context, options, job, explanation);
  });
}

/** Whether the kind of the run allows it. @throws ProblemError `explain.impossible` */
async function assertExplainable(
  { folder, file: { type, sandbox, inputs } }: StoredRun,
  hasRejected: boolean,
): Promise<void> {
  const refuse = (message: string, hint?: string): never => {
    throw new ProblemError({ code: 'explain.impossible', message: `${message} Nothing was sent.`, hint });
  };
  if (!contracts[type].deduplicates) {
    refuse(
      'The service does not count rejected social events, and the API documents no deduplication of them: sent again, they may count twice.',
    );
  }
  if (!hasRejected) return;
  if (sandbox) refuse('The sandbox of this run ended with it, so it cannot be asked which records it rejected.');
  for (const [index, { source, path: file }] of inputs.entries()) {
    if (file !== undefined || existsSync(path.join(folder.path, spoolName(source, index)))) continue;
    refuse(
      'This run read a pipe, and its copy of the data was deleted when everything was delivered.',
      'To be able to explain a run later, upload a file.',
    );
  }
}

/** A resume would rewrite the rejects files. @throws ProblemError `explain.unfinished` */
function assertFinished({ run }: RunFile, { state, rows }: RunState, suggest: Suggest): void {
  const isLeft = sumOf(rows, openFailures) > 0;
  if (state === 'complete' && !isLeft) return;
  throw new ProblemError({
    code: 'explain.unfinished',
    message: `${run} is unfinished: it has rows that were not delivered. Nothing was sent.`,
    hint: `Finish it first: \`${suggest('resume', run)}\`.`,
  });
}

function planLines({ file, batches }: Job, { baseUrl }: Destination): readonly string[] {
  const most = batches.reduce((sum, batch) => sum + mostRequests(batch), 0);
  const rejected = batches.reduce((sum, batch) => sum + batch.rejected, 0);
  const what = `${plural(rejected, 'record')} of ${plural(batches.length, 'batch', 'batches')}`;
  return [
    `The service rejected ${what} of ${file.run} and does not say which.`,
    `To find them, parts of these batches are sent to ${baseUrl} again: up to ${plural(most, 'request')}. The service recognises records that it has as duplicates.`,
  ];
}

function progress({ streams }: Context, { quiet }: ExplainOptions): (explanation: Explanation) => void {
  let last = performance.now();
  return ({ named, requests }) => {
    if (quiet || performance.now() - last < PROGRESS_EVERY_MS) return;
    last = performance.now();
    streams.err(`${plural(named.length, 'rejected record')} found with ${plural(requests, 'request')}.\n`);
  };
}

/** @param explanation undefined if there was nothing to send */
function report(
  context: Context,
  options: ExplainOptions,
  { folder, file, explained, batches, rejecting, suggest }: Job,
  explanation: Partial<Explanation> = {},
): number {
  const { named = [], batches: examined = 0, requests = 0, failure, contradictions = [], stop } = explanation;
  const rows = [...explained.rows, ...named];
  const files = rejectsFileNames(file).flatMap((name, source) =>
    rows.some((row) => row.source === source) ? [path.join(folder.path, 'rejects', name)] : [],
  );
  const result: ExplainResult = {
    run: file.run,
    rejected: rejecting.reduce((sum, { rejected }) => sum + rejected, 0),
    named: rows.length,
    requests,
    left: batches.length - examined,
    unaccounted: rejecting.flatMap(({ id, isUnaccounted }) => (isUnaccounted ? [id] : [])),
    failure,
    contradictions,
    stop,
    rejects: files,
  };
  const exitCode = explainExitCode(result, context.signal.reason as NodeJS.Signals | undefined);
  const upload = suggest('upload', '-m', path.join(folder.path, 'mapping.yaml'), ...files);
  printResult(context, options, { ...result, exitCode }, (style) => explainText(result, { upload, suggest }, style));
  return exitCode;
}
