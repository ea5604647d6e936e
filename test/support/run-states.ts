/** run states and events for the tests of reports: whole and plausible, with the parts that a test is about. */
import { applyEvent, newRunState } from '../../src/journal/apply-event.ts';
import type {
  BatchSealed,
  BatchSettled,
  RowInvalid,
  RunEvent,
  RunStarted,
  SourceEnded,
} from '../../src/model/event.ts';
import type { RowRange } from '../../src/model/row.ts';
import type { BatchChange, BatchCounts, RowCounts, RunState, ServiceCounts } from '../../src/model/run-state.ts';
import type { RunContext } from '../../src/report/run-summary.ts';
import { suggest } from './suggest.ts';

export interface Parts extends Partial<Omit<RunState, 'rows' | 'batches' | 'service'>> {
  readonly rows?: Partial<RowCounts>;
  readonly batches?: Partial<BatchCounts>;
  readonly service?: Partial<ServiceCounts>;
}

/** A run state whose books balance: what was read and sealed is summed up where the parts do not give it. */
export function books({ rows, batches, service, ...rest }: Parts = {}): RunState {
  const sum = (counts: object = {}): number =>
    Object.values(counts).reduce((total: number, value: unknown) => total + Number(value), 0);
  const empty = newRunState({ ...started([]), variant: 'b' });
  return {
    ...empty,
    state: 'complete',
    sources: [{ name: 'in.csv', size: 191_851, read: 191_851, rows: sum(rows), ended: true }],
    requests: 7,
    bytesSent: 160_000,
    ...rest,
    rows: { ...empty.rows, read: sum(rows), ...rows },
    batches: { ...empty.batches, sealed: sum(batches), ...batches },
    service: { ...empty.service, ...service },
  };
}

/** What the folder of an ended run says, with the parts that a test is about. */
export function contextWith(parts: Partial<RunContext> = {}): RunContext {
  return {
    folder: 'runs/x',
    name: [],
    isRunning: false,
    baseUrl: 'https://api.example.com',
    sandbox: false,
    exit: {},
    warnings: [],
    suggest,
    argv: ['upload', 'in.csv', '--run-id', 'r'],
    isRepeat: false,
    hasTransform: false,
    hasSkippedFiles: false,
    rejects: [],
    explained: undefined,
    ...parts,
  };
}

/** Gives a reader events as a run does: with the run state that they make, and the batches that each one changes. */
export function follow<T>(
  read: (event: RunEvent, runState: RunState, changes: readonly BatchChange[]) => T,
): (event: RunEvent) => T {
  let runState = newRunState(started([]));
  return (event) => {
    if (event.event === 'run.started') runState = newRunState(event);
    return read(event, runState, applyEvent(runState, event));
  };
}

export function started(names: readonly string[]): RunStarted {
  return {
    event: 'run.started',
    v: 1,
    time: '2026-11-20T09:15:02Z',
    run: '20261120T091502Z-in-3f9a',
    type: 'signals',
    inputs: names.map((name) => ({ name })),
  };
}

export function range(source: number, firstLine: number, lastLine: number): RowRange {
  return { source, firstRow: firstLine - 1, lastRow: lastLine - 1, firstLine, lastLine, start: 0, end: 10 };
}

export function sealed(batch: string, records: number, ranges: readonly RowRange[]): BatchSealed {
  return {
    event: 'batch.sealed',
    batch,
    digest: '00',
    records,
    bytes: 2000,
    ranges,
    rejects: {},
    cursors: [],
    dropped: { invalid: 0, skipped: 0, duplicate: 0 },
    notes: {},
  };
}

export function settled(batch: string, parts: Partial<BatchSettled>): BatchSettled {
  return {
    event: 'batch.settled',
    time: '2026-11-20T09:15:03Z',
    batch,
    outcome: 'delivered',
    attempts: 1,
    ms: 40,
    unaccounted: 0,
    ...parts,
  };
}

export function invalid(line: number, issues: RowInvalid['issues']): RowInvalid {
  return { event: 'row.invalid', source: 0, line, nextLine: line + 1, row: line - 1, start: 0, end: 1, issues };
}

/** The end of an input that accounts for every row before it: only then do rejected rows count. */
export const committed: SourceEnded = {
  event: 'source.ended',
  time: '2026-11-20T09:15:04Z',
  source: 0,
  bytes: 1000,
  digest: 'd',
  rows: 100,
  rejects: {},
  commit: { cursors: [], dropped: { invalid: 0, skipped: 0, duplicate: 0 }, notes: {} },
};
