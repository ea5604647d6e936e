/**
 * Runs the program on real files, with real HTTP on loopback: the built one as a user does, in a process of its own, or from its
 * sources in the tests' process, which costs a fraction of a start. A test starts what it is about; it prepares and looks at runs
 * in its own process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test as base, expect, onTestFinished } from 'vitest';
import { earlyFlags, runCli } from '../../src/cli/command-line.ts';
import { reportError } from '../../src/cli/program.ts';
import { type Sandbox, type SandboxServerOptions, startSandbox } from '../../src/sandbox/index.ts';
import { fakeStreams } from './fake-terminal.ts';

export const root = path.join(import.meta.dirname, '..', '..');
export const program = process.env['SIGNALS_TEST_PROGRAM'] ?? path.join(root, 'bin', 'signals.js');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the program has printed this text to stderr. */
  tells(text: string): Promise<void>;
}

/** An empty folder that goes away with the test. */
export async function workspace(): Promise<string> {
  const parent = path.join(root, 'test', '.tmp');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(path.join(parent, 'cli-'));
  // A program that the end of the test has interrupted still closes its run: the folder is tried again.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

type InjectFault = SandboxServerOptions['injectFault'];

/** A service whose log the test can read, and whose faults the test can change. It is the only witness of what arrived. */
export interface Service extends Sandbox {
  fault: InjectFault;
}

export async function service({ injectFault, ...options }: Partial<SandboxServerOptions> = {}): Promise<Service> {
  const faults: { fault: InjectFault } = { fault: injectFault };
  const sandbox = await startSandbox({
    key: 'right-key',
    ...options,
    injectFault: (incoming) => faults.fault?.(incoming),
  });
  onTestFinished(() => sandbox.close());
  return Object.assign(faults, sandbox);
}

/** The program in a folder, with the address and the key of a service. A call runs it in the tests' process. */
export interface Program {
  (...args: readonly string[]): Promise<Ended>;
  start(...args: readonly string[]): Running;
}

/** Tests of one user: an empty folder, a service without faults, and the program between them. */
export const test = base
  .extend('cwd', () => workspace())
  .extend('there', () => service())
  .extend('signals', ({ cwd, there }): Program => {
    return Object.assign((...args: readonly string[]) => runInProcess(cwd, args, { env: at(there) }), {
      start: (...args: readonly string[]) => start(cwd, args, { env: at(there) }),
    });
  });

export function start(
  cwd: string,
  args: readonly string[],
  options: {
    readonly env?: NodeJS.ProcessEnv;
    readonly input?: string | Buffer | 'open';
    /** A command that runs the program, such as `timeout 60`. */
    readonly under?: readonly string[];
  } = {},
): Running {
  const [command = '', ...words] = [...(options.under ?? []), process.execPath, program, ...args];
  const child = spawn(command, words, {
    cwd,
    env: environment(cwd, options.env),
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  if (options.input !== undefined && options.input !== 'open') {
    // The program may end before it has read everything: that is its right.
    child.stdin?.on('error', () => undefined).end(options.input);
  }
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<Ended>((resolve) => {
    // As a shell counts: a program that a signal has ended shows 128 and the signal's number.
    child.on('close', (code, signal) =>
      resolve({ code: signal === null ? code : 128 + os.constants.signals[signal], signal, stdout, stderr }),
    );
  });
  const tells = (text: string): Promise<void> => expect.poll(() => stderr).toContain(text);
  return { child, ended, tells };
}

export function run(...args: Parameters<typeof start>): Promise<Ended> {
  return start(...args).ended;
}

/** Nothing of the environment of the tests: no settings, no key, no colours, no CI. */
function environment(cwd: string, more?: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: cwd, SIGNALS_CONFIG_DIR: path.join(cwd, 'settings'), ...more };
}

let before: Promise<unknown> = Promise.resolve();

/**
 * As {@link run}, in the tests' process, unless SIGNALS_TEST_PROGRAM names what is tested. One at a time, because relative paths
 * are those of the process.
 */
export function runInProcess(
  cwd: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  if (process.env['SIGNALS_TEST_PROGRAM'] !== undefined) return run(cwd, args, options);
  const ended = before.then(async () => {
    const env = environment(cwd, options.env);
    const { json, ...flags } = earlyFlags(args);
    const { streams, out, err } = fakeStreams({ env, ...flags });
    const signal = new AbortController().signal;
    const context = { streams, env, argv: args, invocation: `node ${program}`, shell: 'posix', signal } as const;
    const home = process.cwd();
    process.chdir(cwd);
    try {
      const code = await runCli(args, { ...context, takeSignals: () => undefined }).catch((error: unknown) =>
        reportError(streams, error, json),
      );
      return { code, signal: null, stdout: out(), stderr: err() };
    } finally {
      process.chdir(home);
    }
  });
  before = ended.catch(() => undefined);
  return ended;
}

/** What a command prints, in the tests' process. */
export async function printed(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await runInProcess(cwd, args)).stdout;
}

/** Holds answers of a service back until they are let go: `latencyMs: gate.opened`. */
export function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Environment that leads to a service. */
export function at(sandbox: Pick<Sandbox, 'url' | 'key'>): NodeJS.ProcessEnv {
  return { SIGNALS_BASE_URL: sandbox.url, SIGNALS_API_KEY: sandbox.key };
}

/** Environment that leads to an address where nothing answers. */
export const nowhere = at({ url: 'http://127.0.0.1:1', key: 'right-key' });

/** The same with a key that the service does not know. */
export function withWrongKey(sandbox: Pick<Sandbox, 'url'>): NodeJS.ProcessEnv {
  return at({ url: sandbox.url, key: 'wrong' });
}

/** Records that a service has taken, in the order of their arrival. */
export async function recordsAt({ url }: Pick<Sandbox, 'url'>): Promise<readonly Record<string, string>[]> {
  const text = await (await fetch(`${url}/sandbox/records`)).text();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).record]));
}

/** How often a service has taken each record, by the value of a field. */
export async function timesDelivered(
  sandbox: Pick<Sandbox, 'url'>,
  field: string,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  for (const record of await recordsAt(sandbox)) {
    const value = String(record[field]);
    times.set(value, (times.get(value) ?? 0) + 1);
  }
  return times;
}

/** What `--json` printed: exactly one JSON object. */
export function summaryOf(ended: Ended): Record<string, unknown> & { rows: Record<string, number> } {
  const summary = JSON.parse(ended.stdout);
  if (ended.stdout.trim().split('\n').length !== 1) throw new Error(`more than one line on stdout: ${ended.stdout}`);
  return summary;
}

/** Expects that a command came to its end with this exit code, and printed a summary whose counts balance, with these parts. */
export function expectEnd(ended: Ended, code: 0 | 3 | 4, parts: object = {}): void {
  expect(ended.code, ended.stderr).toBe(code);
  expect(summaryOf(ended)).toMatchObject({ balanced: true, state: 'complete', ...parts });
}

/** Names of the run folders in a workspace, sorted: in the order in which they began, to the second. */
export async function runIds(cwd: string): Promise<readonly string[]> {
  const all = await readdir(path.join(cwd, 'signals-runs'));
  return all.filter((name) => !name.startsWith('.')).toSorted();
}

/** The only run folder in a workspace. */
export async function runFolder(cwd: string): Promise<string> {
  const [name, ...others] = await runIds(cwd);
  if (name === undefined || others.length > 0) throw new Error(`expected one run, found ${others.length + 1}`);
  return path.join(cwd, 'signals-runs', name);
}

export async function readRun(cwd: string, file: string): Promise<string> {
  return readFile(path.join(await runFolder(cwd), file), 'utf8');
}

/** Every byte of every file under a folder, to search for what must not be there. */
export async function everythingIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(path.join(entry.parentPath, entry.name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}

export async function write(cwd: string, name: string, text: string | Buffer): Promise<string> {
  await writeFile(path.join(cwd, name), text);
  return name;
}

/** A CSV of distinct, valid signals under plain field names. */
export function csvOf(rows: number, row: (n: number) => string = plainRow): string {
  const lines = ['company_name,company_domain,signal_title,signal_source,detected_at'];
  for (let n = 1; n <= rows; n += 1) lines.push(row(n));
  return `${lines.join('\n')}\n`;
}

export function plainRow(n: number): string {
  return `Company ${n},company${n}.example,Raised a round,funding,2026-11-20T09:15:00Z`;
}

export function writeCsv(cwd: string, name: string, ...rows: Parameters<typeof csvOf>): Promise<string> {
  return write(cwd, name, csvOf(...rows));
}

/** A CSV of distinct, valid events. */
export function socialCsv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, n) => `linkedin,like,Person ${n}`);
  return `${['platform,engagement_type,engager_name', ...lines].join('\n')}\n`;
}
