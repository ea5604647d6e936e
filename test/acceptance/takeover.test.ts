/** A process that was stopped while another host took over its run, on the built program. The service's log is the witness. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { at, run, service, start, summaryOf, timesTaken, workspace, write } from '../support/program.ts';

/** Loaded before the program: another host, whose clock runs fast, so that a heartbeat is missed in a second. */
const OTHER_HOST = `data:text/javascript,${encodeURIComponent(`
  import os from 'node:os';
  import { syncBuiltinESMExports } from 'node:module';
  os.hostname = () => 'elsewhere';
  syncBuiltinESMExports();
  const now = performance.now.bind(performance);
  performance.now = () => Math.min(now(), 60_000) * 60 + Math.max(0, now() - 60_000);
`)}`;

test('a stopped process that lost its run writes and sends nothing when it continues', async () => {
  const cwd = await workspace();
  const there = await service({ injectFault: ({ n }) => (n === 4 ? { latencyMs: 1500 } : undefined) });
  const rows = Array.from({ length: 200 }, (_, n) => `linkedin,like,Person ${n}\n`).join('');
  await write(cwd, 'in.csv', `platform,engagement_type,engager_name\n${rows}`);
  const args = ['upload', 'in.csv', '--run-id', 'nightly', '--batch-size', '10', '--concurrency', '1', '--json'];
  const first = start(cwd, args, { env: at(there) });
  while (there.requests().length < 3) await sleep(5);
  await sleep(100);
  first.child.kill('SIGSTOP');
  const env = { ...at(there), NODE_OPTIONS: `--import ${OTHER_HOST}` };
  const second = await run(cwd, args, { env });
  expect([0, 4], second.stderr).toContain(second.code);
  first.child.kill('SIGCONT');
  const lost = await first.ended;
  expect(lost.code, lost.stderr).toBe(7);
  const sent = there.requests().length;
  const again = await run(cwd, args, { env: at(there) });
  expect(again.code).toBe(second.code);
  expect(summaryOf(again)).toMatchObject({ balanced: true, state: 'complete', rows: { read: 200 } });
  expect(summaryOf(again).rows).toEqual(summaryOf(second).rows);
  expect(there.requests()).toHaveLength(sent);
  const taken = await timesTaken(there, 'engager_name');
  expect([...taken].filter(([, times]) => times > 1)).toEqual([]);
  const { delivered = 0, unknown = 0 } = summaryOf(again).rows;
  expect(delivered + unknown).toBe(200);
});
