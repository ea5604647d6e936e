/** What the program loads at its start, and with which code: the built program, and copies of it. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startSandbox } from '../src/sandbox/index.ts';
import { toSource } from '../src/trace.ts';
import { root, workspace } from './cli/program.ts';

const node = promisify(execFile);

/** Written before the program runs: tells at its end which files it loaded, and what V8 said of their compiled code. */
const TELL = `
const { loaded } = require('./dist/load.cjs');
process.on('exit', () => {
  for (const { name, script } of loaded()) console.error(name, String(script.cachedDataRejected));
});
require('./dist/main.cjs');
`;

/** The built program in a folder of its own, where it may be spoilt. */
async function copyOfProgram(): Promise<string> {
  const folder = await workspace();
  await cp(path.join(root, 'dist'), path.join(folder, 'dist'), { recursive: true });
  await cp(path.join(root, 'package.json'), path.join(folder, 'package.json'));
  await mkdir(path.join(folder, 'bin'));
  await writeFile(path.join(folder, 'tell.cjs'), TELL);
  return folder;
}

/** By name of the file: `false` taken, `true` refused, `undefined` there was none. */
async function upload(folder: string, flags: readonly string[] = []): Promise<Map<string, string>> {
  const rows = path.join(root, 'fixtures', 'signals.csv');
  const { said, stdout } = await tell(folder, ['upload', rows, '--sandbox', '--quiet', '--json'], flags);
  expect(JSON.parse(stdout)).toMatchObject({ balanced: true, rows: { read: 24, delivered: 24 } });
  return said;
}

async function tell(
  folder: string,
  args: readonly string[],
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ said: Map<string, string>; stdout: string }> {
  const { stdout, stderr } = await node(
    process.execPath,
    [...flags, path.join(folder, 'tell.cjs'), ...args],
    { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, SIGNALS_CONFIG_DIR: folder, ...env } },
  );
  const lines = stderr.trim().split('\n');
  const said = new Map(
    lines.map((line) => {
      const [name = '', word = ''] = line.split(' ');
      return [name, word];
    }),
  );
  return { said, stdout };
}

async function compiledFiles(folder: string): Promise<readonly string[]> {
  const compiled = path.join(folder, 'dist', 'compiled');
  const [one = '', ...others] = await readdir(compiled);
  expect(others).toEqual([]);
  return (await readdir(path.join(compiled, one))).map((name) => path.join(compiled, one, name));
}

/** The files of the bundle that Node loads itself, without compiled code. */
async function loadedByNode(args: readonly string[]): Promise<readonly string[]> {
  const folder = await copyOfProgram();
  await writeFile(
    path.join(folder, 'tell.cjs'),
    `process.on('exit', () => console.error(Object.keys(require.cache).join('\\n')));require('./dist/main.cjs');`,
  );
  const { said } = await tell(folder, args);
  const names = [...said.keys()].map((file) => path.basename(file));
  return names.filter((name) => name !== 'tell.cjs').sort();
}

test.each(['--version', '--help'])('%s needs two files and nothing else of the bundle', async (flag) => {
  expect(await loadedByNode([flag])).toEqual(['main.cjs', 'quick.cjs']);
});

test('Node itself loads no more of an upload than what hands it the compiled code', async () => {
  const rows = path.join(root, 'fixtures', 'signals.csv');
  expect(await loadedByNode(['upload', rows, '--sandbox', '--quiet'])).toEqual([
    'load.cjs',
    'main.cjs',
    'quick.cjs',
    'rolldown-runtime.cjs',
    'tuning.cjs',
  ]);
});

/** Tells at its end which modules of Node were loaded: `late` the ones after the first word to V8. */
const TELL_NODE = `
const v8 = require('node:v8');
const { setFlagsFromString } = v8;
let before;
v8.setFlagsFromString = (flag) => {
  before ??= process.moduleLoadList.length;
  setFlagsFromString(flag);
};
process.on('exit', () => {
  process.moduleLoadList.forEach((name, n) => {
    if (/^NativeModule /.test(name)) console.error(name.slice(13), n >= before ? 'late' : 'early');
  });
});
require('./dist/main.cjs');
`;

test('an upload loads of Node what it needs, and before V8 would refuse what came compiled with it', async () => {
  const folder = await copyOfProgram();
  await writeFile(path.join(folder, 'tell.cjs'), TELL_NODE);
  const sandbox = await startSandbox({ key: 'of-this-test-alone', keepRecords: false });
  const rows = path.join(root, 'fixtures', 'signals.csv');
  const { said } = await tell(folder, ['upload', rows, '--yes', '--quiet'], [], {
    SIGNALS_BASE_URL: sandbox.url,
    SIGNALS_API_KEY: sandbox.key,
  });
  await sandbox.close();
  expect(said.get('net')).toBe('early');
  for (const name of ['assert', 'child_process', 'crypto', 'http', 'http2', 'tls', 'worker_threads']) {
    expect([name, said.get(name)]).toEqual([name, undefined]);
  }
  const late = [...said].filter(([, when]) => when === 'late').map(([name]) => name);
  // Streams for a file, a terminal or a pipe are made when it is known what stdout is.
  expect(late.filter((name) => !/^(process|internal\/.*)$/.test(name))).toEqual([]);
});

test('what few commands use of Node is the same thing when it is loaded late', async () => {
  const folder = await copyOfProgram();
  const own = path.join(folder, 'dist', 'own.cjs');
  await writeFile(
    own,
    "const c = require('node:crypto'); exports.twice = () => [c.createHash, c.createHash, c.no];",
  );
  const text = `
    const [one, two, none] = require('./dist/load.cjs').load('own.cjs').twice();
    console.log(one === require('node:crypto').createHash, one === two, none);
  `;
  await writeFile(path.join(folder, 'late.cjs'), text);
  const { stdout } = await node(process.execPath, ['late.cjs'], { cwd: folder });
  expect(stdout).toBe('true true undefined\n');
});

test('an upload takes the code that was compiled when the program was built', async () => {
  const said = await upload(await copyOfProgram());
  for (const name of ['program.cjs', 'base.cjs', 'upload.cjs', 'plan.cjs', 'prepare.cjs', 'send.cjs']) {
    expect([name, said.get(name)]).toEqual([name, 'false']);
  }
});

test('an upload runs without compiled code', async () => {
  const folder = await copyOfProgram();
  const [first = ''] = await compiledFiles(folder);
  await rm(path.dirname(first), { recursive: true });
  expect(new Set((await upload(folder)).values())).toEqual(new Set(['undefined']));
});

test('an upload runs where V8 refuses the compiled code: cut short, or made under other flags', async () => {
  const folder = await copyOfProgram();
  expect((await upload(folder, ['--max-lazy'])).get('base.cjs')).toBe('true');
  for (const file of await compiledFiles(folder)) await truncate(file, 100);
  const said = await upload(folder);
  expect([...said.values()].filter((word) => word === 'false')).toEqual([]);
  expect(said.get('base.cjs')).toBe('true');
});

test('a start leaves the files of the program as they were', async () => {
  const folder = await copyOfProgram();
  const before = await readdir(path.join(folder, 'dist'), { recursive: true });
  await upload(folder);
  expect(await readdir(path.join(folder, 'dist'), { recursive: true })).toEqual(before);
});

test('a stack trace of compiled code leads to the source', async () => {
  const folder = await copyOfProgram();
  const fail = path.join(folder, 'fail.cjs');
  const text = `require('./dist/load.cjs').load('program.cjs').program(null, {}).catch((e) => console.log(e.stack))`;
  await writeFile(fail, text);
  const { stdout } = await node(process.execPath, [fail], { cwd: folder });
  const trace = await toSource(stdout);
  expect(trace).toMatch(/at earlyFlags \(src\/cli\.ts:\d+:\d+\)/);
  expect(trace).toMatch(/at \w+\.program \(src\/program\.ts:\d+:\d+\)/);
});

test('every file of the bundle is ASCII, as it is read', async () => {
  const dist = path.join(root, 'dist');
  for (const name of await readdir(dist)) {
    if (!name.endsWith('.cjs')) continue;
    expect([name, /[^\0-\x7f]/.test(await readFile(path.join(dist, name), 'utf8'))]).toEqual([name, false]);
  }
});
