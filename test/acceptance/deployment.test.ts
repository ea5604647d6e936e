/** What docs/automate.md offers. The image itself needs a base image from a registry, and is not built here. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { root, run, test, workspace } from '../support/program.ts';

const node = process.env['SIGNALS_TEST_NODE'] ?? process.execPath;
const [major = 0, minor = 0] = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  .split('.')
  .map(Number);
const readYaml = (name: string) => parse(readFileSync(path.join(root, name), 'utf8'));

test('the step of the GitHub Action takes spaces and patterns, and fails for invalid rows', async ({ cwd }) => {
  symlinkSync(path.join(root, 'fixtures'), path.join(cwd, 'all data'));
  const { runs } = readYaml('packaging/action.yml');
  const script = runs.steps.at(-1).run;
  const check = (FILES: string, TYPE = '') => {
    const output = path.join(cwd, 'output');
    const { status } = spawnSync('bash', ['-eo', 'pipefail', '-c', script], {
      cwd,
      env: {
        PATH: process.env['PATH'],
        HOME: cwd,
        SIGNALS_CONFIG_DIR: cwd,
        GITHUB_OUTPUT: output,
        GITHUB_ACTION_PATH: path.join(root, 'packaging'),
        FILES,
        MAPPING: '',
        TYPE,
      },
    });
    const [last = ''] = readFileSync(output, 'utf8').trim().split('\n').slice(-1);
    return { status, summary: JSON.parse(last.replace(/^summary=/, '')) };
  };
  expect(check('\nall data/signals.c*\n', 'signals')).toMatchObject({
    status: 0,
    summary: { rows: { invalid: 0 }, inputs: [{ name: 'all data/signals.csv' }] },
  });
  expect(check('all data/signals-with-faults.csv')).toMatchObject({ status: 3, summary: { rows: { invalid: 7 } } });
});

test('the pre-commit hook names a command that prints nothing for files without errors', async () => {
  const [hook] = readYaml('.pre-commit-hooks.yaml');
  const [program, ...args] = hook.entry.split(' ');
  expect(program).toBe('signals');
  const { code, stdout, stderr } = await run(await workspace(), [...args, path.join(root, 'fixtures/signals.csv')]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
});

test.skipIf(major < 25 || (major === 25 && minor < 5))(
  'one file uploads without Node.js, also in threads',
  async ({ cwd }) => {
    const one = path.join(cwd, 'one');
    execFileSync(node, [path.join(root, 'scripts', 'single-file.mjs'), one]);
    execFileSync('sh', ['-c', "echo 'export default (row) => row;' > transform.mjs; mkdir tmp"], { cwd });
    const file = path.join(root, 'fixtures/signals.csv');
    const args = ['upload', file, '--sandbox', '--json', '--transform', 'transform.mjs'];
    const env = { HOME: cwd, TMPDIR: path.join(cwd, 'tmp') };
    const { status, stdout, stderr } = spawnSync(one, args, { cwd, env, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout).rows.delivered).toBe(24);
    expect(execFileSync('ls', ['tmp'], { cwd, encoding: 'utf8' })).toBe('');
    expect(spawnSync(one, ['upload', file], { cwd, env, encoding: 'utf8' }).stderr).toContain(`\`${one} config init`);
  },
);
