/** The summary that the built program prints: what the service took, and what the delivery needed. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { csvOf, plainRow, run, summaryOf, workspace, write, writeCsv } from '../support/program.ts';

type Signals = readonly { readonly signal_title: string }[];

/** The environment that leads to a service which answers each request with a function of its signals. */
async function serviceWith(answer: (signals: Signals, response: ServerResponse) => void): Promise<NodeJS.ProcessEnv> {
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    answer(JSON.parse(Buffer.concat(chunks).toString('utf8')).signals, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { SIGNALS_BASE_URL: `http://127.0.0.1:${port}`, SIGNALS_API_KEY: 'right-key', FORCE_COLOR: '1' };
}

function receipt(response: ServerResponse, accepted: number, deduplicated: number, rejected: number): void {
  response.end(JSON.stringify({ success: true, batchId: 'b', stats: { accepted, deduplicated, rejected } }));
}

const ESC = String.fromCharCode(0x1b);
const ESCAPES = new RegExp(`${ESC}\\[\\d+m`, 'g');

test('a run whose records were all rejected by the service is not shown as a success', async () => {
  const cwd = await workspace();
  const env = await serviceWith((signals, response) => receipt(response, 0, 0, signals.length));
  await writeCsv(cwd, 'in.csv', 100);
  const ended = await run(cwd, ['upload', 'in.csv', '--setting', 'canary=no', '--variant', 'b', '--yes'], { env });
  expect(ended.code).toBe(3);
  expect(ended.stdout).not.toContain(`${ESC}[32m`);
  const text = ended.stdout.replaceAll(ESCAPES, '');
  expect(text).toMatch(/^0 of 100 rows delivered to .*; 100 rejected by the service\./);
  const shown = (await run(cwd, ['runs', 'show'])).stdout;
  expect(shown).toContain("100  rejected  failed the service's own validation");
  expect(shown).not.toMatch(/\d {2}delivered/);
});

test('the summary lists retries, splits and resends, which explain deduplicated records', async () => {
  const cwd = await workspace();
  const seen = new Set<string>();
  // It stores each batch and loses the first answer; it refuses a batch with a bad record.
  const env = await serviceWith((signals, response) => {
    if (signals.some(({ signal_title }) => signal_title === 'bad')) {
      response.writeHead(422).end('bad record');
      return;
    }
    const batch = JSON.stringify(signals);
    if (seen.has(batch)) receipt(response, 0, signals.length, 0);
    else response.destroy();
    seen.add(batch);
  });
  const bad = plainRow(4).split(',').with(2, 'bad').join(',');
  await write(cwd, 'in.csv', `${csvOf(3)}${bad}\n`);
  const args = [
    'upload',
    'in.csv',
    '--variant',
    'b',
    '--batch-size',
    '2',
    '--setting',
    'canary=no',
    '--concurrency',
    '1',
  ];
  const { stdout } = await run(cwd, [...args, '--verbose'], { env });
  const text = stdout.replaceAll(ESCAPES, '');
  expect(text).toContain('0 accepted, 3 deduplicated, 0 rejected.');
  // Rows 1 and 2 twice; rows 3 and 4 once, then row 3 twice and row 4 once.
  expect(text).toContain(
    'Delivery took 6 requests: 2 retries, 1 batch split after a refusal, 3 rows resent after a lost answer.',
  );
  const shown = await run(cwd, ['runs', 'show', 'last', '--json'], { env });
  expect(summaryOf(shown)).toMatchObject({ requests: 6, retries: 2, batches: { split: 1 } });
});
