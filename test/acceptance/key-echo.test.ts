/** A service that repeats the API key in its answers: no file and no output of the program contains it. */
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { listen } from '../support/listen.ts';
import { csvOf, everythingIn, readRun, run, test, write, writeCsv } from '../support/program.ts';

/** With characters that JSON, HTML and URLs escape. */
const KEY = 'sk-live/9+Zq"7&hT_k<=~';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Ways in which a service may write the key that it received. */
const ECHOES: Readonly<Record<string, string>> = {
  'as it is': KEY,
  'as a JSON text': JSON.stringify(KEY).slice(1, -1),
  'as a JSON text with escaped slashes': JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/'),
  'as HTML': KEY.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  'in a URL': encodeURIComponent(KEY),
  'in a URL, with small hex digits': encodeURIComponent(KEY).replaceAll(/%../g, (code) => code.toLowerCase()),
  'as base64': base64(KEY),
  'as base64 for URLs': Buffer.from(KEY).toString('base64url'),
  'as base64 after one byte': base64(`x${KEY}`),
  'as base64 of the header': base64(`Bearer ${KEY}`),
  'as base64 in a URL': encodeURIComponent(base64(KEY)),
};

/** What must not be found: the key in each form, without the ends, which depend on the neighbours in base64. */
const traces = Object.values(ECHOES).map((echo) => echo.slice(6, -6));

type Answer = (response: ServerResponse, echo: string) => void;

/** Answers request n with echo n. */
async function echoingService(answer: Answer): Promise<{ readonly url: string; readonly received: string[] }> {
  const received: string[] = [];
  const echoes = Object.values(ECHOES);
  const server = createServer((request, response) => {
    const echo = echoes[received.length % echoes.length] ?? '';
    received.push(request.headers.authorization ?? '');
    request.resume().on('end', () => answer(response, echo));
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, received };
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  'a refusal': (response, echo) => response.writeHead(422).end(`The key ${echo} may not do this.`),
  'a compressed refusal': (response, echo) =>
    response.writeHead(400, { 'content-encoding': 'gzip' }).end(gzipSync(`<b>${echo}</b> may not do this`)),
  'a refused key': (response, echo) => response.writeHead(401).end(JSON.stringify({ error: `Unknown: ${echo}` })),
  'a redirect': (response) =>
    response.writeHead(302, { location: `/login?key=${Object.values(ECHOES).join('&key=')}` }).end(),
  'a receipt': (response, echo) => {
    const stats = { accepted: 1, deduplicated: 0, rejected: 0 };
    response.writeHead(200).end(JSON.stringify({ success: true, batchId: `b-${echo}`, stats }));
  },
  'a 200 without a receipt': (response, echo) => response.writeHead(200).end(`Welcome, ${echo}`),
  'an answer that is cut off': (response, echo) => {
    response.writeHead(400, { 'content-length': 9999 }).write(`Bad: ${echo}`, () => response.destroy());
  },
};

test.for(Object.entries(ANSWERS))(
  '%s that repeats the key leaves it in no file and in no output',
  async ([what, answer], { cwd }) => {
    const { url, received } = await echoingService(answer);
    await write(cwd, 'in.csv', csvOf(Object.keys(ECHOES).length));
    const env = { SIGNALS_BASE_URL: url, SIGNALS_API_KEY: KEY };
    const oneByOne = ['--batch-size', '1', '--concurrency', '1', '--setting', 'canary=no', '--setting', 'retries=0'];
    const { code, stdout, stderr } = await run(cwd, ['upload', 'in.csv', '--verbose', ...oneByOne], { env });
    expect(received[0]).toBe(`Bearer ${KEY}`);
    expect(what === 'a receipt' ? [0] : [3, 5, 6], stderr).toContain(code);

    const everything = stdout + stderr + (await everythingIn(cwd));
    expect(traces.filter((trace) => everything.includes(trace))).toEqual([]);
    // The rest of the answer is still there; of a refused key, only the status says something.
    if (what !== 'a refused key') expect(await readRun(cwd, 'journal.ndjson')).toContain('[API key]');
  },
);

test('an answer that is truncated inside the key reveals no part of it', async ({ cwd }) => {
  const { url } = await echoingService((response, echo) => {
    response.writeHead(400, { 'content-length': 9999 }).write(`Bad: ${echo.slice(0, -5)}`, () => response.destroy());
  });
  await write(cwd, 'in.csv', csvOf(Object.keys(ECHOES).length));
  const env = { SIGNALS_BASE_URL: url, SIGNALS_API_KEY: KEY };
  const oneByOne = ['--batch-size', '1', '--concurrency', '1', '--setting', 'canary=no'];
  const { stdout, stderr } = await run(cwd, ['upload', 'in.csv', '--verbose', ...oneByOne], { env });
  const everything = stdout + stderr + (await everythingIn(cwd));
  expect(everything).toContain('HTTP 400: Bad: [API key]');
  const starts = Object.values(ECHOES).map((echo) => echo.slice(6, 16));
  expect(starts.filter((start) => everything.includes(start))).toEqual([]);
});

test('the archive of a run does not contain a key that the service repeated', async ({ cwd }) => {
  const { url } = await echoingService((response, echo) => response.writeHead(422).end(`Bad ${echo}`));
  await writeCsv(cwd, 'in.csv', 3);
  const env = { SIGNALS_BASE_URL: url, SIGNALS_API_KEY: KEY };
  await run(cwd, ['upload', 'in.csv', '--batch-size', '1', '--setting', 'canary=no'], { env });
  const packed = await run(cwd, ['runs', 'pack', 'last', '--to', 'packed.tar.gz'], { env });
  expect(packed.stdout).toContain('no key');
  const archive = gunzipSync(await readFile(path.join(cwd, 'packed.tar.gz'))).toString('latin1');
  expect(archive).toContain('HTTP 422');
  expect(traces.filter((trace) => (archive + packed.stdout).includes(trace))).toEqual([]);
});
