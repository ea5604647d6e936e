/** The ways to the service: TLS, proxies, another address. What a failure on each of them means, and whether anything left. */
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net';
import * as tls from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Route, readCertificate } from '../../src/deliver/dispatcher.ts';
import { HttpTransport } from '../../src/deliver/http.ts';
import { certificate, hasOpenssl, issuedCertificate } from '../support/certificate.ts';
import { freePort, listen } from '../support/listen.ts';
import { startProxy } from '../support/proxy.ts';

const answered = { kind: 'answered', status: 200, written: true, whole: true, body: 'ok' };
const answer: RequestListener = (request, response) => void request.resume().once('end', () => response.end('ok'));

function open(baseUrl: string, route: Route = {}, timeoutMs = 5000): HttpTransport {
  const transport = new HttpTransport({ ...route, baseUrl, key: 'k', agent: 'a', connections: 1, timeoutMs });
  onTestFinished(() => transport.close());
  return transport;
}

const send = (transport: HttpTransport) => transport.post('/', Buffer.from('{}'), () => undefined);
const post = (baseUrl: string, route?: Route) => send(open(baseUrl, route));

test.each([true, false])('connects to another address than that of the name, if Node.js tries all: %s', async (all) => {
  const before = getDefaultAutoSelectFamily();
  setDefaultAutoSelectFamily(all);
  onTestFinished(() => setDefaultAutoSelectFamily(before));
  const url = `http://service.test:${await listen(createHttpServer(answer))}`;
  expect(await post(url)).toMatchObject({ left: false, cause: 'dns' });
  expect(await post(url, { address: '127.0.0.1' })).toMatchObject(answered);
  expect(await post(`http://service.test:${await freePort()}`, { address: '::1' })).toMatchObject({ cause: 'connect' });
});

test('a lost request is looked into, for a port that speaks TLS, until the first answer', async () => {
  /** The first byte of each connection. */
  const seen: number[] = [];
  let behave: 'answer' | 'reset' | 'hang' = 'reset';
  const server = createServer((socket) =>
    socket.once('data', ([byte = 0]) => {
      seen.push(byte);
      if (behave === 'answer') socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      if (behave === 'reset') socket.resetAndDestroy();
    }),
  );
  const url = `http://127.0.0.1:${await listen(server)}`;
  const lost = { kind: 'failed', left: true, cause: 'reset' };
  const [POST, HELLO] = [0x50, 0x16];
  const transport = open(url);
  expect([await send(transport), seen.splice(0)]).toMatchObject([lost, [POST, HELLO]]);
  behave = 'answer';
  expect([await send(transport), seen.splice(0)]).toMatchObject([answered, [POST]]);
  behave = 'reset';
  expect([await send(transport), seen.splice(0)]).toMatchObject([lost, [POST]]);
  behave = 'hang';
  expect(await send(open(url, {}, 2000))).toMatchObject({ left: true, cause: 'timeout' });
  // Whatever follows is there before another request is.
  behave = 'answer';
  await send(open(url));
  expect(seen).toEqual([POST, POST]);
});

describe('a proxy', () => {
  const start = async (options: object) =>
    startProxy(`http://127.0.0.1:${await listen(createHttpServer(answer))}`, options);
  test('leads to the service, unless NO_PROXY names it', async () => {
    const { url: proxy, connects } = await start({});
    expect(await post('http://service.test', { proxy })).toMatchObject(answered);
    expect(await post('http://service.test', { proxy, noProxy: 'service.test' })).toMatchObject({ cause: 'dns' });
    expect(connects).toEqual(['service.test:80']);
  });

  test.each([
    ['credentials', { credentials: 'a:b' }, { cause: 'proxy', message: expect.stringContaining('407') }],
    ['no access to the service', { answer: '403 Forbidden' }, { cause: 'proxy' }],
    ['the service, and cannot reach it', { answer: '503 Unavailable' }, { cause: 'connect' }],
  ])('that wants %s means that nothing has left', async (_what, options, expected) => {
    const { url: proxy } = await start(options);
    expect(await post('http://service.test', { proxy })).toMatchObject({ kind: 'failed', left: false, ...expected });
  });

  test('that is not there is named', async () => {
    const gone = { left: false, cause: 'proxy_connect', code: 'ECONNREFUSED', message: '127.0.0.1:9: ECONNREFUSED' };
    expect(await post('http://service.test', { proxy: 'http://127.0.0.1:9' })).toMatchObject(gone);
  });
});

describe.runIf(hasOpenssl)('TLS', () => {
  const plain = async () => listen(createHttpServer(answer));

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('of %s sends nothing without what both want', async (version) => {
    const { options, ca: file } = await issuedCertificate('localhost', 'Acme CA');
    const [ca, { cert, key }] = [readFileSync(file, 'utf8'), options];
    const wanted = { requestCert: true, ca, minVersion: version, maxVersion: version };
    const url = `https://localhost:${await listen(createHttpsServer({ ...options, ...wanted }, answer))}`;
    const failed = { kind: 'failed', left: false };
    const own = `https://localhost:${await listen(createHttpsServer(options, answer))}`;
    expect(await post(own)).toMatchObject({ ...failed, cause: 'tls' });
    expect(await post(url, { tls: { ca } })).toMatchObject({ ...failed, cause: 'handshake' });
    // Looked into is only what was sent to the port itself, and without TLS.
    const lost = `https://localhost:${await listen(createHttpsServer(options, ({ socket }) => socket.destroy()))}`;
    expect(await post(lost, { tls: { ca } })).toMatchObject({ left: true, cause: 'reset' });
    const dead = await listen(createServer((socket) => socket.once('data', () => socket.resetAndDestroy())));
    const { url: proxy } = await startProxy(`http://localhost:${dead}`);
    expect(await post(own.replace('https', 'http'), { proxy })).toMatchObject({ left: true, cause: 'reset' });
    expect(await post(url, { tls: { ca, cert: `${cert}`, key: `${key}` } })).toMatchObject(answered);
    expect(await post(url.replace('https', 'http'))).toMatchObject({ ...failed, cause: 'scheme', code: 'TLS_PORT' });
    expect(await post(`https://localhost:${await plain()}`)).toMatchObject({ ...failed, cause: 'plain' });
  });

  test('behind a proxy with TLS, which gets no client certificate, shows that of the service', async () => {
    const [service, front] = [await certificate('service.test'), await certificate()];
    const server = createHttpsServer({ ...service.options, requestCert: true, ca: service.options.cert }, answer);
    const { url } = await startProxy(`https://127.0.0.1:${await listen(server)}`);
    const names: unknown[] = [];
    const wanted = { requestCert: true, rejectUnauthorized: false };
    const outer = tls.createServer({ ...front.options, ...wanted }, (socket) => {
      names.push(socket.getPeerCertificate().subject?.CN);
      socket.pipe(connect(Number(new URL(url).port))).pipe(socket);
    });
    const [cert, key] = [`${service.options.cert}`, `${service.options.key}`];
    const proxy = `https://localhost:${await listen(outer)}`;
    const route = { proxy, tls: { ca: `${cert}${front.options.cert}`, cert, key } };
    expect(await post('https://service.test', route)).toMatchObject(answered);
    const read = await readCertificate(new URL('https://service.test'), route, 5000);
    expect(read?.subject).toBe('service.test');
    expect(names).toEqual([undefined, undefined]);
  });

  test.each([
    ['Acme', 'Acme'],
    ['/O=Acme', 'Acme'],
    ['/C=DE', 'no name'],
  ])('reads the certificate that %s has issued, without a request', async (issuer, name) => {
    const { options } = await issuedCertificate('localhost', issuer);
    let bytes = 0;
    const server = tls.createServer(options, (socket) => socket.on('data', (chunk) => (bytes += chunk.length)));
    const port = await listen(server);
    const read = await readCertificate(new URL(`https://localhost:${port}`), {}, 5000);
    expect(read).toMatchObject({ protocol: 'TLSv1.3', subject: 'localhost', issuer: name });
    expect((read?.validTo ?? 0) / Date.now()).toBeCloseTo(1, 3);
    const { url: proxy } = await startProxy(`https://127.0.0.1:${port}`);
    const proxied = await readCertificate(new URL(`https://127.0.0.1:${port}`), { proxy }, 5000);
    expect(proxied).toEqual(read);
    server.once('connection', () => expect.fail('connected without TLS'));
    await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0);
    expect(bytes).toBe(0);
    expect(await readCertificate(new URL(`http://localhost:${port}`), {}, 5000)).toBeUndefined();
    expect(await readCertificate(new URL(`https://localhost:${await plain()}`), {}, 5000)).toBeUndefined();
  });
});
