/** The command at the end of runs that test/acceptance/endings.test.ts does not have, pasted into a shell. */
import path from 'node:path';
import { expect } from 'vitest';
import { at, program, run, runIds, runInProcess, test, writeCsv } from '../support/program.ts';

/** The command at the end of the first paragraph. */
function commandIn(text: string): string {
  const [ending = ''] = text.trimEnd().split('\n\n');
  const command = ending.split('  ').at(-1)?.trim() ?? '';
  expect(command).toContain(`node ${program} `);
  return command;
}

async function paste(cwd: string, command: string, env: NodeJS.ProcessEnv = {}) {
  const variables = { PATH: process.env['PATH'], HOME: cwd, SIGNALS_CONFIG_DIR: path.join(cwd, 'settings'), ...env };
  // The service of the test answers in this process.
  return run(cwd, [], { env: variables, under: ['sh', '-c', command, 'sh'] });
}

test('exit 2 without a service: the command that tries it in the sandbox', async ({ cwd }) => {
  await writeCsv(cwd, 'in.csv', 3);
  const ended = await run(cwd, ['upload', 'in.csv', '--batch-size', '2']);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(`\`node ${program} config init\``);
  const [, command = ''] = /without a service: `(.*)`/.exec(ended.stderr) ?? [];
  expect((await paste(cwd, command)).code).toBe(0);
  expect(await runIds(cwd)).toHaveLength(1);
});

test('a run that is resumed to its end still tells its invalid rows', async ({ cwd, there }) => {
  let isBroken = true;
  there.fault = () => (isBroken ? { status: 500 } : undefined);
  await writeCsv(cwd, 'in.csv', 3, (n) => `${n === 2 ? '' : `Company ${n}`},c${n}.example,Title,news,2026-11-20`);
  const [env, args] = [
    at(there),
    ['upload', 'in.csv', '--run-id', 'mine', '--setting', 'retries=0', '--setting', 'canary=no'],
  ];
  expect((await run(cwd, args, { env })).code).toBe(4);
  isBroken = false;
  expect((await run(cwd, ['resume', 'mine'], { env })).code).toBe(3);
  const shown = await runInProcess(cwd, ['runs', 'show', 'mine'], { env });
  expect(commandIn(shown.stdout)).toMatch(/ fix$/);
  const page = await runInProcess(cwd, ['report', 'mine', '-o', '-'], { env });
  expect(page.stdout).toMatch(/<code>[^<]* fix \S+<\/code>/);
});
