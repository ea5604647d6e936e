import { appendFile, mkdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { decodeLine, encodeLine } from '../../src/journal/lines.ts';
import { lockRun } from '../../src/journal/lock.ts';
import { readJournal } from '../../src/journal/read-journal.ts';
import { readRunFile } from '../../src/journal/run-file.ts';
import type { RunFacts } from '../../src/model/run-state.ts';
import {
  catalogueOpen,
  catalogueRun,
  factsOf,
  incompleteRuns,
  lastRun,
  listRuns,
  readCatalogue,
  rebuildCatalogue,
} from '../../src/stored-runs/catalogue.ts';
import { folderOfRuns } from '../support/complete-runs.ts';
import { openIn } from '../support/files.ts';
import { books, type Parts, range, sealed } from '../support/run-states.ts';

const TIME = '2026-11-20T09:15:02Z';

const journalOf = (root: string, id: string): string => path.join(root, id, 'journal.ndjson');
const catalogueOf = (root: string): string => path.join(root, '.catalogue.ndjson');

/** Makes a journal unreadable without a trace in its size and times. */
async function damage(root: string, id: string): Promise<void> {
  const file = journalOf(root, id);
  const { size, mtime } = await stat(file);
  await writeFile(file, 'x'.repeat(size));
  await utimes(file, mtime, mtime);
}

async function states(root: string): Promise<readonly string[]> {
  const runs = await readCatalogue(root);
  const stateOf = (run: (typeof runs)[number]) =>
    'problem' in run ? 'unreadable' : `${run.state}${run.isRunning() ? ' now' : ''}`;
  return runs.map((run) => `${run.folder.id} ${stateOf(run)}`);
}

test('the journal of a finished run is read only once', async () => {
  const root = await folderOfRuns('b', 'a');
  await utimes(journalOf(root, 'b'), 1_700_000_000, 1_700_000_000);
  expect(await states(root)).toEqual(['b complete', 'a complete']);
  await damage(root, 'b');
  const { size } = await stat(catalogueOf(root));
  expect(await states(root)).toEqual(['b complete', 'a complete']);
  expect([(await stat(catalogueOf(root))).size, openIn(root)]).toEqual([size, []]);
  await utimes(journalOf(root, 'b'), 1_700_000_001, 1_700_000_001);
  await rm(path.join(root, 'a', 'run.json'));
  expect(await states(root)).toEqual(['b unreadable', 'a unreadable']);
});

test('a journal that has grown is read again', async () => {
  const root = await folderOfRuns('a');
  expect(await states(root)).toEqual(['a complete']);
  await appendFile(
    journalOf(root, 'a'),
    encodeLine({ event: 'run.resumed', baseUrl: 'https://api.example.com', time: TIME }),
  );
  const lock = await lockRun(path.join(root, 'a'));
  expect(await states(root)).toEqual(['a running now']);
  lock.release();
  expect(await readFile(catalogueOf(root), 'utf8')).not.toContain('running');
});

test('for an incomplete or changed line of the catalogue, one journal is read', async () => {
  const root = await folderOfRuns('a', 'b');
  await states(root);
  const text = await readFile(catalogueOf(root), 'utf8');
  await writeFile(catalogueOf(root), text.replace('complete', 'stopped ').slice(0, -10));
  expect(await states(root)).toEqual(['a complete', 'b complete']);
});

test('a line that is longer than a block of the file is read whole', async () => {
  const root = await folderOfRuns('a');
  await states(root);
  const line = Object(decodeLine((await readFile(catalogueOf(root), 'utf8')).trim()));
  // One of these has a character of two bytes at the end of a block.
  for (const source of ['é'.repeat(40_000), `x${'é'.repeat(40_000)}`]) {
    await writeFile(catalogueOf(root), encodeLine({ ...line, file: { ...line.file, inputs: [{ source }] } }));
    const [run] = await listRuns(root);
    expect(run?.file?.inputs[0]?.source === source).toBe(true);
  }
});

test('deleted runs are removed from the catalogue', async () => {
  const root = await folderOfRuns('a', 'b');
  await states(root);
  await rm(path.join(root, 'a'), { recursive: true });
  await rebuildCatalogue(root);
  expect((await readFile(catalogueOf(root), 'utf8')).match(/"id":"."/g)).toEqual(['"id":"b"']);
  expect(await states(root)).toEqual(['b complete']);
});

const [EARLY, LATE, SAME] = ['20261120T091501Z-x-0001', '20261120T091502Z-x-0002', '20261120T091502Z-a-0003'] as const;

test('the runs are listed in the order in which they began, also one that has only begun', async () => {
  const root = await folderOfRuns('b', 'odd', EARLY, 'z', 'new', '.hidden');
  for (const id of [EARLY, 'z']) await rm(path.join(root, id, 'run.json'));
  await mkdir(path.join(root, 'no run'));
  await mkdir(path.join(root, 'odd', 'results.csv'));
  await truncate(journalOf(root, 'new'));
  const others = ['z unreadable', `${EARLY} unreadable`, 'b complete', 'odd unreadable'];
  expect(await states(root)).toEqual(others);
  const { release } = await lockRun(path.join(root, 'new'));
  onTestFinished(release);
  expect(await states(root)).toEqual([...others, 'new running now']);
});

test.each([
  [undefined, []],
  [LATE, [EARLY, LATE]],
  ['a', ['b', 'a']],
  [LATE, [SAME, LATE]],
  ['1', [LATE, '1']],
])('the last run that has begun is %s of %j', async (last, ids) => {
  const empty = '20261120T091509Z-x-0009';
  const root = await folderOfRuns(...ids, empty);
  await truncate(journalOf(root, empty));
  expect((await lastRun(root))?.id).toBe(last);
});

test('a run is complete as long as its last intact line says so', async () => {
  const root = await folderOfRuns('a', 'b');
  const folder = { id: 'a', path: path.join(root, 'a') };
  const run = { folder, file: await readRunFile(folder.path) };
  const { runState } = await readJournal(folder.path);
  const incomplete = () => incompleteRuns(root, ['a', 'b']);
  expect(incomplete()).toEqual(['a', 'b']);
  catalogueRun(run, runState);
  const complete = await readFile(catalogueOf(root), 'utf8');
  expect(incomplete()).toEqual(['b']);
  catalogueOpen({ id: 'b', path: path.join(root, 'b') });
  expect(await readFile(catalogueOf(root), 'utf8')).toBe(complete);
  catalogueOpen(folder);
  const opened = (await readFile(catalogueOf(root), 'utf8')).slice(complete.length);
  catalogueRun(run, { ...runState, state: 'running' });
  expect((await listRuns(root))[0]?.facts).toBe(undefined);
  await appendFile(catalogueOf(root), complete.replace('"crc":"', '"crc":"0'));
  expect(incomplete()).toEqual(['a', 'b']);
  await writeFile(catalogueOf(root), complete + opened.replace('"crc":"', '"crc":"0'));
  expect(incomplete()).toEqual(['b']);
  // What is left of the block before is not read again.
  await writeFile(catalogueOf(root), complete.padStart(32_768, 'x') + opened);
  expect(incomplete()).toEqual(['a', 'b']);
});

const source = { name: 'in.csv', size: 200, read: 100, rows: 50, ended: false };
const refused = (batch: string, inSource: number, isRejected = true) => {
  const known = { state: 'refused', attempts: 1, maybeProcessed: false, isRejected } as const;
  return [batch, { ...sealed(batch, 1, [range(inSource, 2, 2)]), ...known }] as const;
};
const undelivered = new Map([refused('1', 0), refused('2', 2), refused('3', 2), refused('4', 0, false)]);
const rejects = { bytes: {}, rows: { 0: 2 }, uncommitted: {}, listed: undefined };

test.each<[what: string, parts: Parts, facts: Partial<RunFacts>]>([
  ['all rows are read', {}, { unread: undefined, rejectsRows: {} }],
  ['half of the rows are read', { rows: { delivered: 50 }, sources: [source] }, { unread: 50 }],
  ['nothing is read', { sources: [{ ...source, read: 0, rows: 0 }] }, { unread: null }],
  ['the rejects files lack refused rows', { rejects, undelivered }, { rejectsRows: { 0: 2 } }],
  ['they have them', { rejects: { ...rejects, listed: {} }, undelivered }, { rejectsRows: { 0: 3, 2: 2 } }],
])('a list of runs tells rows that are not read or to be fixed: %s', (_what, parts, facts) => {
  expect(factsOf(books(parts))).toMatchObject(facts);
});
