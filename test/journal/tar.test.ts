import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { readTar, tar } from '../../src/journal/tar.ts';

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

test('what is written is read again, and damage is noticed', async () => {
  const files = new Map([
    ['plain', Buffer.from('a')],
    [`deep/${'long-'.repeat(30)}name.csv`, Buffer.alloc(100_000, 'b')],
    ['Zürich 日本.ndjson', Buffer.alloc(0)],
  ]);
  const parts: Buffer[] = [];
  for await (const part of tar([...files].map(([name, bytes]) => ({ name, from: { bytes } })))) parts.push(part);
  const whole = Buffer.concat(parts);
  const read = async (archive: Buffer) => {
    const found = new Map<string, Buffer>();
    const chunks = Readable.from([archive.subarray(0, 700), archive.subarray(700)]);
    for await (const { name, content } of readTar(chunks))
      found.set(name, Buffer.concat(await Readable.from(content).toArray()));
    return found;
  };
  expect(await read(whole)).toEqual(files);
  await expect(read(whole.subarray(0, -2000))).rejects.toThrow('it is cut off');
  const damaged = Buffer.from(whole);
  damaged[3] = 0x7a;
  await expect(read(damaged)).rejects.toThrow('a header is damaged');
});
