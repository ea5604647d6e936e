/**
 * What the program writes for other programs agrees with the schemas that it publishes, however a run ends: `--json`, the
 * journal, the results log, and `--log-format json`, which leaves nothing else on stderr.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { describe, expect } from 'vitest';
import type { InjectedFault } from '../../src/sandbox/index.ts';
import {
  at,
  csvOf,
  type Ended,
  run,
  runIds,
  service,
  socialCsv,
  start,
  test,
  withWrongKey,
  write,
  writeCsv,
} from '../support/program.ts';
import { problemsBy } from '../support/published-schemas.ts';

interface Ending {
  readonly name: string;
  readonly exit: number;
  /** The schema of the object on stdout. */
  readonly schema: 'summary' | 'check' | 'error';
  /** Default: twelve valid signals, in batches of five. */
  readonly input?: string;
  /** Default: an upload. */
  readonly command?: readonly string[];
  readonly options?: readonly string[];
  /** What the service does with its n-th request. */
  readonly fault?: (n: number) => InjectedFault | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly under?: readonly string[];
  /** Options of an upload that comes before the command. */
  readonly first?: readonly string[];
  /** Sent while a request is in flight. */
  readonly interrupt?: NodeJS.Signals;
  /** Another process runs the upload meanwhile. */
  readonly isLocked?: boolean;
}

const answer = (accepted: number, rejected: number) => (): InjectedFault => ({
  status: 200,
  body: JSON.stringify({ success: true, batchId: 'b', stats: { accepted, deduplicated: 0, rejected } }),
});
const header = 'company_name,company_domain,signal_title,signal_source,detected_at\n';
const nowhere = { SIGNALS_BASE_URL: `http://127.0.0.1:${await closedPort()}`, SIGNALS_API_KEY: 'k' };
const isSecond = (n: number): boolean => n > 1 && n < 9;

const endings: readonly Ending[] = [
  { name: 'every row delivered', exit: 0, schema: 'summary' },
  { name: 'invalid rows', exit: 3, schema: 'summary', input: `${csvOf(7)},x.example,T,news,yesterday\n` },
  { name: 'records rejected by the service', exit: 3, schema: 'summary', fault: answer(4, 1) },
  {
    name: 'rows refused by the service',
    exit: 3,
    schema: 'summary',
    fault: (n) => (isSecond(n) ? { status: 422, body: 'no' } : undefined),
  },
  {
    name: 'exhausted retries',
    exit: 4,
    schema: 'summary',
    env: nowhere,
    options: ['--setting', 'canary=no', '--setting', 'retries=0'],
    input: csvOf(3),
  },
  {
    name: 'an unknown outcome',
    exit: 4,
    schema: 'summary',
    options: ['--setting', 'retries=0'],
    fault: (n) => (n === 2 ? { status: 500 } : undefined),
  },
  { name: 'a refused key', exit: 5, schema: 'summary', env: withWrongKey({ url: '' }) },
  { name: 'a first batch without an accepted record', exit: 6, schema: 'summary', fault: answer(0, 5) },
  { name: 'an outage', exit: 6, schema: 'summary', env: nowhere, options: ['--setting', 'retry_max_time=100ms'] },
  {
    name: 'a full disk',
    exit: 6,
    schema: 'summary',
    input: csvOf(20_000),
    options: ['--concurrency', '2', '--batch-size', '100'],
    under: ['bash', '-c', 'ulimit -f 72; exec "$@"', 'bash'],
  },
  {
    name: 'too many invalid rows',
    exit: 6,
    schema: 'summary',
    input: `${header},,,,\n,x.example,T,news,\n`,
    options: ['--max-invalid', '0'],
  },
  { name: 'Ctrl-C', exit: 130, schema: 'summary', interrupt: 'SIGINT', fault: () => ({ latencyMs: 300 }) },
  {
    name: 'a locked run',
    exit: 7,
    schema: 'error',
    isLocked: true,
    command: ['resume', 'last'],
    fault: () => ({ latencyMs: 3_000 }),
  },
  { name: 'an unknown option', exit: 2, schema: 'error', options: ['--nope'] },
  { name: 'a missing file', exit: 2, schema: 'error', command: ['upload', 'missing.csv'] },
  { name: 'no service', exit: 2, schema: 'error', env: { SIGNALS_BASE_URL: undefined } },
  { name: 'a check', exit: 0, schema: 'check', command: ['check', 'in.csv'], options: ['--rate', '10/s'] },
  {
    name: 'a check of invalid rows',
    exit: 3,
    schema: 'check',
    command: ['check', 'in.csv'],
    input: `${csvOf(2)},x.example,T,news,2026-11-20\nA,x.example,T,newspaper,-\n`,
  },
  {
    name: 'a resume of a finished run',
    exit: 0,
    schema: 'summary',
    first: ['--setting', 'retries=0'],
    command: ['resume', 'last'],
    fault: (n) => (n === 2 ? { status: 500 } : undefined),
  },
  { name: 'a resume with nothing left to send', exit: 0, schema: 'summary', first: [], command: ['resume', 'last'] },
  {
    name: 'social events of unknown outcome',
    exit: 4,
    schema: 'summary',
    input: socialCsv(12),
    fault: (n) => (n === 2 ? { status: 500 } : undefined),
  },
];

describe('the output for programs agrees with its schemas after', () => {
  test.for(endings)('$name', async (ending, { cwd }) => {
    const ended = await endWith(cwd, ending);
    expect(ended.code, ended.stderr).toBe(ending.exit);
    expect(ended.stdout.trimEnd().split('\n')).toHaveLength(1);
    const printed = JSON.parse(ended.stdout);
    expect(problemsBy(ending.schema, printed)).toEqual([]);
    expect(printed.exitCode).toBe(ending.exit);
    const log = ended.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(log.flatMap((line) => problemsBy('log', line))).toEqual([]);
    const last = { summary: 'run.ended', check: 'check.ended', error: 'error' }[ending.schema];
    expect(log.at(-1)).toMatchObject({ event: last });
    for (const id of existsSync(path.join(cwd, 'signals-runs')) ? await runIds(cwd) : []) {
      await checkFolder(path.join(cwd, 'signals-runs', id));
    }
  });
});

describe('--log-file', () => {
  test('takes the log, is appended to, and leaves stderr to people', async ({ cwd }) => {
    await writeCsv(cwd, 'in.csv', 3);
    const upload = ['upload', 'in.csv', '--sandbox', '--log-file', 'upload.log'];
    const { stderr } = await run(cwd, [...upload, '--log-format', 'json']);
    expect(stderr).toMatch(/^in\.csv {2}CSV, market signals /);
    expect((await run(cwd, [...upload, '--log-format', 'json', '--quiet'])).stderr).toBe('');
    const lines = (await readFile(path.join(cwd, 'upload.log'), 'utf8')).trimEnd().split('\n');
    expect(lines.flatMap((line) => problemsBy('log', JSON.parse(line)))).toEqual([]);
    expect(lines.filter((line) => line.includes('"event":"run.ended"'))).toHaveLength(2);
  });

  test('that cannot be written is an error before anything is sent', async ({ cwd }) => {
    await writeCsv(cwd, 'in.csv', 3);
    const { code, stderr } = await run(cwd, ['upload', 'in.csv', '--sandbox', '--log-file', 'in.csv/upload.log']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: Cannot write in\.csv\/upload\.log.*\n {2}Name a file that you may write to\.\n$/);
    expect(existsSync(path.join(cwd, 'signals-runs'))).toBe(false);
  });
});

async function endWith(cwd: string, ending: Ending): Promise<Ended> {
  const { input = csvOf(12), command = ['upload', 'in.csv'], options = [], fault, under, first, interrupt } = ending;
  const there = await service({ injectFault: ({ n }) => fault?.(n) });
  const env = {
    ...at(there),
    ...ending.env,
    ...(ending.env?.['SIGNALS_BASE_URL'] === '' && { SIGNALS_BASE_URL: there.url }),
  };
  await write(cwd, 'in.csv', input);
  const output = ['--json', '--log-format', 'json', '--setting', 'log_interval=50ms', '--verbose'];
  const upload = ['upload', 'in.csv', '--batch-size', '5', ...output];
  if (first !== undefined) await run(cwd, [...upload, ...first], { env });
  if (ending.isLocked === true) {
    start(cwd, upload, { env });
    while (there.requests().length === 0) await sleep(20);
  }
  const words =
    command[0] === 'upload' ? [...command, ...upload.slice(2), ...options] : [...command, ...output, ...options];
  const started = start(cwd, words, { env, ...(under && { under }) });
  if (interrupt !== undefined) {
    while (there.requests().length === 0) await sleep(20);
    started.child.kill(interrupt);
  }
  return started.ended;
}

/** The files of a run folder that programs read. */
async function checkFolder(folder: string): Promise<void> {
  const read = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8');
  // A full disk leaves a torn last line.
  const journal = (await read('journal.ndjson')).split('\n').slice(0, -1);
  expect(journal.flatMap((line) => problemsBy('journal', JSON.parse(line)))).toEqual([]);
  const [results = ''] = /^.*\n/s.exec(await read('results.csv')) ?? [];
  const lines: unknown[] = parse(results, { columns: true });
  expect(lines.flatMap((line) => problemsBy('results', line))).toEqual([]);
  if (existsSync(path.join(folder, 'summary.json'))) {
    expect(problemsBy('summary', JSON.parse(await read('summary.json')))).toEqual([]);
  }
}

async function closedPort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
