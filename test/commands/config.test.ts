import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { command as config } from '../../src/commands/config.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { type RawOptions, settingsOf } from '../../src/options/option-spec.ts';
import { optionTable } from '../../src/options/option-table.ts';
import { type Fake, fakeStreams } from '../support/fake-terminal.ts';

const ENTER = '\r';
const KEY = 'sk-zebra-7';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface World {
  readonly env: NodeJS.ProcessEnv;
  readonly file: string;
  /** Runs `signals config NAME …`, with pipes unless streams are given. */
  run(name: string, args?: readonly string[], options?: RawOptions, fake?: Fake): Promise<Ran>;
  kept(): unknown;
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function world(document?: unknown, env: NodeJS.ProcessEnv = {}): World {
  const root = path.join(import.meta.dirname, '..', '.tmp');
  mkdirSync(root, { recursive: true });
  const folder = mkdtempSync(path.join(root, 'config-'));
  folders.push(folder);
  const file = path.join(folder, 'config.json');
  if (document !== undefined) writeFileSync(file, JSON.stringify(document), { mode: 0o600 });
  const all = { SIGNALS_CONFIG_DIR: folder, ...env };
  return {
    env: all,
    file,
    run: async (name, args = [], options = {}, fake = fakeStreams()) => {
      const work = await config.commands?.find((command) => command.name === name)?.load();
      const run = work?.run;
      if (run === undefined) throw new Error(`no command ${name}`);
      const context = {
        streams: fake.streams,
        env: all,
        argv: ['config', name, ...args],
        invocation: 'npx signals',
        signal: new AbortController().signal,
        shell: 'posix' as const,
        takeSignals: () => undefined,
      };
      const code = await run(context, args, options);
      return { code, out: fake.out(), err: fake.err() };
    },
    kept: () => JSON.parse(readFileSync(file, 'utf8')),
  };
}

/** The problems of a command that must fail. */
async function problemsOf(ran: Promise<Ran>): Promise<unknown> {
  const error = await ran.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProblemError)) throw error ?? new Error('the command did not fail');
  return error.problems;
}

describe('config set', () => {
  it('creates a profile with its first setting, in a file that only its owner can read', async () => {
    const { run, kept, file } = world();
    expect(await run('set', ['base_url', 'https://api.example.com/v1/'])).toEqual({
      code: 0,
      out: 'base_url is https://api.example.com in profile default.\n',
      err: '',
    });
    expect(await run('set', ['max-bytes', ' 500KB '], { profile: 'prod' })).toMatchObject({ code: 0 });
    expect(kept()).toEqual({
      current: 'default',
      profiles: { default: { base_url: 'https://api.example.com' }, prod: { max_bytes: '500KB' } },
    });
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('reads the key from a pipe: one line, cleaned, and never shown', async () => {
    const { run, kept } = world();
    const ran = await run('set', ['api_key'], {}, fakeStreams({ input: `\uFEFFBearer ${KEY}\r\nmore\n` }));
    expect(ran).toEqual({ code: 0, out: 'api_key is set in profile default.\n', err: '' });
    expect(kept()).toMatchObject({ profiles: { default: { api_key: KEY } } });
  });

  it('prompts for the key on a terminal, and never shows it', async () => {
    const { run, kept } = world();
    const fake = fakeStreams({ terminal: true });
    fake.answer('API key', `${KEY}${ENTER}`);
    const { out, err } = await run('set', ['api_key'], {}, fake);
    expect(kept()).toMatchObject({ profiles: { default: { api_key: KEY } } });
    expect(out + err).not.toContain('zebra');
    expect(out).toBe('api_key is set in profile default.\n');
  });

  it('does not accept the key as an argument', async () => {
    const { run, kept } = world({ profiles: {} });
    const problems = await problemsOf(run('set', ['api_key', KEY]));
    expect(problems).toMatchObject([
      { code: 'config.key', hint: expect.stringContaining('npx signals config set api_key') },
    ]);
    expect(JSON.stringify(problems)).not.toContain('zebra');
    expect(kept()).toEqual({ profiles: {} });
  });

  it.each([
    ['an empty pipe', ''],
    ['a key with blanks', `${KEY} x`],
  ])('refuses %s', async (_what, input) => {
    const problems = await problemsOf(world().run('set', ['api_key'], {}, fakeStreams({ input })));
    expect(problems).toMatchObject([{ code: 'settings.key' }]);
    expect(JSON.stringify(problems)).not.toContain('zebra');
  });

  it.each([
    [['colour', 'red'], 'usage'],
    [['rate'], 'config.value'],
    [['rate', 'fast'], 'settings.value'],
    [['retries', ''], 'settings.value'],
    [['base_url', 'http://api.example.com'], 'settings.value'],
  ])('refuses %j and saves nothing', async (args, code) => {
    const { run, kept } = world({ profiles: {} });
    expect(await problemsOf(run('set', args))).toMatchObject([{ code }]);
    expect(kept()).toEqual({ profiles: {} });
  });
});

describe('config list', () => {
  const document = { current: 'prod', profiles: { prod: { rate: '5/s', api_key: KEY }, other: {} } };

  it('shows every setting with its value and origin, and no key', async () => {
    const { run } = world(document, { SIGNALS_RETRIES: '2' });
    const { code, out, err } = await run('list');
    expect([code, err]).toEqual([0, '']);
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/\s+/)[0])).toEqual(settingsOf(optionTable).map(({ key }) => key));
    expect(lines).toContain('base_url        not set');
    expect(lines).toContain('api_key         set           profile prod');
    expect(lines).toContain('rate            5/s           profile prod');
    expect(lines).toContain('retries         2             environment');
    expect(lines).toContain('timeout         30s           default');
    expect(out).not.toContain('zebra');
  });

  it('prints JSON, without the key', async () => {
    const { run, file } = world(document);
    const { out } = await run('list', [], { json: true });
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({ profile: 'prod', path: file });
    expect(answer.settings).toContainEqual({ name: 'api_key', value: 'set', origin: 'profile prod' });
    expect(answer.settings).toContainEqual({ name: 'base_url', value: null, origin: null });
    expect(answer.settings).toContainEqual({ name: 'timeout', value: '30s', origin: 'default' });
    expect(out).not.toContain('zebra');
  });

  it('reports invalid settings without passwords, and exits with 2', async () => {
    const { run } = world(document, {
      SIGNALS_BASE_URL: 'https://me:zebra@api.example.com',
      SIGNALS_API_KEY: 'zebra zebra',
      SIGNALS_TIMEOUT: 'soon',
    });
    const { code, out, err } = await run('list');
    expect(code).toBe(2);
    expect(out).toMatch(/^base_url +\(invalid\) +environment$/m);
    expect(err).toContain('SIGNALS_TIMEOUT: Found "soon", expected a duration');
    expect(out + err).not.toContain('zebra');
  });
});

describe('config get', () => {
  it('prints the value alone', async () => {
    const { run } = world({ profiles: { default: { api_key: KEY } } }, { SIGNALS_RATE: '5/s' });
    expect(await run('get', ['rate'])).toEqual({ code: 0, out: '5/s\n', err: '' });
    expect(await run('get', ['batch-size'])).toEqual({ code: 0, out: '100\n', err: '' });
    expect(await run('get', ['api_key'])).toEqual({ code: 0, out: 'set\n', err: '' });
    expect(JSON.parse((await run('get', ['rate'], { json: true })).out)).toEqual({
      name: 'rate',
      value: '5/s',
      origin: 'environment',
    });
  });

  it('fails if the setting has no value, with the command that sets it', async () => {
    const { run } = world(undefined, { SIGNALS_RETRIES: 'x' });
    expect(await problemsOf(run('get', ['base_url']))).toMatchObject([
      { code: 'config.unset', hint: expect.stringContaining('npx signals config set base_url URL') },
    ]);
    expect(await problemsOf(run('get', ['api_key']))).toMatchObject([{ code: 'config.unset' }]);
    expect(await problemsOf(run('get', ['retries']))).toMatchObject([{ where: 'SIGNALS_RETRIES' }]);
    expect(await problemsOf(run('get', ['nothing']))).toMatchObject([{ code: 'usage' }]);
  });
});

describe('config unset', () => {
  it('removes a setting, or reports that it was not set', async () => {
    const { run, kept } = world({ profiles: { default: { rate: '1/s', retries: '2' } } });
    expect((await run('unset', ['rate'])).out).toBe('rate is no longer set in profile default.\n');
    expect((await run('unset', ['rate'])).out).toBe('rate was not set in profile default.\n');
    await run('unset', ['retries']);
    expect(kept()).toEqual({ current: 'default', profiles: { default: {} } });
  });
});

describe('config use', () => {
  it('switches to a profile', async () => {
    const { run, kept } = world({ profiles: { default: {}, prod: {} } }, { SIGNALS_PROFILE: 'default' });
    const { code, out } = await run('use', ['prod']);
    expect([code, out]).toEqual([0, 'Profile prod is now current.\n']);
    expect(kept()).toMatchObject({ current: 'prod' });
  });

  it('creates no profile, and suggests the command that does', async () => {
    const { run, kept } = world({ profiles: { prod: {} } });
    expect(await problemsOf(run('use', ['new']))).toMatchObject([
      {
        code: 'settings.profile',
        message: 'Profile "new" does not exist; the profiles are: prod.',
        hint: 'To create it: `npx signals config set base_url URL --profile new`.',
      },
    ]);
    expect(kept()).toEqual({ profiles: { prod: {} } });
  });
});

describe('config init', () => {
  it('prompts for address and key, and saves them', async () => {
    const { run, kept } = world();
    const fake = fakeStreams({ terminal: true, noColor: true });
    fake.answer('Address of the service', `api.example.com${ENTER}`);
    fake.answer('Use `https://api.example.com`.', `${String.fromCharCode(21)}https://api.example.com/v1${ENTER}`);
    fake.answer('API key', `${KEY}${ENTER}`);
    const { code, out, err } = await run('init', [], { profile: 'prod' }, fake);
    expect(code).toBe(0);
    expect(kept()).toEqual({
      current: 'default',
      profiles: { prod: { base_url: 'https://api.example.com', api_key: KEY } },
    });
    expect(out).toContain('npx signals config use prod');
    expect(out + err).not.toContain('zebra');
  });

  it('suggests commands if there is no terminal', async () => {
    const { run } = world();
    expect(await problemsOf(run('init', [], { profile: 'prod' }))).toEqual([
      {
        code: 'config.terminal',
        message: 'Cannot prompt: stdin and stderr must be a terminal, and CI must not be set.',
        hint: 'Run `npx signals config set base_url URL --profile prod` and `npx signals config set api_key --profile prod < key.txt`.',
      },
    ]);
  });
});
