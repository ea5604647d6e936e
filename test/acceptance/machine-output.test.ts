/**
 * What the program writes for other programs agrees with the schemas that it publishes, however a run ends: `--json`, the
 * journal, the results log, and `--log-format json`, which leaves nothing else on stderr.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { behaviourOf, casesIn, inputOf, type Rows, type Rule } from '../support/behaviour.ts';
import {
  at,
  type Ended,
  nowhere,
  run,
  runIds,
  service,
  start,
  test,
  withWrongKey,
  write,
  writeCsv,
} from '../support/program.ts';
import { problemsBy } from '../support/published-schemas.ts';

/** A line of fixtures/delivery/outputs.ndjson. */
interface Ending extends Rows {
  readonly name: string;
  readonly exit: number;
  /** The schema of the object on stdout. */
  readonly schema: 'summary' | 'check' | 'error';
  /** Default: an upload, in batches of five. */
  readonly command?: readonly string[];
  readonly options?: readonly string[];
  readonly rules?: readonly Rule[];
  /** How the service is named: a key of SERVICES. */
  readonly service?: string;
  readonly under?: readonly string[];
  /** Options of an upload that comes before the command. */
  readonly first?: readonly string[];
  /** Sent while a request is in flight. */
  readonly interrupt?: NodeJS.Signals;
  /** Another process runs the upload meanwhile. */
  readonly isLocked?: boolean;
}

const SERVICES: Readonly<Record<string, (there: Sandbox) => NodeJS.ProcessEnv>> = {
  well: at,
  nowhere: () => nowhere,
  'wrong key': withWrongKey,
  none: ({ key }) => ({ SIGNALS_API_KEY: key }),
};

describe('the output for programs agrees with its schemas after', () => {
  test.for(casesIn<Ending>('outputs.ndjson'))('$name', async (ending, { cwd }) => {
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

  test('that cannot be written is a warning, and the run goes on', async ({ cwd }) => {
    await writeCsv(cwd, 'in.csv', 3);
    const { code, stderr } = await run(cwd, ['upload', 'in.csv', '--sandbox', '--log-file', 'in.csv/upload.log']);
    expect(code).toBe(0);
    expect(
      stderr.match(/^warning: Cannot write the log in\.csv\/upload\.log: .*\. The run continues\.$/gm),
    ).toHaveLength(1);
  });
});

async function endWith(cwd: string, ending: Ending): Promise<Ended> {
  const { command = ['upload', 'in.csv'], options = [], rules, under, first, interrupt } = ending;
  const there = await service({ injectFault: behaviourOf(rules) });
  const env = SERVICES[ending.service ?? 'well']?.(there) ?? {};
  await write(cwd, 'in.csv', inputOf(ending));
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
  // A full disk leaves an incomplete last line.
  const journal = (await read('journal.ndjson')).split('\n').slice(0, -1);
  expect(journal.flatMap((line) => problemsBy('journal', JSON.parse(line)))).toEqual([]);
  const [results = ''] = /^.*\n/s.exec(await read('results.csv')) ?? [];
  const lines: unknown[] = parse(results, { columns: true });
  expect(lines.flatMap((line) => problemsBy('results', line))).toEqual([]);
  if (existsSync(path.join(folder, 'summary.json'))) {
    expect(problemsBy('summary', JSON.parse(await read('summary.json')))).toEqual([]);
  }
}
