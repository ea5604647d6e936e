/** The delivered batches of a run and its replays in which the service rejected records. */
import type { SealedBatch } from '../batch/recut.ts';
import { isPartOf } from '../deliver/split-batch.ts';
import { type InspectedBatch, inspectRun } from '../journal/inspect-run.ts';
import type { Lineage } from '../journal/lineage.ts';
import type { BatchSettled } from '../model/event.ts';
import { byFirstRow } from '../model/row-spans.ts';

/** A delivered batch with rejected records. */
export interface RejectingBatch {
  readonly id: string;
  readonly digest: string;
  readonly records: number;
  readonly rejected: number;
  /** The counts of its receipt do not add up to its records. */
  readonly isUnaccounted: boolean;
  /** The batch of the root run that it is, or is a part of: that one can be rebuilt from the inputs. */
  readonly sealed: SealedBatch;
}

/** In the order of their rows. Reads the journals. @param lineage the root run first */
export async function rejectingBatches(lineage: Lineage): Promise<readonly RejectingBatch[]> {
  const [root] = lineage;
  const undelivered = [...root.inspected.batches.values()];
  const found: RejectingBatch[] = [];
  for (const run of lineage) {
    let settled: BatchSettled | undefined;
    const onDelivered = ({ batch: id, digest, records, ranges }: InspectedBatch): void => {
      const rejected = settled?.receipt?.rejected ?? 0;
      if (rejected === 0) return;
      // A replay does not know where the rows of a part begin, and the root run has cut the batch.
      const cut = run === root ? undefined : undelivered.find(({ batch }) => batch === id || isPartOf(id, batch));
      const sealed = cut === undefined ? { id, digest, records, ranges } : { ...cut, id: cut.batch };
      found.push({ id, digest, records, rejected, isUnaccounted: settled?.unaccounted !== 0, sealed });
    };
    await inspectRun(run.folder.path, false, {
      onEvent: (event) => {
        if (event.event === 'batch.settled') settled = event;
      },
      onDelivered,
    });
  }
  return found.sort((one, other) => byFirstRow(one.sealed, other.sealed));
}
