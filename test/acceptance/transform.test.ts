/** `--transform` on the built program: the user's own function between reading and mapping. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, readRun, run, service, summaryOf, withWrongKey, workspace, write } from '../support/program.ts';

const INPUT = [
  'Account,Site,What,Status',
  'Acme,acme.example,raised,live',
  'Beta,beta.example,raised,test',
  'Gamma,gamma.example,,live',
  'Delta,delta.example,hired,live',
  '',
].join('\n');

const MODULE = `
export default (row) => {
  if (row.Status === 'test') return null;
  if (row.What === '') throw new Error('nothing happened at ' + row.Account);
  return { company_name: row.Account, company_domain: row.Site, title: row.Account + ' ' + row.What };
};
`;

describe('upload --transform', () => {
  test('sends what the function makes, counts what it leaves out, and rejects what it fails on', async () => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, 'in.csv', INPUT);
    await write(cwd, 'change.mjs', MODULE);
    const args = ['--transform', 'change.mjs', '-c', 'signal_title=title', '--set', 'signal_source=news'];
    const ended = await run(cwd, ['upload', 'in.csv', ...args, '--json'], { env: at(there) });
    expect(ended.code).toBe(3);
    expect(summaryOf(ended)).toMatchObject({
      balanced: true,
      rows: { read: 4, invalid: 1, skipped: 1, delivered: 2 },
    });
    const rejects = (await readRun(cwd, 'rejects/in.csv')).replace('\u{feff}', '').split('\r\n');
    // The row as it stands in the input: corrected, it goes through the function again.
    expect(rejects).toEqual([
      '_line,_reason,Account,Site,What,Status',
      '4,"the transform: found Error: nothing happened at Gamma, expected no error",Gamma,gamma.example,,live',
      '',
    ]);
    expect(ended.stderr).toContain('upload -m');
    expect(ended.stderr).toContain('--transform change.mjs');
    expect(JSON.parse(await readRun(cwd, 'run.json'))).toMatchObject({
      transform: { digest: createHash('sha256').update(MODULE).digest('hex') },
    });
    const journal = (await readRun(cwd, 'journal.ndjson')).trimEnd().split('\n');
    expect(journal.map((line) => JSON.parse(line)).filter(({ event }) => event === 'row.skipped')).toMatchObject([
      { why: 'transform', firstRow: 2, lastRow: 2 },
    ]);
  });

  test('goes on with the same function, and not with another one', async () => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, 'in.csv', INPUT);
    await write(cwd, 'change.mjs', MODULE);
    const args = ['--transform', 'change.mjs', '-c', 'signal_title=title', '--set', 'signal_source=news'];
    const wrong = withWrongKey(there);
    // One record a batch, so that sealed batches are cut again through the function.
    const stopped = await run(cwd, ['upload', 'in.csv', ...args, '--batch-size', '1'], { env: wrong });
    expect(stopped.code).toBe(5);
    const before = there.requests().length;

    await write(cwd, 'change.mjs', `globalThis.process.stdout.write('run');${MODULE}`);
    const changed = await run(cwd, ['resume', 'last'], { env: at(there) });
    expect(changed.code).toBe(2);
    expect(changed.stderr).toContain('The transform has changed since the run began');
    expect(changed.stdout).toBe('');
    expect(there.requests()).toHaveLength(before);

    await write(cwd, 'moved.mjs', MODULE);
    const file = path.join(cwd, 'change.mjs');
    const ended = await run(cwd, ['resume', 'last', '--input', `${file}=moved.mjs`, '--json'], {
      env: at(there),
    });
    expect(ended.code).toBe(3);
    expect(summaryOf(ended)).toMatchObject({
      balanced: true,
      state: 'complete',
      rows: { read: 4, invalid: 1, skipped: 1, delivered: 2 },
    });
    expect(ended.stderr).toContain('--transform moved.mjs');
  });

  test('maps columns that only the function makes, by their names, as a check shows', async () => {
    const cwd = await workspace();
    await write(cwd, 'in.ndjson', '{"who":{"name":"Acme"},"n":1}\n{"who":{"name":"Beta"},"n":2}\n');
    await write(
      cwd,
      'change.mjs',
      'export default ({ who, n }) => ({ company_name: who.name, signal_title: "No. " + n, signal_source: "news" });',
    );
    const ended = await run(cwd, ['check', 'in.ndjson', '--transform', 'change.mjs', '--json']);
    expect(ended.code).toBe(0);
    expect(summaryOf(ended)).toMatchObject({
      rows: { read: 2, valid: 2 },
      sample: { company_name: 'Acme', signal_name: 'No. 1', source: 'news' },
    });
  });

  test.each([
    ['is not there', undefined, 'transform.file'],
    ['cannot be loaded', 'export default (', 'transform.load'],
    ['throws when it loads', 'throw new Error("no");', 'transform.load'],
    ['has no default export', 'export const change = (row) => row;', 'transform.export'],
    ['exports no function', 'export default 7;', 'transform.export'],
    ['is asynchronous', 'export default async (row) => row;', 'transform.async'],
  ])('sends nothing where the module %s', async (_what, text, code) => {
    const cwd = await workspace();
    const there = await service();
    await write(cwd, 'in.csv', INPUT);
    if (text !== undefined) await write(cwd, 'change.mjs', text);
    const ended = await run(cwd, ['upload', 'in.csv', '--transform', 'change.mjs', '--json'], {
      env: at(there),
    });
    expect(ended.code).toBe(2);
    expect(JSON.parse(ended.stdout).problems).toMatchObject([{ code }]);
    expect(there.requests()).toEqual([]);
  });
});
