/**
 * `signals replay`: resends the undelivered batches of a run with the same bytes, from its folder alone. The replay is a
 * new run that names the first one as its parent.
 */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import { assertNotHandedOver } from '../journal/handover.ts';
import {
  inspectStoredRun,
  type LineageRun,
  lockLineage,
  type UndeliveredBatch,
  undeliveredBatches,
} from '../journal/lineage.ts';
import { type Lock, lockRun } from '../journal/lock.ts';
import { type RunFile, readRunFile } from '../journal/run-file.ts';
import { createRunFolder, type RunFolder, runId } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { count, plural } from '../lib/units.ts';
import { version } from '../lib/version.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { createReasons } from '../report/failure-reasons.ts';
import { copyPayloads, createReplayJob, prepareReplay, rejectsInputsOf } from '../run/replay-run.ts';
import { openRunFiles, REPLAY_FILE } from '../run/run-files.ts';
import { resolveSettings } from '../settings/resolve-settings.ts';
import { type Context, type Work, withOptions } from './shared/command.ts';
import {
  confirmBaseUrl,
  type Destination,
  describeDestination,
  destinationOptions,
  openDestination,
} from './shared/destination.ts';
import { type OptionValues, repeated, under, usageError } from './shared/option.ts';
import { givenSettings, leftoverOptions } from './shared/options.ts';
import { type Own, withResources } from './shared/resources.ts';
import { runArgument } from './shared/run-argument.ts';
import { optionsForReplay, recordOptions, recordProfile, restoreOptions } from './shared/run-file-options.ts';
import { findRunFolder } from './shared/run-history.ts';
import { announce, resolveRequest, type SendRequest, send } from './shared/send.ts';
import { createSuggest } from './shared/suggest.ts';

const STATES = ['exhausted', 'unknown', 'refused'] as const;
type Replayable = (typeof STATES)[number];

const replayOptions = {
  ...under('Selection:', {
    only: repeated(
      '--only <state>',
      'exhausted, unknown or refused; repeatable (default: exhausted; for signals also unknown)',
    ),
  }),
  ...leftoverOptions,
};

type ReplayOptions = OptionValues<typeof replayOptions>;

export const command = {
  ...withOptions(replayOptions, async (context, args, options) => {
    const wanted = runArgument(context, createSuggest(context, options), 'replay', args);
    const resolved = await resolveSettings(givenSettings(context, options));
    return replayRun(context, options, await findRunFolder(context, resolved, wanted));
  }),
  more: [
    'RUN is an id, an unambiguous part of an id, a folder, or "last". A replay reads the run folder only, not the',
    'inputs. Batches that an earlier replay of the run delivered are not sent again.',
    '',
    'Examples:',
    '  signals replay last',
    '  signals replay 20261120T091502Z-funding-3f9a --only refused',
  ].join('\n'),
} satisfies Work;

async function replayRun(context: Context, given: ReplayOptions, folder: RunFolder): Promise<number> {
  const runFile = await readRunFile(folder.path);
  const { options, restored } = restoreOptions(given, optionsForReplay(runFile));
  const suggest = createSuggest(context, options, { again: false, ...destinationOptions(runFile) });
  const request = await resolveRequest(context, options, runFile.profile);
  const { settings } = request;

  return withResources(async (own) => {
    const [parent, ...others] = await openLineage(own, folder, options.again);
    const members = [parent, ...others];
    const open = members.find(({ inspected }) => !inspected.ended);
    if (open !== undefined) throw new ProblemError(notEnded(open, suggest));

    const states = statesOf(options.only, parent.file, settings.onUnknown === 'resend', suggest);
    const batches = undeliveredBatches(members).filter(({ state }) => states.some((wanted) => wanted === state));
    const lost = batches.find((batch) => batch.lost === true);
    if (lost !== undefined) throw new ProblemError(noPayload(lost, suggest));
    if (batches.length === 0) return reportNothing(context, options, members, states, suggest);

    const { sandbox } = runFile;
    const baseUrl = await confirmBaseUrl(context, options, runFile, settings.baseUrl);
    const destination = own(await openDestination(context, suggest, { sandbox, baseUrl }, request.given), ({ close }) =>
      close(),
    );
    const warnings = [
      ...request.warnings,
      ...destination.warnings,
      ...members.flatMap((member) => incompleteWarnings(member, suggest)),
    ];
    announce(context, options, warnings, [
      describeReplay(parent, batches, destination),
      ...(restored.length === 0 ? [] : [`Using the original settings: ${restored.join(' ')}.`]),
    ]);
    const root = path.dirname(path.resolve(folder.path));
    const isElsewhere = root !== path.resolve(settings.out);
    // If batches were delivered before, one refused batch says nothing about the others.
    const isProven = members.some(({ inspected }) => inspected.ledger.batches.delivered > 0);
    return send(context, isProven ? { ...options, canary: false } : options, {
      ...(await createReplay(own, root, { context, options, request, destination, parent, batches })),
      request,
      destination,
      reasons: createReasons(),
      warnings,
      suggest: createSuggest(
        context,
        { ...options, out: options.out ?? (isElsewhere ? root : undefined) },
        { again: false, ...destinationOptions(destination) },
      ),
    });
  });
}

/** The run and its replays, locked: until the outcome is known, no other process may resume or replay them. */
async function openLineage(own: Own, folder: RunFolder, again: boolean): Promise<[LineageRun, ...LineageRun[]]> {
  const locks = own(new Map<string, Lock>(), async (all) => {
    for (const lock of all.values()) lock.release();
  });
  const lineage = await lockLineage(folder, locks);
  for (const one of lineage) await assertNotHandedOver(one.folder, again);
  const members: LineageRun[] = [];
  for (const one of lineage) members.push(await inspectStoredRun(one, true));
  const [self, ...replays] = members;
  if (self === undefined) throw new Error(`the lineage of ${folder.id} does not contain it`);
  return [self, ...replays];
}

/** Creates the folder of a replay next to its parent's, with the batches to send. */
async function createReplay(
  own: Own,
  root: string,
  from: {
    readonly context: Context;
    readonly options: ReplayOptions;
    readonly request: SendRequest;
    readonly destination: Destination;
    readonly parent: LineageRun;
    readonly batches: readonly UndeliveredBatch[];
  },
): Promise<Pick<Parameters<typeof send>[2], 'job' | 'prepare' | 'lock' | 'runFile' | 'runFiles'>> {
  const { context, options, request, destination, parent, batches } = from;
  const startedAt = new Date();
  const folder = createRunFolder(root, runId(startedAt, parent.file.inputs[0]?.source ?? 'run', Math.random));
  const lock = own(await lockRun(folder.path), (held) => held.release());
  const owners = groupByOwner(batches);
  const runFile: RunFile = {
    ...parent.file,
    delivery: undefined,
    profile: undefined,
    ...recordOptions(options),
    ...(destination.sandbox ? {} : recordProfile(request)),
    run: folder.id,
    startedAt: startedAt.toISOString(),
    version,
    baseUrl: destination.baseUrl,
    sandbox: destination.sandbox,
    argv: [...context.argv],
    parent: parent.file.run,
    takes: Object.fromEntries(owners.map(([owner, owned]) => [owner.file.run, owned.map(({ batch }) => batch)])),
  };
  const payloads = path.join(folder.path, REPLAY_FILE);
  const sources = owners.map(([owner, owned]) => ({
    file: path.join(owner.folder.path, 'undelivered.ndjson'),
    batches: owned,
  }));
  const job = await copyPayloads(sources, payloads)
    .then(() => createReplayJob(payloads, runFile))
    .catch(async (error: unknown) => {
      // The replay did not begin: remove its folder.
      await rm(folder.path, { recursive: true, force: true });
      throw error;
    });
  const runFiles = await openRunFiles(folder, rejectsInputsOf(runFile), { fsync: options.fsync });
  await runFiles.begin({
    ...(await mappingOf(parent.folder)),
    'run.json': `${JSON.stringify(runFile, null, 2)}\n`,
  });
  return { job, prepare: () => prepareReplay(payloads, job.inputs.length), lock, runFile, runFiles };
}

function groupByOwner(
  batches: readonly UndeliveredBatch[],
): readonly (readonly [LineageRun, readonly UndeliveredBatch[]])[] {
  const groups = new Map<LineageRun, UndeliveredBatch[]>();
  for (const batch of batches) {
    const group = groups.get(batch.owner);
    if (group === undefined) groups.set(batch.owner, [batch]);
    else group.push(batch);
  }
  return [...groups];
}

/** A replay does not need the mapping; an upload of corrected rows does. */
async function mappingOf({ path: folder }: RunFolder): Promise<Readonly<Record<string, string>>> {
  const mapping = await readFile(path.join(folder, 'mapping.yaml'), 'utf8').catch(() => undefined);
  return mapping === undefined ? {} : { 'mapping.yaml': mapping };
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
    const command = suggest('replay', run, '--only', 'unknown', '--on-unknown', 'resend');
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
  if (inspected.ledger.state === 'complete') return [];
  return [
    {
      code: 'replay.incomplete',
      message: `${file.run} is unfinished: this replay does not include what it has not sent yet.`,
      hint: `To send that too: \`${suggest('resume', file.run)}\`.`,
    },
  ];
}

function describeReplay({ file }: LineageRun, batches: readonly UndeliveredBatch[], destination: Destination): string {
  const parts = STATES.flatMap((state) => {
    const records = batches.reduce((sum, batch) => sum + (batch.state === state ? batch.records : 0), 0);
    return records === 0 ? [] : [`${count(records)} ${state}`];
  });
  return `Replaying ${plural(batches.length, 'batch', 'batches')} of ${file.run} (${parts.join(', ')} rows); sending to ${describeDestination(destination)}.`;
}

function reportNothing(
  { streams }: Context,
  { json, quiet }: ReplayOptions,
  members: readonly LineageRun[],
  states: readonly Replayable[],
  suggest: Suggest,
): number {
  const run = members[0]?.file.run ?? '';
  if (json) {
    streams.out(`${JSON.stringify({ run: null, parent: run, exitCode: 0, batches: 0, states })}\n`);
    return 0;
  }
  if (quiet) return 0;
  const replays = members.length > 1 ? ', including its replays' : '';
  streams.out(`Nothing to replay: no rows of ${printable(run)}${replays} are ${states.join(' or ')}.\n`);
  if (undeliveredBatches(members).some(({ state }) => state !== 'delivered')) {
    streams.out(`It has other undelivered rows. To see what to do: ${suggest('runs', 'show', run)}\n`);
  }
  return 0;
}
