/** Servers that do unusual things with a connection, against the built program: raw TCP and TLS. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { certificate, hasOpenssl } from '../support/certificate.ts';
import {
  at,
  csvOf,
  type Ended,
  program,
  run,
  service,
  socialCsv,
  start,
  summaryOf,
  workspace,
  write,
} from '../support/program.ts';
import { startProxy } from '../support/proxy.ts';

const RECEIPT = JSON.stringify({ success: true, batchId: 'b1', promotedToPipeline: 0 });

function answer(body = RECEIPT): string {
  const length = Buffer.byteLength(body);
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
}

/** A server of raw connections. Returns its port. */
async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Calls back when all of a request has arrived. */
function onRequest(socket: Socket, callback: () => void): void {
  let missing = 0;
  socket.on('data', (chunk: Buffer) => {
    const head = chunk.toString('latin1', 0, 1000);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (missing === 0) missing = head.indexOf('\r\n\r\n') + 4 + Number(length);
    missing -= chunk.length;
    if (missing === 0) callback();
  });
}

/** Uploads social events, whose outcome nothing clears up later. */
async function upload(baseUrl: string, csv = socialCsv(2), args: readonly string[] = [], env = {}): Promise<Ended> {
  const cwd = await workspace();
  await write(cwd, 'in.csv', csv);
  const all = ['upload', 'in.csv', '--json', '--base-url', baseUrl, '--retry-max-time', '1s', ...args];
  return run(cwd, all, { env: { SIGNALS_API_KEY: 'right-key', ...env } });
}

describe('an answer before the whole request was written', () => {
  /** More than the system takes of a connection that is not read. */
  const content = 'x'.repeat(160_000);
  const large = `platform,engagement_type,engagement_content\n${`linkedin,like,${content}\n`.repeat(100)}`;

  test('is not a delivery, because the service cannot have read the batch', async () => {
    const port = await listen(
      createServer((socket) => {
        socket.once('data', () => {
          socket.pause();
          socket.write(answer());
        });
      }),
    );
    const ended = await upload(`http://127.0.0.1:${port}`, large, ['--max-bytes', '100MB']);
    expect(ended.code, ended.stderr).toBe(4);
    expect(summaryOf(ended)).toMatchObject({ balanced: true, rows: { read: 100, unknown: 100, delivered: 0 } });
  });

  test('is a delivery if the service has read all of it', async () => {
    const port = await listen(createServer((socket) => onRequest(socket, () => socket.write(answer()))));
    const ended = await upload(`http://127.0.0.1:${port}`, large, ['--max-bytes', '100MB']);
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended).rows).toMatchObject({ delivered: 100 });
  });
});

describe('an unusual answer is accepted', () => {
  const CONTINUE = 'HTTP/1.1 100 Continue\r\nserver: old\r\n\r\n';

  test.each([
    ['after an unrequested "100 Continue"', [CONTINUE, answer()]],
    ['together with it', [CONTINUE + answer()]],
    ['after two of them, split at odd places', [CONTINUE.slice(0, 11), CONTINUE.slice(11) + CONTINUE, answer()]],
    ['with a byte order mark before the receipt', [answer(`\uFEFF${RECEIPT}`)]],
  ])('%s', async (_name, parts) => {
    const port = await listen(
      createServer((socket) => {
        socket.setNoDelay(true);
        onRequest(socket, async () => {
          for (const part of parts) {
            socket.write(part);
            await sleep(20);
          }
        });
      }),
    );
    const ended = await upload(`http://127.0.0.1:${port}`);
    expect(summaryOf(ended)).toMatchObject({ balanced: true, rows: { delivered: 2 } });
    expect(ended.code, ended.stderr).toBe(0);
  });
});

test('--retry-max-time stops a run whose service always requests a wait of 0 seconds', async () => {
  const there = await service({ injectFault: () => ({ status: 429, headers: { 'retry-after': '0' } }) });
  const ended = await upload(there.url, socialCsv(2), ['--max-wait', '5s']);
  expect(ended.code, ended.stderr).toBe(6);
  expect(summaryOf(ended)).toMatchObject({ state: 'stopped', rows: { pending: 2 } });
  // One in 250 ms for a second, and not for the six seconds that --max-wait would add.
  expect(there.requests().length).toBeLessThan(10);
});

test.skipIf(process.platform === 'win32')(
  'a limit on open files stops the run, and does not count as an outage',
  async () => {
    const cwd = await workspace();
    const there = await service({ injectFault: () => ({ latencyMs: 300 }) });
    await write(cwd, 'in.csv', csvOf(12_800));
    const args = ['upload', 'in.csv', '--json', '--no-canary', '--concurrency', '128'];
    // Enough for the program and its files, and for some of the connections.
    const script = 'ulimit -n 60; exec "$@"';
    const env = { ...at(there), PATH: process.env['PATH'], HOME: cwd };
    const { code, stdout, stderr } = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(
        'bash',
        ['-c', script, 'bash', process.execPath, program, ...args],
        { cwd, env },
        (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });
    expect(code, stderr).toBe(6);
    const summary = JSON.parse(stdout);
    expect(summary).toMatchObject({ balanced: true, state: 'stopped', rows: { unknown: 0, exhausted: 0 } });
    expect(stderr).toContain('EMFILE');
    expect(stderr).toContain('--concurrency');
  },
);

test.skipIf(process.platform === 'win32')('SIGUSR2 does not end a run', async () => {
  const cwd = await workspace();
  const there = await service({ injectFault: () => ({ latencyMs: 300 }) });
  await write(cwd, 'in.csv', csvOf(200));
  const { child, ended } = start(cwd, ['upload', 'in.csv', '--json'], { env: at(there) });
  await expect.poll(() => there.requests().length, { timeout: 30_000 }).toBeGreaterThan(0);
  child.kill('SIGUSR2');
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(JSON.parse(stdout).rows).toMatchObject({ delivered: 200 });
});

describe.runIf(hasOpenssl)('TLS', () => {
  const answerAll = (socket: Socket): void => onRequest(socket, () => socket.write(answer()));

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'a %s server that wants a client certificate gets it, or stops the run with nothing unknown',
    async (version) => {
      const { file, keyFile, options } = await certificate();
      let requests = 0;
      const wanted = { requestCert: true, ca: options.cert, minVersion: version, maxVersion: version };
      const server = createHttpsServer({ ...options, ...wanted }, (request, response) => {
        requests += 1;
        request.resume().once('end', () => response.end(RECEIPT));
      });
      const url = `https://localhost:${await listen(server)}`;
      const refused = await upload(url, socialCsv(300), ['--ca-file', file]);
      expect(refused.code, refused.stderr).toBe(6);
      expect(summaryOf(refused)).toMatchObject({ balanced: true, state: 'stopped', rows: { unknown: 0 } });
      expect(refused.stderr).toContain('--client-cert');
      expect(requests).toBe(0);
      const args = ['--ca-file', file, '--client-cert', file, '--client-key', keyFile];
      const ended = await upload(url, socialCsv(2), args);
      expect(ended.code, ended.stderr).toBe(0);
      expect(requests).toBe(1);
    },
  );

  test('http:// to a port that speaks TLS stops the run, and no row is unknown', async () => {
    const { options } = await certificate();
    const port = await listen(createTlsServer(options, (socket) => socket.destroy()));
    const ended = await upload(`http://127.0.0.1:${port}`, socialCsv(300));
    expect(ended.code, ended.stderr).toBe(6);
    expect(summaryOf(ended)).toMatchObject({ balanced: true, state: 'stopped', rows: { unknown: 0 } });
    expect(ended.stderr).toContain('https://');
  });

  test('a certificate of a private CA stops the run, and the hints work', async () => {
    const { file, options } = await certificate();
    const url = `https://localhost:${await listen(createTlsServer(options, answerAll))}`;
    const refused = await upload(url);
    expect(refused.code, refused.stderr).toBe(6);
    expect(refused.stderr).toMatch(/--ca-file.*NODE_EXTRA_CA_CERTS/);
    const byVariable = await upload(url, socialCsv(2), [], { NODE_EXTRA_CA_CERTS: file });
    expect(byVariable.code, byVariable.stderr).toBe(0);
    const byOption = await upload(url, socialCsv(2), ['--ca-file', file]);
    expect(byOption.code, byOption.stderr).toBe(0);
  });

  test('--ca-file also applies to a service behind a proxy', async () => {
    const { file, options } = await certificate('service.test');
    const port = await listen(createTlsServer(options, answerAll));
    const proxy = await startProxy(`http://127.0.0.1:${port}`);
    const args = ['--ca-file', file, '--yes'];
    const ended = await upload('https://service.test', socialCsv(2), args, { HTTPS_PROXY: proxy.url });
    expect(ended.code, ended.stderr).toBe(0);
    expect(proxy.connects).toEqual(['service.test:443']);
  });

  test.each([
    ['--ca-file', ['--ca-file', 'in.csv'], 'option.ca-file'],
    ['--ca-file that is missing', ['--ca-file', 'none.pem'], 'option.ca-file'],
    ['--client-cert alone', ['--client-cert', 'cert.pem'], 'option.client-cert'],
    [
      '--client-key of another certificate',
      ['--client-cert', 'cert.pem', '--client-key', 'other.pem'],
      'option.client-key',
    ],
  ])('an invalid %s is refused before anything is sent', async (_name, args, code) => {
    const cwd = await workspace();
    const [own, other] = [await certificate(), await certificate()];
    await copyFile(own.file, path.join(cwd, 'cert.pem'));
    await copyFile(other.keyFile, path.join(cwd, 'other.pem'));
    await write(cwd, 'in.csv', socialCsv(2));
    const env = { SIGNALS_API_KEY: 'right-key', SIGNALS_BASE_URL: 'https://localhost:1' };
    const ended = await run(cwd, ['upload', 'in.csv', '--json', ...args], { env });
    expect(ended.code, ended.stderr).toBe(2);
    expect(JSON.parse(ended.stdout)).toMatchObject({ exitCode: 2, errors: [{ code }] });
  });
});
