/** `signals check` on the built program: what it says of a file, and that it sends nothing. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { csvOf, plainRow, root, run, summaryOf, test, workspace, write } from '../support/program.ts';

describe('check', () => {
  test('shows a record of a row that would be sent, and says nothing of sending', async ({ cwd }) => {
    const rows = ['One', 'Two', 'Three'].map((name) => `${name},Opens a plant,news,2026-10-01T10:00:00`);
    await write(cwd, 'in.csv', `company_name,signal_title,signal_source,detected_at\n${rows.join('\n')}\n`);
    const checked = await run(cwd, ['check', 'in.csv', '--skip', '1', '--limit', '1', '-v']);
    expect(checked.stdout).toContain('"company_name": "Two"');
    expect(checked.stdout).toContain('without a time zone was left as written');
    expect(checked.stdout).not.toContain('sent without');
    expect((await run(cwd, ['check', 'in.csv', '--skip', '3', '-v'])).stdout).not.toContain('One record');
  });

  test('reports fill rates, variants and requests; sends and writes nothing', async ({ cwd, there, signals }) => {
    // Of 1,000 rows every tenth has no company and every fourth no domain.
    const rows = csvOf(1000, (n) => {
      const [, , ...rest] = plainRow(n).split(',');
      const name = n % 10 === 0 ? '' : `Company ${n}`;
      const domain = n % 4 === 0 ? '' : `company${n}.example`;
      return [name, domain, ...rest].join(',');
    });
    await write(cwd, 'in.csv', rows);
    const ended = await signals('check', 'in.csv', '--variant', 'a', '--rate', '2/s', '--json');
    expect(ended.code).toBe(3);
    const summary = summaryOf(ended);
    expect(summary).toMatchObject({
      dryRun: true,
      rows: { read: 1000, valid: 900, invalid: 100 },
      requests: 9,
      atLeastSeconds: 4,
      quality: { rows: 1000 },
    });
    const { fields, variants } = summary['quality'] as {
      fields: { field: string; filled: number }[];
      variants: { variant: string; valid: number }[];
    };
    expect(Object.fromEntries(fields.map(({ field, filled }) => [field, filled]))).toMatchObject({
      company_name: 900,
      company_domain: 750,
    });
    // Invalid under b: every fourth, every tenth; both at every twentieth. 1000 - 250 - 100 + 50.
    expect(variants.map(({ variant, valid }) => [variant, valid])).toEqual([
      ['a', 900],
      ['b', 700],
      ['both', 700],
    ]);
    expect(there.requests()).toEqual([]);
    expect((await readdir(cwd)).filter((name) => name !== 'in.csv' && name !== 'settings')).toEqual([]);
  });

  test('says once which fields the variant does not have', async () => {
    const file = path.join(root, 'fixtures', 'signals.csv');
    const { stdout } = await run(await workspace(), ['check', file, '--variant', 'a']);
    expect(stdout.match(/industry/g)).toHaveLength(1);
    expect(stdout).toContain('To send them, pass `--variant b`.');
  });

  test('validates the rows under every variant, including fields that this one omits', async () => {
    const ended = await run(await workspace(), [
      'check',
      path.join(root, 'fixtures', 'signals-with-faults.csv'),
      '--json',
    ]);
    const { variants } = summaryOf(ended)['quality'] as { variants: unknown };
    // Line 8 has the hotness "hot", which is valid under a: a has no such field.
    expect(variants).toMatchObject([
      { variant: 'a', valid: 7, chosen: false },
      { variant: 'b', valid: 6, chosen: true, leavesOut: [] },
      { variant: 'both', valid: 6 },
    ]);
  });
});

test('check suggests options for placeholder words and optional fields, and they work as printed', async ({ cwd }) => {
  await write(
    cwd,
    'in.csv',
    [
      'company_name,company_domain,signal_title,signal_source,detected_at,hotness_score',
      'Acme,acme.example,Raised,funding,2026-11-20T09:15,87',
      'Beta,beta.example,Hiring,news,30+ days ago,NA',
      'Gamma,gamma.example,Moves,news,2026-11-21,nd',
    ].join('\n'),
  );
  const first = await run(cwd, ['check', 'in.csv']);
  expect(first.code).toBe(3);
  const command = /^Try .*signals\.js (check .* in\.csv)$/m.exec(first.stdout)?.[1] ?? '';
  expect(command).toBe('check --empty NA --empty nd --setting omit_invalid=detected_at in.csv');
  const second = await run(cwd, command.split(' '));
  expect(second.code).toBe(0);
  expect(second.stdout).toContain('detected_at: 1 invalid value was omitted, at in.csv:3');
});
