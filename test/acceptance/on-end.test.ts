/** `--on-end`: a command that hears how a run ended. The commands are real: a shell, jq, curl. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { listen } from '../support/listen.ts';
import { csvOf, run, runInProcess, test, withWrongKey, write, writeCsv } from '../support/program.ts';

const hasTools = ['jq', 'curl'].every((name) => spawnSync(name, ['--version']).error === undefined);

/** Writes its environment and its input to files. */
const RECORD = 'env > env.txt; cat > input.json';

async function heard(cwd: string): Promise<{ readonly env: Record<string, string>; readonly input: unknown }> {
  const lines = (await readFile(path.join(cwd, 'env.txt'), 'utf8')).split('\n');
  const env = Object.fromEntries(lines.map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]));
  return { env, input: JSON.parse(await readFile(path.join(cwd, 'input.json'), 'utf8')) };
}

describe('--on-end', () => {
  test('gets the summary, the exit code and the run, and no key', async ({ cwd, there, signals }) => {
    await write(cwd, 'in.csv', `${csvOf(2)},x.example,T,news,\n`);
    const ended = await signals('upload', 'in.csv', '--run-id', 'daily', '--on-end', RECORD);
    expect(ended.code).toBe(3);
    const { env, input } = await heard(cwd);
    expect(env).toMatchObject({ SIGNALS_EXIT_CODE: '3', SIGNALS_STATE: 'complete', SIGNALS_RUN: 'daily' });
    expect(JSON.parse(await readFile(env['SIGNALS_SUMMARY'] ?? '', 'utf8'))).toEqual(input);
    expect(input).toMatchObject({ exitCode: 3, rows: { delivered: 2, invalid: 1 } });
    expect(JSON.stringify(env)).not.toContain(there.key);
  });

  test('runs if the service refuses the key, and after an interruption', async ({ cwd, there, signals }) => {
    there.fault = () => ({ latencyMs: 300 });
    await writeCsv(cwd, 'in.csv', 2);
    await runInProcess(cwd, ['upload', 'in.csv', '--on-end', RECORD], { env: withWrongKey(there) });
    expect((await heard(cwd)).env).toMatchObject({ SIGNALS_EXIT_CODE: '5', SIGNALS_STATE: 'stopped' });
    const requests = there.requests().length;
    const { child, ended } = signals.start('upload', 'in.csv', '--again', '--on-end', RECORD);
    while (there.requests().length === requests) await sleep(20);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
    expect((await heard(cwd)).env['SIGNALS_EXIT_CODE']).toBe('143');
  });

  test('runs for an error before the run, with the error as its input and no summary', async ({ cwd }) => {
    const { code } = await run(cwd, ['upload', 'missing.csv', '--sandbox', '--on-end', RECORD]);
    expect(code).toBe(2);
    const { env, input } = await heard(cwd);
    expect(env).toMatchObject({
      SIGNALS_EXIT_CODE: '2',
      SIGNALS_STATE: 'failed',
      SIGNALS_SUMMARY: '',
      SIGNALS_RUN: '',
    });
    expect(input).toMatchObject({ exitCode: 2, errors: [{ message: expect.stringContaining('missing.csv') }] });
  });

  test('that fails is a warning with its output, and leaves stdout and exit code alone', async ({ cwd }) => {
    await writeCsv(cwd, 'in.csv', 2);
    const hook = 'echo to stdout; printf "\\033[2J" >&2; exit 9';
    const ended = await run(cwd, ['upload', 'in.csv', '--sandbox', '--quiet', '--json', '--on-end', hook]);
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ exitCode: 0 });
    expect(ended.stderr).toContain('to stdout');
    expect(ended.stderr).toContain('\\x1b[2J');
    expect(ended.stderr).toContain('warning: The command of --on-end failed with exit code 9.');
  });

  test('does not wait for a program that the command leaves behind', async ({ cwd }) => {
    await writeCsv(cwd, 'in.csv', 2);
    const { code } = await run(cwd, ['upload', 'in.csv', '--sandbox', '--on-end', 'sleep 600 & echo $! > pid']);
    expect(code).toBe(0);
    // It still runs.
    process.kill(Number(await readFile(path.join(cwd, 'pid'), 'utf8')));
  });

  test.skipIf(!hasTools)(
    'posts to a chat with jq and curl, as the docs show (skipped without them)',
    async ({ cwd }) => {
      const posts: string[] = [];
      const chat = createServer((request, response) => {
        let body = '';
        request.on('data', (chunk) => {
          body += chunk;
        });
        request.on('end', () => {
          posts.push(body);
          response.end();
        });
      });
      const port = await listen(chat);
      await write(cwd, 'in.csv', `${csvOf(2)},x.example,T,news,\n`);
      const docs = await readFile(path.join(import.meta.dirname, '..', '..', 'docs', 'machine-output.md'), 'utf8');
      const [, recipe = ''] = /--on-end '(jq [^']*)'/.exec(docs) ?? [];
      const hook = recipe.replace(/"\$CHAT_WEBHOOK"/, `http://127.0.0.1:${port}/`);
      await runInProcess(cwd, ['upload', 'in.csv', '--sandbox', '--on-end', hook]);
      await runInProcess(cwd, ['upload', 'missing.csv', '--sandbox', '--on-end', hook]);
      expect(posts.map((post) => JSON.parse(post).text)).toEqual([
        'signals: exit code 3, 2 of 3 rows delivered',
        expect.stringContaining('signals: exit code 2, '),
      ]);
    },
  );
});
