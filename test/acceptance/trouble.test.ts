/** What goes wrong for real people: keys, addresses, pipes, hostile files, interruptions. On the built program. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  at,
  csvOf,
  everythingIn,
  plainRow,
  program,
  readRun,
  recordsAt,
  root,
  run,
  runFolder,
  service,
  start,
  summaryOf,
  workspace,
  write,
} from '../support/program.ts';

const ESC = String.fromCharCode(0x1b);
const FAST = ['--setting', 'retries=1', '--setting', 'retry_max_time=1s'];

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
    expect(stdout).toContain('Delivered all 3 rows');
    expect(status).toBe(0);
  });
});

describe('a wrong key', () => {
  test('stops the run after at most --concurrency requests, and stands in no output and no file', async () => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, 'in.csv', csvOf(20_000));
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
    expect(ended.stderr).toContain('It comes from SIGNALS_API_KEY.');
  });

  test.each(['Bearer right-key', '  right-key\n', '\u{feff}right-key', '"right-key"'])(
    'is not a key that was pasted with something around it: %j',
    async (key) => {
      const cwd = await workspace();
      const there = await service();
      await write(cwd, 'in.csv', csvOf(2));
      const env = { SIGNALS_BASE_URL: `${there.url}/v1/`, SIGNALS_API_KEY: key };
      expect((await run(cwd, ['upload', 'in.csv', '--quiet'], { env })).code).toBe(0);
    },
  );
});

describe('an address where no service is', () => {
  test('is tried again for retry_max_time, and then everything is put back to pending', async () => {
    const cwd = await workspace();
    const closed = createServer();
    const port = await new Promise<number>((resolve) => {
      closed.listen(0, '127.0.0.1', () => {
        const address = closed.address();
        closed.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
      });
    });
    await write(cwd, 'in.csv', csvOf(250));
    const env = { SIGNALS_BASE_URL: `http://127.0.0.1:${port}`, SIGNALS_API_KEY: 'k' };
    const ended = await run(cwd, ['upload', 'in.csv', '--json', ...FAST], { env });
    expect(ended.code === 6 || ended.code === 4).toBe(true);
    const { rows, balanced } = summaryOf(ended);
    expect(balanced).toBe(true);
    expect(rows).toMatchObject({ read: 250, delivered: 0, unknown: 0 });
    expect((rows['pending'] ?? 0) + (rows['exhausted'] ?? 0)).toBe(250);
    expect(ended.stderr).toContain('ECONNREFUSED');
  });

  test('that answers 404 stops the run at once', async () => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, 'in.csv', csvOf(500));
    const env = { SIGNALS_BASE_URL: `${there.url}/elsewhere`, SIGNALS_API_KEY: 'right-key' };
    const ended = await run(cwd, ['upload', 'in.csv', '--concurrency', '1'], { env });
    expect(ended.code).toBe(6);
    expect(ended.stdout).toContain('HTTP 404');
    expect(there.requests()).toHaveLength(1);
  });

  test('that redirects never sees the key again', async () => {
    const cwd = await workspace();
    const elsewhere = await service();
    const there = await service({
      injectFault: () => ({ status: 301, headers: { location: `${elsewhere.url}/v1/signals/ingest` } }),
    });
    await write(cwd, 'in.csv', csvOf(5));
    const ended = await run(cwd, ['upload', 'in.csv'], { env: at(there) });
    expect(ended.code).toBe(6);
    expect(elsewhere.requests()).toHaveLength(0);
  });

  test('is refused without TLS on another host, and nobody is asked', async () => {
    const cwd = await workspace();
    await write(cwd, 'in.csv', csvOf(1));
    const env = { SIGNALS_BASE_URL: 'http://service.example', SIGNALS_API_KEY: 'k' };
    const ended = await run(cwd, ['upload', 'in.csv'], { env });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('--allow-http');
  });

  test('and no key: each is one sentence with what to do', async () => {
    const cwd = await workspace();
    await write(cwd, 'in.csv', csvOf(1));
    const nowhere = await run(cwd, ['upload', 'in.csv']);
    expect(nowhere.code).toBe(2);
    expect(nowhere.stderr).toContain('--base-url');
    const keyless = await run(cwd, ['upload', 'in.csv', '--base-url', 'https://service.example']);
    expect(keyless.code).toBe(2);
    expect(keyless.stderr).toContain('SIGNALS_API_KEY');
  });
});

describe('a pipe', () => {
  test('of social events is uploaded without a terminal and without escape codes', async () => {
    const cwd = await workspace();
    const there = await service();
    const input = await readFile(path.join(root, 'fixtures', 'social.csv'));
    const ended = await run(cwd, ['upload', '-', '--type', 'social'], { env: at(there), input });
    expect(ended.code).toBe(0);
    expect(ended.stdout + ended.stderr).not.toContain(ESC);
    expect(there.requests()).toMatchObject([{ type: 'social', records: 20 }]);
  });

  test('needs no dash', async () => {
    const cwd = await workspace();
    const there = await service();
    const ended = await run(cwd, ['upload', '--json'], { env: at(there), input: csvOf(120) });
    expect(ended.code).toBe(0);
    expect(summaryOf(ended)).toMatchObject({
      rows: { read: 120, delivered: 120 },
      inputs: [{ source: 'stdin', bytesUnread: 0 }],
    });
  });

  test('that holds nothing is said to be empty', async () => {
    const cwd = await workspace();
    const there = await service();
    const ended = await run(cwd, ['upload', '-'], { env: at(there), input: '' });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/stdin/);
  });

  test('whose reader goes away early leaves no stack trace, and the upload goes on', async () => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, 'in.csv', csvOf(2000));
    // In a process of its own: the service of this test must answer meanwhile.
    const { child, ended } = start(cwd, ['upload', 'in.csv'], { env: at(there) });
    child.stdout?.destroy();
    const { stderr, code } = await ended;
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|at .*\.js:\d+/);
    expect(there.requests()).toHaveLength(20);
  });

  test('to head prints one line and no stack trace', async () => {
    const cwd = await workspace();
    const fixture = path.join(root, 'fixtures', 'signals.csv');
    const shell = spawnSync(
      'sh',
      ['-c', `"${process.execPath}" "${program}" upload "${fixture}" --sandbox 2>err | head -1`],
      {
        cwd,
        encoding: 'utf8',
      },
    );
    expect(shell.stdout.trim().split('\n')).toHaveLength(1);
    expect(await readFile(path.join(cwd, 'err'), 'utf8')).not.toMatch(/EPIPE|Error/);
  });
});

describe('a hostile file', () => {
  test('reaches the terminal without its escape codes, and the service with its text', async () => {
    const cwd = await workspace();
    const there = await service();
    const name = `Evil ${ESC}[2J${ESC}]0;title\u0007 Ltd`;
    await write(
      cwd,
      'in.csv',
      csvOf(1, () => `${name},e.example,=cmd()|'/c calc'!A1,${ESC}[31mnews,2026-11-20`),
    );
    const ended = await run(cwd, ['upload', 'in.csv'], { env: at(there) });
    expect(ended.code).toBe(3);
    expect(ended.stdout + ended.stderr).not.toContain(ESC);
    const rejects = await readRun(cwd, 'rejects/in.csv');
    expect(rejects).toContain("=cmd()|'/c calc'!A1");
    await write(
      cwd,
      'good.csv',
      csvOf(1, () => `${name},e.example,=cmd(),news,2026-11-20`),
    );
    expect((await run(cwd, ['upload', 'good.csv', '--quiet'], { env: at(there) })).code).toBe(0);
    expect(await recordsAt(there)).toMatchObject([{ company_name: name, signal_name: '=cmd()' }]);
  });

  test('with a lone quote, NULs, bytes that are no text and a row of 2 MB costs the rows at fault and no others', async () => {
    const cwd = await workspace();
    const there = await service();
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
    const ended = await run(cwd, ['upload', 'in.csv', '--json', ...declared], { env: at(there) });
    expect(ended.code).toBe(3);
    expect(summaryOf(ended).rows).toMatchObject({ read: 9, invalid: 3, delivered: 6 });
    const rejects = (await readRun(cwd, 'rejects/in.csv'))
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0]);
    expect(rejects.filter((line) => /^\d+$/.test(line ?? ''))).toEqual(['5', '7', '9']);
  });

  test('whose cell is larger than a request may be is rejected, and the rest is sent', async () => {
    const cwd = await workspace();
    const there = await service();
    await write(
      cwd,
      'in.csv',
      csvOf(3, (n) => (n === 2 ? `Big,b.example,${'x'.repeat(3000)},news,2026-11-20` : plainRow(n))),
    );
    const ended = await run(cwd, ['upload', 'in.csv', '--setting', 'max_bytes=2000', '--json'], { env: at(there) });
    expect(summaryOf(ended).rows).toMatchObject({ delivered: 2, invalid: 1 });
    expect(there.requests().every(({ bytes }) => bytes <= 2000)).toBe(true);
    expect(await readRun(cwd, 'rejects/in.csv')).toContain('max_bytes');
  });

  test.each([
    ['a spreadsheet', Buffer.from('PK\u0003\u0004rest of a zip'), /zip|xlsx|CSV/i],
    ['a torn gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), /Decompressing .* failed at byte 0.*truncated/s],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), /UTF-8/],
    ['probably Windows-1252', Buffer.from('company_name\nCaf\xe9\n', 'latin1'), /"Café".*--encoding windows-1252/s],
    ['cut in two ways', Buffer.from('company_name;a,b\nAcme;x,y\n'), /--delimiter ';'/],
    ['a report with a title', Buffer.from('Report\n\na,b,c\nd,e,f\ng,h,i\n'), /--header-line 3/],
    ['only blank lines', Buffer.from('\n\n  \n'), /nothing|empty|blank/i],
  ])('that is %s is refused with what to do, before anything is sent', async (_name, bytes, words) => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, 'in.csv', bytes);
    const ended = await run(cwd, ['upload', 'in.csv'], { env: at(there) });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(words);
    expect(there.requests()).toHaveLength(0);
  });

  test('is a folder: its supported files are uploaded', async () => {
    const cwd = await workspace();
    const there = await service();
    await mkdir(path.join(cwd, 'exports'));
    await write(cwd, 'exports/b.csv', csvOf(2));
    await write(
      cwd,
      'exports/a.csv',
      csvOf(1, (n) => plainRow(n + 10)),
    );
    await write(cwd, 'exports/readme.md', 'not data');
    const ended = await run(cwd, ['upload', 'exports', '--json'], { env: at(there) });
    expect(ended.code).toBe(0);
    expect((summaryOf(ended)['inputs'] as { source: string }[]).map(({ source }) => source)).toEqual([
      'exports/a.csv',
      'exports/b.csv',
    ]);
  });
});

describe('an interruption', () => {
  test('lets requests under way finish, starts nothing new, and says what is pending', async () => {
    const cwd = await workspace();
    const there = await service({ injectFault: () => ({ latencyMs: 400 }) });
    await write(cwd, 'in.csv', csvOf(5000));
    const { child, ended } = start(cwd, ['upload', 'in.csv', '--concurrency', '2', '--json'], {
      env: at(there),
    });
    while (there.requests().length < 2) await sleep(20);
    child.kill('SIGINT');
    const result = await ended;
    expect(result.code).toBe(130);
    const summary = summaryOf(result);
    expect(summary).toMatchObject({ balanced: true, state: 'interrupted' });
    expect(summary.rows['unknown']).toBe(0);
    expect(summary.rows['delivered']).toBe(there.requests().filter(({ status }) => status === 200).length * 100);
    expect(there.requests().length).toBeLessThanOrEqual(4);
  });

  test('by SIGTERM exits with 143', async () => {
    const cwd = await workspace();
    const there = await service({ injectFault: () => ({ latencyMs: 200 }) });
    await write(cwd, 'in.csv', csvOf(2000));
    const { child, ended } = start(cwd, ['upload', 'in.csv', '--concurrency', '1'], { env: at(there) });
    while (there.requests().length < 1) await sleep(20);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
  });

  test('a second time ends at once', async () => {
    const cwd = await workspace();
    const there = await service({ injectFault: () => ({ latencyMs: 10_000 }) });
    await write(cwd, 'in.csv', csvOf(2000));
    const { child, ended } = start(cwd, ['upload', 'in.csv'], { env: at(there) });
    while (there.requests().length < 1) await sleep(20);
    child.kill('SIGINT');
    await sleep(200);
    const before = performance.now();
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(performance.now() - before).toBeLessThan(2000);
  });

  test('ends the wait for a pipe that says nothing', async () => {
    const cwd = await workspace();
    const there = await service();
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

  test('by kill -9 leaves a journal that tells what was settled and what is not known', async () => {
    const cwd = await workspace();
    const there = await service({ injectFault: () => ({ latencyMs: 100 }) });
    await write(cwd, 'in.csv', csvOf(5000));
    const { child, ended } = start(cwd, ['upload', 'in.csv', '--concurrency', '3'], { env: at(there) });
    while (there.requests().length < 8) await sleep(10);
    child.kill('SIGKILL');
    await ended;
    await sleep(300);
    const lines = (await readRun(cwd, 'journal.ndjson')).split('\n').filter((line) => line.endsWith('}'));
    const events = lines.map((line) => JSON.parse(line));
    const started = new Set(events.filter(({ event }) => event === 'attempt.started').map(({ batch }) => batch));
    const settled = new Set(events.filter(({ event }) => event === 'batch.settled').map(({ batch }) => batch));
    // Whatever the service saw had been journalled before it left.
    expect(there.requests().length).toBeLessThanOrEqual(started.size);
    for (const id of settled) expect(started.has(id)).toBe(true);
    expect(started.size - settled.size).toBeLessThanOrEqual(3);
  });
});

test('two runs at once keep two folders and two sets of books', async () => {
  const cwd = await workspace();
  const there = await service();
  await write(cwd, 'in.csv', csvOf(300));
  // Without --again the second may stop, because the first has not completed the same input.
  const both = await Promise.all(
    [1, 2].map(() => run(cwd, ['upload', 'in.csv', '--again', '--json'], { env: at(there) })),
  );
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  const folders = both.map((ended) => String(summaryOf(ended)['folder']));
  expect(new Set(folders).size).toBe(2);
  expect(there.requests()).toHaveLength(6);
});

test('a run folder that cannot be made stops everything before anything is sent', async () => {
  const cwd = await workspace();
  const there = await service();
  await write(cwd, 'in.csv', csvOf(3));
  await write(cwd, 'occupied', 'a file, not a folder');
  const ended = await run(cwd, ['upload', 'in.csv', '--out', 'occupied/runs'], { env: at(there) });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain('--out');
  expect(there.requests()).toHaveLength(0);
});

test('a full disk stops the run before anything more is sent, and what was delivered is known', async () => {
  const cwd = await workspace();
  const there = await service({ injectFault: () => ({ latencyMs: 5 }) });
  await write(cwd, 'in.csv', csvOf(20_000));
  // A limit on the size of files is the full disk that needs no mount: writing behind it fails with EFBIG.
  const command = `ulimit -f 72; exec "${process.execPath}" "${program}" upload in.csv --concurrency 2 --json`;
  const { spawn } = await import('node:child_process');
  const child = spawn('bash', ['-c', command], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, SIGNALS_CONFIG_DIR: cwd, ...at(there) },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(stderr).toContain('cannot be written');
  expect(code).toBe(6);
  const summary = JSON.parse(stdout);
  expect(summary).toMatchObject({ balanced: true, state: 'stopped' });
  expect(summary.rows.delivered).toBe(there.requests().length * 100);
  expect(summary.rows.delivered).toBeLessThan(20_000);
});

test('the built program needs nothing but what the package holds', () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }];
  const names = files.map(({ path: name }) => name);
  expect(names).toContain('bin/signals.js');
  expect(names).toContain('dist/main.js');
  expect(names.filter((name) => /^(src|test)\//.test(name))).toEqual([]);
});

test('the run folder of a stopped run is as long as its books', async () => {
  const cwd = await workspace();
  const there = await service({ injectFault: ({ n }) => (n > 2 ? { status: 401 } : undefined) });
  // Every row but the first of a hundred is invalid: rejects are written far ahead of the batches.
  await write(
    cwd,
    'in.csv',
    csvOf(3000, (n) => (n % 2 === 0 ? `,x${n}.example,Title,news,2026-11-20` : plainRow(n))),
  );
  const ended = await run(cwd, ['upload', 'in.csv', '--concurrency', '1', '--json'], { env: at(there) });
  expect(ended.code).toBe(5);
  const summary = summaryOf(ended);
  expect(summary['balanced']).toBe(true);
  const rejects = (await readFile(path.join(await runFolder(cwd), 'rejects', 'in.csv'), 'utf8'))
    .trimEnd()
    .split('\r\n');
  expect(rejects.length - 1).toBe(summary.rows['invalid']);
});

/** Resolves when a process has taken over its signals. Node catches SIGINT and SIGTERM from the start, SIGHUP not. */
async function listening(pid: number): Promise<void> {
  // Elsewhere nobody says so.
  if (process.platform !== 'linux') return sleep(900);
  const catchesHangup = async (): Promise<boolean> => {
    const caught = /^SigCgt:\s*([\da-f]+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
    return (BigInt(`0x${caught ?? 0}`) & 1n) === 1n;
  };
  while (!(await catchesHangup())) await sleep(20);
}

test('a signal while nothing has begun ends the program at once, with one JSON object', async () => {
  const cwd = await workspace();
  const there = await service();
  const { child, ended } = start(cwd, ['upload', '-', '--json'], { env: at(there), input: 'open' });
  await listening(child.pid ?? 0);
  child.kill('SIGTERM');
  const result = await ended;
  expect(result.code).toBe(143);
  expect(JSON.parse(result.stdout)).toMatchObject({ exitCode: 143, errors: [{ code: 'cancelled' }] });
});

describe('a rejects file reads back as it is', () => {
  test.each([
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
  ])('%s', async (_name, options, text, mapping) => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, 'in.csv', text);
    if (mapping !== undefined) await write(cwd, 'map.yaml', mapping);
    const first = await run(cwd, ['upload', 'in.csv', ...options, '--json'], { env: at(there) });
    expect(summaryOf(first).rows).toMatchObject({ delivered: 1, invalid: 1 });
    const folder = await runFolder(cwd);
    const rejects = await readFile(path.join(folder, 'rejects', 'in.csv'), 'utf8');
    // Fill in the empty company, whatever stands around it.
    const corrected = rejects.replace(/(has no value\)"?)([;,])([;,])/, '$1$2Late$3');
    expect(corrected).not.toBe(rejects);
    await write(cwd, 'corrected.csv', corrected);
    const again = await run(
      cwd,
      ['upload', '-m', path.join(folder, 'mapping.yaml'), 'corrected.csv', '--json', '--out', 'second'],
      { env: at(there) },
    );
    expect(again.code, again.stderr).toBe(0);
    const names = (await recordsAt(there)).map((record) => record['company_name']);
    expect(names).toEqual(['A', 'Late']);
  });
});

test('many batches that are refused at once are all kept', async () => {
  const cwd = await workspace();
  const there = await service({ injectFault: () => ({ status: 409 }) });
  await write(cwd, 'in.csv', csvOf(6000));
  const ended = await run(cwd, ['upload', 'in.csv', '--concurrency', '16', '--setting', 'canary=no', '--json'], {
    env: at(there),
  });
  expect(ended.code).toBe(3);
  expect(ended.stderr).not.toMatch(/Warning|file descriptor|garbage/);
  expect((await readRun(cwd, 'undelivered.ndjson')).trimEnd().split('\n')).toHaveLength(60);
});
