/** Shards against the undivided run: whatever the input is, together they record the same batches, rows and rejects. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEvent, newRunState } from '../../src/journal/apply-event.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { Prepared } from '../../src/model/prepared.ts';
import type { RunState } from '../../src/model/run-state.ts';
import { type PrepareJob, prepare } from '../../src/prepare/index.ts';
import { isBalanced } from '../../src/report/run-summary.ts';
import { eventOf, runStarted } from '../../src/run/recorder.ts';
import { ClaimGate, type ShardJob, ShardSelector } from '../../src/run/select-records.ts';
import { jobOf, type Scene } from '../support/both.ts';
import {
  CELLS,
  COLUMNS,
  harm,
  harmed,
  limits,
  PATIENCE,
  plainDocument,
  RUNS,
  socialDocument,
} from '../support/scenes.ts';

const { digestOf } = await loadDigests();
const NOW = '2026-11-20T09:15:00Z';

interface Upload {
  /** The files, which have the same columns. */
  readonly files: readonly Buffer[];
  readonly scene: Omit<Scene, 'bytes'>;
}

const rows = fc
  .array(fc.tuple(...COLUMNS.map((column) => fc.constantFrom(CELLS[column]?.[0] ?? '', ...(CELLS[column] ?? [])))), {
    maxLength: 12,
  })
  // Some rows twice.
  .map((table) => [...table, ...table.slice(0, 4)]);

const uploads = fc
  .tuple(
    fc.array(fc.tuple(rows, harm, fc.boolean()), { minLength: 1, maxLength: 3 }),
    limits,
    fc.record({ skip: fc.constantFrom(0, 0, 3), limit: fc.constantFrom(Number.POSITIVE_INFINITY, 9) }),
    fc.boolean(),
  )
  .map(([files, limit, window, isSocial]): Upload => {
    const bytes = files.map(([table, harms, hasBlankLines]) => {
      const lines = [COLUMNS, ...table].map((cells) =>
        cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','),
      );
      const whole = Buffer.from(`${lines.join(hasBlankLines ? '\n\n' : '\n')}\n`);
      return harmed(whole, harms, whole.indexOf('\n') + 1);
    });
    const document = isSocial ? socialDocument : plainDocument;
    const decode = { delimiter: ',', encoding: 'utf-8' };
    return {
      files: bytes,
      scene: { document, ...(isSocial ? {} : { variant: 'b' as const }), decode, ...limit, ...window },
    };
  });

function jobFor({ files, scene }: Upload): PrepareJob | undefined {
  const jobs = files.map((bytes) => jobOf({ ...scene, bytes }, 'auto'));
  const [first] = jobs;
  const inputs = jobs.flatMap((job) => job?.inputs ?? []);
  return first === undefined || inputs.length < files.length ? undefined : { ...first, inputs };
}

/** What a run records, and its batches with their payloads. */
interface Recorded {
  readonly events: readonly RunEvent[];
  readonly runState: RunState;
  readonly payloads: ReadonlyMap<string, string>;
}

async function record(job: PrepareJob, shard?: ShardJob): Promise<Recorded> {
  const selector = shard && new ShardSelector(shard, 0);
  const gate = shard?.recordKeys === true ? new ClaimGate(undefined, digestOf) : undefined;
  const runState = newRunState(runStarted({ ...job, shard }, 'r', NOW));
  const events: RunEvent[] = [];
  const payloads = new Map<string, string>();
  for await (const items of prepare(job)) {
    const selected: Prepared[] = [];
    for (const item of items.flatMap((prepared) => selector?.select(prepared) ?? [prepared])) {
      selected.push(...((await gate?.select(item)) ?? [item]));
    }
    for (const item of selected) {
      if (item.kind === 'rebuilt') throw new Error('nothing was open');
      const event = eventOf(item, NOW, {});
      applyEvent(runState, event);
      events.push(event);
      if (item.kind !== 'batch') continue;
      const { id, payload, offsets, digest, rows } = item.batch;
      const text = Buffer.from(payload).toString('latin1');
      expect(digestOf(payload)).toBe(digest);
      payloads.set(id, JSON.stringify([text, offsets, rows]));
    }
  }
  return { events, runState, payloads };
}

/** The part of events that does not depend on who records them, sorted. */
function facts(events: readonly RunEvent[]): readonly string[] {
  return events
    .flatMap((event) => {
      switch (event.event) {
        case 'row.invalid':
        case 'row.duplicate':
          return [JSON.stringify(event)];
        case 'row.skipped':
          return Array.from({ length: event.lastRow - event.firstRow + 1 }, (_, n) =>
            JSON.stringify(['skipped', event.source, event.firstRow + n, event.why]),
          );
        case 'batch.sealed':
          return [JSON.stringify([event.batch, event.digest, event.records, event.ranges])];
        default:
          return [];
      }
    })
    .sort();
}

const sum = (runStates: readonly RunState[], of: (runState: RunState) => number): number =>
  runStates.reduce((total, runState) => total + of(runState), 0);

test('the shards together record the batches, rejects and counts of the undivided run', PATIENCE, async () => {
  await fc.assert(
    fc.asyncProperty(uploads, fc.integer({ min: 1, max: 5 }), async (given, of) => {
      const job = jobFor(given);
      fc.pre(job !== undefined);
      const whole = await record(job);
      const shards: Recorded[] = [];
      for (let index = 0; index < of; index += 1) {
        const own = jobFor(given);
        if (own === undefined) throw new Error('the same input is read again');
        shards.push(await record(own, { index, of, recordKeys: given.scene.dedupe === true }));
      }
      expect(facts(shards.flatMap(({ events }) => events))).toEqual(facts(whole.events));
      for (const [index, one] of shards.entries()) {
        expect([...one.payloads.keys()].filter((id) => (Number(id) - 1) % of !== index)).toEqual([]);
      }
      const payloads = shards.flatMap((one) => [...one.payloads]);
      expect(new Map(payloads)).toEqual(whole.payloads);
      expect(payloads).toHaveLength(whole.payloads.size);
      const runStates = shards.map(({ runState }) => runState);
      for (const runState of runStates) {
        expect(isBalanced(runState)).toBe(true);
        expect(runState.rows.read + runState.excluded.rows).toBe(whole.runState.rows.read);
        expect(runState.batches.sealed + runState.excluded.batches).toBe(whole.runState.batches.sealed);
        expect(runState.sources).toEqual(whole.runState.sources);
      }
      for (const state of ['read', 'invalid', 'skipped', 'duplicate', 'pending'] as const) {
        expect(sum(runStates, ({ rows }) => rows[state])).toBe(whole.runState.rows[state]);
      }
      for (const [note, times] of whole.runState.notes) {
        expect(sum(runStates, ({ notes }) => notes.get(note) ?? 0)).toBe(times);
      }
    }),
    { numRuns: 2 * RUNS },
  );
});
