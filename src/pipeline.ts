/**
 * The whole flow: prepare -> journal -> deliver -> the end of the books. It knows no screen and no settings; what
 * it needs of the world is handed in.
 */
import { type Clock, createDelivery, type DeliveryOptions, type Transport } from './deliver/index.ts';
import {
  closeInputs,
  duplicateOf,
  endedOf,
  type FlowJob,
  invalidOf,
  lostOf,
  resumptionOf,
  sealedOf,
  skippedOf,
  startOf,
} from './facts.ts';
import { apply, emptyLedger } from './journal/fold.ts';
import { type Keeper, NO_REJECTS, type RejectsMark } from './keep.ts';
import { type RowLimits, watchRows } from './limits.ts';
import type { Batch } from './model/batch.ts';
import type { Reopened, RunEvent } from './model/event.ts';
import type { Ledger } from './model/ledger.ts';
import type { Stop } from './model/outcome.ts';
import type { Prepared, PreparedAgain, PreparedDuplicate, PreparedInvalid } from './model/prepared.ts';
import { type Problem, ProblemError } from './model/problem.ts';

export interface UploadJob extends FlowJob {
  readonly run: string;
  /** Where the batches come from: the inputs (prepare.ts), or what another run did not deliver (replay.ts). */
  readonly prepare: () => AsyncIterable<readonly Prepared[]>;
  readonly delivery: Omit<DeliveryOptions, 'contract'>;
  /** How long attempts in flight may go on after an interruption, in milliseconds. */
  readonly graceMs: number;
  readonly limits?: RowLimits;
  /** Whether the journal tells the keys of records, for those who ask which were sent. */
  readonly keys?: boolean;
  /** What an earlier part of the run came to. Absent where the run begins. */
  readonly resume?: Resume;
}

export interface Resume {
  /** The books so far; they go on. */
  readonly ledger: Ledger;
  /** Batches that are not settled for good, by id. */
  readonly unsettled: ReadonlyMap<string, Unfinished>;
  /** How long the rejects files were at the last commit. */
  readonly rejects: RejectsMark;
}

export interface Unfinished extends Reopened {
  /** `send` it again, or `hold` it: it may have been processed, and nothing documents that twice is harmless. */
  readonly then: 'send' | 'hold';
}

export interface UploadDoors {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly keeper: Keeper;
  /** Told of every event once it is in the journal, with the books that include it. */
  readonly readers: readonly ((event: RunEvent, ledger: Ledger) => void)[];
  /** Aborted when the user or the system ends the run; the reason is the signal's name. */
  readonly signal: AbortSignal;
}

type PreparedDropped = PreparedInvalid | PreparedDuplicate;

/** Stops that do not wait for a pipe's end: somebody wants to go, or nothing can be written. */
const HURRIES: ReadonlySet<Stop['code']> = new Set(['signal', 'storage']);

/**
 * Uploads the inputs of a job and resolves to the books, whatever happened on the way: a service that fails, a
 * full disk and an interruption are entries in them. Rejects only for a mistake of the program.
 */
export async function upload(job: UploadJob, doors: UploadDoors): Promise<Ledger> {
  const { keeper, clock, transport } = doors;
  const time = (): string => new Date(clock.date()).toISOString();
  const { resume } = job;
  const begun = resume === undefined ? startOf(job, job.run, time()) : resumptionOf(resume, time());
  const ledger = begun.event === 'run.started' ? emptyLedger(begun) : resume?.ledger;
  if (ledger === undefined) throw new Error('a run that goes on has books');
  let rejectsAtCommit = resume?.rejects ?? NO_REJECTS;

  /** Stops the run when the folder can't be written: what is not recorded must not happen. */
  const guarded = async (write: () => Promise<void>): Promise<void> => {
    try {
      await write();
    } catch (error) {
      delivery.halt(storageStop(keeper.folder.path, error));
      throw error;
    }
  };

  /** The gate: an event is journalled first, then entered into the books, then told to the readers. */
  const record = async (event: RunEvent): Promise<void> => {
    const result = event.event === 'attempt.failed' || event.event === 'batch.settled';
    await guarded(() => keeper.journal(event)).catch((error: unknown) => {
      // What the service answered is true even where it can't be written any more.
      if (!result) throw error;
    });
    apply(ledger, event);
    for (const read of doors.readers) read(event, ledger);
    if (delivery.stop?.code !== 'storage') await guarded(() => keeper.log(event));
  };

  const delivery = createDelivery(
    { ...job.delivery, contract: job.contract, deliveredBefore: resume?.ledger.batches.delivered ?? 0 },
    {
      transport,
      clock,
      record,
      keep: (batch, outcome, words) =>
        guarded(async () => {
          await keeper.undelivered(batch, outcome);
          if (words !== undefined) await keeper.refused(batch, words);
        }),
    },
  );

  const watch = watchRows(job.limits ?? {});
  let held: Batch[] = [];
  let heldBytes = 0;
  /** Sends a batch, or keeps it back as long as the limits of rows may yet forbid that. */
  const submit = async (batch: Batch): Promise<void> => {
    held.push(batch);
    heldBytes += batch.payload.byteLength;
    if (!watch.holds() || heldBytes > HOLD_LIMIT) await release();
  };
  const release = async (): Promise<void> => {
    const batches = held;
    held = [];
    heldBytes = 0;
    for (const batch of batches) await delivery.submit(batch);
  };

  /** Consecutive rows that are dropped one by one, all at once: a file may consist of nothing else. */
  const takeDropped = async (items: readonly PreparedDropped[]): Promise<void> => {
    const invalid = items.filter((item) => item.kind === 'invalid');
    await guarded(async () => {
      await Promise.all(
        invalid.map(({ position, issues, content }) =>
          keeper.reject(position.source, position.line, issues, content),
        ),
      );
    });
    await Promise.all(
      items.map((item) => record(item.kind === 'invalid' ? invalidOf(item) : duplicateOf(item))),
    );
  };

  const take = async (item: Exclude<Prepared, PreparedDropped>): Promise<void> => {
    switch (item.kind) {
      case 'skipped':
        return record(skippedOf(item));
      case 'batch': {
        const rejects = keeper.rejectsMark();
        await record(sealedOf(item, rejects.bytes, job.keys === true));
        rejectsAtCommit = rejects;
        if (item.maybeProcessed !== true) return submit(item.batch);
        return delivery.submit(item.batch, { attempts: 0, maybeProcessed: true });
      }
      case 'again':
        return again(item);
      case 'end': {
        await record(endedOf(item, time(), keeper.rejectsMark().bytes));
        if (item.commit !== undefined) rejectsAtCommit = keeper.rejectsMark();
      }
    }
  };

  /** A batch of an earlier part of the run, cut again. */
  const again = async ({ batch, matches }: PreparedAgain): Promise<void> => {
    if (!matches) throw new ProblemError(changedInput(job, batch));
    const course = resume?.unsettled.get(batch.id);
    if (course === undefined) throw new Error(`batch ${batch.id} was cut again and is not known`);
    if (course.then === 'send') return delivery.submit(batch, course);
    await guarded(() => keeper.undelivered(batch, 'unknown'));
    await record(lostOf(batch.id, course.attempts, time()));
  };

  const over = new AbortController();
  const interrupt = (): void => {
    delivery.halt({ code: 'signal', message: `The run was interrupted (${String(doors.signal.reason)}).` });
    void clock.sleep(job.graceMs, over.signal).then(delivery.abandon);
  };
  // A reader that waits would otherwise wait on, although nothing will be sent any more. But a pipe is read to its
  // end all the same, where nobody is in a hurry: what it has given it will not give again.
  const isDraining = (): boolean => delivery.stop !== undefined && !HURRIES.has(delivery.stop.code);
  delivery.halted.addEventListener('abort', () => {
    for (const { source } of job.inputs)
      if (source.spooled === undefined || !isDraining()) void source.close();
  });
  let spooled: readonly Promise<void>[] = [];
  doors.signal.addEventListener('abort', interrupt, { once: true });
  if (doors.signal.aborted) interrupt();

  let inputStop: Stop | undefined;
  /** Why the run must not count as complete, even where all was sent before that was known. */
  let limitStop: Stop | undefined;
  try {
    await record(begun);
    spooled = job.inputs.map(async ({ source }, index) => {
      const end = await source.spooled;
      if (end !== undefined) await record({ event: 'source.spooled', time: time(), source: index, ...end });
    });
    for await (const items of job.prepare()) {
      const dropped: PreparedDropped[] = [];
      for (const item of items) {
        if (delivery.halted.aborted) break;
        limitStop = watch.see(item);
        if (limitStop !== undefined) delivery.halt(limitStop);
        if (item.kind === 'invalid' || item.kind === 'duplicate') dropped.push(item);
        else {
          await takeDropped(dropped.splice(0));
          await take(item);
        }
      }
      await takeDropped(dropped);
      if (delivery.halted.aborted) break;
    }
    if (!delivery.halted.aborted) {
      limitStop = watch.end();
      if (limitStop === undefined) await release();
      else delivery.halt(limitStop);
    }
  } catch (error) {
    // Once the run is halted, an input that was closed and a folder that can't be written are no news.
    if (!delivery.halted.aborted) {
      if (!(error instanceof ProblemError)) {
        closeInputs(job);
        throw error;
      }
      inputStop = { code: 'input', message: error.message };
    }
  } finally {
    // Whatever happened to the reader, what has been submitted is carried to its end.
    await delivery.idle();
    doors.signal.addEventListener('abort', () => closeInputs(job), { once: true });
    await Promise.allSettled(spooled);
    doors.signal.removeEventListener('abort', interrupt);
    over.abort();
    closeInputs(job);
  }

  // A batch of an earlier part that was not reached any more: what may have been processed is not pending.
  for (const [id, { attempts, maybeProcessed }] of ledger.open) {
    if (maybeProcessed) await record(lostOf(id, attempts, time())).catch(() => undefined);
  }

  const stop = inputStop ?? delivery.stop;
  const done = ledger.rows.pending === 0 && ledger.sources.every((source) => source.ended);
  if (!done) await guarded(() => keeper.cutRejects(rejectsAtCommit)).catch(() => undefined);
  await guarded(() => keeper.listRefused(done && limitStop === undefined)).catch(() => undefined);
  const putBack = delivery.exhaustedByOutage;
  const ended: RunEvent = {
    event: 'run.ended',
    time: time(),
    // A stop that came when everything was settled has stopped nothing.
    ...(stop === undefined || (done && putBack.length === 0 && limitStop === undefined)
      ? { state: 'complete' }
      : { state: stop.code === 'signal' ? 'interrupted' : 'stopped', stop }),
    putBack,
  };
  await record(ended).catch(() => {
    // The folder can't be written: the books are closed in memory alone, and the summary says why.
    apply(ledger, {
      ...ended,
      ...(delivery.stop === undefined ? {} : { state: 'stopped', stop: delivery.stop }),
    });
  });
  return ledger;
}

/** Payloads that are held back for the limits of rows, in bytes. */
const HOLD_LIMIT = 64 * 1024 * 1024;

function changedInput(job: FlowJob, batch: Batch): Problem {
  const places = batch.ranges.map(({ source, firstLine, lastLine }) => {
    return `${job.inputs[source]?.source.name ?? 'input'}, lines ${firstLine} to ${lastLine}`;
  });
  return {
    code: 'resume.changed',
    message: `Batch ${batch.id} (${places.join('; ')}) comes out otherwise than when it was sealed: the input or the mapping has changed since. It was not sent.`,
    hint: 'Put the input back as it was, or upload the new one as a run of its own.',
  };
}

function storageStop(folder: string, error: unknown): Stop {
  return {
    code: 'storage',
    message: `The run folder ${folder} cannot be written (${messageOf(error)}), so nothing more is sent.`,
    hint: 'Make room on the disk, or name another folder with --out DIR.',
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
