import { appendFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { encodeLine } from '../../src/journal/event-line.ts';
import { findUnfinishedRun } from '../../src/journal/unfinished-run.ts';
import { damageJournal, folderOfRuns } from '../support/complete-runs.ts';

const INPUT = { bytes: 7, head: 'abc' };
const TO = { type: 'signals', baseUrl: 'https://x.example' } as const;

test('the journal of a complete run is read once', async () => {
  const root = await folderOfRuns('a');
  expect(await findUnfinishedRun(root, [INPUT], TO)).toBeUndefined();
  await damageJournal(root, 'a');
  expect(await findUnfinishedRun(root, [INPUT], TO)).toBeUndefined();
  expect(await findUnfinishedRun(root, [{ ...INPUT, head: 'other' }], TO)).toBeUndefined();
  await rm(path.join(root, '.index.ndjson'));
  await expect(findUnfinishedRun(root, [INPUT], TO)).rejects.toThrow('damaged');
});

test('a complete run that a process continues is inspected again', async () => {
  const root = await folderOfRuns('a', 'b');
  expect(await findUnfinishedRun(root, [INPUT], TO)).toBeUndefined();
  const resumed = { event: 'run.resumed', time: '2026-11-20T09:15:02Z', reopened: [] };
  await appendFile(path.join(root, 'a', 'journal.ndjson'), encodeLine(resumed));
  expect(await findUnfinishedRun(root, [INPUT], TO)).toMatchObject({ file: { run: 'a' }, running: false });
});
