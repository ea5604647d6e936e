/** Shards against the undivided run: whatever the input is, together they record the same batches, rows and rejects. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEvent, newRunState } from '../../src/journal/apply-event.ts';
import { encodeLine } from '../../src/journal/lines.ts';
import { readJournal } from '../../src/journal/read-journal.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import { KEY_BYTES } from '../../src/lib/key-map.ts';
import { rowsOf } from '../../src/model/batch.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { Prepared } from '../../src/model/prepared.ts';
import type { RunState } from '../../src/model/run-state.ts';
import { Duplicates, type PrepareJob, prepare, type ResumePoint } from '../../src/prepare/index.ts';
import { isBalanced } from '../../src/report/run-summary.ts';
import { eventOf, runStarted } from '../../src/run/recorder.ts';
import { ClaimGate, type FindSent, type ShardJob, ShardSelector } from '../../src/run/select-records.ts';
import { jobOf, type Scene } from '../support/both.ts';
import { workspace } from '../support/program.ts';
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

async function record(
  job: PrepareJob,
  shard?: ShardJob,
  resume?: { runState: RunState; cut: number },
  findSent?: FindSent,
): Promise<Recorded> {
  const selector = shard && new ShardSelector(shard, resume?.cut ?? 0);
  const gate = shard?.recordKeys === true || findSent !== undefined ? new ClaimGate(findSent, digestOf) : undefined;
  const runState = resume?.runState ?? newRunState(runStarted({ ...job, shard }, 'r', NOW));
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

test('a shard that was killed after any of its commits continues as if it had not been', PATIENCE, async () => {
  const cwd = await workspace();
  const file = path.join(cwd, 'journal.ndjson');
  await fc.assert(
    fc.asyncProperty(uploads, fc.integer({ min: 2, max: 4 }), fc.nat(), async (given, of, at) => {
      const shard = { index: at % of, of, recordKeys: given.scene.dedupe === true };
      const [job, again] = [jobFor(given), jobFor(given)];
      fc.pre(job !== undefined && again !== undefined);
      const whole = await record(job, shard);
      const commits = whole.events.flatMap((event, index) =>
        event.event === 'batch.sealed' || (event.event === 'source.ended' && event.commit !== undefined) ? [index] : [],
      );
      const kept = 1 + (commits[at % commits.length] ?? 0);
      const events: RunEvent[] = [runStarted({ ...job, shard }, 'r', NOW), ...whole.events.slice(0, kept)];
      await writeFile(file, events.map(encodeLine).join(''));

      const seen = new Duplicates();
      const { runState } = await readJournal(path.dirname(file), {
        onEvent(event) {
          const commit =
            event.event === 'source.ended' ? event.commit : event.event === 'batch.sealed' ? event : undefined;
          for (const excluded of commit?.excluded?.sealed ?? []) seen.addBatch(excluded);
          if (event.event === 'batch.sealed') seen.addBatch(event);
        },
      });
      const { batchesCut } = runState;
      const from: ResumePoint = {
        cursors: new Map(
          runState.sources.flatMap(({ cursor }, index) => (cursor === undefined ? [] : [[index, cursor]])),
        ),
        ended: new Set(runState.sources.flatMap(({ ended }, index) => (ended ? [index] : []))),
        sealed: batchesCut,
        toRebuild: [],
      };
      const dedupe = given.scene.dedupe === true ? { findDuplicate: seen.find } : {};
      const rest = await record({ ...again, from, ...dedupe }, shard, { runState, cut: batchesCut });
      expect(facts([...events, ...rest.events])).toEqual(facts(whole.events));
      expect(rest.runState.rows).toEqual(whole.runState.rows);
      expect(rest.runState.excluded).toEqual(whole.runState.excluded);
      expect(rest.runState.sources).toEqual(whole.runState.sources);
    }),
    { numRuns: 2 * RUNS },
  );
});

test('shards with different histories send every record exactly once or skip it', PATIENCE, async () => {
  await fc.assert(
    fc.asyncProperty(
      uploads,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 5 }),
      async (given, of, nth) => {
        const job = jobFor(given);
        fc.pre(job !== undefined);
        const whole = await record(job);
        const runStates: RunState[] = [];
        const events: RunEvent[] = [];
        for (let index = 0; index < of; index += 1) {
          const own = jobFor(given);
          if (own === undefined) throw new Error('the same input is read again');
          // Another part of the records for each shard.
          const by = { state: 'delivered', run: 'earlier' } as const;
          const findSent: FindSent = async (keys) => {
            const numbers = Array.from({ length: keys.length / KEY_BYTES }, (_, n) => n);
            return new Map(
              numbers.flatMap((n) => ((keys[n * KEY_BYTES + index] ?? 0) % nth === 0 ? [[n, by] as const] : [])),
            );
          };
          const one = await record(own, { index, of, recordKeys: false }, undefined, findSent);
          expect(isBalanced(one.runState)).toBe(true);
          runStates.push(one.runState);
          events.push(...one.events);
        }
        const before = sum(runStates, ({ sentBefore }) => sentBefore.reduce((rows, sent) => rows + sent.rows, 0));
        expect(sum(runStates, ({ rows }) => rows.skipped) - before).toBe(whole.runState.rows.skipped);
        expect(sum(runStates, ({ rows }) => rows.read)).toBe(whole.runState.rows.read);
        expect(sum(runStates, ({ rows }) => rows.pending) + before).toBe(whole.runState.rows.pending);
        expect(rowsIn(events)).toEqual(rowsIn(whole.events));
      },
    ),
    { numRuns: 2 * RUNS },
  );
});

/** The rows of batches, and those that an earlier run has sent, sorted. */
function rowsIn(events: readonly RunEvent[]): readonly string[] {
  return events
    .flatMap((event) => {
      if (event.event === 'row.skipped' && event.by !== undefined) {
        const { source, firstRow, lastRow } = event;
        return Array.from({ length: lastRow - firstRow + 1 }, (_, n) => `${source}:${firstRow + n}`);
      }
      if (event.event !== 'batch.sealed') return [];
      return event.ranges.flatMap((range) => rowsOf(range).map(({ source, row }) => `${source}:${row}`));
    })
    .sort();
}
