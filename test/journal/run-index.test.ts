import { appendFile, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { encodeLine } from '../../src/journal/event-line.ts';
import { compactIndex, readIncompleteRuns, readRuns, removeFromIndex } from '../../src/journal/run-index.ts';
import type { RunEvent } from '../../src/model/event.ts';

const TIME = '2026-11-20T09:15:02Z';

async function folderOfRuns(...ids: readonly string[]): Promise<string> {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  const root = await mkdtemp(path.join(parent, 'run-index-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [n, id] of ids.entries()) await makeRun(root, id, n);
  return root;
}

/** A run without rows that is complete. */
async function makeRun(root: string, run: string, n: number): Promise<void> {
  const folder = path.join(root, run);
  await mkdir(folder);
  const runFile = {
    run,
    startedAt: new Date(Date.parse(TIME) + n).toISOString(),
    version: '0',
    type: 'signals',
    baseUrl: 'https://x.example',
    sandbox: false,
    inputs: [{ source: 'in.csv', path: '/in.csv', bytes: 7, format: 'csv', columns: ['a'], head: 'abc' }],
    decode: { header: true, maxRowBytes: 1, ragged: 'reject' },
    batchSize: 1,
    maxBytes: 1,
    skip: 0,
    argv: [],
  };
  await writeFile(path.join(folder, 'run.json'), JSON.stringify(runFile));
  const events: readonly RunEvent[] = [
    { event: 'run.started', v: 1, time: TIME, run, type: 'signals', inputs: [{ name: 'in.csv' }] },
    { event: 'run.ended', time: TIME, state: 'complete', putBack: [] },
  ];
  await writeFile(journalOf(root, run), events.map(encodeLine).join(''));
}

const journalOf = (root: string, id: string): string => path.join(root, id, 'journal.ndjson');
const indexOf = (root: string): string => path.join(root, '.index.ndjson');

/** Makes a journal unreadable without a trace in its size and times. */
async function damage(root: string, id: string): Promise<void> {
  const file = journalOf(root, id);
  const { size, mtime } = await stat(file);
  await writeFile(file, 'x'.repeat(size));
  await utimes(file, mtime, mtime);
}

async function states(root: string): Promise<readonly string[]> {
  const runs = await readRuns(root);
  return runs.map((run) => `${run.folder.id} ${'problem' in run ? 'unreadable' : run.state}`);
}

test('the journal of a finished run is read once', async () => {
  const root = await folderOfRuns('b', 'a');
  await utimes(journalOf(root, 'b'), 1_700_000_000, 1_700_000_000);
  expect(await states(root)).toEqual(['b complete', 'a complete']);
  await damage(root, 'b');
  expect(await states(root)).toEqual(['b complete', 'a complete']);
  await rm(indexOf(root));
  expect(await states(root)).toEqual(['b unreadable', 'a complete']);
});

test('a journal that has grown is read again', async () => {
  const root = await folderOfRuns('a');
  expect(await states(root)).toEqual(['a complete']);
  await appendFile(journalOf(root, 'a'), encodeLine({ event: 'run.resumed', time: TIME, reopened: [] }));
  expect(await states(root)).toEqual(['a running']);
});

test('a torn or changed line of the index costs reading one journal', async () => {
  const root = await folderOfRuns('a', 'b');
  await states(root);
  const text = await readFile(indexOf(root), 'utf8');
  await writeFile(indexOf(root), text.replace('complete', 'stopped ').slice(0, -10));
  expect(await states(root)).toEqual(['a complete', 'b complete']);
});

test('a complete run is not looked at again, until a process withdraws it', async () => {
  const root = await folderOfRuns('a', 'b');
  await states(root);
  const looked: string[] = [];
  const look = (complete: Set<string>) =>
    readIncompleteRuns(root, complete, ({ folder }) => {
      looked.push(folder.id);
      return true;
    });
  const complete = new Set<string>();
  expect(await look(complete)).toEqual([]);
  expect([looked, [...complete]]).toEqual([[], ['a', 'b']]);
  removeFromIndex({ id: 'b', path: path.join(root, 'b') });
  expect(await look(new Set())).toMatchObject([{ folder: { id: 'b' }, state: 'complete' }]);
  expect(looked).toEqual(['b']);
});

test('deleted runs leave the index', async () => {
  const root = await folderOfRuns('a', 'b');
  await states(root);
  await rm(path.join(root, 'a'), { recursive: true });
  compactIndex(root);
  expect((await readFile(indexOf(root), 'utf8')).match(/"id":"."/g)).toEqual(['"id":"b"']);
  expect(await states(root)).toEqual(['b complete']);
});
