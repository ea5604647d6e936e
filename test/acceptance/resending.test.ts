/** Sending what a run did not deliver from its own folder. The service's log is the witness. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import {
  expectEnd,
  nowhere,
  plainRow,
  printed,
  recordsAt,
  run,
  runFolder,
  runInProcess,
  socialCsv,
  summaryOf,
  test,
  write,
  writeCsv,
} from '../support/program.ts';

async function journal(folder: string): Promise<readonly RunEvent[]> {
  const text = await readFile(path.join(folder, 'journal.ndjson'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('a run folder is finished elsewhere without its input, with the same bytes', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 260, (n) =>
    n % 40 === 0 ? `,x,T,news,2026-11-20` : plainRow(n).replace('round', 'round\u2028é'),
  );
  const failed = await run(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--json'], { env: nowhere });
  expect(failed.code).toBe(4);
  const parent = await runFolder(cwd);
  const elsewhere = path.join(cwd, 'carried');
  await mkdir(elsewhere);
  const carried = path.join(elsewhere, path.basename(parent));
  await rename(parent, carried);
  await rm(path.join(cwd, 'in.csv'));

  const args = ['resume', carried, '--base-url', there.url, '--yes', '--json'];
  const ended = await signals(...args);
  expectEnd(ended, 3, {
    rows: { read: 260, delivered: 254, invalid: 6 },
    batches: { sealed: 3, delivered: 3 },
    baseUrl: there.url,
  });
  const events = await journal(carried);
  const sealed = events.flatMap((event) => (event.event === 'batch.sealed' ? [event.digest] : []));
  expect(there.requests().map(({ digest }) => digest)).toEqual(expect.arrayContaining(sealed));
  expect(there.requests()).toHaveLength(3);
  expect(events.filter(({ event }) => event === 'batch.reopened')).toMatchObject([
    { batch: '1', from: 'exhausted', why: 'resume' },
    { batch: '2' },
    { batch: '3' },
  ]);
  expect(await readdir(carried)).not.toContain('undelivered.ndjson');
  const results = (await readFile(path.join(carried, 'results.csv'), 'utf8')).trimEnd().split('\r\n');
  // One line each time a batch settles: the last line of a batch counts.
  expect(results).toHaveLength(7);

  expect((await signals(...args)).code).toBe(3);
  expect(there.requests()).toHaveLength(3);
  const shown = JSON.parse(await printed(cwd, 'runs', 'show', path.basename(parent), '--out', elsewhere, '--json'));
  expect(shown).toMatchObject({ rows: { exhausted: 0, delivered: 254, invalid: 6 }, left: 6 });
});

test('each resume sends what is left, and nothing is sent twice', async ({ cwd, there, signals }) => {
  let isDown = true;
  there.fault = ({ n }) => (isDown && n > 1 ? { status: 422 } : undefined);
  await write(cwd, 'in.csv', socialCsv(300));
  expect((await signals('upload', 'in.csv', '--run-id', 'first', '--quiet')).code).toBe(3);
  const named = ['upload', 'in.csv', '--run-id', 'first'];
  const before = await signals(...named);
  expect(before.code).toBe(3);
  expect(before.stdout).toMatch(
    /^Nothing was sent now\. 100 of 300 events delivered .*; 200 refused by the service\.$/m,
  );
  expect(await printed(cwd, 'runs', 'show', 'first')).toMatch(/fixed:\n.* resume --refused\n/);
  expect((await signals('resume')).code).toBe(3);
  expect(there.requests()).toHaveLength(3);

  expect((await signals('resume', 'first', '--refused', '--quiet')).code).toBe(3);
  expect(there.requests()).toHaveLength(5);
  isDown = false;
  // The word of other tools.
  expect((await signals('replay', 'first', '--refused', '--quiet')).code).toBe(0);
  expect((await signals('resume', '--all', '--refused')).stdout).toContain('has anything left to send');
  expect((await signals(...named)).code).toBe(0);
  expect(new Set((await recordsAt(there)).map((record) => record['engager_name'])).size).toBe(300);
  expect(await recordsAt(there)).toHaveLength(300);
  const shown = await runInProcess(cwd, ['runs', 'show', 'first', '--rows', 'refused']);
  expect(shown.stdout).toBe('');
  expect(await printed(cwd, 'runs')).not.toContain('signals.js');
});

test('events whose answer was lost are sent again only with --unknown', async ({ cwd, there, signals }) => {
  there.fault = ({ n }) => (n === 1 ? { status: 500 } : undefined);
  await write(cwd, 'in.csv', socialCsv(150));
  const lost = await signals('upload', 'in.csv', '--json', '--setting', 'canary=no');
  expectEnd(lost, 4, { rows: { unknown: 100, delivered: 50 } });
  for (const args of [['resume'], ['resume', '--refused'], ['resume', '--all']]) {
    const held = await signals(...args);
    expect(there.requests(), held.stdout).toHaveLength(2);
    if (!args.includes('--all')) {
      expect(held.code).toBe(4);
      expect(held.stdout).toMatch(/50 of 150 events delivered .*; 100 may have arrived\..* resume --unknown$/ms);
    }
  }
  const ended = await signals('resume', '--unknown', '--json');
  expectEnd(ended, 0, { rows: { read: 150, delivered: 150, unknown: 0 } });
  expect(there.requests()).toHaveLength(3);
});

test('what may have been processed stays unknown if it is never sent again', async ({ cwd, there, signals }) => {
  there.fault = () => ({ status: 500 });
  await writeCsv(cwd, 'in.csv', 100);
  const lost = await signals('upload', 'in.csv', '--setting', 'retries=0', '--json');
  expect(summaryOf(lost).rows).toMatchObject({ unknown: 100 });
  const args = ['resume', '--setting', 'retries=0', '--base-url', 'http://127.0.0.1:1', '--yes', '--json'];
  const ended = await signals(...args);
  expectEnd(ended, 4, { rows: { read: 100, unknown: 100, exhausted: 0 } });
});

test('a payload that was changed is not sent', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 200);
  await runInProcess(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--quiet'], { env: nowhere });
  const file = path.join(await runFolder(cwd), 'undelivered.ndjson');
  await writeFile(file, (await readFile(file, 'utf8')).replace('Company 150', 'Company 151'));
  const args = ['resume', '--base-url', there.url, '--yes'];
  await rename(path.join(cwd, 'in.csv'), path.join(cwd, 'moved.csv'));
  const refused = await signals(...args);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('in.csv');
  expect(there.requests()).toHaveLength(0);
  // The input has what the folder lost.
  await rename(path.join(cwd, 'moved.csv'), path.join(cwd, 'in.csv'));
  expect((await signals(...args)).code).toBe(0);
  expect(JSON.stringify(await recordsAt(there))).not.toContain('Company 151"},');
  expect(await recordsAt(there)).toHaveLength(200);
});

test('an edited rejects file is kept when the run writes it again', async ({ cwd, there, signals }) => {
  let poison = true;
  there.fault = ({ elements }) =>
    poison && JSON.stringify(elements).includes('"Company 7"') ? { status: 422 } : undefined;
  await writeCsv(cwd, 'in.csv', 20);
  expect((await signals('upload', 'in.csv', '--quiet')).code).toBe(3);
  const rejects = path.join(await runFolder(cwd), 'rejects', 'in.csv');
  const edited = (await readFile(rejects, 'utf8')).replace('Company 7', 'Company Seven');
  await writeFile(rejects, edited);
  await writeFile(`${rejects}.edited`, 'edited before');
  poison = false;
  const ended = await signals('resume', '--refused');
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toContain('was edited');
  expect(await readFile(`${rejects}.edited`, 'utf8')).toBe('edited before');
  expect(await readFile(`${rejects}.edited-2`, 'utf8')).toBe(edited);
});

test('a resume stops when the service refuses three batches with 403, also the parts of earlier splits', async ({
  cwd,
  there,
  signals,
}) => {
  await writeCsv(cwd, 'in.csv', 2_000);
  there.fault = ({ n }) => (n > 3 ? { status: 403 } : undefined);
  const upload = await signals('upload', 'in.csv', '--concurrency', '2', '--json');
  expect([upload.code, summaryOf(upload)['stop']]).toMatchObject([6, { code: 'refusals' }]);
  const before = there.requests().length;
  const ended = await signals('resume', '--concurrency', '2', '--json');
  expect([ended.code, summaryOf(ended)['stop']]).toMatchObject([6, { code: 'refusals' }]);
  // Three, and one that had already left.
  expect(there.requests().length - before).toBeLessThanOrEqual(4 + 2);
  there.fault = undefined;
  expectEnd(await signals('resume', '--refused', '--json'), 0, { rows: { delivered: 2_000 } });
});
