/** Automatic mappings as a user meets them: on the built program. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, workspace, write } from '../support/program.ts';

const EXPORT = [
  'Organization Name,Website,Funding Type,Announced Date,Money Raised,Investors',
  'Northwind,https://www.northwind.example,Seed,2026-11-03,3000000,X',
  'Brightleaf,https://brightleaf.example/,Series A,2026-11-04,9000000,Y',
].join('\n');

describe('a file without a mapping', () => {
  test('is not uploaded where a required field is open: exit 2, the proposal, and commands that work', async () => {
    const cwd = await workspace();
    await write(cwd, 'rounds.csv', EXPORT);
    const refused = await run(cwd, ['upload', 'rounds.csv', '--sandbox']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('company_domain: { column: Website, as: domain }');
    expect(refused.stderr).toContain('signal_source: { value: funding }');
    const commands = [...refused.stderr.matchAll(/`[^`]*?((?:map|upload) rounds[^`]*)`/g)].map(([, words]) =>
      (words ?? '').split(' '),
    );
    expect(commands).toHaveLength(2);
    for (const words of commands) {
      const done = await run(cwd, words[0] === 'upload' ? [...words, '--sandbox'] : words);
      expect(done.code).toBe(0);
    }
  });

  test('is refused with a command that says again what the user said', async () => {
    const cwd = await workspace();
    await write(cwd, 'in.csv', 'Account;Website\nAcme;acme.example\n');
    const refused = await run(cwd, [
      ...['upload', 'in.csv', '--sandbox', '--type', 'signals', '--delimiter', ';'],
      ...['-c', 'company_name=Account', '--set', 'signal_source=news'],
    ]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      "map in.csv --type signals --delimiter ';' -c company_name=Account --set signal_source=news -c signal_title=COLUMN --accept",
    );
  });

  test('is uploaded where what is certain is enough, and what was used is said', async () => {
    const cwd = await workspace();
    await write(cwd, 'news.csv', 'Company,Headline,Kind\nNorthwind,Opens a plant,Press\nBrightleaf,Hires,Jobs\n');
    const done = await run(cwd, ['upload', 'news.csv', '--sandbox', '--json']);
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ rows: { read: 2, delivered: 2 } });
    expect(done.stderr).toContain('signal_title from Headline (97%');
  });

  test('gets its mapping saved with comments, only where asked, and never over another file', async () => {
    const cwd = await workspace();
    await write(cwd, 'rounds.csv', EXPORT);
    const shown = await run(cwd, ['map', 'rounds.csv']);
    expect(shown.code).toBe(2);
    expect(shown.stdout).toContain('Not saved.');
    const saved = await run(cwd, ['map', 'rounds.csv', '--save', '--json']);
    expect(saved.code).toBe(2);
    expect(JSON.parse(saved.stdout)).toMatchObject({
      type: 'signals',
      open: ['signal_title', 'signal_source'],
      saved: 'rounds.csv.mapping.yaml',
    });
    const yaml = await readFile(path.join(cwd, 'rounds.csv.mapping.yaml'), 'utf8');
    expect(yaml).toContain('  # 97%: header fits; values are names\n  company_name: Organization Name\n');
    expect(yaml).toContain('  # signal_source: { value: funding }   # 60%\n');
    const again = await run(cwd, ['map', 'rounds.csv', '--save', '--accept']);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('already exists');
    const over = await run(cwd, ['map', 'rounds.csv', '--save', '--accept', '--overwrite']);
    expect(over.code).toBe(0);
  });

  test('keeps in the mapping how the file is to be read', async () => {
    const cwd = await workspace();
    await write(cwd, 'rows.csv', 'Company;Headline;Kind\nNorthwind;Opens;News\n');
    const saved = await run(cwd, ['map', 'rows.csv', '--delimiter', ';', '--save']);
    expect(saved.code).toBe(0);
    const used = await run(cwd, ['check', 'rows.csv', '-m', 'rows.csv.mapping.yaml']);
    expect(used.code).toBe(0);
  });

  test('has a JSON Schema for its mapping', async () => {
    const cwd = await workspace();
    const { code, stdout } = await run(cwd, ['map', '--json-schema']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty('$schema');
  });
});
