import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../src/model/problem.ts';
import { settingKey, settingsOf } from '../../src/options/option-spec.ts';
import { optionTable, type SettingName } from '../../src/options/option-table.ts';
import { describeSettings, resolveSettings } from '../../src/options/resolve-settings.ts';
import { tempFolder } from '../support/settings.ts';

function envWith(profiles: Record<string, Record<string, string>>, more: NodeJS.ProcessEnv = {}, current = 'default') {
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ current, profiles }), { mode: 0o600 });
  return { SIGNALS_CONFIG_DIR: folder, ...more };
}

const FILES = ['/flag.pem', '/env.pem', '/profile.pem'] as const;

/** A value of each setting that is not its default, from each origin. */
const SAMPLE: Readonly<Record<Exclude<SettingName, 'apiKey'>, readonly [string, string, string]>> = {
  baseUrl: ['https://flag.example', 'https://env.example', 'https://profile.example'],
  type: ['signals', 'social', 'signals'],
  variant: ['a', 'b', 'both'],
  omitInvalid: ['industry', 'a,b', 'description'],
  quote: ["'", '|', '~'],
  ragged: ['pad', 'reject', 'pad'],
  maxRowBytes: ['1KB', '2KB', '3KB'],
  maxInvalid: ['1%', '2', '3'],
  minRows: ['1', '2', '3'],
  engine: ['reference', 'auto', 'reference'],
  isolate: ['yes', 'no', 'yes'],
  canary: ['no', 'yes', 'no'],
  concurrency: ['1', '2', '3'],
  rate: ['1/s', '2/s', '3/s'],
  timeout: ['1s', '2s', '3s'],
  retries: ['1', '2', '3'],
  maxWait: ['1s', '2s', '3s'],
  retryMaxTime: ['1s', '2s', '3s'],
  grace: ['1s', '2s', '3s'],
  batchSize: ['1', '2', '3'],
  maxBytes: ['1KB', '2KB', '3KB'],
  onUnknown: ['resend', 'hold', 'resend'],
  out: ['flag', 'env', 'profile'],
  fsync: ['yes', 'no', 'yes'],
  logInterval: ['1s', '2s', '3s'],
  caFile: FILES,
  clientCert: FILES,
  clientKey: FILES,
  proxy: ['http://flag.example:1/', 'http://env.example:1/', 'http://profile.example:1/'],
  resolve: ['a.example:443:10.0.0.1', 'a.example:443:10.0.0.2', 'a.example:443:10.0.0.3'],
  rateStore: ['redis://flag.example', 'redis://env.example', 'redis://profile.example'],
};

const samples = Object.entries(SAMPLE);

describe('resolveSettings', () => {
  it('has defaults without any settings', async () => {
    const { settings, origins, profile, warnings } = await resolveSettings({ env: envWith({}) });
    expect(settings).toEqual({
      variant: 'auto',
      ragged: 'reject',
      maxRowBytes: 2 ** 20,
      engine: 'auto',
      isolate: false,
      canary: true,
      concurrency: 8,
      timeout: 30_000,
      retries: 8,
      maxWait: 300_000,
      grace: 20_000,
      batchSize: 100,
      maxBytes: 1_000_000,
      onUnknown: 'hold',
      out: 'signals-runs',
      fsync: false,
    });
    expect(origins).not.toHaveProperty('baseUrl');
    expect(origins).not.toHaveProperty('apiKey');
    expect(origins.timeout).toBe('default');
    expect(profile).toBe('default');
    expect(warnings).toEqual([]);
  });

  it.each(samples)('reads %s from flag, then environment, then profile', async (name, [flag, variable, kept]) => {
    const profiles = { default: { [settingKey(name)]: kept } };
    const ofVariable = settingsOf(optionTable).find((setting) => setting.name === name)?.variable ?? '';
    const both = envWith(profiles, { [ofVariable]: variable });
    const profileOnly = envWith(profiles, { [ofVariable]: '' });
    const first = await describeSettings({ [name]: flag, env: both });
    const second = await describeSettings({ [name]: undefined, env: both });
    const third = await describeSettings({ env: profileOnly });
    const of = (found: typeof first) => found.described.find((setting) => setting.name === name);
    expect(of(first)).toMatchObject({ key: settingKey(name), origin: 'flag' });
    expect(of(second)).toMatchObject({ key: settingKey(name), origin: 'environment' });
    expect(of(third)).toMatchObject({ key: settingKey(name), origin: 'profile default' });
    for (const [found, text] of [
      [first, flag],
      [second, variable],
      [third, kept],
    ] as const) {
      expect(of(found)?.text).toBe(text);
    }
    expect(new Map(Object.entries((await resolveSettings({ env: both })).origins)).get(name)).toBe('environment');
  });

  it('converts every setting to its unit', async () => {
    const flags = Object.fromEntries(samples.map(([name, [flag]]) => [name, flag]));
    const { settings } = await resolveSettings({ ...flags, env: envWith({}) });
    expect(settings).toEqual({
      baseUrl: 'https://flag.example',
      type: 'signals',
      variant: 'a',
      omitInvalid: ['industry'],
      quote: "'",
      ragged: 'pad',
      maxRowBytes: 1000,
      maxInvalid: { percent: 1 },
      minRows: 1,
      engine: 'reference',
      isolate: true,
      canary: false,
      concurrency: 1,
      rate: { count: 1, perMs: 1000 },
      timeout: 1000,
      retries: 1,
      maxWait: 1000,
      retryMaxTime: 1000,
      grace: 1000,
      batchSize: 1,
      maxBytes: 1000,
      onUnknown: 'resend',
      out: 'flag',
      fsync: true,
      logInterval: 1000,
      caFile: '/flag.pem',
      clientCert: '/flag.pem',
      clientKey: '/flag.pem',
      proxy: 'http://flag.example:1/',
      resolve: { host: 'a.example:443', address: '10.0.0.1' },
      rateStore: 'redis://flag.example',
    });
  });

  it('takes a password in a URL from the environment and the profile, but not from a flag, and never shows it', async () => {
    const proxy = 'http://ann:s%20ecret@proxy.example:3128/';
    const env = envWith({ default: { proxy } });
    expect((await resolveSettings({ env })).settings.proxy).toBe(proxy);
    const { described } = await describeSettings({ env });
    expect(described.find(({ name }) => name === 'proxy')?.text).toBe('http://ann:***@proxy.example:3128/');
    const error = await resolveSettings({ proxy, env }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ problems: [{ code: 'settings.password', where: '--setting proxy' }] });
    expect(JSON.stringify(error)).not.toContain('ecret');
  });

  it('reports all invalid values at once, with their origins', async () => {
    const env = envWith({ default: { timeout: 'soon' } }, { SIGNALS_RETRIES: 'some' });
    const error = await resolveSettings({ rate: '', env }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      problems: [
        { code: 'settings.value', where: '--rate', message: expect.stringContaining('Found an empty value') },
        {
          code: 'settings.value',
          where: 'timeout in profile default',
          message: expect.stringContaining('"soon"'),
        },
        { code: 'settings.value', where: 'SIGNALS_RETRIES', message: expect.stringContaining('"some"') },
      ],
    });
  });

  it('rejects http:// to another host unless it is allowed', async () => {
    const given = { baseUrl: 'http://api.example.com/v1', env: envWith({}) };
    await expect(resolveSettings(given)).rejects.toThrow(ProblemError);
    const { settings } = await resolveSettings({ ...given, allowHttp: true });
    expect(settings.baseUrl).toBe('http://api.example.com');
  });

  it('prefers the profile that the run was started with, unless --profile names another one', async () => {
    const profiles = { a: { retries: '1' }, b: { retries: '2' }, c: { retries: '3' } };
    const env = envWith(profiles, { SIGNALS_PROFILE: 'b' }, 'c');
    const given = { env, runProfile: 'a' };
    expect(await resolveSettings(given)).toMatchObject({ profile: 'a', warnings: [] });
    expect(await resolveSettings({ ...given, profile: 'c' })).toMatchObject({ profile: 'c', warnings: [] });
  });

  it.each(['--profile', 'SIGNALS_PROFILE'])('rejects a missing profile from %s', async (by) => {
    const env = envWith({ one: {}, two: {} }, by === 'SIGNALS_PROFILE' ? { SIGNALS_PROFILE: 'toString' } : {});
    const given = {
      env,
      ...(by === '--profile' ? { profile: 'toString' } : {}),
      invocation: 'npx signals',
    };
    await expect(resolveSettings(given)).rejects.toMatchObject({
      problems: [
        {
          code: 'settings.profile',
          message: 'Profile "toString" does not exist; the profiles are: one, two.',
          hint: expect.stringContaining('`npx signals config set --profile'),
        },
      ],
    });
  });

  it('never contains the key', async () => {
    const env = envWith({ default: { api_key: 'sk-hunter2' } }, { SIGNALS_API_KEY: 'bad key hunter2' });
    expect(JSON.stringify(await resolveSettings({ env }))).not.toContain('hunter2');
    const { described } = await describeSettings({ env });
    expect(JSON.stringify(described)).not.toContain('hunter2');
    expect(described.find(({ name }) => name === 'apiKey')).toMatchObject({
      problem: { where: 'SIGNALS_API_KEY' },
    });
  });
});
