/** A run folder may come from another person. Without a confirmation, the key is not sent and its code does not run. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { runCli } from '../../src/cli/command-line.ts';
import { reportError } from '../../src/cli/program.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { type Fake, fakeStreams } from '../support/fake-terminal.ts';
import {
  at,
  recordsAt,
  run,
  runFolder,
  runInProcess,
  service,
  summaryOf,
  test,
  withWrongKey,
  workspace,
  write,
  writeCsv,
} from '../support/program.ts';

/** A run whose rows can be sent again, in a folder that names another service. */
async function runNaming(baseUrl: (thief: Sandbox) => string) {
  const cwd = await workspace();
  let isDown = true;
  const there = await service({ injectFault: () => (isDown ? { status: 500 } : undefined) });
  const thief = await service();
  await writeCsv(cwd, 'in.csv', 3);
  expect((await run(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--quiet'], { env: at(there) })).code).toBe(4);
  isDown = false;
  const file = path.join(await runFolder(cwd), 'run.json');
  const runJson = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...runJson, baseUrl: baseUrl(thief) }));
  return { cwd, there, thief };
}

/** Runs a command on a terminal, and answers one question: a word of it (lines may be wrapped), and the key. */
async function onTerminal(cwd: string, argv: readonly string[], env: NodeJS.ProcessEnv, answer: [string, string]) {
  const fake: Fake = fakeStreams({ terminal: true, noColor: true });
  fake.answer(...answer);
  const signal = new AbortController().signal;
  const settings = { HOME: cwd, SIGNALS_CONFIG_DIR: path.join(cwd, 'settings') };
  const exitCode = await runCli(argv, {
    argv,
    signal,
    streams: fake.streams,
    invocation: 'signals',
    shell: 'posix',
    env: { ...settings, ...env },
    takeSignals: () => undefined,
  }).catch((error: unknown) => reportError(fake.streams, error, false));
  return { exitCode, shown: fake.out() + fake.err() };
}

test.each(['resume', 'replay'])(
  '%s does not send the key to an address that only the run folder names',
  async (command) => {
    const { cwd, there, thief } = await runNaming(({ url }) => url);
    const refused = await runInProcess(cwd, [command, 'last'], { env: at(there) });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`This run sends to ${thief.url}, but the configured service is ${there.url}.`);
    const to = (url: string): string => `${command} last --base-url ${url} --yes`;
    expect(refused.stderr).toMatch(new RegExp(`To send to ${there.url}: .*${to(there.url)}.*${to(thief.url)}`));
    const folder = await runFolder(cwd);
    expect((await onTerminal(cwd, [command, folder], at(there), ['configured', 'n'])).exitCode).toBe(130);
    expect(thief.requests()).toHaveLength(0);
    const agreed = await runInProcess(cwd, [command, 'last', '--base-url', thief.url, '--yes', '--quiet'], {
      env: at(there),
    });
    expect(agreed.code).toBe(0);
    expect(thief.requests()).toHaveLength(1);
  },
);

test('the key of a profile is sent only to the base URL of the profile, unless the user confirms another one', async () => {
  const { cwd, there, thief } = await runNaming(({ url }) => url);
  await runInProcess(cwd, ['config', 'set', 'base_url', there.url]);
  await run(cwd, ['config', 'set', 'api_key'], { input: there.key });
  for (const args of [[], ['--base-url', thief.url]]) {
    const refused = await runInProcess(cwd, ['resume', 'last', ...args]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`resume last --base-url ${thief.url} --yes`);
  }
  expect(thief.requests()).toHaveLength(0);
  const agreed = await onTerminal(cwd, ['resume', await runFolder(cwd)], {}, ['configured', 'y']);
  expect(agreed).toMatchObject({ exitCode: 0 });
  expect(thief.requests()).toHaveLength(1);
});

test('the user who sent a run to an address consents by naming it, whatever the key', async ({ cwd, there }) => {
  await writeCsv(cwd, 'in.csv', 3);
  await runInProcess(cwd, ['config', 'set', 'base_url', 'https://service.example']);
  await run(cwd, ['config', 'set', 'api_key'], { input: there.key });
  there.fault = () => ({ status: 404 });
  expect((await runInProcess(cwd, ['upload', 'in.csv', '--base-url', there.url, '--quiet'])).code).toBe(6);
  there.fault = () => undefined;
  expect((await runInProcess(cwd, ['resume'])).stderr).toContain('needs your confirmation');
  const words = ['resume', '--base-url', there.url, '--quiet'];
  expect((await runInProcess(cwd, words, { env: { SIGNALS_STATE_DIR: path.join(cwd, 'another user') } })).code).toBe(2);
  expect((await runInProcess(cwd, words)).code).toBe(0);
});

test('http:// in a run folder is refused like http:// in a setting', async () => {
  const { cwd, there } = await runNaming(() => 'http://service.example');
  for (const command of ['resume', 'replay']) {
    const refused = await runInProcess(cwd, [command, 'last'], { env: at(there) });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('http:// sends the key unencrypted');
  }
});

test('without a configured service, only own runs go to their recorded base URL', async ({ cwd, there }) => {
  await writeCsv(cwd, 'in.csv', 3);
  expect((await runInProcess(cwd, ['upload', 'in.csv', '--quiet'], { env: withWrongKey(there) })).code).toBe(5);
  await cp(await runFolder(cwd), path.join(cwd, 'copied'), { recursive: true });
  const env = { SIGNALS_API_KEY: there.key };
  const copied = await runInProcess(cwd, ['resume', './copied'], { env });
  expect(copied.code).toBe(2);
  expect(copied.stderr).toContain(`This run sends to ${there.url}, and no service URL is configured.`);
  expect((await runInProcess(cwd, ['resume', 'last', '--quiet'], { env })).code).toBe(0);
  expect((await runInProcess(cwd, ['resume', './copied', '--base-url', there.url, '--quiet'], { env })).code).toBe(0);
});

test('a run that was sent elsewhere stays there, even if its process was killed first', async ({ cwd, there }) => {
  const wrong = await service({ injectFault: () => ({ status: 404 }) });
  await writeCsv(cwd, 'in.csv', 3);
  expect((await runInProcess(cwd, ['upload', 'in.csv', '--quiet'], { env: at(wrong) })).code).toBe(6);
  const before = wrong.requests().length;
  const env = { ...at(wrong), SIGNALS_API_KEY: there.key };
  there.fault = () => ({ status: 404 });
  const moving = await runInProcess(cwd, ['resume', '--base-url', there.url, '--yes', '--quiet'], { env });
  expect(moving.code).toBe(6);
  there.fault = () => undefined;
  const file = path.join(await runFolder(cwd), 'journal.ndjson');
  const lines = (await readFile(file, 'utf8')).split('\n');
  const resumedAt = lines.findLastIndex((line) => line.includes('"run.resumed"'));
  await writeFile(file, `${lines.slice(0, resumedAt + 1).join('\n')}\n`);

  // Another user, or another service since then: the key is not sent without a question.
  const other = await service();
  for (const changed of [{ SIGNALS_STATE_DIR: path.join(cwd, 'another user') }, at(other)]) {
    const refused = await runInProcess(cwd, ['resume'], { env: { ...env, ...changed } });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`This run sends to ${there.url}, but the configured service is `);
    expect(refused.stderr).toContain(`resume --base-url ${there.url} --yes`);
  }
  expect((await runInProcess(cwd, ['resume', '--all', '--quiet'], { env })).code).toBe(0);
  expect(await recordsAt(there)).toHaveLength(3);
  expect(wrong.requests()).toHaveLength(before);
});

test('a run to the sandbox resumes in a sandbox, whatever service is configured', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 3);
  expect((await runInProcess(cwd, ['upload', 'in.csv', '--sandbox', '--min-rows', '5', '--quiet'])).code).toBe(6);
  const resumed = await signals('resume', 'last', '--base-url', there.url, '--yes', '--json');
  expect(summaryOf(resumed)).toMatchObject({ sandbox: true, rows: { delivered: 3 } });
  expect(there.requests()).toHaveLength(0);
});

const MODULE = `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('ran', import.meta.url), '');
export default (row) => row;
`;

test('resume does not run code that only the run folder of another user names', async ({ cwd, there }) => {
  await writeCsv(cwd, 'in.csv', 3);
  await write(cwd, 'change.mjs', MODULE);
  const args = ['upload', 'in.csv', '--transform', 'change.mjs', '--quiet'];
  expect((await runInProcess(cwd, args, { env: withWrongKey(there) })).code).toBe(5);
  await rm(path.join(cwd, 'ran'));
  const file = path.join(cwd, 'change.mjs');
  const other = { ...at(there), SIGNALS_STATE_DIR: path.join(cwd, 'another user') };
  const refused = await runInProcess(cwd, ['resume', 'last'], { env: other });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`resume last --transform ${file}`);
  const declined = await onTerminal(cwd, ['resume', await runFolder(cwd)], other, ['code?', 'n']);
  expect(declined.exitCode).toBe(130);
  await expect(readFile(path.join(cwd, 'ran'))).rejects.toThrow('ENOENT');
  const named = await runInProcess(cwd, ['resume', 'last', '--transform', 'change.mjs', '--quiet'], { env: other });
  expect(named.code).toBe(0);
  expect(there.requests()).toHaveLength(2);
});
