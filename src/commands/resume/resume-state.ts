/** From a run's journal: which batches a resume sends again, and where it continues reading. */
import { contracts } from '../../contract/index.ts';
import type { Recovered, Unsettled } from '../../journal/read-journal.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import type { ResumePoint } from '../../prepare/index.ts';
import { hasUnlistedRefusals } from '../../run/run-files.ts';
import type { Resume, Unfinished } from '../../run/upload-run.ts';

/** @param resend `--on-unknown resend` */
export function resumeState(
  recovered: Recovered,
  resend: boolean,
): { readonly from: ResumePoint; readonly state: Resume } {
  const { ledger, cursors, rejects, rejectedRows } = recovered;
  const resumable = recovered.unsettled.flatMap((batch) => {
    const unfinished = toResume(batch, isSafeToRepeat(recovered, resend));
    return unfinished === undefined ? [] : [{ unfinished, sealed: batch.sealed }];
  });
  return {
    from: {
      cursors,
      ended: new Set(ledger.sources.flatMap(({ ended }, index) => (ended ? [index] : []))),
      sealed: recovered.cut,
      again: resumable.map(({ sealed: { batch: id, digest, records, ranges } }) => ({
        id,
        digest,
        records,
        ranges,
      })),
    },
    state: {
      ledger,
      unsettled: new Map(resumable.map(({ unfinished }) => [unfinished.batch, unfinished])),
      rejects: { bytes: rejects, rows: rejectedRows },
    },
  };
}

/** Without the batches that replays claimed: only these replays send them. */
export function withoutClaimed(recovered: Recovered, claimed: ReadonlyMap<string, string>): Recovered {
  return { ...recovered, unsettled: recovered.unsettled.filter(({ sealed }) => !claimed.has(sealed.batch)) };
}

/** Whether a resume has nothing to send and no refused rows to list. */
export async function isDone(folder: RunFolder, recovered: Recovered, resend: boolean): Promise<boolean> {
  const isSafe = isSafeToRepeat(recovered, resend);
  return (
    recovered.ledger.sources.every(({ ended }) => ended) &&
    recovered.unsettled.every((batch) => toResume(batch, isSafe) === undefined) &&
    !(await hasUnlistedRefusals(folder.path))
  );
}

function isSafeToRepeat({ ledger }: Recovered, resend: boolean): boolean {
  return contracts[ledger.type].deduplicates || resend;
}

/** What a resume does with a batch, if anything (delivery.md, "Outcomes of a batch"). */
function toResume(batch: Unsettled, isSafe: boolean): Unfinished | undefined {
  const { sealed, attempts, maybeProcessed, outcome } = batch;
  if (outcome === 'unknown' && !isSafe) return undefined;
  const { batch: id, records, bytes, ranges } = sealed;
  const next = maybeProcessed && !isSafe ? 'hold' : 'send';
  return { batch: id, from: outcome, records, bytes, ranges, attempts, maybeProcessed, next };
}
