/** Which batches of a run count as sent to a service. */
import { expect, test } from 'vitest';
import { SentBatches } from '../../src/claims/sent-batches.ts';
import { newRunState } from '../../src/journal/apply-event.ts';
import type { BatchSettled } from '../../src/model/event.ts';
import type { UndeliveredBatch } from '../../src/model/run-state.ts';

const [HERE, ELSEWHERE] = ['https://api.example.com', 'https://other.example.com'];
const TIME = '2026-11-20T09:00:00.000Z';

/** A run that has begun at a base URL, and the batches that count as sent {@link HERE}, with the names of batches as keys. */
function runAt(begun: string, includesUnknown = true) {
  const sent: string[] = [];
  const batches = new SentBatches({ baseUrl: HERE, begun }, includesUnknown, (state, keys) =>
    sent.push(`${keys} ${state}`),
  );
  const state = newRunState({ event: 'run.started', v: 1, time: TIME, run: 'r', type: 'social', inputs: [] });
  const batchOf = (batch: string): UndeliveredBatch => {
    const facts = { digest: 'd', records: 9, bytes: 1, ranges: [], attempts: 1 };
    return { batch, keys: batch, state: 'pending', maybeProcessed: true, ...facts };
  };
  return {
    sent,
    settle(outcome: 'delivered' | 'unknown' | 'refused', batch = batchOf('1'), more: Partial<BatchSettled> = {}) {
      const facts = { time: TIME, batch: batch.batch, attempts: 1, ms: 1, unaccounted: 0 };
      const event = { event: 'batch.settled', outcome, ...facts, ...more } as const;
      batches.add(event, state, [{ batch, from: 'pending', to: outcome }]);
    },
    /** @param inFlight names of the batches that have no outcome yet */
    resume(baseUrl: string, ...inFlight: readonly string[]) {
      state.undelivered = new Map(inFlight.map((name) => [name, batchOf(name)]));
      batches.add({ event: 'run.resumed', time: TIME, baseUrl }, state, []);
    },
    batchOf,
  };
}

test('a batch counts as delivered if the service took each of its records', () => {
  const { sent, settle, batchOf } = runAt(HERE);
  settle('delivered');
  settle('refused', batchOf('2'));
  settle('delivered', batchOf('3'), { unaccounted: 1 });
  settle('delivered', batchOf('4'), { receipt: { batchId: 'b', rejected: 1 } });
  settle('delivered', { ...batchOf('5'), keys: undefined });
  settle('unknown', batchOf('6'));
  settle('unknown', batchOf('6'));
  expect(sent).toEqual(['1 delivered', '6 unknown']);
});

test('only what was sent here counts, and what is in flight when a run goes on is unknown', () => {
  const { sent, settle, resume, batchOf } = runAt(ELSEWHERE);
  settle('delivered', batchOf('1'));
  settle('unknown', batchOf('2'));
  resume(HERE, '3');
  settle('delivered', batchOf('4'));
  settle('unknown', batchOf('3'));
  resume(ELSEWHERE, '5');
  settle('delivered', batchOf('6'));
  expect(sent).toEqual(['4 delivered', '3 unknown', '5 unknown']);
});

test('of records that the service deduplicates, unknown ones do not count', () => {
  const { sent, settle, resume } = runAt(HERE, false);
  settle('unknown');
  resume(HERE, '2');
  expect(sent).toEqual([]);
});
