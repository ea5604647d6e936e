/** The open batches of a run, which reports look up when a batch settles. Limited by the number of batches in flight. */
import type { BatchSealed, RunEvent } from '../model/event.ts';

export type OpenBatch = Pick<BatchSealed, 'batch' | 'records' | 'bytes' | 'ranges'>;

/** @returns a function that takes every event of a run, and returns the batch that the event settles */
export function followBatches(): (event: RunEvent) => OpenBatch | undefined {
  const open = new Map<string, OpenBatch>();
  const add = ({ batch, records, bytes, ranges }: OpenBatch): unknown =>
    open.set(batch, { batch, records, bytes, ranges });
  return (event) => {
    switch (event.event) {
      case 'batch.sealed':
        add(event);
        return undefined;
      case 'batch.split':
        // Its parts replace it. Counting both would count its records twice.
        open.delete(event.batch);
        event.parts.forEach(add);
        return undefined;
      case 'run.resumed':
        event.reopened.forEach(add);
        return undefined;
      case 'batch.settled': {
        const settled = open.get(event.batch);
        open.delete(event.batch);
        return settled;
      }
      default:
        return undefined;
    }
  };
}
