/** `signals doctor`, against real servers on loopback. */
import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { describe, expect } from 'vitest';
import { certificate, hasOpenssl } from '../support/certificate.ts';
import { listen } from '../support/listen.ts';
import { type Ended, run, service, test, workspace } from '../support/program.ts';

const KEY = { SIGNALS_API_KEY: 'right-key' };

async function doctor(args: readonly string[], env: NodeJS.ProcessEnv = KEY): Promise<Ended> {
  return run(await workspace(), ['doctor', '--json', ...args], { env });
}

/** The states of the checks, by name, in order. */
function statesOf({ stdout }: Ended): readonly string[] {
  const { findings } = JSON.parse(stdout) as { findings: { check: string; state: string }[] };
  return findings.map(({ check, state }) => `${check} ${state}`);
}

test('everything is well with a service that answers, and no record and no key was sent', async () => {
  const sandbox = await service();
  const ended = await doctor(['--base-url', sandbox.url]);
  const wanted = ['program', 'settings', 'key', 'runs', 'state', 'service', 'clock'];
  expect(statesOf(ended)).toEqual(wanted.map((check) => `${check} ok`));
  const named = await doctor(['--base-url', sandbox.url.replace('127.0.0.1', 'localhost')]);
  expect(statesOf(named)).toEqual(wanted.toSpliced(5, 0, 'dns').map((check) => `${check} ok`));
  expect(ended.code).toBe(0);
  const text = await run(await workspace(), ['doctor', '--base-url', sandbox.url], { env: KEY });
  expect(text.stdout).not.toContain('right-key');
  expect(text.stdout).toMatch(/^ {2}ok {2}program/m);
});

test('the request carries no key and has no body', async () => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push([request.method, request.url, request.headers.authorization]);
    response.end();
  });
  const ended = await doctor(['--base-url', `http://127.0.0.1:${await listen(server)}/ingest`]);
  expect(ended.code, ended.stdout).toBe(0);
  expect(seen).toEqual([['HEAD', '/ingest/', undefined]]);
});

test('without settings, each missing one is an error with the command that sets it', async () => {
  const ended = await doctor([], {});
  expect(ended.code).toBe(2);
  expect(statesOf(ended)).toEqual(['program ok', 'settings ok', 'key error', 'runs ok', 'state ok', 'service error']);
  expect(ended.stdout).toContain('no settings file, profile');
  expect(ended.stdout).toContain('config set api_key');
  expect(ended.stdout).toContain('config set base_url URL');
});

test('a name that does not exist, a closed port and a redirect are errors', async () => {
  const gone = await doctor(['--base-url', 'https://service.invalid']);
  expect(statesOf(gone).at(-1)).toBe('dns error');
  const closed = await doctor(['--base-url', 'http://127.0.0.1:9']);
  expect(statesOf(closed).at(-1)).toBe('service error');
  const server = createServer((_request, response) => {
    response.writeHead(301, { location: 'https://new.example/' }).end();
  });
  const moved = await doctor(['--base-url', `http://127.0.0.1:${await listen(server)}`]);
  expect(moved.stdout).toContain('it redirects to https://new.example/');
  expect([gone.code, closed.code, moved.code]).toEqual([2, 2, 2]);
});

test('a clock that differs by more than a minute is a warning', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(404, { date: new Date(Date.now() - 600_000).toUTCString() }).end();
  });
  const ended = await doctor(['--base-url', `http://127.0.0.1:${await listen(server)}`]);
  expect(statesOf(ended).slice(-2)).toEqual(['service ok', 'clock warning']);
  expect(ended.stdout).toMatch(/clock is 10 min.* ahead of the service's/);
  expect(ended.code).toBe(0);
});

describe.runIf(hasOpenssl)('TLS', () => {
  test('a certificate that expires tomorrow is a warning; one of an unknown issuer is an error with what helps', async () => {
    const { file, options } = await certificate();
    const url = `https://localhost:${await listen(createHttpsServer(options, (_request, response) => response.end()))}`;
    const trusted = await doctor(['--base-url', url, '--setting', `ca_file=${file}`]);
    expect(statesOf(trusted)).toEqual(expect.arrayContaining(['tls warning', 'service ok']));
    expect(trusted.stdout).toContain('the certificate of localhost, issued by localhost, expires in 0 days');
    const refused = await doctor(['--base-url', url]);
    expect(statesOf(refused)).toEqual(expect.arrayContaining(['tls warning', 'service error']));
    expect(refused.stdout).toContain('ca_file');
    expect([trusted.code, refused.code]).toEqual([0, 2]);
  });
});
