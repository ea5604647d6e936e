/**
 * `signals replay`: resends the undelivered batches of a run with the same bytes, from its folder alone. The replay is a
 * new run that names the first one as its parent.
 */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import { type LineageRun, type UndeliveredBatch, undeliveredBatches } from '../journal/lineage.ts';
import { lockRun } from '../journal/lock.ts';
import { type RunFile, renderRunFile } from '../journal/run-file.ts';
import { createRunFolder, type RunFolder, runId } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { count, plural } from '../lib/units.ts';
import { version } from '../lib/version.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { type OptionValues, repeated, under, usageError } from '../options/option-spec.ts';
import { sharedOptions } from '../options/option-table.ts';
import { keepOptions, optionsForReplay, recordProfile } from '../options/run-options.ts';
import { stateFolder } from '../options/state-folder.ts';
import { createSuggest, destinationOptions } from '../options/suggest.ts';
import { createReasons } from '../report/failure-reasons.ts';
import type { RunJob } from '../run/job.ts';
import { rejectsInputsOf } from '../run/rejects-folder.ts';
import { copyPayloads, createReplayJob, prepareReplay } from '../run/replay-run.ts';
import { openRunFiles, REPLAY_FILE } from '../run/run-files.ts';
import { type Context, defineCommand } from './shared/command.ts';
import { type Destination, describeDestination, reopenDestination } from './shared/destination.ts';
import { withOnEnd } from './shared/on-end.ts';
import { type Own, withResources } from './shared/resources.ts';
import { assertHistory } from './shared/run-history.ts';
import { openLineage } from './shared/run-lock.ts';
import { reportNothing } from './shared/run-summary.ts';
import { announce, send } from './shared/send.ts';
import { reopenRun } from './shared/send-request.ts';
import type { Sending } from './shared/send-run.ts';
import { requestedRun } from './shared/stored-runs.ts';

const STATES = ['exhausted', 'unknown', 'refused'] as const;
type Replayable = (typeof STATES)[number];

const replayOptions = {
  ...under('Selection:', {
    only: repeated(
      '--only <state>',
      'exhausted, unknown or refused; repeatable (default: exhausted; for signals also unknown)',
    ),
  }),
  ...sharedOptions('replay'),
};

type ReplayOptions = OptionValues<typeof replayOptions>;

export const command = defineCommand({
  options: replayOptions,
  run: (context, args, options) =>
    withOnEnd(context, options, async () =>
      replayRun(context, options, await requestedRun(context, options, 'replay', args)),
    ),
  more: [
    'RUN is an id, an unambiguous part of an id, a folder, or "last". A replay reads the run folder only, not the',
    'inputs. Batches that an earlier replay of the run delivered are not sent again.',
    '',
    'Examples:',
    '  signals replay last',
    '  signals replay 20261120T091502Z-funding-3f9a --only refused',
  ],
});

async function replayRun(context: Context, given: ReplayOptions, folder: RunFolder): Promise<number> {
  const { run, options, notes } = await reopenRun(context, given, folder, optionsForReplay);
  const { runFile, suggest, request } = run;
  const { settings } = request;

  return withResources(async (own) => {
    const { lineage } = await openLineage(own, folder, options.again);
    const [parent] = lineage;
    const open = lineage.find(({ inspected }) => !inspected.ended);
    if (open !== undefined) throw new ProblemError(notEnded(open, suggest));

    const states = statesOf(options.only, runFile, settings.onUnknown === 'resend', suggest);
    const batches = undeliveredBatches(lineage).filter(({ state }) => states.some((wanted) => wanted === state));
    const lost = batches.find((batch) => batch.lost === true);
    if (lost !== undefined) throw new ProblemError(noPayload(lost, suggest));
    if (batches.length === 0) {
      const replays = lineage.length > 1 ? ' and its replays' : '';
      const lines = [
        `Nothing to replay: no rows of ${printable(parent.file.run)}${replays} are ${states.join(' or ')}.`,
        ...(undeliveredBatches(lineage).some(({ state }) => state !== 'delivered')
          ? [`It has other undelivered rows. To see what to do: ${suggest('runs', 'show', parent.file.run)}`]
          : []),
      ];
      return reportNothing(context, options, lines, parent.file.run);
    }

    const destination = await reopenDestination(own, context, run);
    const warnings = [
      ...request.warnings,
      ...destination.warnings,
      ...lineage.flatMap((run) => incompleteWarnings(run, suggest)),
    ];
    announce(context, warnings, [describeReplay(runFile, batches, destination), ...notes]);
    // Otherwise the run began with --again, or sends to the sandbox.
    if (runFile.skipSent !== undefined) await assertHistory(stateFolder(context.env), runFile);
    const root = path.dirname(folder.path);
    const isElsewhere = path.resolve(root) !== path.resolve(settings.out);
    // If batches were delivered before, one refused batch says nothing about the others.
    const isProven = lineage.some(({ inspected }) => inspected.runState.batches.delivered > 0);
    const replayed = await createReplay(own, root, parent, batches, settings.fsync, {
      ...keepOptions(options),
      ...(destination.sandbox ? { profile: undefined } : recordProfile(request)),
      baseUrl: destination.baseUrl,
      argv: [...context.argv],
    });
    return send(context, options, {
      ...replayed,
      request: isProven ? { ...request, canary: false } : request,
      destination,
      reasons: createReasons(),
      warnings,
      suggest: createSuggest(
        context,
        { ...options, out: options.out ?? (isElsewhere ? path.resolve(root) : undefined) },
        { again: false, ...destinationOptions(destination) },
      ),
    });
  });
}

/** Creates the folder of a replay next to its parent's, with the batches to send. */
async function createReplay(
  own: Own,
  root: string,
  parent: LineageRun,
  batches: readonly UndeliveredBatch[],
  fsync: boolean,
  changes: Pick<RunFile, 'settings' | 'profile' | 'baseUrl' | 'argv'>,
): Promise<Pick<Sending, 'job' | 'prepare' | 'lock' | 'runFile' | 'runFiles'>> {
  const startedAt = new Date();
  const folder = createRunFolder(root, runId(startedAt, parent.file.inputs[0]?.source ?? 'run', Math.random));
  const lock = own(await lockRun(folder.path), (held) => held.release());
  const owners = [...new Set(batches.map(({ owner }) => owner))].map((owner) => ({
    run: owner.file.run,
    file: path.join(owner.folder.path, 'undelivered.ndjson'),
    batches: batches.filter((batch) => batch.owner === owner),
  }));
  const runFile: RunFile = {
    ...parent.file,
    ...changes,
    run: folder.id,
    startedAt: startedAt.toISOString(),
    version,
    parent: parent.file.run,
    takes: Object.fromEntries(owners.map(({ run, batches }) => [run, batches.map(({ batch }) => batch)])),
  };
  const payloads = path.join(folder.path, REPLAY_FILE);
  let job: RunJob;
  try {
    await copyPayloads(owners, payloads);
    job = await createReplayJob(payloads, runFile);
  } catch (error) {
    // The replay did not begin.
    await rm(folder.path, { recursive: true, force: true });
    throw error;
  }
  const runFiles = own(await openRunFiles(folder, rejectsInputsOf(runFile), { fsync }), (files) => files.close());
  // A replay does not need the mapping; an upload of corrected rows does.
  const mapping = await readFile(path.join(parent.folder.path, 'mapping.yaml'), 'utf8').catch(() => undefined);
  await runFiles.begin({
    ...(mapping === undefined ? {} : { 'mapping.yaml': mapping }),
    'run.json': renderRunFile(runFile),
  });
  return { job, prepare: () => prepareReplay(payloads, job.inputs.length), lock, runFile, runFiles };
}

/** The states to resend (delivery.md, "Outcomes of a batch"). */
function statesOf(
  only: readonly string[],
  { run, type }: RunFile,
  resend: boolean,
  suggest: Suggest,
): readonly Replayable[] {
  const wrong = only.find((word) => !STATES.some((state) => state === word));
  if (wrong !== undefined) throw usageError(`--only is "${wrong}": expected exhausted, unknown or refused.`);
  const { deduplicates } = contracts[type];
  if (only.length === 0) return deduplicates ? ['exhausted', 'unknown'] : ['exhausted'];
  if (only.includes('unknown') && !deduplicates && !resend) {
    const command = suggest('replay', run, '--only', 'unknown', '--setting', 'on_unknown=resend');
    throw new ProblemError({
      code: 'replay.unknown',
      message:
        'Unknown rows may have arrived, and the interface documents no deduplication of events: resent, they may count twice. Nothing was sent.',
      hint: `To resend them anyway: \`${command}\`.`,
    });
  }
  return STATES.filter((state) => only.includes(state));
}

function notEnded({ file }: LineageRun, suggest: Suggest): Problem {
  return {
    code: 'replay.not_ended',
    message: `${file.run} was killed before it ended, so the outcome of its last batches is not known yet. Nothing was sent.`,
    hint: `Resume it first: \`${suggest('resume', file.run)}\`.`,
  };
}

/** The run stopped before it could store the payload; a resume prepares it again. */
function noPayload({ batch, owner: { file } }: UndeliveredBatch, suggest: Suggest): Problem {
  return {
    code: 'replay.not_kept',
    message: `Batch ${batch} was in flight when ${file.run} stopped, and its payload is not in the folder yet. Nothing was sent.`,
    hint: `Resume it first: \`${suggest('resume', file.run)}\`. It resends that batch only if the service deduplicates it.`,
  };
}

/** A replay does not send what the run had not sent yet: a resume does. */
function incompleteWarnings({ file, inspected }: LineageRun, suggest: Suggest): readonly Problem[] {
  if (inspected.runState.state === 'complete') return [];
  return [
    {
      code: 'replay.incomplete',
      message: `${file.run} is unfinished: this replay does not include what it has not sent yet.`,
      hint: `To send that too: \`${suggest('resume', file.run)}\`.`,
    },
  ];
}

function describeReplay({ run }: RunFile, batches: readonly UndeliveredBatch[], destination: Destination): string {
  const parts = STATES.flatMap((state) => {
    const records = batches.reduce((sum, batch) => sum + (batch.state === state ? batch.records : 0), 0);
    return records === 0 ? [] : [`${count(records)} ${state}`];
  });
  return `Replaying ${plural(batches.length, 'batch', 'batches')} of ${run} (${parts.join(', ')} rows); sending to ${describeDestination(destination)}.`;
}
