/** Folds the shards of a divided run into one run state. Pure. */
import { countSentBefore, noRows } from '../journal/apply-event.ts';
import { RunReasons } from '../journal/run-reasons.ts';
import { addCounts, type RunState } from '../model/run-state.ts';

/**
 * `read` is the number of rows of the inputs, as each shard has counted them to their end, and the other counts are sums
 * over the shards. So the run state balances only if every row belongs to exactly one shard. Until all shards are complete,
 * `read` is the number of rows that they have accounted for.
 *
 * @param shards all shards of one run, in their order
 */
export function mergeShards(shards: readonly RunState[]): RunState {
  const [first] = shards;
  if (first === undefined) throw new RangeError('there is no shard');
  const sum = (of: (runState: RunState) => number): number =>
    shards.reduce((total, runState) => total + of(runState), 0);
  const rows = shards.map((shard) => shard.rows).reduce(addCounts, noRows());
  const areEnded = shards.every(({ sources }) => sources.every(({ ended }) => ended));
  const merged: RunState = {
    ...first,
    shard: undefined,
    run: shards.map(({ run }) => run).join(' '),
    startedAt: shards.map(({ startedAt }) => startedAt).sort()[0] ?? first.startedAt,
    endedAt: latest(shards.map(({ endedAt }) => endedAt)),
    state: stateOf(shards),
    stop: shards.find(({ stop }) => stop !== undefined)?.stop,
    rows: areEnded
      ? { ...rows, read: Math.max(...shards.map((runState) => runState.rows.read + runState.excluded.rows)) }
      : rows,
    batches: shards.map(({ batches }) => batches).reduce(addCounts),
    service: shards.map(({ service }) => service).reduce(addCounts),
    sources: first.sources.map((source, index) => {
      const same = shards.flatMap(({ sources }) => sources[index] ?? []);
      const read = Math.min(...same.map((one) => one.read));
      return { ...source, read, ended: same.every(({ ended }) => ended) };
    }),
    undelivered: new Map(),
    reasons: RunReasons.merge(shards.map(({ reasons }) => reasons)),
    workedMs: sum(({ workedMs }) => workedMs),
    requests: sum(({ requests }) => requests),
    retries: sum(({ retries }) => retries),
    resent: sum(({ resent }) => resent),
    bytesSent: sum(({ bytesSent }) => bytesSent),
    notes: new Map(Object.entries(shards.map(({ notes }) => Object.fromEntries(notes)).reduce(addCounts))),
    firstNotes: new Map(shards.flatMap(({ firstNotes }) => [...firstNotes])),
    sentBefore: [],
    excluded: { batches: 0, rows: 0, invalid: 0, skipped: 0 },
  };
  for (const sent of shards.flatMap(({ sentBefore }) => sentBefore)) countSentBefore(merged, sent);
  return merged;
}

/** Undefined if one of them has not ended. */
function latest(times: readonly (string | undefined)[]): string | undefined {
  const known = times.flatMap((time) => (time === undefined ? [] : [time])).sort();
  return known.length < times.length ? undefined : known.at(-1);
}

/** A shard that was killed, or that a process works on, is `running` here. */
function stateOf(shards: readonly RunState[]): RunState['state'] {
  const states = ['interrupted', 'stopped', 'running'] as const;
  return states.find((state) => shards.some((runState) => runState.state === state)) ?? 'complete';
}
