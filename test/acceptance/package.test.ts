/**
 * The package as a stranger gets it: packed, and installed without network in a folder with a space in its path, which
 * then belongs to somebody else and is read-only. SIGNALS_TEST_NODE names another Node.js to run it with.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/program.ts';

const node = process.env['SIGNALS_TEST_NODE'] ?? process.execPath;
/** Not root, who may write to read-only files. */
const NOBODY = 65_534;
const asRoot = process.getuid?.() === 0;

const parent = mkdtempSync(path.join(os.tmpdir(), 'signals package '));
const installed = path.join(parent, 'in stalled');
const home = path.join(parent, 'home');
const program = path.join(installed, 'node_modules', 'signals-upload');
let tarball = '';

const script = (name: string, ...args: readonly string[]): void =>
  void execFileSync(process.execPath, [path.join(root, 'scripts', name), ...args], { cwd: root, stdio: 'inherit' });

beforeAll(async () => {
  for (const folder of [installed, home]) mkdirSync(folder);
  // What `npm pack` does, but for the build, which the other tests need.
  script('types.mjs');
  script('schemas.mjs', 'dist/schemas');
  script('man.mjs', 'dist/signals.1');
  const npm = (...args: readonly string[]): string => execFileSync('npm', args, { cwd: installed, encoding: 'utf8' });
  const [packed] = JSON.parse(npm('pack', root, '--ignore-scripts', '--json'));
  tarball = path.join(installed, packed.filename);
  await writeFile(path.join(installed, 'package.json'), '{ "private": true }');
  npm('install', '--offline', tarball);
  await writeFile(
    path.join(installed, 'example.mjs'),
    exampleIn(readFileSync(path.join(root, 'docs/library.md'), 'utf8')),
  );
  chmodSync(parent, 0o755);
  if (asRoot) chownSync(home, NOBODY, NOBODY);
  execFileSync('chmod', ['-R', 'a-w,a+rX', installed]);
}, 300_000);

afterAll(() => {
  execFileSync('chmod', ['-R', 'u+w', parent]);
  rmSync(parent, { recursive: true });
});

function exampleIn(page: string): string {
  return /```js\n(.*?)```/s.exec(page)?.[1] ?? '';
}

function runNode(...args: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: home };
  const as = asRoot ? { uid: NOBODY, gid: NOBODY } : {};
  return spawnSync(node, args, { cwd: home, env, encoding: 'utf8', ...as });
}

const signals = (...args: readonly string[]) =>
  runNode(path.join(installed, 'node_modules', '.bin', 'signals'), ...args);

test('the package is below 1.5 MB, installs no other package and contains what its package.json names', () => {
  expect(statSync(tarball).size).toBeLessThan(1_500_000);
  expect(readdirSync(path.join(installed, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'signals-upload',
  ]);
  const { bin, man, types, exports } = JSON.parse(readFileSync(path.join(program, 'package.json'), 'utf8'));
  for (const file of [bin.signals, ...man, types, exports['.'].types, exports['.'].default]) {
    expect(statSync(path.join(program, file)).isFile()).toBe(true);
  }
  const bom = JSON.parse(readFileSync(path.join(program, 'dist', 'sbom.cdx.json'), 'utf8'));
  const licences = readFileSync(path.join(program, 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  expect(bom.components.length).toBeGreaterThan(20);
  for (const { name, version } of bom.components) expect(licences).toContain(`${name} ${version} (`);
});

test('an installed, read-only program uploads, reports and completes words', () => {
  const file = path.join(program, 'fixtures', 'signals.csv');
  const uploaded = signals('upload', file, '--sandbox', '--json');
  expect(uploaded.status, uploaded.stderr).toBe(0);
  expect(JSON.parse(uploaded.stdout).balanced).toBe(true);
  const reported = signals('report', 'last');
  expect(reported.status, reported.stderr).toBe(0);
  expect(signals('completion', 'bash').stdout).toContain('complete ');
});

test('the example of docs/library.md runs and ends by itself', () => {
  const { status, stdout, stderr } = runNode(path.join(installed, 'example.mjs'));
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('250 of 250 rows are valid');
  expect(stdout).toContain('complete: 250 rows delivered, exit code 0');
});

test.each(['node16', 'bundler'])(
  'strict TypeScript with the module resolution %s reads the types alone',
  (resolution) => {
    const options = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--noEmit', '--allowJs'];
    const module = resolution === 'bundler' ? 'esnext' : 'node16';
    const typescript = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        typescript,
        'example.mjs',
        '--checkJs',
        '--target',
        'es2022',
        '--module',
        module,
        '--moduleResolution',
        resolution,
        ...options,
      ],
      { cwd: installed, encoding: 'utf8' },
    );
    expect(status, stdout).toBe(0);
  },
);

test('publint has no complaint about the package', async () => {
  const { messages } = await publint({ pack: { tarball: arrayBufferOf(tarball) }, strict: true });
  expect(messages).toEqual([]);
});

test('arethetypeswrong has no complaint about the package', async () => {
  const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  const problems = 'problems' in result ? result.problems : [result];
  // The package is an ES module: CommonJS loads it with import(), and the resolution "node10" is no longer supported.
  const ours = problems.filter((one) => !('resolutionKind' in one && /^node10$|-cjs$/.test(one.resolutionKind)));
  expect(ours).toEqual([]);
});

function arrayBufferOf(file: string): ArrayBuffer {
  return Uint8Array.from(readFileSync(file)).buffer;
}
