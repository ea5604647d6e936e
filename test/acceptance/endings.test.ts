/**
 * The ten commonest endings: the lines of each, off a terminal and on one of 80 columns; and the command at its end, pasted into a
 * shell.
 */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { behaviourOf, casesIn, inputOf, type Rows, type Rule } from '../support/behaviour.ts';
import { at, createGate, csvOf, program, run, service, start, workspace, write } from '../support/program.ts';
import { hasTmux, terminal } from '../support/screen.ts';

/** A line of fixtures/delivery/endings.ndjson. */
interface EndingCase extends Rows {
  readonly name: string;
  /** The input is `withInvalid`. */
  readonly invalid?: true;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** What the service does until the command is pasted. */
  readonly rules?: readonly Rule[];
  /** The number of a request that is in flight when SIGINT is sent, and answered after the program has said so. */
  readonly interruptedAt?: number;
  readonly exit: number;
  readonly lines: readonly string[];
  /** The words of the command after `signals`, and the exit code of the pasted command. */
  readonly next?: { readonly words: string; readonly exit: number };
}

const withInvalid = csvOf(20, (n) => {
  const source = n === 4 ? 'newspaper' : n === 9 ? 'job postings' : 'news';
  return `${n === 2 ? '' : `Company ${n}`},c${n}.example,Title,${source},${n === 5 ? '05/11/2026' : '2026-11-20'}`;
});

const endings = casesIn<EndingCase>('endings.ndjson');

async function prepare(ending: EndingCase) {
  const { invalid, args = [], env, rules, interruptedAt } = ending;
  const cwd = await workspace();
  await write(cwd, 'in.csv', invalid ? withInvalid : inputOf(ending));
  const { opened, open } = createGate();
  const there = await service();
  const behave = behaviourOf(rules);
  const isInterrupted = (n: number): boolean => n === interruptedAt;
  there.fault = (incoming) => (isInterrupted(incoming.n) ? { latencyMs: opened } : behave(incoming));
  return { cwd, there, open, argv: ['upload', 'in.csv', ...args], variables: { ...at(there), ...env } };
}

/** Without what differs from run to run. */
function constant(text: string, { url }: Sandbox): string {
  return (
    text
      .replaceAll(`node ${program}`, 'signals')
      .replaceAll(url, 'URL')
      .replace(/\d{8}T\d{6}Z-in-[0-9a-f]{4}/g, 'RUN')
      .replace(/(in|for) \d+(?:\.\d)? s\b/g, '$1 TIME')
      .replace(/^\d{4}-\d\d-\d\dT[\d:]+Z /gm, '')
      // Progress depends on how fast this machine is.
      .replace(/^.* rows\/s.*\n/gm, '')
  );
}

describe.each(endings)('$name', (ending) => {
  const { lines, exit, next, interruptedAt } = ending;

  test('off a terminal, and its command in a shell', async () => {
    const { cwd, there, open, argv, variables } = await prepare(ending);
    const running = start(cwd, argv, { env: variables });
    if (interruptedAt !== undefined) {
      await expect.poll(() => there.requests().length).toBe(interruptedAt);
      running.child.kill('SIGINT');
      await running.tells('Stopping');
      open();
    }
    const ended = await running.ended;
    const shown = constant(ended.stderr + ended.stdout, there);
    expect(shown.trimEnd().split('\n')).toStrictEqual(lines);
    expect(ended.code).toBe(exit);
    if (next === undefined) return;
    const command = ended.stdout.trimEnd().split('  ').at(-1)?.trim() ?? '';
    expect(constant(command, there)).toBe(`signals ${next.words}`);
    there.fault = undefined;
    const pasted = await run(cwd, [], {
      env: { PATH: process.env['PATH'], HOME: cwd, SIGNALS_CONFIG_DIR: path.join(cwd, 'settings'), ...at(there) },
      under: ['sh', '-c', command.replace(/ URL$/, ` ${there.url}`), 'sh'],
    });
    expect(pasted.code, pasted.stderr + pasted.stdout).toBe(next.exit);
  });

  test.runIf(hasTmux)('on a terminal of 80 columns', async () => {
    const { cwd, there, open, argv, variables } = await prepare(ending);
    const screen = await terminal(cwd, [...argv, '--yes'], variables, 80);
    if (interruptedAt !== undefined) {
      await expect.poll(() => there.requests().length).toBe(interruptedAt);
      screen.type('C-c');
      await screen.until(/Stopping/);
      open();
    }
    const shown = constant(await screen.until(/exit=\d+/), there).replace(`${process.execPath} ${program}`, 'signals');
    const squeezed = (text: string): string => text.replace(/\s/g, '').replaceAll('--yes', '');
    expect(squeezed(shown)).toBe(squeezed(`${lines.join('\n')}\nexit=${exit}`));
    expect(screen.cursor().visible).toBe(true);
    // Wrapped lines count too.
    expect(shown.trimEnd().split('\n').length - 1).toBeLessThanOrEqual(lines.length <= 2 ? 3 : exit === 3 ? 10 : 8);
  });
});
