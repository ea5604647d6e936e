/**
 * A run whose n-th write fails, and every one behind it, for every n: as on a disk that is full at any moment. The
 * service's log says what was sent; the run folder must say nothing else.
 */
import { expect, test } from 'vitest';
import { readRun } from '../../src/journal/read-journal.ts';
import type { RunFiles } from '../../src/run/run-files.ts';
import type { InjectedFault, SandboxServerOptions } from '../../src/sandbox/index.ts';
import { type Flowed, flow, rowOf } from '../support/flow.ts';
import { service } from '../support/program.ts';

type Incoming = Parameters<NonNullable<SandboxServerOptions['injectFault']>>[0];

const noRoom = (): Error => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

interface Writes {
  count: number;
}

/** Lets so many writes through, and no more. */
function failingAfter(limit: number, writes: Writes): (runFiles: RunFiles) => RunFiles {
  const counted = <T extends readonly unknown[]>(write: (...args: T) => Promise<void> | undefined) => {
    return async (...args: T): Promise<void> => {
      writes.count += 1;
      if (writes.count > limit) throw noRoom();
      await write(...args);
    };
  };
  return (runFiles) => ({
    ...runFiles,
    append: counted(runFiles.append),
    results: { ...runFiles.results, log: counted(runFiles.results.log) },
    rejects: { ...runFiles.rejects, add: counted(runFiles.rejects.add), truncate: counted(runFiles.rejects.truncate) },
    undelivered: { ...runFiles.undelivered, add: counted(runFiles.undelivered.add) },
  });
}

function misbehave({ n, elements }: Incoming): InjectedFault | undefined {
  if (JSON.stringify(elements).includes('"Name 6"')) return { status: 422 };
  return n === 3 ? { status: 500 } : undefined;
}

async function play(
  type: 'signals' | 'social',
  limit: number,
): Promise<{ flowed: Flowed; writes: Writes; requests: number; received: ReadonlySet<string | undefined> }> {
  const there = await service({ injectFault: misbehave });
  const writes: Writes = { count: 0 };
  const flowed = await flow({
    type,
    url: there.url,
    rows: 14,
    row: (n) => (n === 4 ? ',,,' : rowOf(type, n)),
    delivery: { isolate: true },
    between: failingAfter(limit, writes),
  });
  const answered = there.requests().filter(({ status }) => status === 200);
  await there.close();
  return { flowed, writes, requests: there.requests().length, received: new Set(answered.map(({ digest }) => digest)) };
}

test.each(['signals', 'social'] as const)(
  'a run of %s whose n-th write fails sends nothing more, and claims nothing else than what is true, for every n',
  { timeout: 240_000 },
  async (type) => {
    const whole = await play(type, Number.POSITIVE_INFINITY);
    expect(whole.flowed.runState.state).toBe('complete');
    expect(whole.writes.count).toBeGreaterThan(30);
    for (let limit = 1; limit < whole.writes.count; limit += 1) {
      const { flowed, requests, received } = await play(type, limit);
      const { runState, balanced, exitCode, folder, lines } = flowed;
      const what = `${type}, the write behind ${limit} of ${whole.writes.count}`;
      expect(balanced, what).toBe(true);
      if (runState.state !== 'complete') {
        expect(runState.stop?.code, what).toBe('storage');
        expect(exitCode, what).toBe(6);
        expect(runState.stop?.message, what).toContain('ENOSPC');
      }
      const journal = await lines('journal.ndjson');
      // What left had been journalled, and behind the first failure nothing is.
      const started = journal.filter((line) => line.startsWith('{"event":"attempt.started"')).length;
      expect(requests, what).toBeLessThanOrEqual(started);
      if (journal.length === 0) continue;

      const settledUnknown = new Set<string>();
      const kept = new Set((await lines('undelivered.ndjson')).map((line) => String(JSON.parse(line).batch)));
      const claimed = await readRun(folder, false, (_event, _runState, changes) => {
        for (const { batch, to } of changes) {
          if (to === 'delivered') expect(received.has(batch.digest), `${what}: ${batch.batch}`).toBe(true);
        }
      });
      for (const { batch, state, isLost, digest } of claimed.undelivered.values()) {
        if (state === 'unknown' && isLost !== true) settledUnknown.add(batch);
        // Of what is said never to have been sent, the service received nothing.
        if (state === 'pending' || state === 'exhausted') expect(received.has(digest), `${what}: ${batch}`).toBe(false);
      }
      for (const batch of settledUnknown) expect(kept.has(batch), `${what}: payload of ${batch}`).toBe(true);
      expect(claimed.rows.delivered, what).toBeLessThanOrEqual(runState.rows.delivered);
    }
  },
);
