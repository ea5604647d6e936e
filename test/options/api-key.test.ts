import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanKey, resolveKey } from '../../src/options/api-key.ts';
import { resolveSettings } from '../../src/options/resolve-settings.ts';
import { tempFolder } from '../support/settings.ts';

function world(profile: Record<string, string> = {}) {
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ profiles: { default: profile } }), { mode: 0o600 });
  return {
    env: { SIGNALS_CONFIG_DIR: folder },
    file: (name: string, content: string | Uint8Array, mode = 0o600) => {
      const place = path.join(folder, name);
      writeFileSync(place, content, { mode });
      chmodSync(place, mode);
      return place;
    },
  };
}

describe('resolveKey', () => {
  it('prefers --api-key-file, then SIGNALS_API_KEY, then SIGNALS_API_KEY_FILE, then the profile', async () => {
    const { env, file } = world({ api_key: 'from-profile' });
    const apiKeyFile = file('flag.txt', 'Bearer from-flag\r\n');
    const SIGNALS_API_KEY_FILE = file('env.txt', '\uFEFFfrom-env-file\n');
    const all = { ...env, SIGNALS_API_KEY: ' from-env ', SIGNALS_API_KEY_FILE };
    expect(await resolveKey({ env: all, apiKeyFile })).toEqual({
      key: 'from-flag',
      origin: `--api-key-file ${apiKeyFile}`,
      warnings: [],
    });
    expect(await resolveKey({ env: all })).toEqual({ key: 'from-env', origin: 'SIGNALS_API_KEY', warnings: [] });
    expect(await resolveKey({ env: { ...all, SIGNALS_API_KEY: '' } })).toMatchObject({ key: 'from-env-file' });
    expect(await resolveKey({ env })).toMatchObject({ key: 'from-profile', origin: 'api_key in profile default' });
  });

  it('has its origin among those of the other settings', async () => {
    const { env, file } = world({ api_key: 'from-profile' });
    const apiKeyFile = file('flag.txt', 'from-flag');
    const SIGNALS_API_KEY = 'x';
    const originOf = async (given: { env: NodeJS.ProcessEnv; apiKeyFile?: string }) =>
      (await resolveSettings(given)).origins.apiKey;
    expect(await originOf({ env, apiKeyFile })).toBe('flag');
    expect(await originOf({ env })).toBe('profile default');
    expect(await originOf({ env: { ...env, SIGNALS_API_KEY } })).toBe('environment');
  });

  it.skipIf(process.platform === 'win32')('warns about a key file that others can read', async () => {
    const { env, file } = world();
    const apiKeyFile = file('the key.txt', 'sk-hunter2', 0o640);
    const { key, warnings } = await resolveKey({ env, apiKeyFile });
    expect(key).toBe('sk-hunter2');
    expect(warnings).toEqual([
      {
        code: 'settings.mode',
        message: 'Other users of this machine can access the key file: its mode is 0640, expected 0600.',
        where: apiKeyFile,
        hint: `Run \`chmod 600 '${apiKeyFile}'\`.`,
      },
    ]);
  });

  it('rejects a key file that is missing, a folder, empty or too large', async () => {
    const { env, file } = world();
    const folder = env.SIGNALS_CONFIG_DIR;
    const code = async (apiKeyFile: string) => {
      const error = await resolveKey({ env, apiKeyFile }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ problems: [{ where: expect.stringContaining('--api-key-file') }] });
      return error instanceof Error && 'problems' in error ? error.problems : error;
    };
    expect(await code(path.join(folder, 'none'))).toMatchObject([
      { code: 'settings.key_file', message: expect.stringContaining('ENOENT') },
    ]);
    expect(await code(folder)).toMatchObject([
      { code: 'settings.key_file', message: expect.stringContaining('EISDIR') },
    ]);
    expect(await code(file('empty', ' \n'))).toMatchObject([{ code: 'settings.key' }]);
    expect(await code(file('large', 'x'.repeat(70_000)))).toMatchObject([
      { code: 'settings.key', message: expect.stringContaining('longer than 4096') },
    ]);
  });

  it('never prints an invalid key', async () => {
    const { env, file } = world();
    for (const given of [
      { env: { ...env, SIGNALS_API_KEY: 'sk hunter2' } },
      { env, apiKeyFile: file('key', 'sk-hunter2\nsecond line') },
      { env: world({ api_key: 'hunter2\u2013' }).env },
    ]) {
      const error = await resolveKey(given).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ problems: [{ code: 'settings.key' }] });
      expect(`${JSON.stringify(error)}${String(error)}`).not.toContain('hunter2');
    }
  });
});

describe('cleanKey', () => {
  it('cleans what was pasted at a prompt', () => {
    expect(cleanKey(' Bearer sk-1 ', 'the prompt')).toBe('sk-1');
    expect(() => cleanKey('', 'the prompt')).toThrow(/empty/);
  });
});
