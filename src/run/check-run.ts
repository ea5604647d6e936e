/** `check`: prepares the inputs like an upload and sends nothing. */
import { applyEvent, newRunState } from '../journal/apply-event.ts';
import { loadDigests } from '../lib/digest.ts';
import type { RunEvent } from '../model/event.ts';
import type { Prepared } from '../model/prepared.ts';
import type { Issue, Position } from '../model/row.ts';
import type { RunReader, RunState } from '../model/run-state.ts';
import { type PrepareJob, prepare } from '../prepare/index.ts';
import { closeInputs } from './intake.ts';
import type { RunJob } from './job.ts';
import { eventOf, runStarted } from './recorder.ts';
import { ClaimGate, type FindSent, ShardSelector } from './select-records.ts';

/**
 * Resolves to the run state as an upload would have it before its first request, with every valid row pending. Writes
 * nothing.
 */
export async function runCheck(
  job: PrepareJob & Pick<RunJob, 'shard'> & { readonly findSent?: FindSent | undefined },
  signal: AbortSignal,
  onInvalid: (position: Position, issues: readonly Issue[]) => void,
  onEvent: RunReader,
): Promise<RunState> {
  const time = new Date().toISOString();
  const started = runStarted(job, 'check', time);
  const runState = newRunState(started);
  const record = (event: RunEvent): void => {
    onEvent(event, runState, applyEvent(runState, event));
  };
  record(started);
  signal.addEventListener('abort', () => closeInputs(job));
  const shard = job.shard && new ShardSelector(job.shard, 0);
  const gate = job.findSent && new ClaimGate(job.findSent, (await loadDigests()).digestOf);
  try {
    for await (const items of prepare(job)) {
      const selected = items.flatMap((prepared) => shard?.select(prepared) ?? [prepared]);
      const claimed: Prepared[] = [];
      for (const item of selected) claimed.push(...((await gate?.select(item)) ?? [item]));
      for (const item of claimed) {
        if (item.kind === 'rebuilt') throw new Error('a check does not resume a run');
        if (item.kind === 'invalid') onInvalid(item.position, item.issues);
        record(eventOf(item, time, {}));
        if (item.kind !== 'batch') continue;
        // The batch will never settle, and a large file has many.
        runState.undelivered.delete(item.batch.id);
        item.batch.release?.();
      }
      if (signal.aborted) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const state = signal.aborted ? 'interrupted' : 'complete';
  record({ event: 'run.ended', time, state, putBack: [] });
  return runState;
}
