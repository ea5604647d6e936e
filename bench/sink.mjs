/**
 * A service that takes everything and keeps nothing: for measuring the program and not the service. It checks
 * nothing but the count, so its receipts balance.
 */
import { createServer } from 'node:http';

/** Starts the sink on loopback. @returns {Promise<{ url: string, records: () => number, close: () => void }>} */
export async function startSink() {
  let records = 0;
  let batches = 0;
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const accepted = (body.signals ?? body.events).length;
      records += accepted;
      batches += 1;
      const counts = body.signals
        ? { stats: { accepted, deduplicated: 0, rejected: 0 } }
        : { promotedToPipeline: 0 };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ success: true, batchId: `b${batches}`, ...counts }));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    records: () => records,
    close: () => server.close(),
  };
}
