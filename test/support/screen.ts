/** A real terminal for tests: tmux draws, and what a person would see is what is judged. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { program, write } from './program.ts';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

export interface Screen {
  /** What is on the screen now, without empty lines at its end. */
  read(): string;
  type(...keys: readonly string[]): void;
  /** Changes the width of the terminal. */
  resize(columns: number): void;
  /** Waits until the screen shows something, and returns it. */
  until(pattern: RegExp, ms?: number): Promise<string>;
  /** Moves the mark of a list of choices to a choice. */
  mark(choice: RegExp): Promise<void>;
  /** Column of the cursor, and whether it can be seen. */
  cursor(): { visible: boolean };
}

/** Runs a command in a terminal of its own; `exit=CODE` is written behind it. */
export async function terminal(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
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
  const type = (...keys: readonly string[]): void => void tmux('send-keys', ...keys);
  const until: Screen['until'] = async (pattern, ms = 80_000) => {
    const end = Date.now() + ms;
    for (;;) {
      const screen = read();
      if (pattern.test(screen)) return screen;
      if (Date.now() > end) throw new Error(`the screen never showed ${pattern}:\n${screen}`);
      await sleep(30);
    }
  };
  return {
    read,
    type,
    resize: (columns) => void tmux('resize-window', '-x', String(columns)),
    until,
    async mark(choice) {
      for (let moves = 0; moves < 30; moves += 1) {
        const marked = /● .*/.exec(await until(/● /))?.[0] ?? '';
        if (choice.test(marked)) return;
        type('Down');
        const others = marked.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
        await until(new RegExp(`● (?!${others.slice(2)}\\s*$)`, 'm'));
      }
      throw new Error(`there is no choice ${choice}:\n${read()}`);
    },
    cursor: () => ({ visible: tmux('display-message', '-p', '#{cursor_flag}').trim() === '1' }),
  };
}
