/** From a run's journal: which batches a resume sends again, and where it continues reading. */
import path from 'node:path';
import { contracts } from '../../contract/index.ts';
import { lineageOf, replayedBatches } from '../../journal/lineage.ts';
import { type RecoveredRun, readJournal } from '../../journal/read-journal.ts';
import type { RunFile } from '../../journal/run-file.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import type { OpenBatch, RunReader } from '../../model/ledger.ts';
import type { ResumePoint } from '../../prepare/index.ts';
import type { ResumeState, UnsettledBatch } from '../../run/job.ts';
import { hasUnlistedRefusals } from '../../run/refused-rows.ts';

/** @param resend `--on-unknown resend` */
export function resumeState(
  recovered: RecoveredRun,
  resend: boolean,
): { readonly from: ResumePoint; readonly state: ResumeState } {
  const { ledger, cursors, rejects, rejectedRows } = recovered;
  const isSafe = isSafeToRepeat(recovered, resend);
  const unsettled = new Map(
    recovered.openBatches.flatMap((batch) => {
      const toSettle = toResume(batch, isSafe);
      return toSettle === undefined ? [] : [[batch.batch, toSettle] as const];
    }),
  );
  return {
    from: {
      cursors,
      ended: new Set(ledger.sources.flatMap(({ ended }, index) => (ended ? [index] : []))),
      sealed: recovered.batchesCut,
      toRecut: recovered.openBatches
        .filter(({ batch }) => unsettled.has(batch))
        .map(({ batch: id, digest, records, ranges }) => ({ id, digest, records, ranges })),
    },
    state: { ledger, batchesCut: recovered.batchesCut, unsettled, rejects: { bytes: rejects, rows: rejectedRows } },
  };
}

/** Reads the journal of a run, without the batches that replays claimed: only these replays send them. */
export async function recoverRun(folder: RunFolder, runFile: RunFile, onEvent?: RunReader): Promise<RecoveredRun> {
  const recovered = await readJournal(path.join(folder.path, 'journal.ndjson'), onEvent);
  const claimed = replayedBatches(await lineageOf(folder), runFile.run);
  return { ...recovered, openBatches: recovered.openBatches.filter(({ batch }) => !claimed.has(batch)) };
}

/** Whether a resume has nothing to send and no refused rows to list. */
export async function isDone(folder: RunFolder, recovered: RecoveredRun, resend: boolean): Promise<boolean> {
  const isSafe = isSafeToRepeat(recovered, resend);
  return (
    recovered.ledger.sources.every(({ ended }) => ended) &&
    recovered.openBatches.every((batch) => toResume(batch, isSafe) === undefined) &&
    // A run is complete only once they are listed.
    (recovered.ledger.state === 'complete' || !(await hasUnlistedRefusals(folder.path)))
  );
}

function isSafeToRepeat({ ledger }: RecoveredRun, resend: boolean): boolean {
  return contracts[ledger.type].deduplicates || resend;
}

/** What a resume does with a batch, if anything (delivery.md, "Outcomes of a batch"). */
function toResume(batch: OpenBatch, isSafe: boolean): UnsettledBatch | undefined {
  const { batch: id, records, bytes, ranges, attempts, maybeProcessed, isPart, state } = batch;
  if (state === 'unknown' && !isSafe) return undefined;
  const next = maybeProcessed && !isSafe ? 'settle' : 'send';
  return { batch: id, from: state, records, bytes, ranges, attempts, maybeProcessed, isPart, next };
}
