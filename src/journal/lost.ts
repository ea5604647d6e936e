/** The fact that stands for an answer that nobody will read any more. Pure. */
import type { BatchSettled } from '../model/event.ts';

/** An attempt was under way when the program ended, and its answer went with it. @param time ISO 8601, UTC */
export function lostOf(batch: string, attempts: number, time: string): BatchSettled {
  const error = 'the program ended before the answer came';
  return { event: 'batch.settled', time, batch, outcome: 'unknown', attempts, ms: 0, unaccounted: 0, error };
}
