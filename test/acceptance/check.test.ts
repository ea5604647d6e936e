/** `signals check`: what it says of a file, and that it sends nothing. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import {
  csvOf,
  plainRow,
  printed,
  root,
  run,
  runInProcess,
  summaryOf,
  test,
  workspace,
  write,
} from '../support/program.ts';

describe('check', () => {
  test('shows a record of a row that would be sent, and says nothing of sending', async ({ cwd }) => {
    const rows = ['One', 'Two', 'Three'].map((name) => `${name},Opens a plant,news,2026-10-01T10:00:00`);
    await write(cwd, 'in.csv', `company_name,signal_title,signal_source,detected_at\n${rows.join('\n')}\n`);
    const checked = await run(cwd, ['check', 'in.csv', '--skip', '1', '--limit', '1', '-v']);
    expect(checked.stdout).toContain('"company_name": "Two"');
    expect(checked.stdout).toContain('without a time zone was left as written');
    expect(checked.stdout).not.toContain('sent without');
    expect(await printed(cwd, 'check', 'in.csv', '--skip', '3', '-v')).not.toContain('One record');
  });

  test('counts social records as events, as an upload does', async ({ cwd }) => {
    const checked = await runInProcess(cwd, ['check', path.join(root, 'fixtures/social.csv')]);
    expect(checked.stdout).toContain('20 of 20 events would be sent in 1 request');
  });

  test('reports rows and requests; sends and writes nothing', async ({ cwd, there, signals }) => {
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
    });
    expect(there.requests()).toEqual([]);
    expect((await readdir(cwd)).filter((name) => name !== 'in.csv' && name !== 'settings')).toEqual([]);
  });

  test('names the fields that the API recommends and no column or constant fills', async ({ cwd }) => {
    await write(cwd, 'in.csv', csvOf(3, plainRow));
    const line = 'Not mapped, but recommended: signal_family (improves classification accuracy).';
    expect(await printed(cwd, 'check', 'in.csv', '--variant', 'b')).toContain(line);
    const { stdout } = await runInProcess(cwd, ['check', 'in.csv', '--variant', 'b', '--set', 'signal_family=Hiring']);
    expect(stdout).not.toContain('recommended');
  });

  test('says once which fields the variant does not have', async () => {
    const file = path.join(root, 'fixtures', 'signals.csv');
    const { stdout } = await run(await workspace(), ['check', file, '--variant', 'a']);
    expect(stdout.match(/industry/g)).toHaveLength(1);
    expect(stdout).toContain('To send them, pass `--variant b`.');
  });
});
