/** The open batches of a run, which reports look up when a batch settles. Limited by the number of batches in flight. */
import type { BatchSealed, RunEvent } from '../model/event.ts';

export type OpenBatch = Pick<BatchSealed, 'batch' | 'records' | 'bytes' | 'ranges'>;

/** @returns a function that takes every event of a run, and returns the batch that the event settles */
export function followBatches(): (event: RunEvent) => OpenBatch | undefined {
  // Not a Map: V8 links each table that a Map outgrows to the next one, which keeps all later batches in memory.
  const open: OpenBatch[] = [];
  const add = ({ batch, records, bytes, ranges }: OpenBatch): unknown => open.push({ batch, records, bytes, ranges });
  const take = (id: string): OpenBatch | undefined => {
    const index = open.findIndex(({ batch }) => batch === id);
    return index < 0 ? undefined : open.splice(index, 1)[0];
  };
  return (event) => {
    switch (event.event) {
      case 'batch.sealed':
        add(event);
        return undefined;
      case 'batch.split':
        // Its parts replace it. Counting both would count its records twice.
        take(event.batch);
        event.parts.forEach(add);
        return undefined;
      case 'run.resumed':
        event.reopened.forEach(add);
        return undefined;
      case 'batch.settled':
        return take(event.batch);
      default:
        return undefined;
    }
  };
}
