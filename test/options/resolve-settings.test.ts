import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../src/model/problem.ts';
import { describeSettings, resolveSettings } from '../../src/options/resolve-settings.ts';
import { tempFolder } from '../support/settings.ts';

function envWith(profiles: Record<string, Record<string, string>>, more: NodeJS.ProcessEnv = {}, current = 'default') {
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ current, profiles }), { mode: 0o600 });
  return { SIGNALS_CONFIG_DIR: folder, ...more };
}

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

  // option-table.test.ts proves that every entry of the table is read in this way.
  it('reads a setting from the flag, then the environment, then the profile, in its unit', async () => {
    const profiles = { default: { timeout: '3s' } };
    const both = envWith(profiles, { SIGNALS_TIMEOUT: '2s' });
    const given = [{ timeout: '1s', env: both }, { env: both }, { env: envWith(profiles, { SIGNALS_TIMEOUT: '' }) }];
    const found = await Promise.all(
      given.map(async (each) => {
        const { settings, origins } = await resolveSettings(each);
        return [settings.timeout, origins.timeout];
      }),
    );
    expect(found).toEqual([
      [1000, 'flag'],
      [2000, 'environment'],
      [3000, 'profile default'],
    ]);
    const { described } = await describeSettings({ timeout: '1s', env: both });
    expect(described.find(({ name }) => name === 'timeout')).toMatchObject({ key: 'timeout', text: '1s' });
  });

  it('converts rates, limits and addresses', async () => {
    const given = { maxInvalid: '1%', rate: '1/s', resolve: 'a.example:443:10.0.0.1' };
    expect((await resolveSettings({ ...given, env: envWith({}) })).settings).toMatchObject({
      maxInvalid: { percent: 1 },
      rate: { count: 1, perMs: 1000 },
      resolve: { host: 'a.example:443', address: '10.0.0.1' },
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
        { code: 'settings.value', where: 'timeout in profile default', message: expect.stringContaining('"soon"') },
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
    const given = { env, ...(by === '--profile' ? { profile: 'toString' } : {}), invocation: 'npx signals' };
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
    expect(described.find(({ name }) => name === 'apiKey')).toMatchObject({ problem: { where: 'SIGNALS_API_KEY' } });
  });
});
