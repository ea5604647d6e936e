/**
 * How many batches a second the sandbox takes: `npm run bench:sandbox`. Batches of 100 different signals, eight
 * requests at a time. The client runs in the same process and has its share of the time, so a figure is the least
 * that the sandbox can do.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { startSandbox } from '../dist/sandbox.js';

const BATCHES = 1500;
const KEY = 'a-key-for-the-benchmark';

const temporary = path.join(import.meta.dirname, '..', 'test', '.tmp');
mkdirSync(temporary, { recursive: true });
const folder = mkdtempSync(path.join(temporary, 'bench-'));

const bodies = Array.from({ length: BATCHES }, (_, batch) => {
  const signals = Array.from({ length: 100 }, (_, index) => ({
    company_name: `Company ${batch}-${index}`,
    company_domain: `company-${batch}-${index}.example`,
    signal_title: 'Something new happened in the company',
    signal_source: 'news',
    detected_at: '2026-11-20T09:15:00Z',
    industry: 'Software',
    employee_count: 120,
  }));
  return JSON.stringify({ signals });
});

function send(url, agent, body) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const outgoing = request(`${url}/v1/signals/ingest`, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    outgoing.on('error', reject).end(body);
  });
}

async function measure(name, options) {
  const sandbox = await startSandbox({ key: KEY, ...options });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let next = 0;
  const before = performance.now();
  const sender = async () => {
    while (next < BATCHES) {
      const status = await send(sandbox.url, agent, bodies[next++]);
      if (status !== 200) throw new Error(`answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, sender));
  const seconds = (performance.now() - before) / 1000;
  agent.destroy();
  await sandbox.close();
  process.stdout.write(`${name.padEnd(40)} ${Math.round(BATCHES / seconds)} batches/s\n`);
}

try {
  await measure('without records (upload --sandbox)', { keepRecords: false });
  await measure('with records (signals sandbox)', {});
  await measure('with records and a state file (--state)', { state: path.join(folder, 'state.ndjson') });
} finally {
  rmSync(folder, { recursive: true });
}
