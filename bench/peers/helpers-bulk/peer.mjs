/**
 * Elasticsearch's `helpers.bulk` as a peer: `node peer.mjs URL FILE BYTES`. A CSV file is parsed by csv-parser, the
 * fastest of the usual ones here; the lines of an NDJSON file are sent as they are, without being parsed. 8
 * requests at a time. Its batches are measured in bytes: BYTES is what 100 records of the file take on average.
 */
import { createReadStream } from 'node:fs';
import { Client } from '@elastic/elasticsearch';
import csv from 'csv-parser';

const [url = '', file = '', bytes = ''] = process.argv.slice(2);

/** Lines of a file, as texts: a good deal faster than readline. */
async function* linesOf(stream) {
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const client = new Client({ node: url, agent: { connections: 8, pipelining: 1 } });
const datasource = file.endsWith('.csv')
  ? createReadStream(file).pipe(csv())
  : linesOf(createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 18 }));
const action = { index: { _index: 'signals' } };
const { failed } = await client.helpers.bulk({
  datasource,
  onDocument: () => action,
  concurrency: 8,
  flushBytes: Number(bytes),
});
await client.close();
process.exitCode = failed === 0 ? 0 : 1;
