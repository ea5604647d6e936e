/** How long the service took to answer a request. Pure. */
import type { RunEvent } from '../model/event.ts';
import type { BatchChange } from '../model/run-state.ts';

/** In milliseconds. Undefined if the event is not about an answer. */
export function answerMs(event: RunEvent, [change]: readonly BatchChange[]): number | undefined {
  if (event.event === 'attempt.failed') return event.status === undefined ? undefined : event.ms;
  const sentAt = event.event === 'batch.settled' && event.outcome === 'delivered' ? change?.batch.sentAt : undefined;
  return sentAt === undefined || !('time' in event) ? undefined : Date.parse(event.time) - Date.parse(sentAt);
}
