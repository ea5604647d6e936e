/** `--verbose`: what happens to batches while it happens, one line an event worth telling. Pure. */

import { printable } from '../lib/printable.ts';
import { count, humanDuration, plural } from '../lib/units.ts';
import type { RunEvent } from '../model/event.ts';

/** The line for an event, without a line end; undefined for events that the progress tells well enough. */
export function narrate(event: RunEvent): string | undefined {
  switch (event.event) {
    case 'attempt.failed': {
      const then = {
        retry: `again in ${humanDuration(event.afterMs ?? 0)}`,
        wait: `all sending waits ${humanDuration(event.afterMs ?? 0)}`,
        split: 'its parts follow',
        settle: 'not again',
        stop: 'the run stops',
      }[event.next];
      const doubt = event.maybeProcessed ? '; it may have been processed' : '';
      return `batch ${event.batch}, attempt ${event.attempt}: ${printable(event.error, 300)}${doubt}; ${then}`;
    }
    case 'batch.split': {
      const parts = event.parts.map(({ batch, records }) => `${batch} (${plural(records, 'record')})`);
      return `batch ${event.batch} is split into ${parts.join(' and ')}`;
    }
    case 'batch.settled': {
      const status = event.receipt === undefined ? '' : ` as ${printable(event.receipt.batchId, 80)}`;
      return `batch ${event.batch}: ${event.outcome}${status} after ${humanDuration(event.ms)}`;
    }
    case 'throttle.changed':
      if (event.state === 'paced') {
        if (event.concurrency === undefined) return 'as many requests at once as --concurrency allows';
        const why = event.why === undefined ? '' : `: ${printable(event.why, 120)}`;
        return `at most ${plural(event.concurrency, 'request')} at once${why}`;
      }
      return event.state === 'open'
        ? 'sending goes on'
        : `sending waits ${humanDuration(event.ms ?? 0)}: ${printable(event.why ?? '', 120)}`;
    case 'source.ended':
      return `input ${event.source + 1} was read to its end: ${count(event.rows)} rows, XXH64 ${event.digest}`;
    default:
      return undefined;
  }
}
