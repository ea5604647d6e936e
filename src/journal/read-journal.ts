/**
 * Reads a journal from its beginning: the state of a run that was stopped, interrupted or killed. Only whole lines
 * count. A last line that a crash has torn describes nothing that the program has acted on.
 */
import path from 'node:path';
import { messageOf } from '../lib/text.ts';
import type { Commit } from '../model/commit.ts';
import type { RowDuplicate, RowInvalid, RowSkipped, RunEvent } from '../model/event.ts';
import type { Cursor } from '../model/position.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { byFirstRow } from '../model/row-spans.ts';
import type { OpenBatch, RunReader, RunState } from '../model/run-state.ts';
import { decodeLine, hasDamagedLineFeed } from './event-line.ts';
import { type Line, linesOf } from './file-lines.ts';
import { RecordedEnd } from './recorded-end.ts';
import { applyEvent, newRunState } from './run-state.ts';

export interface RecoveredRun {
  readonly runState: RunState;
  /** In the order of their rows. */
  readonly openBatches: readonly OpenBatch[];
  /** Batches that were cut from the inputs, also those of other shards; the parts of split batches do not count. */
  readonly batchesCut: number;
  /** How far each input that was started is accounted for, by source index. */
  readonly cursors: ReadonlyMap<number, Cursor>;
  /** Length of each rejects file at the last commit, in bytes, by source index. */
  readonly rejects: Readonly<Record<number, number>>;
  /** Rows in each rejects file at the last commit, by source index. */
  readonly rejectedRows: Readonly<Record<number, number>>;
  /** Length of the whole lines, in bytes: the rest is torn. */
  readonly bytes: number;
}

/** Rows that became no record. */
export type DroppedRow = RowInvalid | RowSkipped | RowDuplicate;

/**
 * @param onDropped receives the rows that did not become records, except those that a resume reads again
 * @param again whether to read a journal that has lost its last lines, to send some of its rows again
 * @throws ProblemError `journal.missing`, `journal.damaged`, `journal.empty`, `journal.behind`
 */
export async function readJournal(
  file: string,
  onEvent: RunReader = () => undefined,
  onDropped?: (row: DroppedRow) => void,
  again = false,
): Promise<RecoveredRun> {
  const recordedEnd = new RecordedEnd(path.dirname(file));
  let runState: RunState | undefined;
  const commits = new Commits(onDropped);
  let bytes = 0;
  let number = 0;
  for await (const { text, whole } of journalLines(file)) {
    number += 1;
    if (!whole && hasDamagedLineFeed(text)) throw damaged(file, number);
    if (!whole) break;
    const event = decodeLine(text) as RunEvent | undefined;
    if (event?.event === 'run.started') runState = newRunState(event);
    if (event === undefined || runState === undefined) throw damaged(file, number);
    bytes += Buffer.byteLength(text) + 1;
    const changes = applyEvent(runState, event);
    commits.apply(event);
    recordedEnd.apply(event);
    onEvent(event, runState, changes);
  }
  if (!again) recordedEnd.assertReached(runState);
  if (runState === undefined) throw new ProblemError(empty(file));
  const { batchesCut, cursors, rejects, rejectedRows } = commits;
  const openBatches = [...runState.open.values()].sort(byFirstRow);
  return { runState, openBatches, batchesCut, cursors, rejects, rejectedRows, bytes };
}

/** How far the inputs and the rejects files are accounted for. */
class Commits {
  readonly cursors = new Map<number, Cursor>();
  readonly rejectedRows: Record<number, number> = {};
  rejects: Readonly<Record<number, number>> = {};
  batchesCut = 0;
  readonly #onDropped: ((row: DroppedRow) => void) | undefined;
  /** Invalid rows since the last commit, by source. */
  readonly #uncommitted = new Map<number, number>();
  /** Rows for `onDropped` since the last commit. */
  #dropped: DroppedRow[] = [];

  constructor(onDropped: ((row: DroppedRow) => void) | undefined) {
    this.#onDropped = onDropped;
  }

  apply(event: RunEvent): void {
    switch (event.event) {
      case 'row.invalid':
        this.#uncommitted.set(event.source, (this.#uncommitted.get(event.source) ?? 0) + 1);
        if (this.#onDropped !== undefined) this.#dropped.push(event);
        break;
      case 'row.skipped':
      case 'row.duplicate':
        if (this.#onDropped !== undefined) this.#dropped.push(event);
        break;
      case 'batch.sealed':
        this.batchesCut += 1;
        this.#commit(event, event.rejects);
        break;
      case 'source.ended':
        if (event.commit !== undefined) this.#commit(event.commit, event.rejects);
        break;
      case 'run.resumed':
      case 'run.ended':
        // The rejects file is cut back to the last commit, and the rows after it are read again.
        this.#uncommitted.clear();
        this.#dropped = [];
        break;
      default:
    }
  }

  #commit({ cursors, passed }: Commit, rejects: Readonly<Record<number, number>>): void {
    this.batchesCut += passed?.batches ?? 0;
    for (const cursor of cursors) this.cursors.set(cursor.source, cursor);
    for (const [source, rows] of this.#uncommitted) {
      this.rejectedRows[source] = (this.rejectedRows[source] ?? 0) + rows;
    }
    this.#uncommitted.clear();
    for (const row of this.#dropped) this.#onDropped?.(row);
    this.#dropped = [];
    this.rejects = rejects;
  }
}

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

/** The first line is written before anything is sent. */
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
