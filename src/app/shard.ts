/** `--shard`: which part of a divided run this process sends, and its part of the rate and of the concurrency. */
import { countSentBefore, noRows } from '../journal/apply-event.ts';
import { RunReasons } from '../journal/run-reasons.ts';
import type { Shard } from '../model/batch.ts';
import { addCounts } from '../model/counts.ts';
import type { RunState } from '../model/run-state.ts';
import { usageError } from '../options/option-spec.ts';
import type { Settings } from '../options/option-table.ts';
import type { Rate } from '../options/parse-values.ts';

const MAX_SHARDS = 100_000;

interface Scheduler {
  readonly name: string;
  readonly variable: string;
  readonly first: number;
  /** The variable with the number of processes, if there is one. */
  readonly size?: string;
}

const SCHEDULERS: readonly Scheduler[] = [
  { name: 'Kubernetes', variable: 'JOB_COMPLETION_INDEX', first: 0 },
  { name: 'Slurm', variable: 'SLURM_ARRAY_TASK_ID', first: 0, size: 'SLURM_ARRAY_TASK_COUNT' },
  { name: 'AWS Batch', variable: 'AWS_BATCH_JOB_ARRAY_INDEX', first: 0, size: 'AWS_BATCH_JOB_ARRAY_SIZE' },
  { name: 'GNU parallel', variable: 'PARALLEL_SEQ', first: 1 },
];

/** @param given `I/N`, `auto` or `auto/N`. @throws ProblemError `usage` */
export function parseShard(given: string | undefined, env: NodeJS.ProcessEnv): Shard | undefined {
  if (given === undefined) return undefined;
  const match = /^(auto|\d{1,6})(?:\/(\d{1,6}))?$/.exec(given.trim());
  const [, index = '', of] = match ?? [];
  if (match === null || (index !== 'auto' && of === undefined)) {
    throw usageError(
      `--shard is "${given}": expected I/N, such as 0/8 for the first of 8 shards, or auto, or auto/N.`,
      'auto reads the number of this process from Kubernetes, Slurm, AWS Batch or GNU parallel.',
    );
  }
  const shard =
    index === 'auto'
      ? readShard(env, of === undefined ? undefined : Number(of))
      : { index: Number(index), of: Number(of) };
  if (shard.of < 1 || shard.of > MAX_SHARDS || shard.index >= shard.of) {
    throw usageError(
      `--shard ${given} means shard ${shard.index} of ${shard.of}: expected a number from 0 to ${Math.max(0, shard.of - 1)}, and at most ${MAX_SHARDS} shards.`,
      'The first shard has the number 0.',
    );
  }
  return shard;
}

/** Two jobs must never take the same shard, so anything ambiguous is an error. */
function readShard(env: NodeJS.ProcessEnv, of: number | undefined): Shard {
  const found = SCHEDULERS.filter(({ variable }) => (env[variable] ?? '') !== '');
  const [scheduler, other] = found;
  if (scheduler === undefined) {
    const variables = SCHEDULERS.map(({ variable }) => variable).join(', ');
    throw usageError(`--shard auto found none of ${variables}.`, 'Outside of these schedulers, pass --shard I/N.');
  }
  const { name, variable, first } = scheduler;
  if (other !== undefined) {
    throw usageError(`--shard auto found both ${variable} and ${other.variable}.`, 'Pass --shard I/N.');
  }
  const index = readNumber(env, variable) - first;
  const size = scheduler.size === undefined ? undefined : readNumber(env, scheduler.size);
  if (name === 'Slurm') assertFromZero(env, of, size);
  if (name !== 'Slurm' && size !== undefined && of !== undefined && size !== of) {
    throw usageError(`--shard auto/${of} does not match ${scheduler.size}, which is ${size}.`, 'Pass --shard auto.');
  }
  const number = of ?? size;
  if (number === undefined) {
    throw usageError(
      `--shard auto needs the number of shards, because ${name} does not tell it.`,
      'Pass --shard auto/N, where N is the number of processes.',
    );
  }
  if (index < 0) throw usageError(`${variable} is ${index + first}, but ${name} counts from ${first}.`);
  return { index, of: number };
}

/**
 * An array of some of the numbers may start failed tasks again: with `auto/N`, its size is not the number of shards. But an array
 * of the numbers 1 to N-1 counts from 1, and shard 0 would never be sent.
 */
function assertFromZero(env: NodeJS.ProcessEnv, of: number | undefined, size = 0): void {
  const min = readNumber(env, 'SLURM_ARRAY_TASK_MIN');
  const max = readNumber(env, 'SLURM_ARRAY_TASK_MAX');
  const isFromOne = min === 1 && size === max && max > 1 && max + 1 === of;
  if (of === undefined ? max + 1 === size : max < of && !isFromOne) return;
  const number = of ?? size;
  throw usageError(
    `--shard auto found a Slurm array of ${size} numbers from ${min} to ${max}: expected the numbers 0 to ${number - 1} for ${number} shards.`,
    `Submit with --array=0-${number - 1}. To send only some shards, pass --shard $SLURM_ARRAY_TASK_ID/N.`,
  );
}

function readNumber(env: NodeJS.ProcessEnv, variable: string): number {
  const text = env[variable] ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(`--shard auto found "${text}" in ${variable}: expected a number.`, 'Pass --shard I/N.');
}

export function shardText({ index, of }: Shard): string {
  return `${index}/${of}`;
}

/** `nightly-3of8`: the run of each shard needs a name of its own. */
export function shardRunId(runId: string, shard: Shard | undefined): string {
  return shard === undefined ? runId : `${runId}-${shard.index}of${shard.of}`;
}

/** The limits of one shard, so that all shards together keep the limits of the settings. A rate store divides its rate itself. */
export function divideSettings<S extends Pick<Settings, 'concurrency' | 'rate' | 'rateStore'>>(
  settings: S,
  shard: Shard | undefined,
): S {
  if (shard === undefined) return settings;
  const { concurrency, rate, rateStore } = settings;
  return {
    ...settings,
    concurrency: Math.max(1, Math.floor(concurrency / shard.of)),
    rate: rateStore === undefined ? rate && divideRate(rate, shard.of) : rate,
  };
}

/** A rate below one request per shard applies to a longer time. */
function divideRate({ count, perMs }: Rate, of: number): Rate {
  return count >= of ? { count: Math.floor(count / of), perMs } : { count: 1, perMs: perMs * Math.ceil(of / count) };
}

export function describeShard({ index, of }: Shard): string {
  const batches = of === 1 ? 'all batches' : `batches ${index + 1}, ${index + 1 + of}, ${index + 1 + 2 * of}, …`;
  return `Shard ${index}/${of} sends ${batches}.`;
}

/**
 * `read` is the number of rows of the inputs, as each shard has counted them to their end; the other counts are sums. So the
 * run state balances only if every row belongs to exactly one shard. Until then, `read` is what they have accounted for.
 */
export function mergeShards(shards: readonly RunState[]): RunState {
  const [first] = shards;
  if (first === undefined) throw new RangeError('there is no shard');
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
    undelivered: new Map(
      shards.flatMap(({ run, undelivered }) => [...undelivered].map(([id, batch]) => [`${run} ${id}`, batch])),
    ),
    reasons: RunReasons.merge(shards.map(({ reasons }) => reasons)),
    ...shards.map(totalsOf).reduce(addCounts),
    batchesCut: first.batchesCut,
    notes: new Map(Object.entries(shards.map(({ notes }) => Object.fromEntries(notes)).reduce(addCounts))),
    firstNotes: new Map(shards.flatMap(({ firstNotes }) => [...firstNotes])),
    sentBefore: [],
    excluded: { batches: 0, rows: 0, invalid: 0, skipped: 0 },
  };
  for (const sent of shards.flatMap(({ sentBefore }) => sentBefore)) countSentBefore(merged, sent);
  return merged;
}

type Total = { [K in keyof RunState]-?: RunState[K] extends number ? K : never }[keyof RunState];

function totalsOf({ workedMs, requests, retries, resent, bytesSent, batchesCut }: RunState) {
  return { workedMs, requests, retries, resent, bytesSent, batchesCut } satisfies Record<Total, number>;
}

function latest(times: readonly (string | undefined)[]): string | undefined {
  const known = times.flatMap((time) => (time === undefined ? [] : [time])).sort();
  return known.length < times.length ? undefined : known.at(-1);
}

function stateOf(shards: readonly RunState[]): RunState['state'] {
  const states = ['interrupted', 'stopped', 'running'] as const;
  return states.find((state) => shards.some((runState) => runState.state === state)) ?? 'complete';
}
