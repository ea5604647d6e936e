import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { lockHolder, lockRun, ownIdentity, RunLockedError } from '../../src/journal/lock.ts';
import { bundleModule } from '../support/bundle-module.ts';

const temporary = path.join(import.meta.dirname, '..', '.tmp');
let shared: string;
let module: string;

beforeAll(async () => {
  await mkdir(temporary, { recursive: true });
  shared = await mkdtemp(path.join(temporary, 'lock-'));
  module = await bundleModule('src/journal/lock.ts', shared);
});

afterAll(() => rm(shared, { recursive: true, force: true }));

function newFolder(): Promise<string> {
  return mkdtemp(path.join(shared, 'run-'));
}

/**
 * A process that evaluates `script` with `lockRun` of the built module in scope, and reports lines on stdout.
 *
 * @param maxFiles how many files it may open
 */
function startProcess(script: string, maxFiles?: number): { child: ChildProcess; lines: AsyncIterator<string> } {
  const source = `
    import { lockRun } from ${JSON.stringify(module)};
    import fs from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    ${script}
  `;
  const node = [process.execPath, '--input-type=module', '-e', source];
  const limited = ['bash', '-c', 'ulimit -n "$0"; exec "$@"', String(maxFiles)];
  const [command = '', ...args] = maxFiles === undefined ? node : [...limited, ...node];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  async function* read(): AsyncGenerator<string> {
    let rest = '';
    for await (const chunk of child.stdout ?? []) {
      const parts = `${rest}${chunk}`.split('\n');
      rest = parts.pop() ?? '';
      yield* parts;
    }
  }
  return { child, lines: read() };
}

function writeLock(folder: string, holder: object, name = 'lock'): Promise<void> {
  return writeFile(
    path.join(folder, name),
    JSON.stringify({ token: 'other', since: '2026-11-21T10:00:00Z', ...holder }),
  );
}

const own = ownIdentity();

describe('a lock', () => {
  it('is held by one process, which the other one is told', async () => {
    const folder = await newFolder();
    const { child, lines } = startProcess(
      `await lockRun(${JSON.stringify(folder)}); console.log('locked'); await sleep(60_000);`,
    );
    expect((await lines.next()).value).toBe('locked');
    const error = await lockRun(folder).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunLockedError);
    expect(String(error)).toContain(`process ${child.pid}`);
    expect(lockHolder(folder)?.pid).toBe(child.pid);
  });

  it('of a killed process is taken over at once', async () => {
    const folder = await newFolder();
    const { child, lines } = startProcess(
      `await lockRun(${JSON.stringify(folder)}); console.log('locked'); await sleep(60_000);`,
    );
    await lines.next();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(lockHolder(folder)).toBeUndefined();
    const lock = await lockRun(folder);
    lock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('of a zombie is taken over, because a zombie does no more work', async () => {
    const folder = await newFolder();
    // The parent never waits for its child.
    const script = `${process.execPath} --input-type=module -e '
      import { lockRun } from ${JSON.stringify(module)};
      await lockRun(${JSON.stringify(folder)});
      process.exit();
    ' & exec sleep 60`;
    const parent = spawn('sh', ['-c', script], { stdio: 'ignore' });
    onTestFinished(() => void parent.kill('SIGKILL'));
    await expect
      .poll(
        async () => {
          const { pid } = JSON.parse(await readFile(path.join(folder, 'lock'), 'utf8').catch(() => '{}'));
          const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
          return /\) Z /.test(stat);
        },
        { timeout: 20_000 },
      )
      .toBe(true);
    (await lockRun(folder)).release();
  });

  it('of the same pid in another PID namespace is judged by its heartbeat', async () => {
    const folder = await newFolder();
    // This process's own pid and start time: only the namespace differs.
    await writeLock(folder, { ...own, pidNamespace: 'pid:[1]' });
    const file = path.join(folder, 'lock');
    let beat = Promise.resolve();
    const beating = setInterval(() => {
      beat = utimes(file, new Date(), new Date());
    }, 50);
    // The first heartbeat ends the wait, however late it comes.
    await expect(lockRun(folder, { staleMs: 60_000 })).rejects.toBeInstanceOf(RunLockedError);
    clearInterval(beating);
    await beat;
    let waited = 0;
    const lock = await lockRun(folder, { staleMs: 1_000, onWait: (_, ms) => (waited = ms) });
    expect(waited).toBe(1_000);
    lock.release();
  });

  it.each([-120_000, 120_000])('is not taken over because a clock is off by %d ms', async (offMs) => {
    const folder = await newFolder();
    await writeLock(folder, { ...own, host: 'elsewhere' });
    const file = path.join(folder, 'lock');
    const beat = (): Promise<void> => {
      const time = new Date(Date.now() + offMs);
      return utimes(file, time, time);
    };
    await beat();
    const beating = setInterval(() => void beat(), 50);
    await expect(lockRun(folder, { staleMs: 60_000 })).rejects.toBeInstanceOf(RunLockedError);
    clearInterval(beating);
  });

  it('is lost by a process that was stopped while another one took over, and stays with that one', async () => {
    const folder = await newFolder();
    // Another host name makes the heartbeat the only evidence.
    const { child, lines } = startProcess(`
      import os from 'node:os';
      os.hostname = () => 'elsewhere';
      const lock = await lockRun(${JSON.stringify(folder)}, { heartbeatMs: 100 });
      console.log('locked');
      process.stdin.once('data', () => {
        try { lock.confirm(); console.log('still mine'); } catch (error) { console.log(error.name); }
        lock.release();
        console.log('released');
      });
    `);
    await lines.next();
    child.kill('SIGSTOP');
    await expect.poll(() => readFile(`/proc/${child.pid}/stat`, 'utf8')).toMatch(/\) T /);
    const lock = await lockRun(folder, { staleMs: 500 });
    child.stdin?.write('go\n');
    child.kill('SIGCONT');
    expect((await lines.next()).value).toBe('LockLostError');
    expect((await lines.next()).value).toBe('released');
    expect(lockHolder(folder)?.pid).toBe(process.pid);
    lock.confirm();
    lock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is contested if the process before may still be alive', async () => {
    const folder = await newFolder();
    await writeLock(folder, { ...own, host: 'elsewhere' });
    const lock = await lockRun(folder, { staleMs: 200 });
    expect(lock.isContested).toBe(true);
    lock.release();
    const next = await lockRun(folder);
    expect(next.isContested).toBe(false);
    next.release();
  });

  it('removes what a killed process has left behind, and no draft of a process that is about to lock', async () => {
    const folder = await newFolder();
    const gone = { ...own, pid: 2 ** 30, token: 'gone' };
    await writeFile(path.join(folder, 'lock.draft-gone'), JSON.stringify(gone));
    await writeFile(path.join(folder, 'lock.draft-other'), JSON.stringify({ ...own, token: 'other' }));
    await writeFile(path.join(folder, 'lock.draft-cut'), '{"pid"');
    const before = new Date(Date.now() - 120_000);
    await utimes(path.join(folder, 'lock.draft-cut'), before, before);
    for (const name of ['journal.reserve', 'run.json.123.tmp', 'results.csv.tmp', 'journal.ndjson']) {
      await writeFile(path.join(folder, name), 'x');
    }
    const lock = await lockRun(folder);
    expect((await readdir(folder)).toSorted()).toEqual(['journal.ndjson', 'lock', 'lock.draft-other']);
    lock.release();
  });

  it('tells its holder at the next heartbeat that it was taken over', async () => {
    const folder = await newFolder();
    const lock = await lockRun(folder, { heartbeatMs: 20 });
    await writeLock(folder, { ...own, host: 'elsewhere' });
    await expect.poll(() => lock.lost.aborted).toBe(true);
    expect(() => lock.confirm()).toThrow(/has taken over/);
    lock.release();
    expect(await readdir(folder)).toEqual(['lock']);
  });

  it.skipIf(process.platform === 'win32')('is kept while the process may open no more files', async () => {
    const script = `
      const lock = await lockRun(${JSON.stringify(await newFolder())}, { heartbeatMs: 20 });
      const files = [];
      try { for (;;) files.push(fs.openSync('/dev/null')); } catch (error) { console.log(error.code); }
      await sleep(200);
      lock.confirm();
      for (const file of files) fs.closeSync(file);
      await sleep(200);
      lock.confirm();
      lock.release();
      console.log('kept');
    `;
    const { lines } = startProcess(script, 100);
    expect((await lines.next()).value).toBe('EMFILE');
    expect((await lines.next()).value).toBe('kept');
  });

  it('that is abandoned is taken over by one of eight processes at a time', { timeout: 120_000 }, async () => {
    const folder = await newFolder();
    const marker = path.join(folder, 'working');
    const worker = `
      for (let worked = 0; worked < 5; ) {
        let lock;
        try { lock = await lockRun(${JSON.stringify(folder)}, { staleMs: 50 }); } catch (error) {
          if (error.name !== 'RunLockedError') throw error;
          await sleep(Math.random() * 5);
          continue;
        }
        // Fails if another process works at the same time.
        fs.writeFileSync(${JSON.stringify(marker)}, '', { flag: 'wx' });
        await sleep(Math.random() * 3);
        fs.rmSync(${JSON.stringify(marker)});
        worked += 1;
        if (Math.random() < 0.5) lock.release();
        else {
          // As after kill -9: the lock of a pid that no longer exists.
          const file = fs.readdirSync(${JSON.stringify(folder)}).filter((name) => /^lock(\\.\\d+)?$/.test(name)).at(-1);
          const holder = JSON.parse(fs.readFileSync(${JSON.stringify(folder)} + '/' + file, 'utf8'));
          const draft = ${JSON.stringify(folder)} + '/abandoned-' + process.pid;
          fs.writeFileSync(draft, JSON.stringify({ ...holder, pid: 4_000_000, token: holder.token + '-gone' }));
          fs.renameSync(draft, ${JSON.stringify(folder)} + '/' + file);
        }
      }
    `;
    const processes = Array.from({ length: 8 }, () => startProcess(worker));
    const ends = await Promise.all(processes.map(({ child }) => once(child, 'exit')));
    expect(ends.map(([code]) => code)).toEqual(Array(8).fill(0));
  });
});

test('lock files that are damaged hold no longer than a lock without heartbeat', async () => {
  const folder = await newFolder();
  await writeFile(path.join(folder, 'lock'), '{"host":');
  await writeFile(path.join(folder, 'lock.2'), '');
  await utimes(path.join(folder, 'lock.2'), 0, 0);
  (await lockRun(folder, { staleMs: 200 })).release();
  expect(await readdir(folder)).toEqual([]);
});

test('a pid that belongs to a later process holds no lock', async () => {
  const folder = await newFolder();
  await writeLock(folder, { ...own, started: '1' });
  expect(lockHolder(folder)).toBeUndefined();
  (await lockRun(folder)).release();
});

test('a folder that was removed has no holder, and its lock is lost without an error', async () => {
  const folder = await newFolder();
  const lock = await lockRun(folder, { heartbeatMs: 20 });
  await rm(folder, { recursive: true });
  expect(lockHolder(folder)).toBeUndefined();
  await expect.poll(() => lock.lost.aborted).toBe(true);
  lock.release();
});

test('a process from before a reboot is judged by its heartbeat, even if its pid and start time exist again', async () => {
  const folder = await newFolder();
  await writeLock(folder, { ...own, boot: 'an earlier boot' });
  let waited = 0;
  const lock = await lockRun(folder, { staleMs: 200, onWait: (_, ms) => (waited = ms) });
  expect(waited).toBe(200);
  lock.release();
});

test('a run folder that cannot be written is to be copied, because --out does not move it', async () => {
  await expect(lockRun(path.join(import.meta.dirname, 'missing'))).rejects.toMatchObject({
    problems: [{ code: 'run.folder', hint: expect.stringContaining('name the copy') }],
  });
});
