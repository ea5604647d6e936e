/** `signals completion`, in the shells themselves where they are installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { program, root, run, runInProcess, test, workspace, write } from '../support/program.ts';

const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

async function candidates(cwd: string, ...words: readonly string[]): Promise<readonly string[]> {
  const ended = await runInProcess(cwd, ['completion', 'bash', '--', ...words]);
  expect(ended.code, ended.stderr).toBe(0);
  return ended.stdout.split('\n').filter(Boolean);
}

/** A folder with `signals` on its path, and the script of a shell in a file. */
async function withProgram(shell: string): Promise<{ readonly cwd: string; readonly env: NodeJS.ProcessEnv }> {
  const cwd = await workspace();
  await write(cwd, 'signals', `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  await chmod(path.join(cwd, 'signals'), 0o700);
  await write(cwd, 'script', (await run(cwd, ['completion', shell])).stdout);
  return {
    cwd,
    env: { PATH: `${cwd}:${process.env['PATH']}`, HOME: cwd, SIGNALS_CONFIG_DIR: path.join(cwd, 'settings') },
  };
}

test('commands, subcommands, options and their values are completed', async ({ cwd }) => {
  expect(await candidates(cwd, '')).toEqual(expect.arrayContaining(['upload', 'runs', 'doctor', 'completion']));
  expect(await candidates(cwd, 'up')).toEqual(['upload']);
  expect(await candidates(cwd, 'runs', 's')).toEqual(['show']);
  expect(await candidates(cwd, 'upload', '--sand')).toEqual(['--sandbox']);
  expect(await candidates(cwd, 'upload', '--type', '')).toEqual(['signals', 'social']);
  expect(await candidates(cwd, 'completion', 'z')).toEqual(['zsh']);
  // Files are completed by the shell.
  expect(await candidates(cwd, 'upload', '')).toEqual([]);
  expect(await candidates(cwd, 'nosuch', '')).toEqual([]);
});

test('the manual page has the help of every command, and every setting', async () => {
  const { stdout: page } = await run(await workspace(), ['help', 'man']);
  for (const title of ['NAME', 'SIGNALS UPLOAD', 'SIGNALS RUNS SHOW', 'SIGNALS COMPLETION', 'ENVIRONMENT']) {
    expect(page.split('\n')).toContain(`.SH ${title}`);
  }
  expect(page).toContain('retry_max_time');
});

test.runIf(isInstalled('man'))('man shows the page in 80 columns', async ({ cwd }) => {
  const file = path.join(cwd, 'signals.1');
  execFileSync(process.execPath, [path.join(root, 'scripts', 'man.mjs'), file]);
  const env = { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' };
  const shown = execFileSync('man', ['-l', file], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  expect(shown).toContain('EXIT-CODES');
  // Commands stay in one line.
  expect(shown.split('\n').filter((line) => [...line].length > 80 && !line.includes('signals '))).toEqual([]);
});

describe('the script of', () => {
  test('bash completes, and leaves files to bash', async () => {
    const { cwd, env } = await withProgram('bash');
    const complete = (line: string): string =>
      execFileSync(
        'bash',
        [
          '--norc',
          '-c',
          `. ./script; COMP_WORDS=(signals ${line}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _signals 2>/dev/null; echo "\${COMPREPLY[*]}"`,
        ],
        { cwd, env, encoding: 'utf8' },
      ).trim();
    expect(complete('runs sh')).toBe('show');
    expect(complete("upload --type ''").split(' ')).toEqual(['signals', 'social']);
    expect(complete('upload scr')).toBe('');
  });

  test.runIf(isInstalled('fish'))('fish completes', async () => {
    const { cwd, env } = await withProgram('fish');
    const found = execFileSync('fish', ['-c', 'source ./script; complete -C "signals runs sh"'], {
      cwd,
      env,
      encoding: 'utf8',
    });
    expect(found.split('\n')).toContain('show');
  });

  test.runIf(isInstalled('zsh'))('zsh completes', async () => {
    const { cwd, env } = await withProgram('zsh');
    // compadd works only inside a completion: it is replaced by echo.
    const code = `compdef() { :; }; compadd() { shift; echo "$@"; }; . ./script; words=(signals runs sh); CURRENT=3; _signals`;
    expect(execFileSync('zsh', ['-f', '-c', code], { cwd, env, encoding: 'utf8' }).trim()).toBe('show');
  });
});
