/** Suggested commands send to the same place and find the same run as the command that printed them. */
import path from 'node:path';
import { describe, expect } from 'vitest';
import { at, printed, program, run, runInProcess, service, test, workspace, write } from '../support/program.ts';

const INVALID = 'company_name,signal_title,signal_source\n,No company,news\nAcme,Raised,news\n';
const UNCLEAR = 'Account,Headline\nAcme,Raised\n';

/** The commands in a text that are built for the run, by their first word. */
function suggested(text: string): readonly string[] {
  const words = `node ${program} `;
  return text
    .split(/[\n`]/)
    .flatMap((line) => (line.includes(words) ? [line.slice(line.indexOf(words) + words.length).trim()] : []));
}

test.each([
  ['rows are invalid', INVALID, [], ['fix']],
  ['required fields have no column', UNCLEAR, ['--type', 'signals'], ['map', 'upload']],
  ['a row limit stops the run', INVALID, ['--min-rows', '5'], ['upload']],
])('with --sandbox, --profile and --out, if %s', async (_case, csv, options, commands) => {
  const cwd = await workspace();
  await write(cwd, 'in.csv', csv);
  await runInProcess(cwd, ['config', 'set', '--profile', 'prod', 'type', 'signals']);
  const ended = await run(cwd, ['upload', 'in.csv', '--sandbox', '--profile', 'prod', '--out', 'my runs', ...options]);
  const found = suggested(ended.stdout + ended.stderr);
  expect(found.map((command) => command.split(' ')[0]).toSorted()).toEqual(commands);
  for (const command of found) {
    expect(command).toContain('--profile prod');
    if (!command.startsWith('map ')) expect(command).toContain("--out 'my runs'");
    if (/^(?:map|upload) /.test(command)) expect(command).toContain('--sandbox');
  }
});

test.each(['map', 'check'])('with --sandbox, %s suggests an upload to the sandbox', async (command) => {
  const cwd = await workspace();
  await write(cwd, 'in.csv', INVALID);
  const ended = await runInProcess(cwd, [
    command,
    'in.csv',
    '--sandbox',
    ...(command === 'map' ? ['--save', '--accept'] : []),
  ]);
  const [upload, ...others] = suggested(ended.stdout).filter((each) => each.startsWith('upload '));
  expect(others).toEqual([]);
  expect(upload).toContain('--sandbox');
});

test('a run in a folder of --out is found by each command that runs and resume suggest', async ({ cwd }) => {
  await write(cwd, 'in.csv', INVALID);
  const flags = ['--profile', 'prod', '--out', 'my runs'];
  await runInProcess(cwd, ['config', 'set', '--profile', 'prod', 'type', 'signals']);
  await runInProcess(cwd, ['upload', 'in.csv', '--sandbox', '--min-rows', '5', ...flags]);
  for (const words of [
    ['runs', 'list'],
    ['runs', 'show', 'last'],
    ['resume', 'last'],
  ]) {
    const ended = await runInProcess(cwd, [...words, ...flags]);
    const found = suggested(ended.stdout + ended.stderr);
    expect(found, words.join(' ')).not.toEqual([]);
    for (const command of found) expect(command).toMatch(/--profile prod --out 'my runs'$/);
  }
});

describe('a command that continues with another mapping repeats every file and option, and sends only if this one does', () => {
  const limits =
    '--limit 5 --dedupe --skip-delivered --rate 1/s --setting on_unknown=resend --setting canary=no --min-rows 10';
  const given = ['--setting', 'ragged=pad', ...limits.split(' '), '--fail-on', 'never'];

  test.each([
    ['upload', ['--sandbox', '--run-id', 'trial']],
    ['check', []],
  ])('%s %j with an open field', async (command, more) => {
    const cwd = await workspace();
    for (const name of ['in.csv', 'in2.csv']) await write(cwd, name, UNCLEAR);
    const options =
      command === 'upload' ? given : ['--setting', 'ragged=pad', '--skip', '1', '--limit', '5', '--rate', '1/s'];
    const ended = await runInProcess(cwd, [command, 'in.csv', 'in2.csv', '--type', 'signals', ...options, ...more]);
    expect(ended.code).toBe(2);
    const [map = '', next = ''] = suggested(ended.stderr);
    expect(map).toMatch(/^map in\.csv --type signals --setting ragged=pad /);
    const words = next.split(' ');
    expect(words.slice(0, 5)).toEqual([command, 'in.csv', 'in2.csv', '-m', 'in.csv.mapping.yaml']);
    expect(words.slice(5).toSorted()).toEqual([...options, ...more].toSorted());
  });

  test.each(['upload', 'check', 'map'])('%s of an unclear type', async (command) => {
    const cwd = await workspace();
    await write(cwd, 'in.csv', 'one,two\n1,2\n');
    const options = command === 'map' ? ['--output', 'my.yaml'] : ['--limit', '5', '--base-url', 'http://127.0.0.1:9'];
    const ended = await runInProcess(cwd, [command, 'in.csv', ...options]);
    expect(suggested(ended.stderr).toSorted()).toEqual(
      ['signals', 'social'].map((type) => `${command} in.csv --type ${type} ${options.join(' ')}`),
    );
  });

  test('files with different columns, and a name of the run for each group', async ({ cwd }) => {
    await write(cwd, 'in.csv', 'company_name,signal_title,signal_source\nAcme,Raised,news\n');
    await write(cwd, 'in2.csv', 'company_name,signal_title,signal_source,detected_at\nAcme,Raised,news,2026-11-20\n');
    const ended = await runInProcess(cwd, [
      'upload',
      'in.csv',
      'in2.csv',
      '--sandbox',
      '--limit',
      '1',
      '--run-id',
      'mine',
    ]);
    expect(suggested(ended.stderr)).toEqual([
      'upload in.csv --limit 1 --run-id mine-1 --sandbox',
      'upload in2.csv --limit 1 --run-id mine-2 --sandbox',
    ]);
  });
});

test('fix names the profile of the run only if another one is in use', async ({ cwd, there }) => {
  const { url, key } = there;
  await write(cwd, 'in.csv', INVALID);
  await run(cwd, ['config', 'set', 'api_key'], { input: key });
  await runInProcess(cwd, ['config', 'set', '--profile', 'prod', 'type', 'signals']);
  expect((await runInProcess(cwd, ['upload', 'in.csv', '--base-url', url])).code).toBe(3);
  expect(suggested(await printed(cwd, 'fix'))).toEqual([expect.stringMatching(`--base-url ${url}$`)]);
  await runInProcess(cwd, ['config', 'use', 'prod']);
  expect(suggested(await printed(cwd, 'fix'))).toEqual([expect.stringMatching('--profile default')]);
});

test('fix connects to the service as the run did, unless another user started it', async ({ cwd, there }) => {
  await write(cwd, 'in.csv', INVALID);
  await write(cwd, 'key.txt', there.key);
  const flags = [
    '--base-url',
    there.url,
    '--api-key-file=key.txt',
    '--allow-http',
    '--setting',
    'proxy=http://127.0.0.1:9',
  ];
  expect((await runInProcess(cwd, ['upload', 'in.csv', ...flags])).code).toBe(3);
  const upload = `upload .*--base-url ${there.url} --api-key-file key.txt --allow-http --setting proxy=http://127.0.0.1:9$`;
  const words = ['fix', 'last', '--accept'];
  expect(suggested((await runInProcess(cwd, words)).stdout)).toEqual([expect.stringMatching(upload)]);
  const other = await runInProcess(cwd, words, { env: { SIGNALS_STATE_DIR: path.join(cwd, 'other') } });
  expect(suggested(other.stdout)).toEqual([expect.stringMatching(`--base-url ${there.url}$`)]);
});

test('the address that was typed for a run stands in what runs and runs show suggest, and the command goes there', async ({
  cwd,
}) => {
  await write(cwd, 'in.csv', INVALID.replace(',No company', 'Beta,Raised'));
  const broken = await service({ injectFault: () => ({ status: 503 }) });
  const env = { ...at(broken), SIGNALS_BASE_URL: 'http://127.0.0.1:9' };
  const words = ['upload', 'in.csv', '--base-url', broken.url, '--setting', 'retries=0'];
  expect((await runInProcess(cwd, words, { env })).code).toBe(4);
  for (const list of [['runs'], ['runs', 'show']]) {
    const [resume = '', ...others] = suggested((await runInProcess(cwd, list, { env })).stdout);
    expect([resume, ...others]).toEqual([`resume --base-url ${broken.url}`]);
    const before = broken.requests().length;
    expect((await runInProcess(cwd, resume.split(' '), { env })).code).toBe(4);
    expect(broken.requests().length).toBeGreaterThan(before);
  }
});
