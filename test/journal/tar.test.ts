import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tar } from '../../src/journal/tar.ts';

test('an archive holds its files byte for byte, whatever their names and sizes, for an independent reader', async () => {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(path.join(parent, 'tar-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const files = new Map([
    ['empty', Buffer.alloc(0)],
    ['one block', Buffer.alloc(512, 'a')],
    ['a block and a byte', Buffer.alloc(513, 'b')],
    [`deep/${'long-'.repeat(30)}name.csv`, Buffer.from('long')],
    ['Zürich 日本.ndjson', Buffer.from('{}\n')],
  ]);
  const onDisk = path.join(folder, 'source');
  await writeFile(onDisk, Buffer.alloc(200_000, 'xyz'));
  const entries = [...files].map(([name, bytes]) => ({ name, from: { bytes } }));
  const parts: Buffer[] = [];
  for await (const part of tar([...entries, { name: 'big', from: { file: onDisk } }])) parts.push(part);
  const archive = Buffer.concat(parts);
  expect(archive.length % 512).toBe(0);
  await writeFile(path.join(folder, 'it.tar'), archive);
  await mkdir(path.join(folder, 'out'));
  execFileSync('tar', ['-xf', path.join(folder, 'it.tar'), '-C', path.join(folder, 'out')]);
  for (const [name, bytes] of files) {
    expect(await readFile(path.join(folder, 'out', name))).toEqual(bytes);
  }
  expect(await readFile(path.join(folder, 'out', 'big'))).toEqual(await readFile(onDisk));
});
