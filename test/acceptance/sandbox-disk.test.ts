/**
 * Files that cannot be written any more: what is not kept gets no receipt. The built program runs under a limit of
 * the shell on the size of files, which fails a write in its middle as a full disk does.
 */
import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { KEY, opened, SIGNALS, signal } from '../support/open-sandbox.ts';
import { call, lines, post, type Reply } from '../support/sandbox-client.ts';

const { start, newFolder } = opened();
const bin = path.join(import.meta.dirname, '..', '..', 'bin', 'signals.js');

/** The sandbox in a process whose files are limited to so many bytes. */
async function limited(
  bytes: number,
  args: readonly string[],
): Promise<{ url: string; ended: Promise<number | null> }> {
  // The shell counts in blocks of 1024 bytes; where it counts in 512, the limit only comes earlier.
  const script = 'ulimit -f "$1"; shift; exec "$@"';
  const command = [process.execPath, bin, 'sandbox', '--key', KEY, ...args];
  const child = spawn('bash', ['-c', script, 'bash', String(Math.floor(bytes / 1024)), ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await expect.poll(() => text).toContain('Press Ctrl-C to stop it.');
  return { url: /base URL +(\S+)/.exec(text)?.[1] ?? '', ended };
}

/** Sends batches one after the other until one is refused. */
async function fill(url: string): Promise<{ receipts: string[]; refused: Reply }> {
  const receipts: string[] = [];
  for (let n = 0; n < 1000; n++) {
    const reply = await post(url + SIGNALS, KEY, {
      signals: [{ ...signal(n), description: 'x'.repeat(500) }],
    });
    if (reply.status !== 200) return { receipts, refused: reply };
    receipts.push(JSON.parse(reply.text).batchId);
  }
  throw new Error('the limit was never reached');
}

test.skipIf(process.platform === 'win32')(
  'gives no receipt for a batch that does not fit in the state file, and stores every other one',
  async () => {
    const state = path.join(newFolder(), 'state.ndjson');
    const { url } = await limited(32 * 1024, ['--state', state]);
    const { receipts, refused } = await fill(url);
    expect(receipts.length).toBeGreaterThan(5);
    expect(refused.status).toBe(500);
    expect(JSON.parse(refused.text).error.message).toContain('its state file cannot be written');
    // A small batch would fit, but the memory is ahead of the file.
    expect((await post(url + SIGNALS, KEY, { signals: [] })).status).toBe(500);
    expect((await call(`${url}/sandbox/reset`, { method: 'POST' })).status).toBe(500);
    // It can still be looked at.
    expect((await call(`${url}/sandbox/summary`)).status).toBe(200);
    expect(lines((await call(`${url}/sandbox/batches`)).text).map(({ batchId }) => batchId)).toStrictEqual(receipts);
    expect(readFileSync(state, 'utf8').endsWith('\n')).toBe(true);

    const copy = `${state}.copy`;
    writeFileSync(copy, readFileSync(state));
    const next = await start({ state: copy });
    const kept = lines((await call(`${next.url}/sandbox/batches`)).text).map(({ batchId }) => batchId);
    expect(kept).toStrictEqual(receipts);
    expect(lines((await call(`${next.url}/sandbox/records`)).text)).toHaveLength(receipts.length);
    // A batch without a receipt was not processed: resent, it is accepted.
    const again = await post(next.url + SIGNALS, KEY, { signals: [signal(receipts.length)] });
    expect(JSON.parse(again.text).stats).toStrictEqual({ accepted: 1, deduplicated: 0, rejected: 0 });
  },
);

test.skipIf(process.platform === 'win32')('gives no receipt for a batch that does not fit in the log', async () => {
  const log = path.join(newFolder(), 'log.ndjson');
  const { url } = await limited(8 * 1024, ['--log', log]);
  const { receipts, refused } = await fill(url);
  expect([refused.status, refused.text]).toStrictEqual([
    500,
    expect.stringContaining('its log file cannot be written'),
  ]);
  const logged = lines(readFileSync(log, 'utf8')).map(({ batchId }) => batchId);
  expect(logged).toStrictEqual(receipts);
  expect((await post(url + SIGNALS, KEY, { signals: [] })).status).toBe(500);
});

// Root can write to read-only files.
test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'does not start with a read-only state file',
  async () => {
    const state = path.join(newFolder(), 'state.ndjson');
    writeFileSync(state, '', { mode: 0o400 });
    await expect(start({ state })).rejects.toMatchObject({ problems: [{ code: 'sandbox.state' }] });
    chmodSync(state, 0o600);
  },
);

test('does not start with a state file that is a folder or in a missing folder', async () => {
  const folder = newFolder();
  for (const state of [folder, path.join(folder, 'none', 'state.ndjson')]) {
    await expect(start({ state })).rejects.toMatchObject({
      problems: [{ code: 'sandbox.state', where: state }],
    });
  }
  expect(statSync(folder).isDirectory()).toBe(true);
});
