/** Servers that do unusual things with a connection, against the built program: raw TCP and TLS. */
import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import path from 'node:path';
import * as tls from 'node:tls';
import { describe, expect } from 'vitest';
import { certificate, hasOpenssl, issuedCertificate } from '../support/certificate.ts';
import { listen } from '../support/listen.ts';
import {
  at,
  type Ended,
  program,
  run,
  socialCsv,
  summaryOf,
  test,
  workspace,
  write,
  writeCsv,
} from '../support/program.ts';
import { startProxy } from '../support/proxy.ts';

const RECEIPT = JSON.stringify({ success: true, batchId: 'b1', promotedToPipeline: 0 });

const ANSWER = `HTTP/1.1 200 OK\r\ncontent-length: ${RECEIPT.length}\r\n\r\n${RECEIPT}`;

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
  const all = ['upload', 'in.csv', '--json', '--base-url', baseUrl, '--setting', 'retry_max_time=1s', ...args];
  return run(cwd, all, { env: { SIGNALS_API_KEY: 'right-key', ...env } });
}

test('retry_max_time stops a run whose service always requests a wait of 0 seconds', async ({ there }) => {
  there.fault = () => ({ status: 429, headers: { 'retry-after': '0' } });
  const ended = await upload(there.url, socialCsv(2), ['--setting', 'max_wait=5s']);
  expect(ended.code, ended.stderr).toBe(6);
  expect(summaryOf(ended)).toMatchObject({ state: 'stopped', rows: { pending: 2 } });
  // One in 250 ms for a second, and not for the six seconds that max_wait would add.
  expect(there.requests().length).toBeLessThan(10);
});

test.skipIf(process.platform === 'win32')(
  'a limit on open files stops the run, and does not count as an outage',
  async ({ cwd, there }) => {
    there.fault = () => ({ latencyMs: 300 });
    await writeCsv(cwd, 'in.csv', 12_800);
    const args = ['upload', 'in.csv', '--json', '--setting', 'canary=no', '--concurrency', '128'];
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

describe.runIf(hasOpenssl)('TLS', () => {
  const answerAll = (socket: Socket): void => onRequest(socket, () => socket.write(ANSWER));

  test('a server that wants a client certificate gets it, or stops the run with nothing unknown', async () => {
    const { file, keyFile, options } = await certificate();
    let requests = 0;
    const wanted = { requestCert: true, ca: options.cert };
    const server = createHttpsServer({ ...options, ...wanted }, (request, response) => {
      requests += 1;
      request.resume().once('end', () => response.end(RECEIPT));
    });
    const url = `https://localhost:${await listen(server)}`;
    const refused = await upload(url, socialCsv(300), ['--setting', `ca_file=${file}`]);
    expect(refused.code, refused.stderr).toBe(6);
    expect(summaryOf(refused)).toMatchObject({ balanced: true, state: 'stopped', rows: { unknown: 0 } });
    expect(refused.stderr).toContain('client_cert');
    expect(requests).toBe(0);
    const files = [`ca_file=${file}`, `client_cert=${file}`, `client_key=${keyFile}`];
    const args = files.flatMap((setting) => ['--setting', setting]);
    const ended = await upload(url, socialCsv(2), args);
    expect(ended.code, ended.stderr).toBe(0);
    expect(requests).toBe(1);
  });

  test('http:// to a port that speaks TLS stops the run, and no row is unknown', async () => {
    const { options } = await certificate();
    const port = await listen(tls.createServer(options, (socket) => socket.destroy()));
    const ended = await upload(`http://127.0.0.1:${port}`, socialCsv(300));
    expect(ended.code, ended.stderr).toBe(6);
    expect(summaryOf(ended)).toMatchObject({ balanced: true, state: 'stopped', rows: { unknown: 0 } });
    expect(ended.stderr).toContain('https://');
  });

  test('a certificate of a private CA stops the run, and the hints work', async () => {
    const { file, options } = await certificate();
    const url = `https://localhost:${await listen(tls.createServer(options, answerAll))}`;
    const refused = await upload(url);
    expect(refused.code, refused.stderr).toBe(6);
    expect(refused.stderr).toMatch(/ca_file.*NODE_EXTRA_CA_CERTS/);
    const byVariable = await upload(url, socialCsv(2), [], { NODE_EXTRA_CA_CERTS: file });
    expect(byVariable.code, byVariable.stderr).toBe(0);
    const byOption = await upload(url, socialCsv(2), ['--setting', `ca_file=${file}`]);
    expect(byOption.code, byOption.stderr).toBe(0);
  });

  // Node.js 22.15 or later; on Linux, SSL_CERT_FILE names the store of the system.
  test.runIf('getCACertificates' in tls && process.platform === 'linux')(
    'a CA in the store of the system is trusted',
    async () => {
      const { ca, options } = await issuedCertificate('localhost', 'Acme Private CA');
      const url = `https://localhost:${await listen(tls.createServer(options, answerAll))}`;
      const ended = await upload(url, socialCsv(2), [], { SSL_CERT_FILE: ca });
      expect(ended.code, ended.stderr).toBe(0);
    },
  );

  test('a certificate that is not accepted stops the run, also behind a proxy, and SIGNALS_CA_FILE makes it work', async () => {
    const { ca, options } = await issuedCertificate('service.test', 'Acme Private CA');
    const port = await listen(tls.createServer(options, answerAll));
    const proxy = await startProxy(`http://127.0.0.1:${port}`);
    const direct = `https://service.test:${port}`;
    const [resolve, env] = [['--setting', `resolve=service.test:${port}:127.0.0.1`], { SIGNALS_CA_FILE: ca }];
    for (const [url, args, route] of [
      [direct, resolve, {}],
      ['https://service.test', ['--yes'], { SIGNALS_PROXY: proxy.url }],
    ] as const) {
      const refused = await upload(url, socialCsv(2), args, route);
      expect(refused.code, refused.stderr).toBe(6);
      expect(refused.stderr).toContain('ca_file');
      const ended = await upload(url, socialCsv(2), args, { ...route, ...env });
      expect(ended.code, ended.stderr).toBe(0);
    }
    const other = await upload(direct, socialCsv(2), ['--setting', 'resolve=other.test:443:127.0.0.1'], env);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain(`--setting resolve=service.test:${port}:127.0.0.1`);
  });

  test.for([
    ['ca_file', ['--setting', 'ca_file=in.csv'], 'option.ca_file'],
    ['ca_file that is missing', ['--setting', 'ca_file=none.pem'], 'option.ca_file'],
    ['client_cert alone', ['--setting', 'client_cert=cert.pem'], 'option.client_cert'],
    [
      'client_key of another certificate',
      ['--setting', 'client_cert=cert.pem', '--setting', 'client_key=other.pem'],
      'option.client_key',
    ],
  ] as const)('an invalid %s is refused before anything is sent', async ([_name, args, code], { cwd }) => {
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
