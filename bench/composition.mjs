/**
 * What the same libraries do without this program's own engine, journal and log: csv-parse reads rows, zod checks records, p-queue
 * limits the requests, undici sends them. It measures what the reference engine costs beyond its libraries.
 *
 * `node bench/composition.mjs FILE URL CONNECTIONS`: a plain CSV file, 100 records a request.
 */
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import PQueue from 'p-queue';
import { Pool } from 'undici';
import { z } from 'zod';

const BATCH = 100;
const SOURCES = 'funding job_posting linkedin news review_site tech_install twitter web_visit'.split(' ');

const text = z.string().min(1);
const signal = z.object({
  company_name: text,
  company_domain: z.string().regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/),
  signal_title: text,
  signal_source: z.enum(SOURCES),
  detected_at: z.iso.datetime(),
  description: text.optional(),
  notes: text.optional(),
  signal_family: text.optional(),
  industry: text.optional(),
  funding_amount: z.coerce.number().optional(),
  employee_count: z.coerce.number().optional(),
  location: text.optional(),
  hotness_score: z.coerce.number().int().min(0).max(100).optional(),
});

const [file = '', url = '', connections = ''] = process.argv.slice(2);
const pool = new Pool(url, { connections: Number(connections), pipelining: 1 });
const queue = new PQueue({ concurrency: Number(connections) });
const headers = { authorization: 'Bearer key', 'content-type': 'application/json' };

async function send(signals) {
  const body = JSON.stringify({ signals });
  const answer = await pool.request({ path: '/v1/signals/ingest', method: 'POST', headers, body });
  const { success } = await answer.body.json();
  if (answer.statusCode !== 200 || success !== true) throw new Error(`answered ${answer.statusCode}`);
}

let batch = [];
for await (const row of createReadStream(file).pipe(parse({ columns: true }))) {
  batch.push(signal.parse(row));
  if (batch.length < BATCH) continue;
  await queue.onSizeLessThan(Number(connections));
  const full = batch;
  void queue.add(() => send(full));
  batch = [];
}
if (batch.length > 0) void queue.add(() => send(batch));
await queue.onIdle();
await pool.close();
