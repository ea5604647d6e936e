/**
 * Opens a run, for every command that may write to it: `makeRun` a new one, `openRun` one that exists
 * (docs/internals/architecture.md, "How a run is opened").
 */
import { existsSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lock, lockRun, RunLockedError } from '../journal/lock.ts';
import { type ReadRun, readJournal } from '../journal/read-journal.ts';
import { fileNow, type RunFile, readRunFile, renderRunFile, type StoredRun } from '../journal/run-file.ts';
import {
  assertPlainFiles,
  createRoot,
  createRunFolder,
  draftOfArchive,
  type RunFolder,
} from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import type { Adopt } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { ProblemError } from '../model/problem.ts';
import type { RunReader, RunState } from '../model/run-state.ts';
import type { SettingOptions, Settings } from '../options/option-table.ts';
import { type RecordedOptions, restoreOptions } from '../options/run-options.ts';
import { createSuggest, destinationOptions } from '../options/suggest.ts';
import { hasSentNothing } from '../report/next-step.ts';
import { openRunFiles } from '../run/run-files.ts';
import { rootOf } from '../stored-runs/catalogue.ts';
import type { Surroundings } from './context.ts';
import { type PassedOn, resolveRequest, type SendRequest } from './plan-request.ts';
import { assertNotReplaced, assertNoUnfinishedRun } from './same-data.ts';

export interface LockedRun extends StoredRun {
  readonly lock: Lock;
}

/** A stored run with its journal read. */
export type OpenedRun<R extends StoredRun = StoredRun> = R &
  LockedRun &
  ReadRun & {
    /** The base URL to which it was sent first. That of `file` is the last one. */
    readonly firstUrl: string;
  };

/** A stored run with the options in effect. */
export interface ReopenedRun<T = unknown> extends StoredRun {
  readonly options: T;
  /** Those of them that only run.json has. */
  readonly restored: RecordedOptions;
  readonly words: readonly string[];
  readonly suggest: Suggest;
  readonly request: SendRequest;
}

interface NewRun {
  readonly file: RunFile;
  readonly mapping: string;
  /** `--again`: also if an earlier run of the same data is unfinished. */
  readonly again: boolean;
  readonly suggest: Suggest;
}

/**
 * Makes the folder of a new run. Meanwhile no other run starts: of two uploads of one input, the second one finds the first.
 *
 * @throws ProblemError `upload.unfinished`, `run.exists`, `run.folder`
 */
export function makeRun(adopt: Adopt, { out, fsync }: Settings, { file, mapping, again, suggest }: NewRun) {
  return withStartLock(out, async () => {
    const warnings = again ? [] : await assertNoUnfinishedRun(out, { ...file, mapping }, suggest);
    const folder = createRunFolder(out, file.run);
    const lock = adopt(await lockRun(folder.path), (held) => held.release());
    const runFiles = adopt(await openRunFiles(folder, file, { fsync, lock }), (files) => files.close());
    await runFiles.begin({ 'mapping.yaml': mapping, 'run.json': renderRunFile(file) });
    return { run: { folder, file, lock, runFiles }, warnings };
  });
}

interface OpenOptions<R> {
  /** `--again`: also a run that has lost the end of its journal. */
  readonly again: boolean;
  readonly quiet: boolean;
  /** What else the command needs before the journal is read: options, files, readers of each event. */
  readonly prepare: (run: LockedRun) => Promise<R>;
}

/**
 * Locks a stored run, and reads its journal once.
 *
 * @throws RunLockedError if another process holds the run
 * @throws ProblemError as {@link assertPlainFiles}, {@link readRunFile} and {@link readJournal} do
 */
export async function openRun<R extends StoredRun & { readonly readers?: readonly RunReader[] }>(
  adopt: Adopt,
  context: Surroundings,
  folder: RunFolder,
  { again, quiet, prepare }: OpenOptions<R>,
): Promise<OpenedRun<R>> {
  assertPlainFiles(folder.path);
  const lock = adopt(await acquireRunLock(context, folder.path, quiet), (held) => held.release());
  const file = await readRunFile(folder.path);
  const run = await prepare({ folder, file, lock });
  const read = await readJournal(folder.path, {
    again,
    onEvent: (...event) => {
      for (const reader of run.readers ?? []) reader(...event);
    },
  });
  const bytes = await withoutFailedHandOver(folder, read);
  return { ...run, ...read, bytes, lock, file: fileNow(file, read.runState), firstUrl: file.baseUrl };
}

/**
 * The length of the journal. A hand-over that was killed before its archive had a name has no receiver, so its line is removed: this
 * folder may send again. The draft stays, because a folder from another person could name any file.
 */
async function withoutFailedHandOver(folder: RunFolder, { runState, bytes, bytesBefore }: ReadRun) {
  const { handedOver } = runState;
  if (handedOver === undefined || handedOver.copy === true || existsSync(handedOver.to)) return bytes;
  if (!existsSync(draftOfArchive(handedOver.to, folder, true))) return bytes;
  await truncate(path.join(folder.path, 'journal.ndjson'), bytesBefore);
  runState.handedOver = undefined;
  return bytesBefore;
}

export async function reopenRun<T extends SettingOptions & PassedOn>(
  context: Surroundings,
  given: T,
  { folder, file }: StoredRun,
): Promise<ReopenedRun<T>> {
  const { options, restored } = restoreOptions(given, file);
  const suggest = createSuggest(context, options, { again: false, ...destinationOptions(file) });
  const request = await resolveRequest(context, options, file);
  const words = context.argv.includes('--all') ? ['resume', folder.id] : context.argv;
  return { folder, file, options, restored, words, suggest, request };
}

/**
 * Before a run is sent: no other folder may have the right to send it.
 *
 * @param again `--again`: also a run that was handed over, or was replaced by a later one
 * @throws ProblemError `run.handed_over`, `resume.replaced`
 */
export async function assertMaySend(context: Surroundings, run: OpenedRun, again: boolean): Promise<void> {
  if (again) return;
  const { folder, runState } = run;
  assertNotHandedOver(context, folder, runState);
  if (!hasSentNothing(runState)) return;
  // While an upload of the same data starts, it would not see that this run is locked only now.
  const root = rootOf(folder.path);
  const warnings = await withStartLock(root, () => assertNotReplaced(root, run));
  for (const warning of warnings) context.streams.problem('warning', warning);
}

function assertNotHandedOver(context: Surroundings, { id, path: folder }: RunFolder, { handedOver }: RunState): void {
  if (handedOver === undefined) return;
  const show = createSuggest(context, {})('runs', 'show', folder);
  throw new ProblemError({
    code: 'run.handed_over',
    message: handedOver.copy
      ? `${id} is a copy to look at: only ${handedOver.to} may send it. Nothing was sent.`
      : `${id} may not be sent from this folder: since ${handedOver.time}, only ${handedOver.to} may finish it. Nothing was sent.`,
    hint: handedOver.copy
      ? `To look at it: \`${show}\`. To finish it here, ask for an archive of \`signals runs pack ${id} --hand-over\`.`
      : 'If you are sure that it will not be finished there, add --again.',
  });
}

/** Tells the user before it waits for the heartbeat of a process on another host. @throws RunLockedError */
export function acquireRunLock({ streams }: Surroundings, folder: string, quiet: boolean): Promise<Lock> {
  return lockRun(folder, {
    onWait: ({ pid, host }, ms) => {
      if (quiet) return;
      const holder = `Process ${pid} on ${printable(host)}`;
      streams.err(`${holder} may still be working on this run. Waiting up to ${ms / 1000} s to find out.\n`);
    },
  });
}

const START_LIMIT_MS = 60_000;

export async function withStartLock<T>(root: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockWhenFree(createRoot(root));
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function lockWhenFree(folder: string): Promise<Lock> {
  const began = performance.now();
  for (;;) {
    try {
      return await lockRun(folder);
    } catch (error) {
      if (!(error instanceof RunLockedError) || performance.now() - began > START_LIMIT_MS) throw error;
      await sleep(20);
    }
  }
}
