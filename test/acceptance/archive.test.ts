/** An archive of `runs pack` as a run: its recipient needs nothing else. Hostile archives do nothing. */

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { packTar, type TarEntry, unpackTar } from 'modern-tar';
import { describe, expect } from 'vitest';
import {
  at,
  csvOf,
  expectEnd,
  nowhere,
  printed,
  readRun,
  recordsAt,
  run,
  runIds,
  runInProcess,
  summaryOf,
  test,
  workspace,
  write,
  writeCsv,
} from '../support/program.ts';

/** The archive of a run whose rows are all exhausted, in the folder of its recipient: with the right to send, or a copy. */
async function received(
  what: 'handed over' | 'copy' = 'handed over',
): Promise<{ readonly cwd: string; readonly id: string }> {
  const sender = await workspace();
  const cwd = await workspace();
  await write(
    sender,
    'in.csv',
    csvOf(150, (n) => (n === 7 ? ',x.example,T,funding,' : `Company ${n},c${n}.example,T,funding,`)),
  );
  await runInProcess(sender, ['upload', 'in.csv', '--setting', 'retries=0'], { env: nowhere });
  const words = ['runs', 'pack', 'last', '--to', path.join(cwd, 'run.tar.gz')];
  if (what === 'copy') {
    expect((await run(sender, words)).stdout).toContain('a copy to look at');
  } else {
    const packed = await run(sender, [...words, '--hand-over', '--yes']);
    expect(packed.stdout).toMatch(/ resume \S*run\.tar\.gz/);
  }
  const [id = ''] = await runIds(sender);
  await rm(sender, { recursive: true });
  return { cwd, id };
}

describe('an archive of runs pack', () => {
  test.each(['handed over', 'copy'] as const)(
    'is a run for show, find and report, and is unpacked once: %s',
    async (what) => {
      const { cwd, id } = await received(what);
      const shown = await runInProcess(cwd, ['runs', 'show', 'run.tar.gz', '--json']);
      expect(shown.stderr).toContain(`Unpacked run.tar.gz into signals-runs/${id}`);
      expect(summaryOf(shown)).toMatchObject({ run: id, rows: { read: 150, exhausted: 149, invalid: 1 } });
      const found = await runInProcess(cwd, ['runs', 'find', 'run.tar.gz', 'Company 9']);
      expect(found).toMatchObject({ code: 0, stderr: '' });
      expect(found.stdout).toContain('in.csv:10  exhausted');
      expect((await runInProcess(cwd, ['report', 'run.tar.gz'])).code).toBe(0);
      expect(await runIds(cwd)).toEqual([id]);
      expect(await readdir(path.join(cwd, 'signals-runs'))).not.toContainEqual(expect.stringContaining('.unpack'));
    },
  );

  test('is no file that only has the name of a run by chance', async ({ cwd, signals }) => {
    await writeCsv(cwd, 'in.csv', 5);
    expect((await signals('upload', 'in.csv', '--run-id', 'nightly', '--quiet')).code).toBe(0);
    for (const name of ['nightly', 'last']) {
      await write(cwd, name, 'notes');
      expect(await signals('runs', 'show', name)).toMatchObject({ code: 0, stderr: '' });
    }
    expect((await signals('resume')).code).toBe(0);
  });

  test('has no file that belongs to the machine, and none that is incomplete', async ({ cwd, signals }) => {
    await writeCsv(cwd, 'in.csv', 5);
    expect((await signals('upload', 'in.csv', '--run-id', 'mine', '--quiet')).code).toBe(0);
    const folder = path.join(cwd, 'signals-runs', 'mine');
    const local = ['lock.7.old', 'journal.reserve', 'summary.json.12.tmp', 'results.csv.tmp'];
    await mkdir(path.join(folder, 'inputs'));
    for (const name of [...local, 'inputs/1.csv.tmp', 'inputs/notes.txt'])
      await writeFile(path.join(folder, name), 'x');
    expect((await signals('runs', 'pack', 'mine', '--to', 'run.tar.gz')).code).toBe(0);
    const entries = await unpackTar(gunzipSync(await readFile(path.join(cwd, 'run.tar.gz'))));
    const names = entries.map(({ header: { name } }) => name);
    expect(names).toContain('mine/inputs/notes.txt');
    expect(names.filter((name) => /tmp|lock|reserve/.test(name))).toEqual([]);
  });

  test('is finished like a folder, and not a second time', async ({ there }) => {
    const { cwd, id } = await received();
    const words = ['resume', 'run.tar.gz', '--base-url', there.url, '--yes', '--json'];
    const ended = await run(cwd, words, { env: at(there) });
    expectEnd(ended, 3, { rows: { read: 150, delivered: 149, invalid: 1 } });
    expect(JSON.parse((await runInProcess(cwd, words, { env: at(there) })).stdout)).toMatchObject({
      run: id,
      exitCode: 3,
      errors: [],
    });
    expect(await recordsAt(there)).toHaveLength(149);
    expect(await runIds(cwd)).toEqual([id]);
  });

  test('that may send takes the place of a copy that was looked at', async ({ cwd, there, signals }) => {
    const sender = await workspace();
    await writeCsv(sender, 'in.csv', 3);
    await runInProcess(sender, ['upload', 'in.csv', '--setting', 'retries=0'], { env: nowhere });
    const pack = ['runs', 'pack', 'last', '--to'];
    await run(sender, [...pack, path.join(cwd, 'copy.tar.gz')]);
    await run(sender, [...pack, path.join(cwd, 'right.tar.gz'), '--hand-over', '--yes']);
    const to = ['--base-url', there.url, '--yes'];
    expect((await signals('resume', 'copy.tar.gz', ...to)).code).toBe(2);
    expect(there.requests()).toHaveLength(0);
    expect((await signals('resume', 'right.tar.gz', ...to)).code).toBe(0);
    expect(await recordsAt(there)).toHaveLength(3);
    // The folder of the sender knows that it was handed over, also beside the archive.
    const back = await run(sender, ['resume', path.join(cwd, 'right.tar.gz'), ...to], { env: at(there) });
    expect(back.code).toBe(2);
    expect(await recordsAt(there)).toHaveLength(3);
  });

  test('that is a copy is looked at beside its run too', async ({ cwd }) => {
    await writeCsv(cwd, 'in.csv', 3);
    await runInProcess(cwd, ['upload', 'in.csv', '--setting', 'retries=0'], { env: nowhere });
    const ids = await runIds(cwd);
    await runInProcess(cwd, ['runs', 'pack', 'last', '--to', 'run.tar.gz']);
    const shown = await runInProcess(cwd, ['runs', 'show', 'run.tar.gz', '--json']);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(summaryOf(shown)).toMatchObject({ run: ids[0], rows: { exhausted: 3 } });
    expect(await runIds(cwd)).toEqual(ids);
  });

  test('has the rejects of an input with the name of a lock', async ({ cwd, there, signals }) => {
    await write(cwd, 'lock.csv', `${csvOf(3)}Acme,,,,\n`);
    await signals('upload', 'lock.csv', '--quiet');
    await signals('runs', 'pack', 'last', '--to', 'run.tar.gz');
    const rejects = await readRun(cwd, 'rejects/lock.csv');
    await rm(path.join(cwd, 'signals-runs'), { recursive: true });
    await runInProcess(cwd, ['runs', 'show', 'run.tar.gz', '--out', 'theirs'], { env: at(there) });
    const [id = ''] = (await readdir(path.join(cwd, 'theirs'))).filter((name) => !name.startsWith('.'));
    expect(await readFile(path.join(cwd, 'theirs', id, 'rejects', 'lock.csv'), 'utf8')).toBe(rejects);
  });

  test('that is a copy to look at may not send', async ({ there }) => {
    const { cwd, id } = await received('copy');
    const words = ['resume', 'run.tar.gz', '--base-url', there.url, '--yes', '--json'];
    const ended = await runInProcess(cwd, words, { env: at(there) });
    expect(ended.code).toBe(2);
    expect(JSON.parse(ended.stdout)).toMatchObject({ errors: [{ code: 'run.handed_over' }] });
    expect(there.requests()).toHaveLength(0);
    const told = await runInProcess(cwd, ['resume', 'run.tar.gz']);
    expect(told.stderr).toContain(`${id} is a copy to look at: only `);
    expect(told.stderr).toContain(`runs show signals-runs/${id}`);
    expect(told.stderr).not.toContain('--again');
    expect(await printed(cwd, 'runs', 'show')).toContain('A copy to look at: only ');
  });

  test('sends nothing without a yes to another service than the configured one', async ({ there }) => {
    const { cwd } = await received();
    const ended = await runInProcess(cwd, ['resume', 'run.tar.gz'], { env: at(there) });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('needs your confirmation');
    expect(there.requests()).toHaveLength(0);
  });

  test('is refused if a run folder of that name knows less', async () => {
    const { cwd, id } = await received();
    await runInProcess(cwd, ['runs', 'show', 'run.tar.gz']);
    const journal = path.join(cwd, 'signals-runs', id, 'journal.ndjson');
    const lines = (await readFile(journal, 'utf8')).split('\n');
    await writeFile(journal, `${lines.slice(0, 2).join('\n')}\n`);
    const ended = await runInProcess(cwd, ['runs', 'show', 'run.tar.gz']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('knows less than the archive');
  });

  test('may be damaged: then nothing is unpacked', async () => {
    const { cwd } = await received();
    const file = path.join(cwd, 'run.tar.gz');
    await writeFile(file, (await readFile(file)).subarray(0, -100));
    const ended = await runInProcess(cwd, ['runs', 'show', 'run.tar.gz']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('or it is damaged');
    expect(await runIds(cwd)).toEqual([]);
  });
});

const file = (name: string, text = '{}'): TarEntry => ({ header: { name, size: text.length }, body: text });

async function packed(
  entries: readonly TarEntry[],
  change: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Promise<Buffer> {
  return gzipSync(change(Buffer.from(await packTar(entries))));
}

/** Changes the first header of an archive, with a right checksum. */
const header =
  (...changes: readonly (readonly [at: number, text: string])[]) =>
  (bytes: Buffer): Buffer => {
    const block = bytes.subarray(0, 512);
    for (const [at, text] of [...changes, [148, '        '] as const]) block.write(text, at);
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return bytes;
  };

describe('a hostile archive is refused, and leaves nothing behind', () => {
  test.for([
    ['a path that leads out of the folder', () => packed([file('run/../../evil.txt')]), 'outside a run folder'],
    ['a path that leads to a folder beside it', () => packed([file('run/../evil.txt')]), 'outside a run folder'],
    ['a path that stays in the folder', () => packed([file('run/./evil.txt')]), 'outside a run folder'],
    ['an absolute path', () => packed([file('/tmp/evil.txt')]), 'outside a run folder'],
    ['a hidden folder beside the runs', () => packed([file('.git/config')]), 'outside a run folder'],
    ['a path with control characters', () => packed([file('run/a\u001b[2J')]), 'outside a run folder'],
    [
      'a symbolic link',
      () => packed([file('run/link', '')], header([156, '2'], [157, '/etc/passwd'])),
      'a link or a special file',
    ],
    [
      'a hard link',
      () => packed([file('run/link', '')], header([156, '1'], [157, 'run/journal.ndjson'])),
      'a link or a special file',
    ],
    ['a file of 8 GB', () => packed([file('run/big')], header([124, '77777777777'])), 'would unpack to more than'],
    ['a lock', () => packed([file('run/lock')]), 'never packed'],
    ['a lock in capitals', () => packed([file('run/LOCK')]), 'never packed'],
    ['a folder that no run has', () => packed([file('run/lock/x')]), 'outside a run folder'],
    ['an incomplete file', () => packed([file('run/summary.json.12.tmp')]), 'never packed'],
    ['no run', () => packed([file('run/journal.ndjson')]), 'not a run folder'],
    ['a table', async () => gzipSync(csvOf(100)), 'or it is damaged'],
  ] as const)('%s', async ([_what, archive, words], { cwd }) => {
    await mkdir(path.join(cwd, 'signals-runs'));
    await writeFile(path.join(cwd, 'run.tar.gz'), await archive());
    const ended = await runInProcess(cwd, ['resume', 'run.tar.gz'], { env: nowhere });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(words);
    expect(ended.stderr).not.toContain('\u001b[2J');
    expect(
      (await readdir(path.join(cwd, 'signals-runs'))).filter((name) => !/^\.(gitignore|start)$/.test(name)),
    ).toEqual([]);
    expect((await readdir(cwd)).toSorted()).toEqual(['run.tar.gz', 'signals-runs']);
  });
});
