/** What to do next: one command, which works when it is pasted into a shell. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { at, csvOf, program, run, runIds, service, start, withWrongKey, workspace, write } from '../support/program.ts';

/** The only command on a line of its own after "What to do next". */
function commandIn(text: string): string {
  const [, next = ''] = text.split('What to do next\n');
  const commands = next.split('\n').filter((line) => line.startsWith('    '));
  expect(commands, text).toHaveLength(1);
  const [command = ''] = commands;
  expect(command).toContain(`node ${program} `);
  return command.trim();
}

async function paste(cwd: string, command: string, env: NodeJS.ProcessEnv = {}) {
  const variables = { PATH: process.env['PATH'], HOME: cwd, SIGNALS_CONFIG_DIR: path.join(cwd, 'settings'), ...env };
  // The service of the test answers in this process.
  return run(cwd, [], { env: variables, under: ['sh', '-c', command, 'sh'] });
}

test('exit 0: nothing is left to do', async () => {
  const cwd = await workspace();
  await write(cwd, 'in.csv', csvOf(3));
  const ended = await run(cwd, ['upload', 'in.csv', '--sandbox']);
  expect(ended.code).toBe(0);
  expect(ended.stdout).toMatch(/\n\nNothing left to do\.\n$/);
});

test('exit 3: fix, or the upload of the rejects if no rule helps', async () => {
  const cwd = await workspace();
  await write(
    cwd,
    'my in.csv',
    csvOf(3, (n) => `Company ${n},c${n}.example,Title,${n === 2 ? 'job posting ad' : 'news'},2026-11-20`),
  );
  const ended = await run(cwd, ['upload', 'my in.csv', '--sandbox']);
  expect(ended.code).toBe(3);
  const fixed = await paste(cwd, commandIn(ended.stdout));
  expect([0, 3]).toContain(fixed.code);
  expect(fixed.stdout).toContain('1 rejected row');

  await write(
    cwd,
    'nameless.csv',
    csvOf(3, (n) => `${n === 2 ? '' : `Company ${n}`},c${n}.example,Title,news,2026-11-20`),
  );
  const nameless = await run(cwd, ['upload', 'nameless.csv', '--sandbox']);
  const again = await paste(cwd, commandIn(nameless.stdout));
  // Pasted before anything is corrected, it finds the same row.
  expect(again.code, again.stderr).toBe(3);
  expect(again.stdout).toContain('No row of');
});

test('exit 4: resume', async () => {
  const cwd = await workspace();
  let isBroken = true;
  const there = await service({ injectFault: () => (isBroken ? { status: 500 } : undefined) });
  await write(cwd, 'in.csv', csvOf(3));
  const ended = await run(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--setting', 'canary=no'], {
    env: at(there),
  });
  expect(ended.code, ended.stderr).toBe(4);
  isBroken = false;
  const resumed = await paste(cwd, commandIn(ended.stdout), at(there));
  expect(resumed.code, resumed.stderr).toBe(0);
});

test('exit 5: resume, with the right key', async () => {
  const cwd = await workspace();
  const there = await service();
  await write(cwd, 'in.csv', csvOf(3));
  const ended = await run(cwd, ['upload', 'in.csv'], { env: withWrongKey(there) });
  expect(ended.code).toBe(5);
  expect(ended.stdout).toMatch(/^Stopped after .*: the service took no row of in\.csv\. /);
  expect((await paste(cwd, commandIn(ended.stdout), at(there))).code).toBe(0);
});

test('exit 6: resume, once the service is back', async () => {
  const cwd = await workspace();
  let delivered = 0;
  let isBroken = true;
  const there = await service({
    injectFault: () => {
      delivered += 1;
      return isBroken && delivered > 2 ? { status: 500 } : undefined;
    },
  });
  await write(
    cwd,
    'in.csv',
    csvOf(900, (n) => (n === 5 ? ',c.example,Title,none,2026-11-20' : `C ${n},c${n}.example,T,news,2026-11-20`)),
  );
  const ended = await run(cwd, ['upload', 'in.csv', '--setting', 'retry_max_time=1s', '--concurrency', '2'], {
    env: at(there),
  });
  expect(ended.code, ended.stderr).toBe(6);
  expect(ended.stdout).toMatch(/^Stopped after .*: the service took 200 rows of in\.csv\. /);
  isBroken = false;
  const resumed = await paste(cwd, commandIn(ended.stdout), at(there));
  expect(resumed.code, resumed.stderr).toBe(3);
  expect(commandIn(resumed.stdout)).toContain(' fix ');
});

test('exit 130: resume', async () => {
  const cwd = await workspace();
  const there = await service({ injectFault: () => ({ latencyMs: 50 }) });
  await write(cwd, 'in.csv', csvOf(3000));
  const running = start(cwd, ['upload', 'in.csv', '--concurrency', '1'], { env: at(there) });
  await expect.poll(() => there.requests().length, { timeout: 20_000 }).toBeGreaterThan(1);
  running.child.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect((await paste(cwd, commandIn(ended.stdout), at(there))).code).toBe(0);
});

test('exit 2 without a service: the command that tries it in the sandbox', async () => {
  const cwd = await workspace();
  await write(cwd, 'in.csv', csvOf(3));
  const ended = await run(cwd, ['upload', 'in.csv', '--batch-size', '2']);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(`\`node ${program} config init\``);
  const [, command = ''] = /without a service: `(.*)`/.exec(ended.stderr) ?? [];
  expect((await paste(cwd, command)).code).toBe(0);
  expect(await runIds(cwd)).toHaveLength(1);
});

test('a run that is resumed to its end still tells its invalid rows', async () => {
  const cwd = await workspace();
  let isBroken = true;
  const there = await service({ injectFault: () => (isBroken ? { status: 500 } : undefined) });
  await write(
    cwd,
    'in.csv',
    csvOf(3, (n) => `${n === 2 ? '' : `Company ${n}`},c${n}.example,Title,news,2026-11-20`),
  );
  const [env, args] = [
    at(there),
    ['upload', 'in.csv', '--run-id', 'mine', '--setting', 'retries=0', '--setting', 'canary=no'],
  ];
  expect((await run(cwd, args, { env })).code).toBe(4);
  isBroken = false;
  expect((await run(cwd, ['resume', 'mine'], { env })).code).toBe(3);
  const shown = await run(cwd, ['runs', 'show', 'mine'], { env });
  expect(shown.stdout).not.toContain('Nothing left to do');
  expect(commandIn(shown.stdout)).toContain(' upload -m signals-runs/mine/mapping.yaml ');
  const page = await run(cwd, ['report', 'mine', '-o', '-'], { env });
  expect(page.stdout).not.toContain('Nothing left to do');
  expect(page.stdout).toContain('Fix the row in the rejects file');
});
