import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openProfiles, readProfiles, saveProfiles } from '../../src/options/profiles.ts';
import { tempFolder } from '../support/settings.ts';

function fileWith(text: string): { env: NodeJS.ProcessEnv; file: string } {
  const folder = tempFolder();
  const file = path.join(folder, 'config.json');
  writeFileSync(file, text, { mode: 0o600 });
  return { env: { SIGNALS_CONFIG_DIR: folder }, file };
}

const unusable: readonly (readonly [string, string])[] = [
  ['cut-off JSON', '{"profiles": {"default": {"api_key": "sk-hunter2"'],
  ['text', 'api_key=sk-hunter2'],
  ['nothing', ''],
  ['a list', '[]'],
  ['a text', '"sk-hunter2"'],
  ['null', 'null'],
  ['a profile that is not an object', '{"profiles": {"default": "sk-hunter2"}}'],
  ['a value that is not text', '{"profiles": {"default": {"api_key": ["sk-hunter2"]}}}'],
  ['a profile name that cannot be typed', '{"profiles": {"a b": {"api_key": "sk-hunter2"}}}'],
  ['a current profile that is not a name', '{"current": 7}'],
];

describe('readProfiles', () => {
  it('accepts numbers and a BOM', async () => {
    const { env } = fileWith(
      '\uFEFF{"current":"prod","profiles":{"prod":{"rate":"5/s","retries":3},"constructor":{}}}',
    );
    const read = await readProfiles(env);
    expect(read.current).toBe('prod');
    expect(read.byName.get('prod')).toEqual(
      new Map([
        ['rate', '5/s'],
        ['retries', '3'],
      ]),
    );
    expect(read.byName.get('constructor')).toEqual(new Map());
    expect(read.byName.get('toString')).toBeUndefined();
    expect(read.warnings).toEqual([]);
  });

  it.each(unusable)('warns about a file with %s, and shows nothing of it', async (_what, text) => {
    const { env, file } = fileWith(text);
    const read = await readProfiles(env);
    expect(read.byName.size).toBe(0);
    expect(read.warnings).toHaveLength(1);
    expect(read.problem).toMatchObject({ code: 'settings.file', where: expect.stringContaining(file) });
    expect(JSON.stringify(read.warnings)).not.toContain('hunter2');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('warns about a folder that cannot be created or read', async () => {
    const blocked = path.join(tempFolder(), 'file');
    writeFileSync(blocked, '');
    for (const folder of [blocked, path.join(blocked, 'deeper')]) {
      const read = await readProfiles({ SIGNALS_CONFIG_DIR: folder });
      expect(read.byName.size).toBe(0);
      expect(read.warnings).toEqual([
        expect.objectContaining({ code: 'settings.file', message: expect.stringContaining('Cannot read') }),
      ]);
    }
  });

  it.skipIf(process.platform === 'win32')('warns about a file that others can read', async () => {
    const { env, file } = fileWith('{}');
    chmodSync(file, 0o644);
    const read = await readProfiles(env);
    expect(read.problem).toBeUndefined();
    expect(read.warnings).toEqual([
      {
        code: 'settings.mode',
        message: 'Other users of this machine can access the settings file: its mode is 0644, expected 0600.',
        where: file,
        hint: expect.stringContaining('chmod 600'),
      },
    ]);
  });
});

describe('openProfiles', () => {
  it('creates folder and file without access for others', async () => {
    const folder = path.join(tempFolder(), 'a', 'b');
    const file = await openProfiles({ SIGNALS_CONFIG_DIR: folder });
    await saveProfiles({ ...file, current: 'prod', byName: new Map([['prod', new Map([['api_key', 'sk-1']])]]) });
    if (process.platform !== 'win32') {
      expect(statSync(file.path).mode & 0o777).toBe(0o600);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
    expect(JSON.parse(readFileSync(file.path, 'utf8'))).toEqual({
      current: 'prod',
      profiles: { prod: { api_key: 'sk-1' } },
    });
  });

  it.skipIf(process.platform === 'win32')("removes other users' access to the file", async () => {
    const { env, file } = fileWith('{"profiles":{"default":{}}}');
    chmodSync(file, 0o666);
    await saveProfiles(await openProfiles(env));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
