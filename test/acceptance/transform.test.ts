/** `--transform` on the built program: the user's own function between reading and mapping. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { describe, expect } from 'vitest';
import {
  at,
  expectEnd,
  readRun,
  recordsAt,
  run,
  service,
  start,
  test,
  withWrongKey,
  workspace,
  write,
} from '../support/program.ts';

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
  test('sends what the function makes, counts what it skips, rejects what it fails on', async ({ cwd, signals }) => {
    await write(cwd, 'in.csv', INPUT);
    await write(cwd, 'change.mjs', MODULE);
    const args = ['--transform', 'change.mjs', '-c', 'signal_title=title', '--set', 'signal_source=news'];
    const ended = await signals('upload', 'in.csv', ...args, '--json');
    expectEnd(ended, 3, { rows: { read: 4, invalid: 1, skipped: 1, delivered: 2 } });
    const rejects = (await readRun(cwd, 'rejects/in.csv')).replace('\u{feff}', '').split('\r\n');
    // The row as it stands in the input: corrected, it goes through the function again.
    expect(rejects).toEqual([
      '_line,_reason,Account,Site,What,Status',
      '4,"the transform: found Error: nothing happened at Gamma, expected no error",Gamma,gamma.example,,live',
      '',
    ]);
    expect(ended.stderr).toContain('Correct the transform or the rejects file');
    expect(JSON.parse(await readRun(cwd, 'run.json'))).toMatchObject({
      transform: { digest: createHash('sha256').update(MODULE).digest('hex') },
    });
    const journal = (await readRun(cwd, 'journal.ndjson')).trimEnd().split('\n');
    expect(journal.map((line) => JSON.parse(line)).filter(({ event }) => event === 'row.skipped')).toMatchObject([
      { why: 'transform', firstRow: 2, lastRow: 2 },
    ]);
  });

  test('goes on with the same function, and not with another one', async ({ cwd, there, signals }) => {
    await write(cwd, 'in.csv', INPUT);
    await write(cwd, 'change.mjs', MODULE);
    const args = ['--transform', 'change.mjs', '-c', 'signal_title=title', '--set', 'signal_source=news'];
    const wrong = withWrongKey(there);
    // One record a batch, so that sealed batches are cut again through the function.
    const stopped = await run(cwd, ['upload', 'in.csv', ...args, '--batch-size', '1'], { env: wrong });
    expect(stopped.code).toBe(5);
    const before = there.requests().length;

    await write(cwd, 'change.mjs', `globalThis.process.stdout.write('run');${MODULE}`);
    const changed = await signals('resume', 'last');
    expect(changed.code).toBe(2);
    expect(changed.stderr).toContain('The transform has changed since the run began');
    expect(changed.stdout).toBe('');
    expect(there.requests()).toHaveLength(before);

    await write(cwd, 'moved.mjs', MODULE);
    const file = path.join(cwd, 'change.mjs');
    const ended = await signals('resume', 'last', '--input', `${file}=moved.mjs`, '--json');
    expectEnd(ended, 3, { rows: { read: 4, invalid: 1, skipped: 1, delivered: 2 } });
  });

  test.for([
    ['is not there', undefined, 'transform.file'],
    ['cannot be loaded', 'export default (', 'transform.load'],
    ['throws when it loads', 'throw new Error("no");', 'transform.load'],
    ['has no default export', 'export const change = (row) => row;', 'transform.load'],
    ['exports no function', 'export default 7;', 'transform.load'],
    ['is asynchronous', 'export default async (row) => row;', 'transform.result'],
  ] as const)('sends nothing where the module %s', async ([_what, text, code], { cwd, there, signals }) => {
    await write(cwd, 'in.csv', INPUT);
    if (text !== undefined) await write(cwd, 'change.mjs', text);
    const ended = await signals('upload', 'in.csv', '--transform', 'change.mjs', '--json');
    expect(ended.code).toBe(2);
    expect(JSON.parse(ended.stdout).errors).toMatchObject([{ code }]);
    expect(there.requests()).toEqual([]);
  });
});

describe('a transform module', () => {
  const ARGS = ['upload', 'in.csv', '--transform', 'change.mjs', '--set', 'signal_source=news', '--json'];

  /** A workspace and a service, with rows of these companies and a module that acts for the company Beta. */
  async function prepared(companies: readonly string[], act: string, head = '') {
    const cwd = await workspace();
    const there = await service();
    const rows = companies.map((company, index) => `${company},T${index}`);
    await write(cwd, 'in.csv', ['company_name,signal_title', ...rows, ''].join('\n'));
    const body = `if (row.company_name === 'Beta') { ${act} } return row;`;
    await write(cwd, 'change.mjs', `${head}\nexport default (row) => { ${body} };`);
    return { cwd, there };
  }

  /** Does not return, as a loop does not, without a processor of its own. */
  const WAIT = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

  /** More rows than are tried before anything is sent. */
  const MANY = Array.from({ length: 300 }, () => 'Acme');

  test.each([
    ['calls process.exit', 'process.exit(0);', 'process.exit'],
    ['does not return', 'for (;;);', 'no result after 5 seconds'],
  ])('makes only the row invalid for which it %s', async (_what, act, found) => {
    const { cwd, there } = await prepared([...MANY, 'Beta', 'Gamma'], act);
    const ended = await run(cwd, ARGS, { env: at(there) });
    expectEnd(ended, 3, { rows: { read: 302, invalid: 1, delivered: 301 } });
    expect((await recordsAt(there)).at(-1)).toMatchObject({ company_name: 'Gamma' });
    expect(await readRun(cwd, 'rejects/in.csv')).toContain(found);
  });

  test('is refused before anything is sent if it does not return for one of the first rows', async () => {
    const { cwd, there } = await prepared(['Acme', 'Beta'], WAIT);
    const ended = await run(cwd, ARGS, { env: at(there) });
    expect(ended.code).toBe(2);
    expect(JSON.parse(ended.stdout).errors).toMatchObject([
      { code: 'transform.result', message: expect.stringContaining('line 3') },
    ]);
    expect(there.requests()).toEqual([]);
  });

  test('prints to stderr, escaped, and its rejections do not end the run', async () => {
    const print = 'console.log("a line\\u001b[31m"); process.stdout.write("raw\\n");';
    const { cwd, there } = await prepared(
      ['Acme', 'Beta'],
      `${print} void Promise.reject(new Error("late"));`,
      'Promise.reject(new Error("at load"));',
    );
    const ended = await run(cwd, ARGS, { env: at(there) });
    expectEnd(ended, 0, { rows: { delivered: 2 } });
    for (const text of ['a line', 'raw', 'Error: late', 'Error: at load']) expect(ended.stderr).toContain(text);
    expect(ended.stderr).not.toContain('\u001b');
  });

  test('can be interrupted while it does not return, and the rows are read again', async () => {
    const { cwd, there } = await prepared([...MANY, ...MANY.map(() => 'Beta')], WAIT);
    const { child, ended } = start(cwd, ARGS, { env: at(there) });
    await expect
      .poll(() => readRun(cwd, 'journal.ndjson').catch(() => ''), { timeout: 30_000 })
      .toContain('run.started');
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ balanced: true, rows: { invalid: 0 } });
  });
});
