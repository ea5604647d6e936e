import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assertNotReplaced, assertNoUnfinishedRun } from '../../src/app/same-data.ts';
import { encodeLine } from '../../src/journal/lines.ts';
import { lockRun } from '../../src/journal/lock.ts';
import { readRunFile } from '../../src/journal/run-file.ts';
import type { DividedRun } from '../../src/options/run-options.ts';
import { catalogueOpen, incompleteRuns, readCatalogue } from '../../src/stored-runs/catalogue.ts';
import { folderOfRuns } from '../support/complete-runs.ts';
import { range, sealed } from '../support/run-states.ts';

/** What identifies the data of a run. */
function dataOf(head = 'abc', bytes = 7): DividedRun {
  return { type: 'signals', baseUrl: 'https://x.example', inputs: [{ bytes, head }] } as unknown as DividedRun;
}

/** Looks for an unfinished run of the same data. No run that could not be compared is expected. */
async function begin(root: string, run = dataOf()) {
  expect(await assertNoUnfinishedRun(root, run, (...words) => words.join(' '))).toEqual([]);
}

const replaced = { problems: [{ code: 'resume.replaced' }] };
const unfinished = { problems: [{ code: 'upload.unfinished', hint: expect.stringContaining('`resume a`') }] };

test('the journal of a complete run is read once', async () => {
  const root = await folderOfRuns('a');
  await begin(root);
  await writeFile(path.join(root, 'a', 'journal.ndjson'), 'damaged\n');
  await begin(root);
  await begin(root, dataOf('other'));
  await writeFile(path.join(root, '.catalogue.ndjson'), '');
  await expect(begin(root)).rejects.toThrow('damaged');
});

test('a complete run that a process continues is inspected again', async () => {
  const root = await folderOfRuns('a', 'b');
  await begin(root);
  catalogueOpen({ id: 'a', path: path.join(root, 'a') });
  const resumed = { event: 'run.resumed', baseUrl: 'https://api.example.com', time: '2026-11-20T09:15:02Z' };
  const attempt = { event: 'attempt.started', time: '2026-11-20T09:15:02Z', batch: '1', attempt: 1, bytes: 9 };
  const more = [resumed, sealed('1', 1, [range(0, 2, 2)]), attempt].map(encodeLine).join('');
  await appendFile(path.join(root, 'a', 'journal.ndjson'), more);
  await expect(begin(root)).rejects.toMatchObject(unfinished);
  // An input that begins alike and is longer is another one.
  await begin(root, dataOf('abc', 8));
});

test('an incomplete line hides no run', async () => {
  const ids = ['a', 'ab', 'c'];
  const root = await folderOfRuns(...ids);
  await readCatalogue(root);
  const file = path.join(root, '.catalogue.ndjson');
  const text = await readFile(file, 'utf8');
  const lines = text.split('\n').filter(Boolean);
  for (let length = 0; length <= text.length; length += 1) {
    await writeFile(file, text.slice(0, length));
    const whole = lines.filter((line) => text.slice(0, length).includes(line));
    const open = ids.filter((id) => !whole.some((line) => line.includes(`"id":"${id}","state":"complete"`)));
    expect(incompleteRuns(root, ids)).toEqual(open);
  }
});

test('a run that has sent nothing is not in the way, and cannot be resumed once a later one has sent its data', async () => {
  const { root, folder, file } = await runThatSentNothing();
  await begin(root);
  await expect(assertNotReplaced(root, { folder, file })).rejects.toMatchObject(replaced);

  // Somebody else may be sending it.
  const given = encodeLine({ event: 'run.handed_over', time: '2026-11-19T00:00:01.000Z', to: '/tmp/a.tar.gz' });
  await appendFile(path.join(folder.path, 'journal.ndjson'), given);
  await expect(begin(root)).rejects.toMatchObject(unfinished);
});

test('a run that has sent nothing is not resumed while a later one of its data is about to begin', async () => {
  const { root, folder, file } = await runThatSentNothing();
  await rm(path.join(root, 'b', 'journal.ndjson'));
  const lock = await lockRun(path.join(root, 'b'));
  await expect(assertNotReplaced(root, { folder, file })).rejects.toMatchObject(replaced);
  lock.release();
  expect(await assertNotReplaced(root, { folder, file })).toEqual([]);
});

/** The run `a`, of the same data as the later and complete run `b`. */
async function runThatSentNothing() {
  const root = await folderOfRuns('a', 'b');
  const folder = { id: 'a', path: path.join(root, 'a') };
  const [begun = ''] = (await readFile(path.join(folder.path, 'journal.ndjson'), 'utf8')).split('\n');
  await writeFile(path.join(folder.path, 'journal.ndjson'), `${begun}\n`);
  await rm(path.join(root, '.catalogue.ndjson'), { force: true });
  const file = { ...(await readRunFile(folder.path)), startedAt: '2026-11-19T00:00:00.000Z' };
  await writeFile(path.join(folder.path, 'run.json'), JSON.stringify(file));
  return { root, folder, file };
}

test('a run whose run.json is unreadable is told, unless it has sent nothing', async () => {
  const root = await folderOfRuns('a', 'b', 'c');
  await writeFile(path.join(root, 'a', 'run.json'), '{"run":');
  await rm(path.join(root, 'b', 'run.json'));
  await writeFile(path.join(root, 'c', 'run.json'), '');
  await writeFile(path.join(root, 'c', 'journal.ndjson'), '{"event":"run.sta');
  await mkdir(path.join(root, 'notes'));
  expect(await assertNoUnfinishedRun(root, dataOf(), String)).toMatchObject([
    { code: 'run.unreadable', where: path.join(root, 'a'), message: expect.stringContaining('is damaged') },
    { code: 'run.unreadable', where: path.join(root, 'b'), message: expect.stringContaining('has no run.json') },
  ]);
});
