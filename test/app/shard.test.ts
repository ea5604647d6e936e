import { describe, expect, test } from 'vitest';
import { describeShard, divideSettings, parseShard, shardRunId } from '../../src/app/shard.ts';

const slurm = (id: number, min: number, max: number, count = max - min + 1) => ({
  SLURM_ARRAY_TASK_ID: `${id}`,
  SLURM_ARRAY_TASK_MIN: `${min}`,
  SLURM_ARRAY_TASK_MAX: `${max}`,
  SLURM_ARRAY_TASK_COUNT: `${count}`,
});

describe('--shard', () => {
  test.each([
    ['0/8', {}, 0, 8],
    [' 7/8 ', {}, 7, 8],
    ['auto/8', { JOB_COMPLETION_INDEX: '3' }, 3, 8],
    ['auto', { AWS_BATCH_JOB_ARRAY_INDEX: '3', AWS_BATCH_JOB_ARRAY_SIZE: '4' }, 3, 4],
    ['auto/8', { PARALLEL_SEQ: '8' }, 7, 8],
    ['auto', slurm(3, 0, 7), 3, 8],
    ['auto/8', slurm(3, 0, 7), 3, 8],
    // A failed task that is submitted again is the same shard.
    ['auto/8', slurm(3, 3, 3), 3, 8],
    ['auto/8', slurm(5, 2, 5, 2), 5, 8],
  ])('%s with %o is a shard', (given, env, index, of) => {
    expect(parseShard(given, env)).toEqual({ index, of });
  });

  test.each([
    ['8/8', {}, /from 0 to 7/],
    ['0/0', {}, /shard 0 of 0/],
    ['1', {}, /expected I\/N/],
    ['-1/8', {}, /expected I\/N/],
    ['a/8', {}, /expected I\/N/],
    ['auto', {}, /found none of JOB_COMPLETION_INDEX/],
    ['auto', { JOB_COMPLETION_INDEX: '3' }, /Kubernetes does not tell it/],
    ['auto', { PARALLEL_SEQ: '3' }, /GNU parallel does not tell it/],
    ['auto/2', { PARALLEL_SEQ: '3' }, /shard 2 of 2/],
    ['auto/8', { PARALLEL_SEQ: '0' }, /counts from 1/],
    ['auto/8', { JOB_COMPLETION_INDEX: 'x' }, /found "x" in JOB_COMPLETION_INDEX/],
    ['auto/8', { JOB_COMPLETION_INDEX: '1', PARALLEL_SEQ: '2' }, /both JOB_COMPLETION_INDEX and PARALLEL_SEQ/],
    ['auto/8', { AWS_BATCH_JOB_ARRAY_INDEX: '3', AWS_BATCH_JOB_ARRAY_SIZE: '4' }, /does not match/],
    // With these numbers, a task that is submitted again would be another shard.
    ['auto', slurm(3, 1, 8), /numbered 1 to 8/],
    ['auto/8', slurm(3, 1, 8), /numbered 1 to 8/],
    ['auto', slurm(3, 3, 3), /numbered 3 to 3/],
    ['auto', slurm(4, 0, 8, 5), /5 tasks/],
    ['auto/4', slurm(3, 0, 7), /expected 0 to 3/],
  ])('%s with %o is refused', (given, env, message) => {
    expect(() => parseShard(given, env)).toThrow(message);
  });

  test('without the option, the variables of schedulers are not read', () => {
    expect(parseShard(undefined, { JOB_COMPLETION_INDEX: '3' })).toBeUndefined();
  });
});

test('all shards together keep the limits of the settings', () => {
  const of = (shards: number, concurrency: number, rate?: { count: number; perMs: number }) =>
    divideSettings({ concurrency, rate }, { index: 0, of: shards });
  expect(of(8, 8)).toEqual({ concurrency: 1, rate: undefined });
  expect(of(3, 8, { count: 10, perMs: 1000 })).toEqual({ concurrency: 2, rate: { count: 3, perMs: 1000 } });
  // Over four seconds, 32 shards send 32 requests, and 10/s allows 40.
  expect(of(32, 8, { count: 10, perMs: 1000 })).toEqual({ concurrency: 1, rate: { count: 1, perMs: 4000 } });
  const shared = { concurrency: 8, rate: { count: 10, perMs: 1000 }, rateStore: 'redis://cache' };
  expect(divideSettings(shared, { index: 0, of: 8 })).toEqual({ ...shared, concurrency: 1 });
  expect(divideSettings({ concurrency: 8 }, undefined)).toEqual({ concurrency: 8 });
});

test('a shard is described with the batches that it sends, and its run is named after it', () => {
  const limits = { concurrency: 1, rate: { count: 10, perMs: 1000 } };
  expect(describeShard({ index: 2, of: 8 }, limits)).toMatch(
    /batches 3, 11, 19, …\. .*: 1 at a time, 10 requests every 1/,
  );
  expect(shardRunId('nightly', { index: 2, of: 8 })).toBe('nightly-2of8');
  expect(shardRunId('nightly', undefined)).toBe('nightly');
});
