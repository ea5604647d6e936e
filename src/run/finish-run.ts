/**
 * The end of the books, whatever ended the run: nothing that may have been processed stays pending, the rejects files
 * say what the books say, and the last fact says in which state the run is left.
 */
import type { Delivery } from '../deliver/index.ts';
import { batchesInFlight, settleAsUnknown } from '../journal/batch-reducer.ts';
import { applyEvent } from '../journal/ledger-reducer.ts';
import type { RunEvent } from '../model/event.ts';
import type { Stop } from '../model/outcome.ts';
import type { Recorder } from './recorder.ts';
import type { RejectsMark, RunFiles } from './run-files.ts';

/** How the run came to its end. */
export interface RunEnding {
  readonly delivery: Pick<Delivery, 'stop' | 'exhaustedByOutage'>;
  /** An input that failed half-way. */
  readonly inputStop: Stop | undefined;
  /** A limit of rows that was broken. */
  readonly limitStop: Stop | undefined;
  readonly rejectsAtCommit: RejectsMark;
}

/** Where the folder can't be written, the books are closed in memory. Rejects only for a mistake of the program. */
export async function finishRun(
  { ledger, record, assume, guarded, now }: Recorder,
  runFiles: RunFiles,
  { delivery, inputStop, limitStop, rejectsAtCommit }: RunEnding,
): Promise<void> {
  // Under way when nothing could be written any more, or in an earlier part and not reached by this one: it may have
  // been processed, so it is unknown. But its payload is not kept, so that the journal leaves it open. A resume cuts
  // it again and keeps it.
  const lost = batchesInFlight(ledger.open);
  for (const { batch, attempts } of lost) assume(settleAsUnknown(batch, attempts, now()));

  const settled = lost.length === 0 && ledger.rows.pending === 0;
  const done = settled && ledger.sources.every((source) => source.ended);
  // Where one of these fails, `guarded` has stopped the run, and the last fact says why.
  if (!done) await guarded(() => runFiles.cutRejects(rejectsAtCommit)).catch(() => undefined);
  const isListed = await guarded(() => runFiles.listRefused(done && limitStop === undefined)).then(
    () => true,
    () => false,
  );
  const stop = inputStop ?? delivery.stop;
  const putBack = delivery.exhaustedByOutage;
  const ended: RunEvent = {
    event: 'run.ended',
    time: now(),
    // A stop that came when everything was settled, and listed, has stopped nothing.
    ...(stop === undefined || (done && isListed && putBack.length === 0 && limitStop === undefined)
      ? { state: 'complete' }
      : { state: stop.code === 'signal' ? 'interrupted' : 'stopped', stop }),
    putBack,
  };
  await record(ended).catch(() => {
    // The folder can't be written: the books are closed in memory alone, and the summary says why.
    applyEvent(ledger, {
      ...ended,
      ...(delivery.stop === undefined ? {} : { state: 'stopped', stop: delivery.stop }),
    });
  });
}
