/**
 * Random runs, as a sequence of events: the run state, a resume, `runs` and claims must agree on every batch. The
 * expected states come from a model that knows only what the test has done to each batch.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SentBatches, type SentState } from '../../src/claims/sent-batches.ts';
import { applyEvent, newRunState } from '../../src/journal/apply-event.ts';
import { applyToBatches, batchesInFlight } from '../../src/journal/batch-reducer.ts';
import { encodeLine } from '../../src/journal/lines.ts';
import { readJournal, readRun } from '../../src/journal/read-journal.ts';
import { decodeKeys } from '../../src/lib/key-map.ts';
import { byFirstRow } from '../../src/model/batch.ts';
import type { BatchSettled, RunEvent, SealedPart } from '../../src/model/event.ts';
import type { BatchState } from '../../src/model/outcome.ts';
import type { UndeliveredBatch } from '../../src/model/run-state.ts';
import { balance } from '../../src/report/run-summary.ts';
import { range, sealed, settled, started } from '../support/run-states.ts';

const time = '2026-11-20T09:15:03.000Z';
const FAILED = { event: 'attempt.failed', time, ms: 1, error: 'HTTP 500', next: 'retry' } as const;

/** One step of a random run. `pick` chooses a batch to which the step can happen. */
const step = fc.record({
  kind: fc.constantFrom('seal', 'seal', 'start', 'start', 'fail', 'settle', 'settle', 'split', 'end', 'resume'),
  pick: fc.nat(1000),
  records: fc.integer({ min: 1, max: 4 }),
  maybeProcessed: fc.boolean(),
  outcome: fc.constantFrom<BatchSettled['outcome']>('delivered', 'refused', 'exhausted', 'unknown'),
});

interface Modelled {
  readonly id: string;
  readonly records: number;
  readonly keys: readonly string[];
  readonly firstRow: number;
  state: BatchState | 'split';
  attempts: number;
  inFlight: boolean;
  maybeProcessed: boolean;
}

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The events of a run, and what became of each batch. */
class Model {
  readonly events: RunEvent[] = [];
  readonly batches: Modelled[] = [];
  #rows = 0;
  #cut = 0;

  apply({ kind, pick, records, maybeProcessed, outcome }: Step): void {
    const choose = (fits: (batch: Modelled) => boolean): Modelled | undefined => {
      const all = this.batches.filter(fits);
      return all[pick % Math.max(1, all.length)];
    };
    switch (kind) {
      case 'seal':
        this.#seal(records);
        break;
      case 'start': {
        const batch = choose(({ state, inFlight }) => state === 'pending' && !inFlight);
        if (batch !== undefined) this.#start(batch);
        break;
      }
      case 'fail': {
        const batch = choose(({ inFlight }) => inFlight);
        if (batch !== undefined) this.#fail(batch, maybeProcessed);
        break;
      }
      case 'settle': {
        const batch = choose(({ state }) => state === 'pending');
        if (batch !== undefined) this.#settle(batch, outcome);
        break;
      }
      case 'split': {
        const batch = choose(({ state, records: size }) => state === 'pending' && size > 1);
        if (batch !== undefined) this.#split(batch);
        break;
      }
      case 'end':
        this.#end();
        break;
      default:
        this.#resume(pick % 2 === 0);
    }
  }

  #add(id: string, keys: readonly string[], firstRow: number): Modelled {
    const batch: Modelled = {
      id,
      records: keys.length,
      keys,
      firstRow,
      state: 'pending',
      attempts: 0,
      inFlight: false,
      maybeProcessed: false,
    };
    this.batches.push(batch);
    return batch;
  }

  #seal(records: number): void {
    this.#cut += 1;
    const firstRow = this.#rows + 1;
    this.#rows += records;
    const keys = Array.from({ length: records }, (_, n) => `key${String(firstRow + n).padStart(9, '0')}`);
    const batch = this.#add(String(this.#cut), keys, firstRow);
    this.events.push({
      ...sealed(batch.id, records, [range(0, firstRow + 1, this.#rows + 1)]),
      cursors: [{ source: 0, rows: this.#rows, line: this.#rows + 2, byte: this.#rows * 10 }],
      keys: Buffer.from(keys.join(''), 'latin1').toString('base64'),
    });
  }

  #start(batch: Modelled): void {
    batch.attempts += 1;
    batch.inFlight = true;
    this.events.push({ event: 'attempt.started', time, batch: batch.id, attempt: batch.attempts, bytes: 9 });
  }

  #fail(batch: Modelled, maybeProcessed: boolean): void {
    batch.inFlight = false;
    batch.maybeProcessed ||= maybeProcessed;
    const { id, attempts: attempt, maybeProcessed: isMaybe } = batch;
    this.events.push({ ...FAILED, batch: id, attempt, maybeProcessed: isMaybe });
  }

  /** As delivery does: unknown is sticky, and a batch that the service cannot have processed is never unknown. */
  #settle(batch: Modelled, wanted: BatchSettled['outcome']): void {
    if (batch.inFlight && wanted !== 'delivered') this.#fail(batch, wanted === 'unknown');
    const failed = batch.maybeProcessed ? 'unknown' : 'exhausted';
    const outcome = wanted === 'delivered' ? wanted : wanted === 'refused' && !batch.maybeProcessed ? wanted : failed;
    batch.inFlight = false;
    batch.state = outcome;
    this.events.push(settled(batch.id, { outcome }));
  }

  #split(batch: Modelled): void {
    if (batch.inFlight) this.#fail(batch, false);
    if (batch.maybeProcessed) return;
    batch.state = 'split';
    const half = Math.ceil(batch.records / 2);
    const parts = [batch.keys.slice(0, half), batch.keys.slice(half)].map((keys, n): SealedPart => {
      const part = this.#add(`${batch.id}.${n + 1}`, keys, batch.firstRow + n * half);
      const ranges = [range(0, part.firstRow + 1, part.firstRow + keys.length)];
      return { batch: part.id, digest: '00', records: keys.length, bytes: 9, ranges };
    });
    this.events.push({ event: 'batch.split', time, batch: batch.id, attempts: 1, error: 'HTTP 422', parts });
  }

  /** The end of a part of the run: an outage puts exhausted batches back. */
  #end(): void {
    const exhausted = this.batches.filter(({ state }) => state === 'exhausted');
    for (const batch of exhausted) batch.state = 'pending';
    this.events.push({ event: 'run.ended', time, state: 'stopped', putBack: exhausted.map(({ id }) => id) });
  }

  #resume(sendsUnknown: boolean): void {
    this.events.push({ event: 'run.resumed', baseUrl: 'https://api.example.com', time });
    for (const batch of this.batches) {
      const { id, state, inFlight } = batch;
      batch.maybeProcessed ||= inFlight;
      batch.inFlight = false;
      const isReopened = state === 'exhausted' || state === 'refused' || (state === 'unknown' && sendsUnknown);
      if (!isReopened) continue;
      this.events.push({ event: 'batch.reopened', time, batch: id, from: state, why: 'resume' });
      batch.state = 'pending';
    }
  }

  /** The state of each batch that was not split, once no process works on the run. */
  states(): ReadonlyMap<string, BatchState> {
    return new Map(
      this.batches.flatMap(({ id, state, inFlight, maybeProcessed }) => {
        if (state === 'split') return [];
        return [[id, state === 'pending' && (inFlight || maybeProcessed) ? 'unknown' : state] as const];
      }),
    );
  }
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'batch-reducer-'));
  await mkdir(folder, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the state of a batch', () => {
  test('is the same in the runState, for a resume, for runs and in the history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const model = new Model();
        for (const each of steps) model.apply(each);
        const begun = { ...started(['in.csv']), type: 'social' as const };
        const events = [begun, ...model.events];
        const file = path.join(folder, 'journal.ndjson');
        await writeFile(file, events.map(encodeLine).join(''));
        const states = model.states();

        const runState = newRunState(begun);
        for (const event of events) {
          applyEvent(runState, event);
          expect(balance(runState)).toEqual({ rows: true, batches: true });
        }
        const count = (rows: (batch: Modelled) => number, state: string): number =>
          model.batches.reduce((sum, batch) => sum + (batch.state === state ? rows(batch) : 0), 0);
        for (const state of ['delivered', 'refused', 'exhausted', 'unknown', 'pending'] as const) {
          expect(runState.rows[state]).toBe(count(({ records }) => records, state));
          expect(runState.batches[state]).toBe(count(() => 1, state));
        }

        const recovered = await readJournal(folder);
        expect(recovered.runState).toEqual(runState);
        const open = [...recovered.runState.undelivered.values()].sort(byFirstRow);
        expect(open.map(({ batch, state }) => [batch, state])).toEqual(
          model.batches
            .filter(({ state }) => state !== 'delivered' && state !== 'split')
            .toSorted((one, other) => one.firstRow - other.firstRow)
            .map(({ id, state }) => [id, state]),
        );
        for (const { batch, attempts, maybeProcessed } of open) {
          const modelled = model.batches.find(({ id }) => id === batch);
          expect(attempts).toBe(modelled?.attempts);
          expect(maybeProcessed).toBe(modelled?.inFlight === true || modelled?.maybeProcessed === true);
        }

        const delivered: string[] = [];
        const read = await readRun(folder, false, (_event, _runState, changes) => {
          for (const { batch, to } of changes) if (to === 'delivered') delivered.push(batch.batch);
        });
        expect(new Map([...read.undelivered].map(([id, { state }]) => [id, state]))).toEqual(
          new Map([...states].filter(([, state]) => state !== 'delivered')),
        );
        expect(delivered.toSorted()).toEqual(
          [...states].flatMap(([id, state]) => (state === 'delivered' ? [id] : [])).toSorted(),
        );

        const entries: { readonly state: SentState; readonly keys: string }[] = [];
        const here = { baseUrl: 'https://api.example.com', begun: 'https://api.example.com' };
        const builder = new SentBatches(here, true, (state, keys) => entries.push({ state, keys }));
        const { runState: last } = await readJournal(folder, {
          onEvent: (event, soFar, changes) => builder.add(event, soFar, changes),
        });
        builder.addInFlight(last);
        const known = new Map<string, string>();
        for (const { state, keys } of entries) {
          for (const key of decodeKeys(keys)) if (known.get(key) !== 'delivered') known.set(key, state);
        }
        for (const { id, keys } of model.batches) {
          const state = states.get(id);
          if (state === 'delivered' || state === 'unknown') {
            for (const key of keys) expect(known.get(key)).toBe(state);
          }
          if (state === 'refused' || state === 'exhausted') {
            for (const key of keys) expect(known.get(key)).toBeUndefined();
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test('does not change with an event about a batch that it does not know', () => {
    const open = new Map<string, UndeliveredBatch>();
    const events: readonly RunEvent[] = [
      { event: 'attempt.started', time, batch: '7', attempt: 1, bytes: 1 },
      settled('7', { outcome: 'refused' }),
      { event: 'batch.split', time, batch: '7', attempts: 1, error: 'HTTP 413', parts: [] },
      { event: 'run.ended', time, state: 'stopped', putBack: ['7'] },
    ];
    for (const event of events) expect(applyToBatches(open, event)).toEqual([]);
    expect(open.size).toBe(0);
  });
});

test('what is known of a batch that was not delivered', () => {
  const undelivered = new Map<string, UndeliveredBatch>();
  const settle = (batch: string, more: Partial<BatchSettled>) => {
    applyToBatches(undelivered, { event: 'attempt.started', time, batch, attempt: 1, bytes: 1 });
    applyToBatches(undelivered, { ...settled(batch, { outcome: 'refused', status: 422, error: 'no' }), ...more });
    return undelivered.get(batch);
  };
  for (const [id, records] of Object.entries({ 1: 1, 2: 2, 3: 1, 4: 1 })) {
    applyToBatches(undelivered, sealed(id, records, [range(0, 2, 1 + records)]));
  }
  const refused = { isRejected: true, error: 'no', maybeProcessed: true };
  expect(settle('1', {})).toMatchObject(refused);
  expect(settle('2', {})?.isRejected).toBe(false);
  expect(settle('3', { status: 409 })?.isRejected).toBe(false);
  const receipt = { batchId: 'b' };
  expect(settle('4', { outcome: 'unknown', receipt })).toMatchObject({ isRejected: false, batchId: 'b' });
  const reopened = { event: 'batch.reopened', time, batch: '1', why: 'resume --refused' } as const;
  expect(applyToBatches(undelivered, { ...reopened, from: 'unknown' })).toEqual([]);
  expect(applyToBatches(undelivered, { ...reopened, from: 'refused' })).toHaveLength(1);
  expect(undelivered.get('1')).toMatchObject({ state: 'pending', isRejected: false });
  const parts = [1, 2].map((n) => ({ batch: `2.${n}`, digest: '', records: 1, bytes: 1, ranges: [] }));
  const split = { event: 'batch.split', time, batch: '2', attempts: 1, error: '', parts } as const;
  expect(applyToBatches(undelivered, split)).toHaveLength(3);
  expect(undelivered.get('2.2')).toMatchObject({ maybeProcessed: false });
  const reduced = { event: 'batch.reduced', time, digest: '', bytes: 0, ranges: [], keys: '', skipped: [] } as const;
  expect(applyToBatches(undelivered, { ...reduced, batch: '2.1', records: 0 })).toHaveLength(1);
  for (const batch of ['2.1', '9']) expect(applyToBatches(undelivered, { ...reduced, batch, records: 1 })).toEqual([]);
  expect([...undelivered.keys()]).toEqual(['1', '3', '4', '2.2']);
  const failed = { ...FAILED, attempt: 1, maybeProcessed: true };
  for (const batch of ['1', '3', '9']) expect(applyToBatches(undelivered, { ...failed, batch })).toEqual([]);
  expect(batchesInFlight(undelivered).map(({ batch }) => batch)).toEqual(['1']);
  settle('4', { outcome: 'exhausted' });
  const ended = { event: 'run.ended', time, state: 'stopped', putBack: ['3', '4', '9'] } as const;
  expect(applyToBatches(undelivered, ended)).toMatchObject([
    { batch: { batch: '4' }, from: 'exhausted', to: 'pending' },
  ]);
});
