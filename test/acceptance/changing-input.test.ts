/** Inputs that another program writes while they are read. On the built program. */
import { appendFileSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { at, run, service, socialCsv, start, summaryOf, timesDelivered, workspace, write } from '../support/program.ts';

const ROWS = 6000;
/** The last row, of which the file has only the first half. */
const [HALF, REST] = ['linkedin,like,Per', 'son X\n'];

/** Uploads `in.csv`, and changes it when the first batch arrives, which is before the file has been read to its end. */
async function uploadWhileChanging(change: (file: string) => void, options: readonly string[] = []) {
  const cwd = await workspace();
  await write(cwd, 'in.csv', `${socialCsv(ROWS)}${HALF}`);
  const file = path.join(cwd, 'in.csv');
  const { size } = statSync(file);
  const there = await service({
    injectFault({ n }) {
      if (n === 1) change(file);
      return { latencyMs: 0 };
    },
  });
  const env = at(there);
  const ended = await start(cwd, ['upload', 'in.csv', '--concurrency', '1', ...options], { env }).ended;
  return { cwd, size, there, env, ended };
}

test('a file that grows while it is read makes the run incomplete, and the new bytes are counted', async () => {
  const more = `${REST}${Array.from({ length: 200 }, (_, n) => `linkedin,like,New ${n}\n`).join('')}`;
  const { cwd, size, there, env, ended } = await uploadWhileChanging((name) => appendFileSync(name, more), ['--json']);
  expect(ended.code).toBe(6);
  expect(ended.stderr).toContain(`'in.csv' was changed while it was read: it had ${size} bytes`);
  const summary = summaryOf(ended);
  expect(summary).toMatchObject({ state: 'stopped', balanced: true, inputs: [{ bytes: size + more.length }] });
  const [input] = Object(summary['inputs']);
  expect(input.bytesUnread).toBeGreaterThanOrEqual(more.length);

  // The next upload sends the rest, and nothing twice.
  expect(await run(cwd, ['upload', 'in.csv', '--json'], { env })).toMatchObject({ code: 0 });
  const times = await timesDelivered(there, 'engager_name');
  expect(times.size).toBe(ROWS + 201);
  expect(new Set(times.values())).toEqual(new Set([1]));
});

test('the half-written last row of a growing file is not sent, and the advice is to upload it again', async () => {
  const { there, ended } = await uploadWhileChanging((name) => appendFileSync(name, REST));
  expect(ended.code).toBe(6);
  expect(ended.stdout).toContain('was changed while it was read');
  expect(ended.stdout).toMatch(/When the input is complete:\n.*upload in\.csv --concurrency 1/);
  expect(ended.stdout).not.toContain('resume');
  expect((await timesDelivered(there, 'engager_name')).has('Per')).toBe(false);
});

test('a file that shrinks while it is read makes the run incomplete', async () => {
  const { ended } = await uploadWhileChanging((name) => truncateSync(name, 100), ['--json']);
  expect(ended.code).toBe(6);
  expect(summaryOf(ended)).toMatchObject({ state: 'stopped', balanced: true });
  expect(ended.stderr).toContain('was changed while it was read');
});
