/** The state of a run, by scenes: a line of fixtures/journal/states.ndjson has events, and what the state has after them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { applyEvent, cursorsOf, newRunState, settleLost } from '../../src/journal/apply-event.ts';
import type { BatchSealed, RunEvent, RunStarted } from '../../src/model/event.ts';
import { OTHER_NOTES } from '../../src/model/problem.ts';
import type { RunState } from '../../src/model/run-state.ts';
import { balance } from '../../src/report/run-summary.ts';
import { range, sealed } from '../support/run-states.ts';

const started: RunStarted = {
  event: 'run.started',
  v: 1,
  time: '2026-11-20T09:15:00.000Z',
  run: 'r',
  type: 'signals',
  variant: 'a',
  inputs: [
    { name: 'a.csv', size: 1000 },
    { name: 'b.csv', size: 500 },
  ],
};

interface Scene {
  readonly about: string;
  readonly steps: readonly {
    readonly events: readonly RunEvent[];
    /** Whether the process was killed after the events. */
    readonly isLost?: true;
    /** Parts of the state; null for one that it does not have. */
    readonly state: Readonly<Record<string, unknown>>;
  }[];
}

const scenes: readonly Scene[] = readFileSync(
  path.join(import.meta.dirname, '../../fixtures/journal/states.ndjson'),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

/** The state as JSON, with the position from which a resume reads each input. */
function plain(runState: RunState): Readonly<Record<string, unknown>> {
  const toPlain = (_key: string, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);
  return JSON.parse(JSON.stringify({ ...runState, cursors: [...cursorsOf(runState)] }, toPlain));
}

function fold(...events: readonly RunEvent[]): RunState {
  const runState = newRunState(started);
  for (const event of events) applyEvent(runState, event);
  return runState;
}

describe('the state of a run', () => {
  test.each(scenes)('$about', ({ steps }) => {
    const runState = newRunState(started);
    for (const { events, isLost, state } of steps) {
      for (const event of events) {
        applyEvent(runState, event);
        // A crash can come after any event.
        expect(balance(runState)).toEqual({ rows: true, batches: true });
      }
      if (isLost) settleLost(runState);
      const made = plain(runState);
      for (const [name, value] of Object.entries(state)) expect([name, made[name] ?? null]).toEqual([name, value]);
    }
  });

  test('begins with no position in an input', () => {
    expect(cursorsOf(newRunState(started))).toEqual(new Map());
  });

  test('has many earlier runs, and many notes of a hostile file, as one', () => {
    const sentBy = (n: number): BatchSealed => ({
      ...sealed('1', 0, []),
      sentBefore: [{ run: `run-${n}`, state: 'delivered', rows: 1 }],
    });
    const { sentBefore } = fold(...Array.from({ length: 210 }, (_, n) => sentBy(n)), sentBy(0));
    expect(sentBefore[0]).toEqual({ run: 'run-0', state: 'delivered', rows: 2 });
    expect(sentBefore).toHaveLength(201);
    expect(sentBefore.at(-1)).toEqual({ run: 'other runs', state: 'delivered', rows: 10 });
    const noted = (from: number): BatchSealed => {
      const notes = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`note-${from + n}`, 1]));
      return { ...sealed('1', 1, []), notes };
    };
    const { notes } = fold(noted(0), noted(199));
    expect([notes.size, notes.get('note-199'), notes.get(OTHER_NOTES)]).toEqual([201, 2, 199]);
  });

  test('does not balance if the parts of a batch have fewer rows than the batch', () => {
    const parts = [2, 1].map((records, n) => ({ batch: `1.${n + 1}`, digest: '00', records, bytes: 20, ranges: [] }));
    const runState = fold(
      { ...sealed('1', 4, [range(0, 2, 5)]), cursors: [{ source: 0, rows: 4, line: 6, byte: 40 }] },
      { event: 'batch.split', time: started.time, batch: '1', attempts: 1, status: 422, error: 'HTTP 422', parts },
    );
    expect(balance(runState).rows).toBe(false);
  });
});
