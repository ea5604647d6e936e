/** Reads a journal. A last line that a crash has left incomplete describes nothing that the program has acted on. */
import path from 'node:path';
import { z } from 'zod';
import { once } from '../lib/resources.ts';
import { messageOf } from '../lib/text.ts';
import { runEvents } from '../model/event.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RunReader, RunState } from '../model/run-state.ts';
import { applyEvent, newRunState, settleLost } from './apply-event.ts';
import { decodeLine, hasDamagedLineFeed, type Line, linesOf } from './lines.ts';
import { lockHolder } from './lock.ts';
import { RecordedEnd } from './recorded-end.ts';
import { fileNow, readRunFile, type StoredRun } from './run-file.ts';
import type { RunFolder } from './run-folder.ts';

export interface ReadRun {
  readonly runState: RunState;
  /** Length of the whole lines, in bytes: the rest is an incomplete line. */
  readonly bytes: number;
  /** The same before the last of these lines. */
  readonly bytesBefore: number;
}

export interface ReadOptions {
  readonly onEvent?: RunReader | undefined;
  /** Read also a journal that has lost its last lines, to send some of its rows again. */
  readonly again?: boolean | undefined;
}

/** @throws ProblemError `journal.missing`, `journal.damaged`, `journal.empty`, `journal.behind` */
export async function readJournal(folder: string, { onEvent, again = false }: ReadOptions = {}): Promise<ReadRun> {
  const file = path.join(folder, 'journal.ndjson');
  const recordedEnd = new RecordedEnd(folder);
  let runState: RunState | undefined;
  let bytes = 0;
  let bytesBefore = 0;
  let number = 0;
  for await (const { text, whole } of journalLines(file)) {
    number += 1;
    if (!whole && hasDamagedLineFeed(text)) throw damaged(file, number);
    if (!whole) break;
    const event = eventSchema().safeParse(decodeLine(text)).data;
    if (event?.event === 'run.started') runState = newRunState(event);
    if (event === undefined || runState === undefined) throw damaged(file, number);
    bytesBefore = bytes;
    bytes += Buffer.byteLength(text) + 1;
    const changes = applyEvent(runState, event);
    recordedEnd.apply(event);
    onEvent?.(event, runState, changes);
  }
  if (!again) recordedEnd.assertReached(runState);
  if (runState === undefined) throw new ProblemError(empty(file));
  return { runState, bytes, bytesBefore };
}

/**
 * Reads a run to report on it.
 * @param isRunning if not, batches in flight count as unknown
 * @throws ProblemError as {@link readJournal}
 */
export async function readRun(folder: string, isRunning: boolean, onEvent?: RunReader): Promise<RunState> {
  const { runState } = await readJournal(folder, { onEvent });
  if (!isRunning) settleLost(runState);
  return runState;
}

export interface LoadedRun extends StoredRun {
  /** Whether another process works on it now. */
  readonly isRunning: boolean;
  readonly runState: RunState;
}

/** @throws ProblemError as {@link readJournal}, and `run.unreadable` */
export async function loadRun(folder: RunFolder, onEvent?: RunReader): Promise<LoadedRun> {
  const file = await readRunFile(folder.path);
  const isRunning = lockHolder(folder.path) !== undefined;
  const runState = await readRun(folder.path, isRunning, onEvent);
  return { folder, file: fileNow(file, runState), isRunning, runState };
}

const eventSchema = once(() => z.discriminatedUnion('event', runEvents()));

const RESTORE =
  'Copy or restore the folder again. If that is not possible: results.csv lists the lines of each batch that was delivered; upload the others.';

/** @throws ProblemError `journal.missing` */
async function* journalLines(file: string): AsyncGenerator<Line> {
  try {
    yield* linesOf(file);
  } catch (error) {
    throw new ProblemError({
      code: 'journal.missing',
      message: `Cannot read the journal ${file}: ${messageOf(error)}.`,
      hint: `Without it, signals cannot tell which rows the run has sent. ${RESTORE}`,
    });
  }
}

function empty(file: string): Problem {
  return {
    code: 'journal.empty',
    message: 'The run ended before the first line of its journal was written. Nothing was sent.',
    where: file,
    hint: 'Upload the input again. You can delete this run folder.',
  };
}

function damaged(file: string, line: number): ProblemError {
  return new ProblemError({
    code: 'journal.damaged',
    message: `Line ${line} of the journal is damaged (wrong checksum), so signals cannot tell which rows the run has sent. Nothing was sent.`,
    where: `${file}:${line}`,
    hint: RESTORE,
  });
}
