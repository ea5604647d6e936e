/**
 * The ten commonest endings: the lines of each, off a terminal and on one of 80 columns; and the command at its end, pasted into
 * a shell.
 */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { InjectedFault, Sandbox, SandboxServerOptions } from '../../src/sandbox/index.ts';
import {
  at,
  createGate,
  csvOf,
  program,
  run,
  service,
  socialCsv,
  start,
  workspace,
  write,
} from '../support/program.ts';
import { hasTmux, terminal } from '../support/screen.ts';

type Incoming = Parameters<NonNullable<SandboxServerOptions['injectFault']>>[0];

interface EndingCase {
  readonly name: string;
  readonly input: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** What the service does until the command is pasted. */
  readonly fault?: (incoming: Incoming) => InjectedFault | undefined;
  /** The number of a request that is in flight when SIGINT is sent, and answered after the program has said so. */
  readonly interruptedAt?: number;
  readonly exit: number;
  readonly lines: readonly string[];
  /** The words of the command after `signals`, and the exit code of the pasted command. */
  readonly next?: { readonly words: string; readonly exit: number };
}

const BRIEF = 'in.csv  CSV, market signals (a), all 5 columns match by name';
const SOCIAL = 'in.csv  CSV, social events, all 3 columns match by name';
const rejecting = (rejected: number, accepted: number): InjectedFault => ({
  status: 200,
  body: JSON.stringify({ success: true, batchId: 'b1', stats: { accepted, deduplicated: 0, rejected } }),
});
const withInvalid = csvOf(20, (n) => {
  const source = n === 4 ? 'newspaper' : n === 9 ? 'job postings' : 'news';
  return `${n === 2 ? '' : `Company ${n}`},c${n}.example,Title,${source},${n === 5 ? '05/11/2026' : '2026-11-20'}`;
});

const endings: readonly EndingCase[] = [
  {
    name: 'clean',
    input: csvOf(24),
    exit: 0,
    lines: [BRIEF, '24 of 24 rows delivered to URL in TIME.'],
  },
  {
    name: 'invalid rows',
    input: withInvalid,
    exit: 3,
    lines: [
      BRIEF,
      '16 of 20 rows delivered to URL in TIME; 4 invalid.',
      '  2  signal_source  not an allowed value  :5 "newspaper", :10 "job postings"',
      '  1  company_name   missing               :3',
      '  1  detected_at    not a date            :6 "05/11/2026"',
      'Rejects  signals-runs/RUN/rejects/in.csv',
      'Fix      signals fix',
    ],
    next: { words: 'fix', exit: 0 },
  },
  {
    name: 'key refused',
    input: csvOf(300),
    env: { SIGNALS_API_KEY: 'wrong' },
    exit: 5,
    lines: [
      BRIEF,
      'Stopped: the service refused the API key (HTTP 401). Nothing was sent.',
      'The key came from SIGNALS_API_KEY. Set the right one there.',
      'Then     signals resume',
    ],
    next: { words: 'resume', exit: 0 },
  },
  {
    name: 'outage',
    input: csvOf(3000),
    args: ['--concurrency', '1', '--setting', 'retry_max_time=1s'],
    fault: ({ n }) => (n > 11 ? { status: 503 } : undefined),
    exit: 6,
    lines: [
      BRIEF,
      'Stopped: the service was unavailable for TIME (HTTP 503). 1,100 of about 3,000 rows delivered; 200 may have arrived (resending is safe).',
      'Then     signals resume',
    ],
    next: { words: 'resume', exit: 0 },
  },
  {
    name: 'wrong address',
    input: csvOf(300),
    fault: () => ({ status: 404 }),
    exit: 6,
    lines: [
      BRIEF,
      'Stopped: the service has no such endpoint (HTTP 404). Nothing was sent.',
      'Then     signals resume --base-url URL',
    ],
    next: { words: 'resume --base-url URL', exit: 0 },
  },
  {
    name: 'canary',
    input: csvOf(300),
    fault: () => rejecting(100, 0),
    exit: 6,
    lines: [
      BRIEF,
      'Stopped: the service rejected all 100 records of the first batch. 0 of about 300 rows delivered; 100 rejected by the service.',
      'It may expect the field names of variant b:',
      '         signals upload in.csv --variant b --again',
    ],
    next: { words: 'upload in.csv --variant b --again', exit: 0 },
  },
  {
    name: 'Ctrl-C',
    input: csvOf(3000),
    args: ['--concurrency', '1'],
    interruptedAt: 3,
    exit: 130,
    lines: [
      BRIEF,
      'Stopping: waiting for requests in flight. Press Ctrl-C again to stop immediately.',
      'Interrupted. 300 of about 3,000 rows delivered.',
      'Then     signals resume',
    ],
    next: { words: 'resume', exit: 0 },
  },
  {
    name: 'rejected by the service',
    input: csvOf(300),
    fault: ({ n }) => (n === 2 ? rejecting(7, 93) : undefined),
    exit: 3,
    lines: [
      BRIEF,
      '293 of 300 rows delivered to URL in TIME; 7 rejected by the service.',
      'To find the rejected rows:',
      '         signals runs explain',
    ],
    // Off a terminal it needs consent to its requests.
    next: { words: 'runs explain', exit: 2 },
  },
  {
    name: 'unknown events',
    input: socialCsv(300),
    args: ['--concurrency', '1'],
    fault: ({ n }) => (n === 2 ? { cut: true } : undefined),
    exit: 4,
    lines: [
      SOCIAL,
      '200 of 300 events delivered to URL in TIME; 100 may have arrived.',
      '  100  may have arrived  HTTP 200 with a truncated body  :102-201',
      'If they arrived, nothing is left to do. If they did not:',
      '         signals resume --unknown',
    ],
    next: { words: 'resume --unknown', exit: 0 },
  },
  {
    name: 'row limit',
    input: withInvalid,
    args: ['--max-invalid', '1'],
    exit: 6,
    lines: [
      BRIEF,
      'Stopped: 2 rows are invalid, more than --max-invalid 1 allows. Nothing was sent.',
      '  1  company_name   missing               :3',
      '  1  signal_source  not an allowed value  :5 "newspaper"',
      'Fix the input or the mapping, then:',
      '         signals upload in.csv --max-invalid 1',
    ],
    next: { words: 'upload in.csv --max-invalid 1', exit: 6 },
  },
];

async function prepare({ input, args = [], env, fault, interruptedAt }: EndingCase) {
  const cwd = await workspace();
  await write(cwd, 'in.csv', input);
  let isMended = false;
  const { opened, open } = createGate();
  const injectFault = (incoming: Incoming): InjectedFault | undefined => {
    if (incoming.n === interruptedAt) return { latencyMs: opened };
    return isMended ? undefined : fault?.(incoming);
  };
  const there = await service({ injectFault });
  const mend = (): void => {
    isMended = true;
  };
  return { cwd, there, mend, open, argv: ['upload', 'in.csv', ...args], variables: { ...at(there), ...env } };
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
    const { cwd, there, mend, open, argv, variables } = await prepare(ending);
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
    mend();
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
    // Wrapped lines count too.
    expect(shown.trimEnd().split('\n').length - 1).toBeLessThanOrEqual(lines.length <= 2 ? 3 : exit === 3 ? 10 : 8);
  });
});
