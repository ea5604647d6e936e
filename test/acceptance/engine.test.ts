/** `engine` on the built program: what is sent and what is left behind is the same with the fast path and without it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished } from 'vitest';
import { csvOf, plainRow, readRun, run, summaryOf, test, workspace, write } from '../support/program.ts';

/** A service that refuses every request with a poisoned record in it, and keeps the bodies of the others. */
async function refusing(): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      if (body.includes('poison')) {
        response.writeHead(422).end('{"error":"no poison"}');
        return;
      }
      bodies.push(body);
      const accepted: number = JSON.parse(body).signals.length;
      response.setHeader('content-type', 'application/json');
      const stats = { accepted, deduplicated: 0, rejected: 0 };
      response.end(JSON.stringify({ success: true, batchId: `b${bodies.length}`, stats }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, bodies };
}

/** Lines of the journal that say what was prepared. */
function sealed(journal: string): readonly string[] {
  return journal.split('\n').filter((line) => /"event":"(?:batch\.sealed|row\.invalid|source\.ended)"/.test(line));
}

/** Without what differs from run to run: the line's own time, and the checksum that covers it. */
const timeless = (line: string): string => line.replace(/,"time":"[^"]*"/, '').replace(/,"crc":.*$/, '');

describe('engine', () => {
  test('sends, journals and rejects the same, a refused record with its row as it was', async () => {
    const rows = csvOf(750, (n) => {
      if (n % 97 === 0) return plainRow(n).replace(/^[^,]*/, '');
      if (n % 101 === 0) return plainRow(n).replace(/^[^,]*/, `"poison ""${n}"", Inc."`);
      return n % 2 === 0 ? plainRow(n) : plainRow(n).replace(/^[^,]*/, `"Müller, ""No. ${n}"""`);
    });
    const results = [];
    for (const engine of ['auto', 'reference']) {
      const cwd = await workspace();
      const { url, bodies } = await refusing();
      await write(cwd, 'in.csv', rows);
      const ended = await run(
        cwd,
        ['upload', 'in.csv', '--setting', `engine=${engine}`, '--concurrency', '1', '--json'],
        {
          env: { SIGNALS_BASE_URL: url, SIGNALS_API_KEY: 'key' },
        },
      );
      expect(ended.code).toBe(3);
      results.push({
        rows: summaryOf(ended).rows,
        // Parts of two batches that were refused take turns as their answers come.
        bodies: bodies.toSorted(),
        sealed: sealed(await readRun(cwd, 'journal.ndjson')).map(timeless),
        rejects: (await readRun(cwd, 'rejects/in.csv')).split('\r\n').toSorted(),
      });
    }
    const [auto, reference] = results;
    expect(auto?.rows).toMatchObject({ read: 750, invalid: 7, refused: 7, delivered: 736 });
    expect(auto?.sealed.length).toBeGreaterThan(8);
    expect(auto?.rejects.join('\n')).toContain('"poison ""101"", Inc."');
    expect(auto).toEqual(reference);
  }, 60_000);
});
