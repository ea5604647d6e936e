/** Journals in real files: what a resume reads from them. Damage at every byte: test/acceptance/damaged-journal.test.ts. */
import { appendFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodeLine } from '../../src/journal/lines.ts';
import { readJournal, readRun } from '../../src/journal/read-journal.ts';
import type { RunEvent } from '../../src/model/event.ts';
import { findRows, type RowStateName } from '../../src/stored-runs/run-rows.ts';
import { runFileOf } from '../support/run-file.ts';
import { invalid, range, sealed, settled, started } from '../support/run-states.ts';

const time = '2026-11-20T09:15:10Z';

async function journalOf(events: readonly RunEvent[]): Promise<{ folder: string; file: string }> {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(path.join(parent, 'journal-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'journal.ndjson');
  await writeFile(file, events.map(encodeLine).join(''));
  return { folder, file };
}

async function rowsIn(folder: string, ...states: readonly RowStateName[]) {
  await writeFile(path.join(folder, 'run.json'), JSON.stringify(runFileOf({ run: 'run', startedAt: time })));
  const { rows } = await findRows({ id: 'run', path: folder }, new Set(states));
  return rows.map(({ state, span }) => [state, ...span]);
}

const issue = [{ code: 'missing', field: 'x' }] as const;
const first = {
  ...sealed('1', 2, [range(0, 2, 3)]),
  cursors: [{ source: 0, rows: 3, line: 5, byte: 30 }],
  rejects: { 0: 120 },
  dropped: { invalid: 1, skipped: 0, duplicate: 0 },
};

test('rows and rejects after the last commit do not count, because a resume reads them again', async () => {
  const { folder } = await journalOf([started(['in.csv']), invalid(4, issue), first, invalid(5, issue)]);
  const { runState } = await readJournal(folder);
  expect(runState).toMatchObject({ rejects: { bytes: { 0: 120 }, rows: { 0: 1 } }, batchesCut: 1 });
  expect(runState.sources[0]?.cursor).toMatchObject({ rows: 3, byte: 30 });
  expect(await rowsIn(folder, 'invalid', 'pending')).toEqual([
    ['pending', 1, 2, 2],
    ['invalid', 3, 4, 1],
  ]);
});

test('the length of the whole lines is in bytes, and an incomplete line does not count', async () => {
  const { folder, file } = await journalOf([started(['日本 é.csv']), invalid(4, issue)]);
  const { size } = await stat(file);
  await appendFile(file, '{"event":"row.inv');
  expect((await readJournal(folder)).bytes).toBe(size);
});

test('a resume after a kill reads the rows after the last commit again, so they count once', async () => {
  const resumed: RunEvent = { event: 'run.resumed', baseUrl: 'https://api.example.com', time };
  const second = {
    ...sealed('2', 1, [range(0, 6, 6)]),
    cursors: [{ source: 0, rows: 5, line: 7, byte: 50 }],
    rejects: { 0: 180 },
    dropped: { invalid: 1, skipped: 0, duplicate: 0 },
  };
  const events = [started(['in.csv']), invalid(4, issue), first, invalid(5, issue), resumed, invalid(5, issue), second];
  const { folder } = await journalOf(events);
  expect((await readJournal(folder)).runState.rejects.rows).toEqual({ 0: 2 });
  expect(await rowsIn(folder, 'invalid')).toMatchObject([
    ['invalid', 3, 4, 1],
    ['invalid', 4, 5, 1],
  ]);
});

test('an incomplete last line is ignored, and its bytes do not count', async () => {
  const { folder, file } = await journalOf([started(['in.csv']), first]);
  const before = await readJournal(folder);
  await appendFile(file, encodeLine(settled('1', {})).slice(0, 40));
  expect(await readJournal(folder)).toEqual(before);
});

test.each([
  ['is missing', undefined, 'journal.missing'],
  ['is empty', '', 'journal.empty'],
  ['does not start with run.started', encodeLine(first), 'journal.damaged'],
  ['has a line with a wrong checksum', `${encodeLine(started(['in.csv']))}{"event":1}\n`, 'journal.damaged'],
])('a journal that %s is reported', async (_what, text, code) => {
  const { folder, file } = await journalOf([]);
  if (text === undefined) await rm(file);
  else await writeFile(file, text);
  await expect(readJournal(folder)).rejects.toMatchObject({ problems: [{ code }] });
});

test('a batch in flight is pending while a process works on the run, and else unknown', async () => {
  const attempt = { event: 'attempt.started', time, batch: '1', attempt: 1, bytes: 9 } as const;
  const { folder } = await journalOf([started(['in.csv']), first, attempt]);
  const running = await readRun(folder, true);
  expect(running.undelivered.get('1')).toMatchObject({ state: 'pending' });
  expect(running.rows).toMatchObject({ pending: 2, unknown: 0 });
  const killed = await readRun(folder, false);
  expect(killed.undelivered.get('1')).toMatchObject({ state: 'unknown', isLost: true });
  expect(killed.rows).toMatchObject({ pending: 0, unknown: 2 });
});

test('the time between two parts of a run is not time worked', async () => {
  const { folder } = await journalOf([
    started(['in.csv']),
    first,
    { event: 'run.ended', time: '2026-11-20T09:15:04Z', state: 'stopped', putBack: [] },
    { event: 'run.resumed', baseUrl: 'https://api.example.com', time: '2026-11-21T09:00:00Z' },
    { event: 'run.ended', time: '2026-11-21T09:00:03Z', state: 'stopped', putBack: [] },
  ]);
  expect(await readRun(folder, false)).toMatchObject({ state: 'stopped', workedMs: 5000 });
});

describe('a journal that ends before what the other files of the run know', () => {
  const events = [started(['in.csv']), first, settled('1', {}), sealed('2', 1, [range(0, 6, 6)]), settled('2', {})];
  const results = (times: readonly string[]): string =>
    `time,batch,source\r\n${times.map((time, n) => `${time},${n + 1},in.csv\r\n`).join('')}`;
  const settledAt = settled('1', {}).time;
  const summary = JSON.stringify({ batches: { sealed: 2, delivered: 2 } });

  test.each([
    ['results.csv', results([settledAt, settledAt]), 3],
    ['results.csv', results([settledAt]), 2],
    ['results.csv', results([settledAt]), 0],
    ['summary.json', summary, 3],
    ['summary.json', summary, 4],
  ])('%s: it is refused, unless --again is given', async (name, text, lines) => {
    const { folder } = await journalOf(events.slice(0, lines));
    await writeFile(path.join(folder, name), text);
    await expect(readJournal(folder)).rejects.toMatchObject({ problems: [{ code: 'journal.behind' }] });
    if (lines > 0) await readJournal(folder, { again: true });
  });

  test.each([
    ['behind it', results([settledAt])],
    ['even with it', results([settledAt, settledAt])],
    ['cut off', `${results([settledAt])}${settledAt},`],
    ['saved by a spreadsheet', `time;batch\r\n20.11.2026 09:15;7\r\n`],
  ])('a results.csv that is %s does not count', async (_what, text) => {
    const { folder } = await journalOf(events);
    await writeFile(path.join(folder, 'results.csv'), text);
    await writeFile(path.join(folder, 'summary.json'), summary);
    expect((await readJournal(folder)).runState.batches.delivered).toBe(2);
  });

  test('a batch that summary.json counts may have lost all of its records to other runs since', async () => {
    const reduced = { event: 'batch.reduced', time, batch: '2', digest: '', bytes: 0, records: 0 } as const;
    const { folder } = await journalOf([...events.slice(0, 4), { ...reduced, ranges: [], keys: '', skipped: [] }]);
    await writeFile(path.join(folder, 'summary.json'), JSON.stringify({ batches: { sealed: 2, delivered: 1 } }));
    expect((await readJournal(folder)).runState.batches.sealed).toBe(1);
  });

  test('a batch in flight may be delivered in summary.json: its answer could not be journalled', async () => {
    const attempt = { event: 'attempt.started', time, batch: '2', attempt: 1, bytes: 9 } as const;
    const { folder } = await journalOf([...events.slice(0, 4), attempt]);
    await writeFile(path.join(folder, 'summary.json'), summary);
    const { runState } = await readJournal(folder);
    expect([...runState.undelivered.values()]).toMatchObject([{ batch: '2', maybeProcessed: true }]);
  });
});
