/**
 * The journal of a run, and the disk-space policy that belongs to it: some space is reserved for the journal. Once the
 * disk is full, only events about things that already happened are written, and no other file of the run grows.
 */
import { openAppend } from '../journal/append-file.ts';
import { encodeLine } from '../journal/event-line.ts';
import type { RunEvent } from '../model/event.ts';

export async function openJournal(path: string, reserve: string, options: { readonly fsync: boolean }) {
  const copying = new Set<Promise<void>>();
  const otherWrites = (): Promise<unknown> => Promise.allSettled(copying);
  const file = await openAppend(path, { ...options, reserve: { file: reserve, otherWrites } });
  return {
    /**
     * Resolves when the event is written, perhaps into the reserved space: then `diskFull` is set. After a failure every
     * later call fails.
     */
    append(event: RunEvent): Promise<void> {
      if (file.diskFull !== undefined && !hasHappened(event)) return Promise.reject(file.diskFull);
      return file.append(encodeLine(event));
    },
    /** Why the disk is full. Nothing new may be started then. */
    get diskFull(): Error | undefined {
      return file.diskFull;
    },
    /** Runs a write of the copy of a pipe. Rejects on a full disk, because the copy would use the reserved space. */
    async copy(write: () => Promise<void>): Promise<void> {
      if (file.diskFull !== undefined) throw file.diskFull;
      const written = write();
      copying.add(written);
      try {
        await written;
      } finally {
        copying.delete(written);
      }
    },
    truncate: (length: number) => file.truncate(length),
    close: () => file.close(),
  };
}

/** Whether an event is true even if it is not written. All others announce something. */
export function hasHappened({ event }: RunEvent): boolean {
  return event === 'attempt.failed' || event === 'batch.settled' || event === 'run.ended';
}
