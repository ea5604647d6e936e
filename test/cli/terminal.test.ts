/** On a real terminal: tmux draws, and what a person would see is what is judged. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { csvOf, program, recordsAt, service, workspace, write } from './program.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

interface Screen {
  /** What is on the screen now, without empty lines at its end. */
  read(): string;
  type(...keys: readonly string[]): void;
  /** Waits until the screen shows something, and returns it. */
  until(pattern: RegExp, ms?: number): Promise<string>;
  /** Column of the cursor, and whether it can be seen. */
  cursor(): { visible: boolean };
}

/** Runs a command in a terminal of its own; `exit=CODE` is written behind it. */
async function terminal(
  cwd: string,
  args: readonly string[],
  env: Record<string, string>,
  columns = 100,
): Promise<Screen> {
  const socket = `signals-test-${randomBytes(4).toString('hex')}`;
  const tmux = (...words: readonly string[]): string =>
    execFileSync('tmux', ['-L', socket, ...words], { encoding: 'utf8' });
  const variables = Object.entries({ SIGNALS_CONFIG_DIR: path.join(cwd, 'settings'), ...env }).map(
    ([name, value]) => `export ${name}='${value}'`,
  );
  const script = path.join(cwd, 'session.sh');
  await write(
    cwd,
    'session.sh',
    [
      '#!/bin/sh',
      // Ctrl-C is meant for the program; the shell goes on to tell its exit code.
      'trap : INT',
      `cd '${cwd}'`,
      'unset CI NO_COLOR FORCE_COLOR npm_command',
      ...variables,
      `'${process.execPath}' '${program}' ${args.join(' ')}`,
      'echo "exit=$?"',
      'sleep 60',
    ].join('\n'),
  );
  await chmod(script, 0o700);
  tmux('new-session', '-d', '-x', String(columns), '-y', '50', script);
  onTestFinished(() => void spawnSync('tmux', ['-L', socket, 'kill-server']));
  const read = (): string => tmux('capture-pane', '-p').trimEnd();
  return {
    read,
    type: (...keys) => void tmux('send-keys', ...keys),
    async until(pattern, ms = 30_000) {
      const end = Date.now() + ms;
      for (;;) {
        const screen = read();
        if (pattern.test(screen)) return screen;
        if (Date.now() > end) throw new Error(`the screen never showed ${pattern}:\n${screen}`);
        await sleep(30);
      }
    },
    cursor: () => ({ visible: tmux('display-message', '-p', '#{cursor_flag}').trim() === '1' }),
  };
}

describe.runIf(hasTmux)('on a terminal', () => {
  test('progress shows bytes, rows, batches and what the service said, in place; then the summary alone stays', async () => {
    const cwd = await workspace();
    const there = await service({ behave: () => ({ latencyMs: 60 }) });
    await write(
      cwd,
      'in.csv',
      csvOf(6000, (n) =>
        n % 50 === 0 ? `,c${n}.example,Title,news,2026-11-20` : `C ${n},c${n}.example,Title,news,2026-11-20`,
      ),
    );
    const screen = await terminal(cwd, ['upload', 'in.csv', '--yes', '--concurrency', '1'], {
      SIGNALS_BASE_URL: there.url,
      SIGNALS_API_KEY: there.key,
    });
    const during = await screen.until(/[1-9][0-9,]* accepted/);
    expect(during).toMatch(/\d+%/);
    expect(during).toMatch(/rows/);
    expect(during).toMatch(/invalid/);
    expect(during).toMatch(/batch/);
    expect(during).toMatch(/delivered/);
    expect(during).toMatch(/deduplicated/);
    expect(during).toMatch(/rejected/);
    await screen.until(/records\/s/);
    const after = await screen.until(/exit=3/);
    expect(after).toMatch(/Delivered 5,880 of 6,000 rows/);
    // Drawn in place and gone: no half of a bar is left above the summary.
    expect(after).not.toMatch(/records\/s/);
    expect(screen.cursor().visible).toBe(true);
  });

  test('progress fits a narrow terminal', async () => {
    const cwd = await workspace();
    const there = await service({ behave: () => ({ latencyMs: 60 }) });
    await write(cwd, 'in.csv', csvOf(6_000));
    const screen = await terminal(
      cwd,
      ['upload', 'in.csv', '--yes', '--concurrency', '1'],
      { SIGNALS_BASE_URL: there.url, SIGNALS_API_KEY: there.key },
      40,
    );
    await screen.until(/[1-9][0-9,]* accepted/);
    await sleep(500);
    // Three lines, each drawn in its own place: were one wrapped, the redraw would leave copies behind.
    expect(screen.read().match(/batches/g)?.length).toBe(1);
    await screen.until(/exit=0/);
  });

  test('a mapping that nobody has seen is shown with one record, and is sent only after a yes', async () => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, 'in.csv', csvOf(3));
    const env = { SIGNALS_BASE_URL: there.url, SIGNALS_API_KEY: there.key };
    const refused = await terminal(cwd, ['upload', 'in.csv'], env);
    const shown = await refused.until(/Send to/);
    expect(shown).toContain('"company_name": "Company 1"');
    expect(shown).toContain(there.url);
    refused.type('n');
    await refused.until(/exit=130/);
    expect(there.requests()).toHaveLength(0);

    const agreed = await terminal(cwd, ['upload', 'in.csv'], env);
    await agreed.until(/Send to/);
    agreed.type('y');
    await agreed.until(/exit=0/);
    expect(there.requests()).toHaveLength(1);
  });

  test('an encoding that is only guessed is shown on words of the file, and asked about', async () => {
    const cwd = await workspace();
    const there = await service();
    await write(
      cwd,
      'in.csv',
      Buffer.from(
        csvOf(2, (n) => `M\xfcller ${n},m${n}.example,Title,news,2026-11-20`),
        'latin1',
      ),
    );
    const screen = await terminal(cwd, ['upload', 'in.csv'], {
      SIGNALS_BASE_URL: there.url,
      SIGNALS_API_KEY: there.key,
    });
    expect(await screen.until(/Is that right/)).toContain('Müller 1');
    screen.type('y');
    await screen.until(/Send to/);
    screen.type('y');
    await screen.until(/exit=0/);
    expect((await recordsAt(there))[0]).toMatchObject({ company_name: 'Müller 1' });
  });

  test('a key that nobody gave is asked for, and never shown', async () => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, 'in.csv', csvOf(3));
    const screen = await terminal(cwd, ['upload', 'in.csv'], { SIGNALS_BASE_URL: there.url });
    await screen.until(/API key/);
    screen.type('right-key', 'Enter');
    await screen.until(/Send to/);
    screen.type('y');
    const after = await screen.until(/exit=0/);
    expect(after).not.toContain('right-key');
    expect(there.requests()).toMatchObject([{ status: 200 }]);
  });

  test('Ctrl-C ends in order, says so, and gives the cursor back', async () => {
    const cwd = await workspace();
    const there = await service({ behave: () => ({ latencyMs: 300 }) });
    await write(cwd, 'in.csv', csvOf(5000));
    const screen = await terminal(cwd, ['upload', 'in.csv', '--yes', '--concurrency', '1'], {
      SIGNALS_BASE_URL: there.url,
      SIGNALS_API_KEY: there.key,
    });
    await screen.until(/[1-9][0-9,]* accepted/);
    screen.type('C-c');
    const after = await screen.until(/exit=130/);
    expect(after).toMatch(/Interrupted/);
    expect(after).toMatch(/Ctrl-C once more ends at once/);
    expect(screen.cursor().visible).toBe(true);
  });
});

test.runIf(!hasTmux)('the tests on a real terminal were left out: there is no tmux here', () => {
  expect(hasTmux).toBe(false);
});
