/** Runs the commands of a page as its reader would: a shell, a folder, the built program as `signals`. */
import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { program, root, workspace } from './program.ts';

export interface Printed {
  readonly code: number;
  /** stdout and stderr together, as on a terminal, with everything that differs from run to run made equal. */
  readonly lines: readonly string[];
}

export interface RunOptions {
  /** What the command prints when it is time for Ctrl-C. */
  readonly end?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

export interface DocSession {
  readonly folder: string;
  run(command: string, options?: RunOptions): Promise<Printed>;
}

/** Programs that a page calls and that are not ours: each prints a file of the fixtures. */
const STAND_INS: Readonly<Record<string, string>> = { psql: 'signals.csv' };

export async function docSession(): Promise<DocSession> {
  const folder = await workspace();
  const bin = path.join(await workspace(), 'bin');
  await mkdir(bin);
  await symlink(program, path.join(bin, 'signals'));
  for (const [name, file] of Object.entries(STAND_INS)) {
    await writeFile(path.join(bin, name), `#!/bin/sh\nexec cat '${path.join(root, 'fixtures', file)}'\n`);
    await chmod(path.join(bin, name), 0o700);
  }
  await copyExamples(folder);
  const volatile = createVolatile(folder);
  let code = 0;
  return {
    folder,
    async run(command, { end, env: more } = {}) {
      const text = `exec 2>&1\n(exit ${code})\n${volatile.actual(command)}\n`;
      const env = { PATH: [bin, path.dirname(process.execPath), '/usr/bin:/bin'].join(':'), HOME: folder };
      const ended = await shell(text, folder, { ...env, LANG: 'C.UTF-8', TZ: 'UTC', ...more }, end);
      code = ended.code;
      const lines = volatile.canonical(ended.text).split('\n');
      return { code, lines: lines.at(-1) === '' ? lines.slice(0, -1) : lines };
    },
  };
}

async function shell(
  text: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  end: string | undefined,
): Promise<{ code: number; text: string }> {
  // A process group of its own receives Ctrl-C, as from a terminal.
  const child = spawn('sh', ['-c', text], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const kill = (signal: NodeJS.Signals): void => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (child.pid !== undefined && !hasEnded) process.kill(-child.pid, signal);
  };
  onTestFinished(() => kill('SIGKILL'));
  let printed = '';
  let isStopped = false;
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    printed += piece;
    if (end === undefined || isStopped || !printed.includes(end)) return;
    isStopped = true;
    kill('SIGINT');
  });
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) =>
      resolve(signal === null ? (status ?? 1) : 128 + os.constants.signals[signal]),
    );
  });
  return { code, text: printed };
}

/** What differs from run to run, and what the pages show in its place. */
const CONSTANTS: readonly (readonly [RegExp, string])[] = [
  [/\b127\.0\.0\.1:\d+/g, '127.0.0.1:43117'],
  [/\bin \d+(?:\.\d+)? m?s\b/g, 'in 0.2 s'],
  [/"(seconds|ms)":\s?[\d.]+/g, '"$1":0.2'],
  [/\bbatch_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'batch_f183561f-3767-4e2c-805b-276d5a137b14'],
];

/** `2026-11-21T21:40:21.123Z`, `2026-11-21 21:40 UTC`. Those of the last hour become a constant, dates in data stay. */
const TIME = /\b(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d)(:\d\d)?(\.\d{3})?/g;

function shownTime(...[time, day, between, minute, seconds, fraction]: readonly string[]): string {
  const isNow = Math.abs(Date.now() - Date.parse(`${day}T${minute}Z`)) < 3_600_000;
  const shown = `2026-11-23${between}08:30${seconds === undefined ? '' : ':00'}${fraction === undefined ? '' : '.000'}`;
  return isNow ? shown : (time ?? '');
}

const RUN_ID = /\b20\d{6}T\d{6}Z-([\w.-]*?)-[0-9a-f]{4}\b/g;

/** Run ids and folders become the same in each run; a command that quotes them gets the real ones back. */
function createVolatile(folder: string): {
  readonly canonical: (text: string) => string;
  readonly actual: (text: string) => string;
} {
  const shownIds = new Map<string, string>();
  const shownId = (id: string, name: string): string => {
    const count = shownIds.size;
    // As if the runs of the page were two minutes apart.
    const time = `20261123T08${String(30 + 2 * count).padStart(2, '0')}00Z`;
    const shown = shownIds.get(id) ?? `${time}-${name}-${(0x3f9a + count * 0x1d31).toString(16).slice(-4)}`;
    shownIds.set(id, shown);
    return shown;
  };
  return {
    canonical: (text) => {
      // Byte order marks and carriage returns cannot be seen on a page.
      const named = text
        .replace(/[\uFEFF\r]/g, '')
        .replaceAll(folder, '/home/ana')
        .replace(RUN_ID, shownId);
      const timeless = named.replace(TIME, (...found) => shownTime(...found.slice(0, 6)));
      return CONSTANTS.reduce((whole, [pattern, shown]) => whole.replace(pattern, shown), timeless);
    },
    actual: (text) => [...shownIds].reduce((whole, [id, shown]) => whole.replaceAll(shown, id), text),
  };
}

/** The files of `fixtures/` that the package contains. Copies, because a command may write beside its input. */
async function copyExamples(folder: string): Promise<void> {
  const from = path.join(root, 'fixtures');
  await cp(from, path.join(folder, 'fixtures'), {
    recursive: true,
    filter: (name) => name === from || path.extname(name) !== '',
  });
}
