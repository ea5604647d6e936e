/**
 * The books of a run, and the gate that every fact passes on its way into them: journalled first, then entered,
 * then told to the readers. What cannot be journalled must not happen, so a run folder that cannot be written
 * halts the run.
 */
import { type Delivery, type DeliveryDeps, isoTime } from '../deliver/index.ts';
import { applyEvent, emptyLedger } from '../journal/ledger-reducer.ts';
import { messageOf } from '../lib/text.ts';
import type { AttemptStarted, RunEvent } from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Stop } from '../model/outcome.ts';
import { resumptionOf, startOf } from './events.ts';
import type { UploadDeps, UploadJob } from './job.ts';

export interface Recorder {
  readonly ledger: Ledger;
  /** The time that a fact carries: ISO 8601, UTC. */
  now(): string;
  /** Records that the run begins, or goes on. */
  begin(): Promise<void>;
  /** Resolves when the event is in the journal and in the books. Rejects where it is in neither, and where nothing may be sent. */
  record(event: RunEvent): Promise<void>;
  /** Enters an event and tells the readers, without a line in the journal: what a resume has to find out anew. */
  assume(event: RunEvent): void;
  /** As delivery asks for it: {@link DeliveryDeps.keep}. */
  readonly keep: DeliveryDeps['keep'];
  /** Writes into the run folder; where that fails the run is halted, and the fault is thrown. */
  guarded(write: () => Promise<void>): Promise<void>;
}

/** @param delivery asked for late: it is made with the books that halt it */
export function createRecorder(
  job: UploadJob,
  { runFiles, clock, readers }: Pick<UploadDeps, 'runFiles' | 'clock' | 'readers'>,
  delivery: () => Pick<Delivery, 'halt' | 'stop'>,
): Recorder {
  const now = isoTime(clock);
  const { begun, ledger } = beginningOf(job, now());

  const guarded: Recorder['guarded'] = async (write) => {
    try {
      await write();
    } catch (error) {
      delivery().halt(storageStop(runFiles.folder.path, error));
      throw error;
    }
  };

  const assume: Recorder['assume'] = (event) => {
    applyEvent(ledger, event);
    for (const read of readers) read(event, ledger);
  };

  /** An attempt that may stand in the journal and never left. Where not even that can be written, it counts as lost. */
  const takeBack = async ({ batch, attempt }: AttemptStarted): Promise<void> => {
    const maybeProcessed = ledger.open.get(batch)?.maybeProcessed === true;
    const error = 'it was not sent, because the run folder cannot be written';
    const taken = { event: 'attempt.failed', time: now(), batch, attempt, ms: 0, error } as const;
    await runFiles.journal({ ...taken, maybeProcessed, next: 'stop' }).catch(() => undefined);
  };

  const record: Recorder['record'] = async (event) => {
    try {
      await runFiles.journal(event);
      if (runFiles.full !== undefined) {
        delivery().halt(storageStop(runFiles.folder.path, runFiles.full));
        // It found room, and so did what stands beside it; but nothing is sent any more.
        if (event.event === 'attempt.started') throw runFiles.full;
      }
    } catch (error) {
      delivery().halt(storageStop(runFiles.folder.path, error));
      if (event.event === 'attempt.started') await takeBack(event);
      // What the service answered is true even where it can't be written any more.
      if (event.event !== 'attempt.failed' && event.event !== 'batch.settled') throw error;
    }
    // What is in the journal is in the books: both say how far the rejects files have come, for one.
    assume(event);
    const logged = delivery().stop?.code === 'storage' ? undefined : runFiles.logResult(event);
    if (logged !== undefined) await guarded(() => logged);
  };

  return {
    ledger,
    now,
    begin: () => record(begun),
    record,
    assume,
    keep: (batch, outcome, words) =>
      guarded(async () => {
        await runFiles.undelivered(batch, outcome);
        if (words !== undefined) await runFiles.refused(batch, words);
      }),
    guarded,
  };
}

/** The first fact, and the books that it finds: empty ones, or those of the run's earlier parts. */
function beginningOf(job: UploadJob, time: string): { begun: RunEvent; ledger: Ledger } {
  const { resume } = job;
  if (resume !== undefined) return { begun: resumptionOf(resume, time), ledger: resume.ledger };
  const begun = startOf(job, job.run, time);
  return { begun, ledger: emptyLedger(begun) };
}

function storageStop(folder: string, error: unknown): Stop {
  return {
    code: 'storage',
    message: `The run folder ${folder} cannot be written (${messageOf(error)}), so nothing more is sent.`,
    hint: 'Make room on its disk, and see that you may write to it.',
  };
}
