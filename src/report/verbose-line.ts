/** `--verbose`: one line per event that the progress display does not show. */

import { printable } from '../lib/printable.ts';
import { count, humanDuration, plural } from '../lib/units.ts';
import type { RunEvent } from '../model/event.ts';

/** The line for an event, without a line end; undefined for events that the progress display already shows. */
export function narrate(event: RunEvent): string | undefined {
  switch (event.event) {
    case 'attempt.failed': {
      const then = {
        retry: `retrying in ${humanDuration(event.afterMs ?? 0)}`,
        wait: `sending paused for ${humanDuration(event.afterMs ?? 0)}`,
        split: 'splitting it',
        settle: 'giving up',
        stop: 'stopping the run',
      }[event.next];
      const doubt = event.maybeProcessed ? ' (may have been processed)' : '';
      const error = printable(event.error, 300).replace(/\.$/u, '');
      return `batch ${event.batch}, attempt ${event.attempt}: ${error}${doubt}; ${then}`;
    }
    case 'batch.split': {
      const parts = event.parts.map(({ batch, records }) => `${batch} (${plural(records, 'record')})`);
      return `batch ${event.batch} split into ${parts.join(' and ')}`;
    }
    case 'batch.settled': {
      const status = event.receipt === undefined ? '' : ` as ${printable(event.receipt.batchId, 80)}`;
      return `batch ${event.batch}: ${event.outcome}${status} after ${humanDuration(event.ms)}`;
    }
    case 'throttle.changed':
      if (event.state === 'limited') {
        if (event.concurrency === undefined) return 'concurrency restored to --concurrency';
        const why = event.why === undefined ? '' : `: ${printable(event.why, 120)}`;
        return `concurrency limited to ${event.concurrency}${why}`;
      }
      return event.state === 'open'
        ? 'sending resumed'
        : `sending paused for ${humanDuration(event.ms ?? 0)}: ${printable(event.why ?? '', 120)}`;
    case 'source.ended':
      return `input ${event.source + 1} read completely: ${count(event.rows)} rows, XXH64 ${event.digest}`;
    default:
      return undefined;
  }
}
