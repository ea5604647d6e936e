/**
 * `signals replay`: sends again what a run did not deliver, from the run folder alone and with the same bytes, as a
 * run of its own that names its parent.
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
import { resolveKey } from '../settings/api-key.ts';
import { resolveSettings } from '../settings/resolve-settings.ts';
import type { Context, Options, Work } from './shared/command.ts';
import {
  type Destination,
  destinationOf,
  destinationOptions,
  nameOf,
  openDestination,
} from './shared/destination.ts';
import { leftoverOptions, list, settingsAsked, suggestFor, wantedRun } from './shared/options.ts';
import { heardAgain, ofReplay, profileOf, saidOf } from './shared/persisted-options.ts';
import { enter, remember, wantedFolder } from './shared/run-history.ts';
import { announce, readAsked, type Sending, send } from './shared/send.ts';

const STATES = ['exhausted', 'unknown', 'refused'] as const;
type Replayable = (typeof STATES)[number];

export const replay = {
  options: [
    {
      flags: '--only <state>',
      about:
        'batches to resend: exhausted (retries exhausted), unknown or refused; repeatable (default: exhausted; for signals also unknown)',
      repeat: true,
      group: 'Selection:',
    },
    ...leftoverOptions,
  ],
  more: [
    'RUN is an id, an unambiguous part of an id, a folder, or "last". A replay reads the run folder only, not the',
    'inputs. Batches that an earlier replay of the run delivered are not sent again.',
    '',
    'Examples:',
    '  signals replay last',
    '  signals replay 20261120T091502Z-funding-3f9a --only refused',
  ].join('\n'),
  run,
} satisfies Work;

async function run(context: Context, args: readonly string[], options: Options): Promise<number> {
  const wanted = wantedRun(context, suggestFor(context, options), args, {
    command: 'replay',
    does: 'replays',
  });
  const resolved = await resolveSettings(settingsAsked(context, options));
  return replayRun(context, options, await wantedFolder(context, resolved, wanted));
}

async function replayRun(context: Context, said: Options, folder: RunFolder): Promise<number> {
  const parent = await readRunFile(folder.path);
  const { options, kept } = heardAgain(said, ofReplay(parent));
  const suggest = suggestFor(context, options, { again: undefined, ...destinationOptions(parent) });
  const asked = await readAsked(context, options, parent.profile);
  const { given, settings, warnings, judged, graceMs } = asked;
  // Nobody else may go on with any of these runs, or replay them, until it is known what becomes of their batches.
  const locks = new Map<string, Lock>();
  try {
    const kin = await lockLineage(folder, locks);
    for (const one of kin) await assertNotHandedOver(one.folder, options['again'] === true);
    const members: LineageRun[] = [];
    for (const one of kin) members.push(await inspectStoredRun(one, true));
    const [self] = members;
    if (self === undefined) throw new Error('a run is missing from its own lineage');
    const open = members.find(({ inspected }) => !inspected.ended);
    if (open !== undefined) throw new ProblemError(notEnded(open, suggest));

    const states = statesOf(options, self.file, settings.onUnknown === 'resend', suggest);
    const batches = undeliveredBatches(members).filter(({ state }) =>
      states.some((wanted) => wanted === state),
    );
    const lost = batches.find((batch) => batch.lost === true);
    if (lost !== undefined) throw new ProblemError(notKept(lost, suggest));
    if (batches.length === 0) return nothingToReplay(context, options, members, states, suggest);

    const baseUrl = await destinationOf(context, options, self.file, settings.baseUrl);
    const target = await openDestination(context, suggest, { sandbox: self.file.sandbox, baseUrl }, () =>
      resolveKey(given),
    );
    try {
      const all = [...warnings, ...target.warnings, ...members.flatMap((one) => notDone(one, suggest))];
      announce(context, options, all, [
        opening(self, batches, target),
        ...(kept.length === 0 ? [] : [`As when it began: ${kept.join(' ')}.`]),
      ]);
      const root = path.dirname(path.resolve(folder.path));
      const isElsewhere = root !== path.resolve(settings.out);
      // Where something was delivered before, one batch more that is refused says nothing about all the others.
      const isProven = members.some(({ inspected }) => inspected.ledger.batches.delivered > 0);
      return await replayInto(root, self, batches, {
        context,
        options,
        target,
        said: { ...saidOf(options), ...(target.sandbox ? {} : profileOf(asked)) },
        send: (job) =>
          send(context, isProven ? { ...options, canary: false } : options, {
            ...job,
            settings,
            target,
            reasons: createReasons(),
            isReplay: true,
            graceMs,
            judged,
            warnings: [...all, ...job.warnings],
            suggest: suggestFor(context, isElsewhere ? { out: root, ...options } : options, {
              again: undefined,
              ...destinationOptions(target),
            }),
          }),
      });
    } finally {
      await target.close();
    }
  } finally {
    for (const lock of locks.values()) await lock.release();
  }
}

/** Makes the replay's folder beside its parent's, so that the two are found together, and sends from there. */
async function replayInto(
  root: string,
  parent: LineageRun,
  batches: readonly UndeliveredBatch[],
  world: {
    readonly context: Context;
    readonly options: Options;
    readonly target: Destination;
    readonly said: Pick<RunFile, 'delivery' | 'profile'>;
    readonly send: (
      job: Pick<Sending, 'job' | 'prepare' | 'runFiles' | 'keys' | 'remember' | 'warnings'>,
    ) => Promise<number>;
  },
): Promise<number> {
  const { context, target } = world;
  const startedAt = new Date();
  const name = parent.file.inputs[0]?.source ?? 'run';
  const folder = createRunFolder(root, runId(startedAt, name, Math.random));
  const lock = await lockRun(folder.path);
  try {
    const from = owners(batches).map(([owner, owned]) => ({
      file: path.join(owner.folder.path, 'undelivered.ndjson'),
      batches: owned,
    }));
    const { delivery: _delivery, profile: _profile, ...asBefore } = parent.file;
    const runFile: RunFile = {
      ...asBefore,
      ...world.said,
      run: folder.id,
      startedAt: startedAt.toISOString(),
      version: version,
      baseUrl: target.baseUrl,
      sandbox: target.sandbox,
      argv: [...context.argv],
      parent: parent.file.run,
      takes: Object.fromEntries(
        owners(batches).map(([owner, owned]) => [owner.file.run, owned.map(({ batch }) => batch)]),
      ),
    };
    const kept = path.join(folder.path, REPLAY_FILE);
    const job = await copyPayloads(from, kept)
      .then(() => createReplayJob(kept, runFile))
      .catch(async (error: unknown) => {
        // Nothing began, so nothing stays.
        await rm(folder.path, { recursive: true, force: true });
        throw error;
      });
    const runFiles = await openRunFiles(folder, rejectsInputsOf(runFile), {
      fsync: world.options['fsync'] === true,
    });
    await runFiles.begin({
      ...(await mappingOf(parent.folder)),
      'run.json': `${JSON.stringify(runFile, null, 2)}\n`,
    });
    return await world.send({
      warnings: await enter(context, runFile, folder.path),
      keys: runFile.keys === true,
      remember: () => remember(context, runFile, folder.path),
      job,
      prepare: () => prepareReplay(kept, job.inputs.length),
      runFiles,
    });
  } finally {
    await lock.release();
  }
}

function owners(
  batches: readonly UndeliveredBatch[],
): readonly (readonly [LineageRun, readonly UndeliveredBatch[]])[] {
  const all = new Map<LineageRun, UndeliveredBatch[]>();
  for (const batch of batches) {
    const owned = all.get(batch.owner);
    if (owned === undefined) all.set(batch.owner, [batch]);
    else owned.push(batch);
  }
  return [...all];
}

/** The mapping is not needed to replay; it goes along for whoever uploads corrected rows. */
async function mappingOf({ path: folder }: RunFolder): Promise<Readonly<Record<string, string>>> {
  const mapping = await readFile(path.join(folder, 'mapping.yaml'), 'utf8').catch(() => undefined);
  return mapping === undefined ? {} : { 'mapping.yaml': mapping };
}

/** delivery.md, "Outcomes of a batch". */
function statesOf(
  options: Options,
  { run, type }: RunFile,
  resend: boolean,
  suggest: Suggest,
): readonly Replayable[] {
  const given = list(options, 'only');
  const wrong = given.find((word) => !STATES.some((state) => state === word));
  if (wrong !== undefined) {
    throw new ProblemError({
      code: 'usage',
      message: `--only is "${wrong}": expected exhausted, unknown or refused.`,
    });
  }
  const { deduplicates } = contracts[type];
  if (given.length === 0) return deduplicates ? ['exhausted', 'unknown'] : ['exhausted'];
  if (given.includes('unknown') && !deduplicates && !resend) {
    const command = suggest('replay', run, '--only', 'unknown', '--on-unknown', 'resend');
    throw new ProblemError({
      code: 'replay.unknown',
      message:
        'What is unknown may have arrived, and the interface documents no deduplication of events: sent again, it may count twice. Nothing was sent.',
      hint: `To send it all the same: \`${command}\`.`,
    });
  }
  return STATES.filter((state) => given.includes(state));
}

function notEnded({ file }: LineageRun, suggest: Suggest): Problem {
  return {
    code: 'replay.not_ended',
    message: `${file.run} was killed before its end: what is left of it is not known yet, so there is nothing to replay.`,
    hint: `Go on with it first: \`${suggest('resume', file.run)}\`.`,
  };
}

/** A run that ended without a word about it: what it could not write down any more, a resume makes up for. */
function notKept({ batch, owner: { file } }: UndeliveredBatch, suggest: Suggest): Problem {
  return {
    code: 'replay.not_kept',
    message: `Batch ${batch} was under way when ${file.run} stopped, and its payload is not in the folder yet. Nothing was sent.`,
    hint: `Go on with it first: \`${suggest('resume', file.run)}\`. It does not send that batch again unless that is harmless.`,
  };
}

/** What a replay does not send, because it is a resume's business. */
function notDone({ file, inspected }: LineageRun, suggest: Suggest): readonly Problem[] {
  if (inspected.ledger.state === 'complete') return [];
  return [
    {
      code: 'replay.incomplete',
      message: `${file.run} did not come to its end: what it did not send is no part of this replay.`,
      hint: `To send that too: \`${suggest('resume', file.run)}\`.`,
    },
  ];
}

function opening({ file }: LineageRun, batches: readonly UndeliveredBatch[], target: Destination): string {
  const rows = (wanted: readonly UndeliveredBatch[]): number =>
    wanted.reduce((sum, { records }) => sum + records, 0);
  const parts = STATES.flatMap((state) => {
    const records = rows(batches.filter((batch) => batch.state === state));
    return records === 0 ? [] : [`${count(records)} ${state}`];
  });
  return `Replaying ${plural(batches.length, 'batch', 'batches')} of ${file.run} (${parts.join(', ')} of its rows), to ${nameOf(target)}.`;
}

function nothingToReplay(
  { streams }: Context,
  options: Options,
  members: readonly LineageRun[],
  states: readonly Replayable[],
  suggest: Suggest,
): number {
  const [self] = members;
  const run = self?.file.run ?? '';
  const since = members.length > 1 ? ', with what its replays have sent since' : '';
  if (options['json'] === true) {
    streams.out(`${JSON.stringify({ run: null, parent: run, exitCode: 0, batches: 0, states })}\n`);
  } else if (options['quiet'] !== true) {
    streams.out(
      `Nothing of ${printable(run)} is ${states.join(' or ')}${since}: there is nothing to replay.\n`,
    );
    const others = undeliveredBatches(members).some(({ state }) => state !== 'delivered');
    if (others) {
      streams.out(`Other rows of it were not delivered. What can be done: ${suggest('runs', 'show', run)}\n`);
    }
  }
  return 0;
}
