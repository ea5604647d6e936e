/**
 * A journal, read again: what a run came to before it stopped, was interrupted, or was killed. Only whole lines
 * count. A last line that was torn by a crash is as if it had never been written: what it would have said had not
 * been acted upon yet.
 */

import { messageOf } from '../lib/text.ts';
import type { Cursor } from '../model/batch.ts';
import type { RunEvent, SealedPart } from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { decodeLine, lostItsEnd } from './event-line.ts';
import { type Line, linesOf } from './file-lines.ts';
import { apply, emptyLedger } from './reducer.ts';

/** A batch that was neither delivered nor refused. */
export interface Unsettled {
  readonly sealed: SealedPart;
  /** The batch is a part of one that was split. */
  readonly isPart: boolean;
  readonly attempts: number;
  /** Whether an attempt may have been processed: its result is missing, or it says so. */
  readonly maybeProcessed: boolean;
  /** What the journal says that became of it; pending where it says nothing. */
  readonly outcome: 'pending' | 'exhausted' | 'unknown';
}

export interface Recovered {
  readonly ledger: Ledger;
  /** In the order of their rows. */
  readonly unsettled: readonly Unsettled[];
  /** Batches that were cut from the inputs; the parts of split ones are none. */
  readonly cut: number;
  /** For each input that was begun, how far it is accounted for. */
  readonly cursors: ReadonlyMap<number, Cursor>;
  /** Lengths of the rejects files at the last commit. */
  readonly rejects: Readonly<Record<number, number>>;
  /** Rows in the rejects files at the last commit. */
  readonly rejectedRows: Readonly<Record<number, number>>;
  /** Length of the whole lines, in bytes: what is behind was torn. */
  readonly bytes: number;
}

/**
 * Reads a journal from its beginning.
 *
 * @param onEvent told of every whole line, for readers that are to know what a live run's readers knew
 * @throws ProblemError `journal.missing`, `journal.damaged`, `journal.empty`
 */
export async function readJournal(
  file: string,
  onEvent: (event: RunEvent, ledger: Ledger) => void = () => undefined,
): Promise<Recovered> {
  let ledger: Ledger | undefined;
  const unsettled = new Map<string, { -readonly [Key in keyof Unsettled]: Unsettled[Key] }>();
  const cursors = new Map<number, Cursor>();
  let rejects: Readonly<Record<number, number>> = {};
  const rejectedRows: Record<number, number> = {};
  /** Rows rejected since the last commit, by source. */
  let open: Record<number, number> = {};
  let cut = 0;
  let bytes = 0;
  let number = 0;

  const commit = (now: readonly Cursor[]): void => {
    for (const cursor of now) cursors.set(cursor.source, cursor);
    for (const [source, rows] of Object.entries(open)) {
      rejectedRows[Number(source)] = (rejectedRows[Number(source)] ?? 0) + rows;
    }
    open = {};
  };

  for await (const { text, whole } of journalLines(file)) {
    number += 1;
    if (!whole && lostItsEnd(text)) throw damaged(file, number);
    if (!whole) break;
    const event = decodeLine(text);
    if (event === undefined || (ledger === undefined && event.event !== 'run.started')) {
      throw damaged(file, number);
    }
    bytes += Buffer.byteLength(text) + 1;
    if (event.event === 'run.started') ledger = emptyLedger(event);
    if (ledger === undefined) continue;
    apply(ledger, event);
    switch (event.event) {
      case 'row.invalid':
        open[event.source] = (open[event.source] ?? 0) + 1;
        break;
      case 'batch.sealed':
        commit(event.cursors);
        rejects = event.rejects;
        cut += 1;
        unsettled.set(event.batch, {
          sealed: event,
          isPart: false,
          attempts: 0,
          maybeProcessed: event.maybeProcessed === true,
          outcome: 'pending',
        });
        break;
      case 'batch.split':
        unsettled.delete(event.batch);
        for (const sealed of event.parts) {
          const maybeProcessed = sealed.maybeProcessed === true;
          unsettled.set(sealed.batch, {
            sealed,
            isPart: true,
            attempts: 0,
            maybeProcessed,
            outcome: 'pending',
          });
        }
        break;
      case 'source.ended':
        if (event.commit !== undefined) {
          commit(event.commit.cursors);
          rejects = event.rejects;
        }
        break;
      case 'attempt.started': {
        const batch = unsettled.get(event.batch);
        if (batch !== undefined) {
          batch.attempts = event.attempt;
          // Until its result is known.
          batch.maybeProcessed = true;
        }
        break;
      }
      case 'attempt.failed': {
        const batch = unsettled.get(event.batch);
        if (batch !== undefined) batch.maybeProcessed = event.maybeProcessed;
        break;
      }
      case 'batch.settled': {
        const batch = unsettled.get(event.batch);
        if (event.outcome === 'delivered' || event.outcome === 'refused') unsettled.delete(event.batch);
        else if (batch !== undefined) batch.outcome = event.outcome;
        break;
      }
      case 'run.resumed':
        // Whatever was in the rejects file behind the last commit was cut, and is read again.
        open = {};
        for (const { batch: id } of event.reopened) {
          const batch = unsettled.get(id);
          if (batch !== undefined) batch.outcome = 'pending';
        }
        break;
      case 'run.ended':
        open = {};
        for (const id of event.putBack) {
          const batch = unsettled.get(id);
          if (batch !== undefined) batch.outcome = 'pending';
        }
        break;
      default:
    }
    onEvent(event, ledger);
  }
  if (ledger === undefined) throw new ProblemError(empty(file));
  return {
    ledger,
    unsettled: [...unsettled.values()].sort(byRows),
    cut,
    cursors,
    rejects,
    rejectedRows,
    bytes,
  };
}

/** Parts are sealed behind the batches that follow theirs, and stand before them. */
function byRows({ sealed: one }: Unsettled, { sealed: other }: Unsettled): number {
  const [first] = one.ranges;
  const [second] = other.ranges;
  if (first === undefined || second === undefined) return 0;
  return first.source - second.source || first.firstRow - second.firstRow;
}

/** @throws ProblemError `journal.missing` */
async function* journalLines(file: string): AsyncGenerator<Line> {
  try {
    yield* linesOf(file);
  } catch (error) {
    throw new ProblemError({
      code: 'journal.missing',
      message: `The journal ${file} cannot be read: ${messageOf(error)}.`,
      hint: 'Without its journal nobody can tell what a run has sent.',
    });
  }
}

/** The first line is written before anything is sent, so that a run without it has done nothing. */
function empty(file: string): Problem {
  return {
    code: 'journal.empty',
    message: 'The run ended before the first line of its journal was written: nothing was sent.',
    where: file,
    hint: 'Upload the input anew. This folder can be removed.',
  };
}

function damaged(file: string, line: number): ProblemError {
  return new ProblemError({
    code: 'journal.damaged',
    message: `Line ${line} of the journal is damaged: its checksum does not fit. What the run has sent cannot be told from it, so nothing is sent.`,
    where: `${file}:${line}`,
    hint: 'Look into results.csv in the same folder for what was delivered.',
  });
}
