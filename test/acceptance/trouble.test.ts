/** What goes wrong for real people: keys, addresses, pipes, hostile files, interruptions. On the built program. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished } from 'vitest';
import {
  at,
  csvOf,
  everythingIn,
  expectEnd,
  plainRow,
  program,
  readRun,
  recordsAt,
  run,
  runFolder,
  start,
  summaryOf,
  test,
  workspace,
  write,
  writeCsv,
} from '../support/program.ts';

const ESC = String.fromCharCode(0x1b);

test.skipIf(process.platform !== 'linux')(
  'a disk without room for what a command prints is told by its exit code',
  () => {
    // The last thing that is written: its failure comes when the command has ended already.
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const stdio: ['ignore', number, 'pipe'] = ['ignore', full, 'pipe'];
    const ended = spawnSync(process.execPath, [program, 'fields', 'signals', '--template', 'csv'], {
      stdio,
      encoding: 'utf8',
    });
    expect(ended.stderr).toContain('Cannot write to stdout: ENOSPC');
    expect(ended.status).toBe(1);
  },
);

describe.skipIf(process.platform !== 'linux')('an output on a full device', () => {
  /** Uploads to a sandbox of the program, with stdout or stderr on the full device. */
  async function upload(output: 'stdout' | 'stderr', rows: string, args: readonly string[] = []) {
    const cwd = await workspace();
    await write(cwd, 'in.csv', rows);
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const ended = spawnSync(process.execPath, [program, 'upload', 'in.csv', '--sandbox', '--yes', ...args], {
      cwd,
      env: { PATH: process.env['PATH'], HOME: cwd },
      stdio: output === 'stdout' ? ['ignore', full, 'pipe'] : ['ignore', 'pipe', full],
      encoding: 'utf8',
    });
    return { ...ended, summary: JSON.parse(await readRun(cwd, 'summary.json')) };
  }

  test.each([
    ['a complete run', 0, csvOf(3)],
    ['a run with an invalid row', 3, `${csvOf(3)}No title,acme.com,,funding,\n`],
  ])('keeps the exit code of %s if only the text of its summary is lost', async (_what, exitCode, rows) => {
    const { status, stderr, summary } = await upload('stdout', rows);
    expect(stderr).toContain('Cannot write to stdout: ENOSPC');
    expect(stderr).toContain('its summary is in the run folder');
    expect(status).toBe(exitCode);
    expect(summary).toMatchObject({ exitCode, state: 'complete', rows: { delivered: 3 } });
  });

  test('is exit code 1 if the output of --json is lost', async () => {
    const { status, stderr, summary } = await upload('stdout', csvOf(3), ['--json']);
    expect(stderr).toContain('Cannot write to stdout: ENOSPC');
    expect(status).toBe(1);
    expect(summary).toMatchObject({ exitCode: 0 });
  });

  test('keeps the exit code and the summary if only messages are lost', async () => {
    const { status, stdout } = await upload('stderr', csvOf(3));
    expect(stdout).toContain('3 of 3 rows delivered');
    expect(status).toBe(0);
  });
});

describe('a wrong key', () => {
  test('stops the run within --concurrency requests, and is in no output and no file', async ({ cwd, there }) => {
    await writeCsv(cwd, 'in.csv', 20_000);
    const env = { SIGNALS_BASE_URL: there.url, SIGNALS_API_KEY: 'wrong-and-secret' };
    const ended = await run(cwd, ['upload', 'in.csv', '--concurrency', '4', '--json', '--verbose'], { env });

    expect(ended.code).toBe(5);
    expect(there.requests().length).toBeGreaterThan(0);
    expect(there.requests().length).toBeLessThanOrEqual(4);
    const summary = summaryOf(ended);
    expect(summary).toMatchObject({ balanced: true, state: 'stopped', rows: { delivered: 0 } });
    expect(summary.rows['pending']).toBe(summary.rows['read']);
    const [input] = summary['inputs'] as { bytes: number; bytesUnread: number }[];
    expect(input?.bytesUnread).toBeGreaterThan(0);
    expect(ended.stdout + ended.stderr + (await everythingIn(cwd))).not.toContain('wrong-and-secret');
    expect(ended.stderr).toContain('The key came from SIGNALS_API_KEY.');
  });
});

describe('a pipe', () => {
  test('needs no dash', async ({ cwd, there }) => {
    const ended = await run(cwd, ['upload', '--json'], { env: at(there), input: csvOf(120) });
    expectEnd(ended, 0, { rows: { read: 120, delivered: 120 }, inputs: [{ source: 'stdin', bytesUnread: 0 }] });
  });

  test('that holds nothing is said to be empty', async ({ cwd, there }) => {
    const ended = await run(cwd, ['upload', '-'], { env: at(there), input: '' });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/stdin/);
  });

  test('whose reader goes away early leaves no stack trace, and the upload ends', async ({ cwd, there, signals }) => {
    await writeCsv(cwd, 'in.csv', 2000);
    // In a process of its own: the service of this test must answer meanwhile.
    const { child, ended } = signals.start('upload', 'in.csv');
    child.stdout?.destroy();
    const { stderr, code } = await ended;
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|at .*\.js:\d+/);
    expect(there.requests()).toHaveLength(20);
  });
});

describe('a hostile file', () => {
  test('reaches the terminal without escape codes, and the service as it is', async ({ cwd, there, signals }) => {
    const name = `Evil ${ESC}[2J${ESC}]0;title\u0007 Ltd`;
    await writeCsv(cwd, 'in.csv', 1, () => `${name},e.example,=cmd()|'/c calc'!A1,${ESC}[31mnews,2026-11-20`);
    const ended = await signals('upload', 'in.csv');
    expect(ended.code).toBe(3);
    expect(ended.stdout + ended.stderr).not.toContain(ESC);
    const rejects = await readRun(cwd, 'rejects/in.csv');
    expect(rejects).toContain("=cmd()|'/c calc'!A1");
    await writeCsv(cwd, 'good.csv', 1, () => `${name},e.example,=cmd(),news,2026-11-20`);
    expect((await signals('upload', 'good.csv', '--quiet')).code).toBe(0);
    expect(await recordsAt(there)).toMatchObject([{ company_name: name, signal_name: '=cmd()' }]);
  });

  test('with a lone quote, NULs, no text and a row of 2 MB costs only these rows', async ({ cwd, signals }) => {
    const rows = Buffer.concat([
      Buffer.from(csvOf(3)),
      Buffer.from('"Lone quote,l.example,Title,news,2026-11-20\n'),
      Buffer.from(`${plainRow(4)}\n`),
      Buffer.from('Latin \xe9,l.example,Title,news,2026-11-20\n', 'latin1'),
      Buffer.from('With NUL \0,n.example,Title,news,2026-11-20\n'),
      Buffer.from(`Big,b.example,${'x'.repeat(2_000_000)},news,2026-11-20\n`),
      Buffer.from(`${plainRow(5)}\n`),
    ]);
    await write(cwd, 'in.csv', rows);
    const declared = ['--encoding', 'utf-8'];
    const ended = await signals('upload', 'in.csv', '--json', ...declared);
    expectEnd(ended, 3, { rows: { read: 9, invalid: 3, delivered: 6 } });
    const rejects = (await readRun(cwd, 'rejects/in.csv'))
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0]);
    expect(rejects.filter((line) => /^\d+$/.test(line ?? ''))).toEqual(['5', '7', '9']);
  });

  test.for([
    ['a spreadsheet', Buffer.from('PK\u0003\u0004rest of a zip'), /zip|xlsx|CSV/i],
    ['a truncated gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), /Decompressing .* failed at byte 0.*truncated/s],
    ['UTF-32', Buffer.from(`\ufeff\0${csvOf(2).replace(/./gs, '$&\0')}`, 'utf16le'), /UTF-8/],
    ['probably Windows-1252', Buffer.from('company_name\nCaf\xe9\n', 'latin1'), /"Café".*--encoding windows-1252/s],
    ['cut in two ways', Buffer.from('company_name;a,b\nAcme;x,y\n'), /--delimiter ';'/],
    ['a report with a title', Buffer.from('Report\n\na,b,c\nd,e,f\ng,h,i\n'), /--header-line 3/],
    ['only blank lines', Buffer.from('\n\n  \n'), /nothing|empty|blank/i],
  ] as const)(
    'that is %s is refused with what to do, before anything is sent',
    async ([_name, bytes, words], { cwd, there, signals }) => {
      await write(cwd, 'in.csv', bytes);
      const ended = await signals('upload', 'in.csv');
      expect(ended.code).toBe(2);
      expect(ended.stderr).toMatch(words);
      expect(there.requests()).toHaveLength(0);
    },
  );
});

describe('an interruption', () => {
  test('ends the wait for a pipe that says nothing', async ({ cwd, there }) => {
    const { child, ended } = start(cwd, ['upload', '-', '--type', 'signals', '--json'], {
      env: at(there),
      input: 'open',
    });
    // More than the head is needed before an input is understood, unless it ends.
    child.stdin?.on('error', () => undefined).write(csvOf(8000));
    while (there.requests().length < 1) await sleep(20);
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
  });
});

/** Resolves when a process has taken over its signals. Node catches SIGINT and SIGTERM from the start, SIGHUP not. */
async function listening(pid: number): Promise<void> {
  // Elsewhere nothing says so.
  if (process.platform !== 'linux') return sleep(900);
  const catchesHangup = async (): Promise<boolean> => {
    const caught = /^SigCgt:\s*([\da-f]+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
    return (BigInt(`0x${caught ?? 0}`) & 1n) === 1n;
  };
  while (!(await catchesHangup())) await sleep(20);
}

test('a signal while nothing has begun ends the program at once, with one JSON object', async ({ cwd, there }) => {
  const { child, ended } = start(cwd, ['upload', '-', '--json'], { env: at(there), input: 'open' });
  await listening(child.pid ?? 0);
  child.kill('SIGTERM');
  const result = await ended;
  expect(result.code).toBe(143);
  expect(JSON.parse(result.stdout)).toMatchObject({ exitCode: 143, errors: [{ code: 'cancelled' }] });
});

describe('a rejects file reads back as it is', () => {
  test.for([
    [
      'of a file with semicolons',
      ['--delimiter', ';'],
      'company_name;signal_title;signal_source\n;T;news\nA;T;news\n',
      undefined,
    ],
    [
      'of a file without a header',
      ['--no-header', '-m', 'map.yaml'],
      ',T,news\nA,T,news\n',
      'type: signals\ninput: { header: false }\nfields: { company_name: "1", signal_title: "2", signal_source: "3" }\n',
    ],
    [
      'of a file with other quotes',
      ['-m', 'map.yaml'],
      "company_name,signal_title,signal_source\n,'T, and more',news\nA,T,news\n",
      'type: signals\ninput: { quote: "\'" }\nfields: { company_name: company_name, signal_title: signal_title, signal_source: signal_source }\n',
    ],
  ] as const)('%s', async ([_name, options, text, mapping], { cwd, there, signals }) => {
    await write(cwd, 'in.csv', text);
    if (mapping !== undefined) await write(cwd, 'map.yaml', mapping);
    const first = await signals('upload', 'in.csv', ...options, '--json');
    expect(summaryOf(first).rows).toMatchObject({ delivered: 1, invalid: 1 });
    const folder = await runFolder(cwd);
    const rejects = await readFile(path.join(folder, 'rejects', 'in.csv'), 'utf8');
    // Fill in the empty company, whatever stands around it.
    const corrected = rejects.replace(/(has no value\)"?)([;,])([;,])/, '$1$2Late$3');
    expect(corrected).not.toBe(rejects);
    await write(cwd, 'corrected.csv', corrected);
    const again = await signals(
      'upload',
      '-m',
      path.join(folder, 'mapping.yaml'),
      'corrected.csv',
      '--json',
      '--out',
      'second',
    );
    expect(again.code, again.stderr).toBe(0);
    const names = (await recordsAt(there)).map((record) => record['company_name']);
    expect(names).toEqual(['A', 'Late']);
  });
});
