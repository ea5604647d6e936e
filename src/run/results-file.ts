/** `results.csv`, written from the events of a run. It can be made again from the journal, so no caller waits for its lines. */
import { openAppend } from '../journal/append-file.ts';
import type { RunEvent } from '../model/event.ts';
import { createResultsLog } from '../report/results-log.ts';

/** Starts the file anew: a run that resumes logs the events of its journal again. */
export async function openResults(path: string, blockedBy: () => Error | undefined) {
  const results = createResultsLog();
  const file = await openAppend(path, { isDelayed: true, blockedBy });
  await file.truncate(0);
  void file.append(results.header);
  await file.flush();
  return {
    /** Adds the line of an event, if it has one. Returns a promise only for the last event, when every line is written. */
    log(event: RunEvent): Promise<void> | undefined {
      const line = results.on(event);
      if (line !== undefined) void file.append(line);
      return event.event === 'run.ended' ? file.flush() : undefined;
    },
    flush: () => file.flush(),
    close: () => file.close(),
  };
}
