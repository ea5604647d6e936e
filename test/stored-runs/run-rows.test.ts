/** The rows of a run by their states, and what `runs explain` has found out about them. */
import { appendFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { encodeLine } from '../../src/journal/lines.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { RowRange } from '../../src/model/row.ts';
import { type ExplainEvent, openExplainLog, readExplained } from '../../src/stored-runs/explain-log.ts';
import { findRows, ROW_STATES } from '../../src/stored-runs/run-rows.ts';
import { folderOfRuns } from '../support/complete-runs.ts';
import { sealed, settled } from '../support/run-states.ts';

const TIME = '2026-11-20T09:15:02Z';

const rangeOf = (firstRow: number, lastRow: number, spans?: RowRange['spans'], source = 0): RowRange => {
  return { source, firstRow, lastRow, firstLine: firstRow + 1, lastLine: lastRow + 1, start: 0, end: 9, spans };
};

async function explained(folder: string, ...events: readonly ExplainEvent[]): Promise<void> {
  await writeFile(path.join(folder, 'explain.ndjson'), events.map(encodeLine).join(''));
}

const listed: ExplainEvent = { event: 'rejects.listed', time: TIME };
const row = (batch: string, at: number) => ({ batch, source: 0, row: at, line: at + 1 });
const listing = (batch: string, rows: readonly number[], files: Record<string, number> = {}): ExplainEvent => {
  return { event: 'rejects.listing', time: TIME, batches: [batch], rows: rows.map((at) => row(batch, at)), files };
};

test('the rows of each state are found, in the order of the inputs', async () => {
  const root = await folderOfRuns('a');
  const folder = { id: 'a', path: path.join(root, 'a') };
  const position = { source: 0, start: 0, end: 1 };
  const receipt = (rejected: number) => ({ receipt: { batchId: 'b', rejected } });
  const invalid = (at: number): RunEvent => {
    const issues = [{ code: 'missing', field: 'x' } as const];
    return { event: 'row.invalid', ...position, row: at, line: at + 1, nextLine: at + 2, issues };
  };
  const left = { digest: 'd', records: 1, bytes: 1, ranges: [rangeOf(18, 18)], keys: '' };
  const taken = [
    { source: 0, firstRow: 19, lastRow: 19, firstLine: 20, lastLine: 20, why: 'unknown', by: 'r' } as const,
  ];
  const events: readonly RunEvent[] = [
    invalid(3),
    { event: 'run.resumed', time: TIME, baseUrl: 'https://x.example' },
    sealed('6', 1, [rangeOf(1, 1, undefined, 1)]),
    invalid(3),
    { event: 'row.duplicate', source: 1, row: 4, line: 5, of: { source: 0, line: 2 } },
    { event: 'row.skipped', source: 0, firstRow: 5, lastRow: 6, firstLine: 6, lastLine: 9, why: 'delivered', by: 'r' },
    sealed('1', 2, [
      rangeOf(1, 7, [
        [1, 2, 1],
        [7, 8, 1],
      ]),
    ]),
    ...['2', '3', '4', '5', '7'].map((id, n) => sealed(id, 2, [rangeOf(8 + 2 * n, 9 + 2 * n)])),
    settled('1', { outcome: 'refused' }),
    settled('2', receipt(1)),
    settled('3', receipt(2)),
    settled('4', receipt(1)),
    settled('5', {}),
    { event: 'batch.reduced', time: TIME, batch: '7', ...left, skipped: taken },
    invalid(20),
    settled('7', {}),
  ];
  await appendFile(path.join(folder.path, 'journal.ndjson'), events.map(encodeLine).join(''));
  await explained(folder.path, listing('4', [13]), listed);
  const { rows, run } = await findRows(folder, new Set(ROW_STATES));
  expect(run).toMatchObject({ folder, isRunning: false, file: { run: 'a' } });
  const of = (batch: string, state: string, span: readonly number[], rejected?: number, source = 0) => {
    return { source, span, state, batch, rejected };
  };
  expect(rows.map(({ batch, ...rest }) => ({ ...rest, batch: batch?.batch }))).toEqual([
    of('1', 'refused', [1, 2, 1], 0),
    { source: 0, span: [3, 4, 1], state: 'invalid', issues: [{ code: 'missing', field: 'x' }] },
    { source: 0, span: [5, 6, 2], state: 'skipped', skipped: { why: 'delivered', by: 'r', lastLine: 9 } },
    of('1', 'refused', [7, 8, 1], 0),
    of('2', 'delivered', [8, 9, 2], 1),
    of('3', 'rejected', [10, 11, 2]),
    of('4', 'delivered', [12, 13, 1]),
    of('4', 'rejected', [13, 14, 1]),
    of('5', 'delivered', [14, 15, 2], 0),
    of('7', 'delivered', [18, 19, 1], 0),
    { source: 0, span: [19, 20, 1], state: 'skipped', skipped: { why: 'unknown', by: 'r', lastLine: 20 } },
    of('6', 'pending', [1, 2, 1], 0, 1),
    { source: 1, span: [4, 5, 1], state: 'duplicate', of: { source: 0, line: 2 } },
  ]);
  expect((await findRows(folder, new Set(['rejected']))).rows).toHaveLength(2);
});

test('what an explain has found out is read up to the first damaged line', async () => {
  const [root, none] = [await folderOfRuns('a'), { answers: new Map(), batches: new Set(), rows: [], sizesBefore: {} }];
  const folder = path.join(root, 'a');
  expect(await readExplained(folder)).toEqual({ ...none, bytes: 0 });
  const answer = { batchId: 'x', rejected: 1 };
  const events = [
    settled('4.1', { receipt: answer }),
    settled('4.2', { outcome: 'refused' }),
    listed,
    listing('4', [13], { 'in.csv': 5 }),
    listed,
    listing('5', [15], { 'in.csv': 7 }),
  ] as const;
  await explained(folder, ...events);
  const log = path.join(folder, 'explain.ndjson');
  const { length } = await readFile(log);
  const found = { answers: new Map([['4.1', answer]]), batches: new Set(['4']), rows: [row('4', 13)] };
  expect(await readExplained(folder)).toEqual({ ...found, sizesBefore: { 'in.csv': 7 }, bytes: length });
  await appendFile(log, `damaged\n${encodeLine(listed)}`);
  expect(await readExplained(folder)).toMatchObject({ batches: new Set(['4']), bytes: length });
  await writeFile(log, (await readFile(log, 'utf8')).slice(0, length - 1));
  expect((await readExplained(folder)).sizesBefore).toEqual({});
});

test('an explain that continues cuts off what a killed one has left', async () => {
  const folder = path.join(await folderOfRuns('a'), 'a');
  await mkdir(path.join(folder, 'rejects'));
  const rejects = path.join(folder, 'rejects', 'in.csv');
  await writeFile(rejects, '1234567890');
  await writeFile(path.join(folder, 'rejects', 'short.csv'), '1');
  const sizesBefore = { 'in.csv': 4, '../../rejects/short.csv': 9, 'none.csv': 3 };
  await explained(folder, listed, listed);
  const bytes = encodeLine(listed).length;
  const before = await readExplained(folder);
  await mkdir(path.join(folder, 'rejects', 'folder'));
  await symlink('loop', path.join(folder, 'rejects', 'loop'));
  const open = (sizes: Record<string, number>) =>
    openExplainLog(folder, { ...before, bytes, sizesBefore: sizes }, { fsync: false });
  await expect(open({ folder: 1 })).rejects.toThrow('EISDIR');
  await expect(open({ loop: 1 })).rejects.toThrow('ELOOP');
  const log = await open(sizesBefore);
  const sizes = () => log.sizes(['in.csv', '../other/short.csv', 'none.csv']);
  expect(await sizes()).toEqual({ 'in.csv': 4, '../other/short.csv': 1, 'none.csv': 0 });
  await log.append(listing('4', []));
  await log.close();
  expect(await readFile(path.join(folder, 'explain.ndjson'), 'utf8')).toBe(
    encodeLine(listed) + encodeLine(listing('4', [])),
  );
});
