/** The summary that the built program prints: what the service accepted, and what the delivery needed. */
import { expect } from 'vitest';
import { receiptOf } from '../support/behaviour.ts';
import { at, plainRow, printed, run, summaryOf, test, writeCsv } from '../support/program.ts';

const ESC = String.fromCharCode(0x1b);
const ESCAPES = new RegExp(`${ESC}\\[\\d+m`, 'g');

test('a run whose records were all rejected by the service is not shown as a success', async ({ cwd, there }) => {
  there.fault = ({ type, records }) => ({ status: 200, body: receiptOf(type, 0, records) });
  await writeCsv(cwd, 'in.csv', 100);
  const args = ['upload', 'in.csv', '--setting', 'canary=no', '--variant', 'b', '--yes'];
  const ended = await run(cwd, args, { env: { ...at(there), FORCE_COLOR: '1' } });
  expect(ended.code).toBe(3);
  expect(ended.stdout).not.toContain(`${ESC}[32m`);
  const text = ended.stdout.replaceAll(ESCAPES, '');
  expect(text).toMatch(/^0 of 100 rows delivered to .*; 100 rejected by the service\./);
  const shown = await printed(cwd, 'runs', 'show');
  expect(shown).toContain("100  rejected  failed the service's own validation");
  expect(shown).not.toMatch(/\d {2}delivered/);
});

test('the summary lists retries, splits and resends, which explain deduplicated records', async ({
  cwd,
  there,
  signals,
}) => {
  const seen = new Set<string>();
  // It stores each batch and loses the first answer; it refuses a batch with a bad record.
  there.fault = ({ elements }) => {
    const batch = JSON.stringify(elements);
    if (batch.includes('"bad"')) return { status: 422, body: 'bad record' };
    const isFirst = !seen.has(batch);
    seen.add(batch);
    return isFirst ? { status: 500, processed: true } : undefined;
  };
  await writeCsv(cwd, 'in.csv', 4, (n) => (n === 4 ? plainRow(n).replace('Raised a round', 'bad') : plainRow(n)));
  const args = ['upload', 'in.csv', '--variant', 'b', '--batch-size', '2', '--concurrency', '1', '--verbose'];
  const { stdout } = await signals(...args, '--setting', 'canary=no');
  expect(stdout).toContain('0 accepted, 3 deduplicated, 0 rejected.');
  // Rows 1 and 2 twice; rows 3 and 4 once, then row 3 twice and row 4 once.
  expect(stdout).toContain(
    '6 requests, with 2 retries, 1 batch split after a refusal and 3 rows resent after a lost answer.',
  );
  const shown = await signals('runs', 'show', 'last', '--json');
  expect(summaryOf(shown)).toMatchObject({ requests: 6, retries: 2, batches: { split: 1 } });
});
