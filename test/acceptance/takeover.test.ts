/** A process that was stopped while another host took over its run, on the built program. The service's log is the witness. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { LATER_HOST } from '../support/other-host.ts';
import { at, run, summaryOf, test, timesDelivered, write } from '../support/program.ts';

function eventsOf(count: number): string {
  const rows = Array.from({ length: count }, (_, n) => `linkedin,like,Person ${n}\n`).join('');
  return `platform,engagement_type,engager_name\n${rows}`;
}

const SMALL = ['--batch-size', '10', '--concurrency', '1', '--json'];

test('a stopped process whose claims were taken over sends nothing when it continues', async ({
  cwd,
  there,
  signals,
}) => {
  there.fault = ({ n }) => (n > 2 ? { latencyMs: 600 } : undefined);
  await write(cwd, 'in.csv', eventsOf(200));
  await write(cwd, 'other.csv', eventsOf(201));
  const first = signals.start('upload', 'in.csv', '--run-id', 'first', ...SMALL);
  while (there.requests().length < 3) await sleep(5);
  // By then it has claimed the next batches.
  await sleep(300);
  first.child.kill('SIGSTOP');
  const env = { ...at(there), NODE_OPTIONS: `--import ${LATER_HOST}` };
  const second = await run(cwd, ['upload', 'other.csv', '--json'], { env });
  const { delivered = 0, skipped = 0 } = summaryOf(second).rows;
  expect([delivered + skipped, delivered > 0], second.stderr).toEqual([201, true]);
  // So long does it rely on what it has read of the claims.
  await sleep(1100);
  const sent = there.requests().length;
  first.child.kill('SIGCONT');
  const lost = await first.ended;
  expect(lost.code, lost.stderr).toBe(7);
  expect(there.requests()).toHaveLength(sent);
  const resumed = await signals('resume', 'first', '--json');
  expect(summaryOf(resumed)).toMatchObject({ balanced: true, state: 'complete', rows: { read: 200, pending: 0 } });
  const taken = await timesDelivered(there, 'engager_name');
  expect([taken.size, [...taken].filter(([, times]) => times > 1)]).toEqual([201, []]);
});
