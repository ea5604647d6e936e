import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { completeRuns, markComplete, markOpen } from '../../src/journal/complete-runs.ts';
import { encodeLine } from '../../src/journal/event-line.ts';
import { findUnfinishedRun } from '../../src/journal/unfinished-run.ts';
import { folderOfRuns } from '../support/complete-runs.ts';

const INPUT = { bytes: 7, head: 'abc' };
const TO = { type: 'signals', baseUrl: 'https://x.example' } as const;

test('the journal of a complete run is read once', async () => {
  const root = await folderOfRuns('a');
  expect(await findUnfinishedRun(root, [INPUT], TO)).toBeUndefined();
  await writeFile(path.join(root, 'a', 'journal.ndjson'), 'damaged\n');
  expect(await findUnfinishedRun(root, [INPUT], TO)).toBeUndefined();
  expect(await findUnfinishedRun(root, [{ ...INPUT, head: 'other' }], TO)).toBeUndefined();
  await writeFile(path.join(root, '.complete'), '');
  await expect(findUnfinishedRun(root, [INPUT], TO)).rejects.toThrow('damaged');
});

test('a complete run that a process continues is inspected again', async () => {
  const root = await folderOfRuns('a', 'b');
  expect(await findUnfinishedRun(root, [INPUT], TO)).toBeUndefined();
  markOpen({ id: 'a', path: path.join(root, 'a') });
  const resumed = { event: 'run.resumed', time: '2026-11-20T09:15:02Z', reopened: [] };
  await appendFile(path.join(root, 'a', 'journal.ndjson'), encodeLine(resumed));
  expect(await findUnfinishedRun(root, [INPUT], TO)).toMatchObject({ file: { run: 'a' }, running: false });
});

test('a torn line hides no run', async () => {
  const root = await folderOfRuns('a', 'b');
  for (const id of ['a', 'ab']) markComplete({ id, path: path.join(root, id) });
  const file = path.join(root, '.complete');
  const text = await readFile(file, 'utf8');
  for (let length = 0; length <= text.length; length += 1) {
    await writeFile(file, text.slice(0, length));
    const whole = ['a', 'ab'].filter((id) => text.slice(0, length).includes(`\n${id} complete`));
    expect([...completeRuns(root)]).toEqual(whole);
    markComplete({ id: 'c', path: path.join(root, 'c') });
    expect(completeRuns(root)).toContain('c');
  }
});
