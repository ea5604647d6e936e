import { open } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openZip, type ZipArchive } from '../../src/input/zip.ts';
import { problemFrom } from '../support/problems.ts';
import { zipOf } from '../support/zip.ts';
import { put } from './opened.ts';

async function openBytes(bytes: Buffer): Promise<ZipArchive> {
  const handle = await open(await put('in.zip', bytes), 'r');
  onTestFinished(() => handle.close());
  return openZip('in.zip', handle);
}

async function textOf(archive: ZipArchive, index = 0): Promise<string> {
  const member = archive.members[index];
  if (member === undefined) throw new Error(`there is no member ${index}`);
  const chunks: Buffer[] = [];
  for await (const chunk of archive.read(member)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const LONG = 'a,b\n'.repeat(100_000);

describe('a zip archive', () => {
  it('lists its files in order, and gives their bytes', async () => {
    const archive = await openBytes(
      zipOf([
        { path: 'b/é.csv', bytes: LONG },
        { path: 'folder/', bytes: '', method: 0 },
        { path: 'a.csv', bytes: 'stored', method: 0 },
      ]),
    );
    expect(archive.members).toEqual([
      { path: 'b/é.csv', isLink: false },
      { path: 'a.csv', isLink: false },
    ]);
    expect(await textOf(archive, 1)).toBe('stored');
    expect(await textOf(archive, 0)).toBe(LONG);
  });

  it.each([
    ['a wrong checksum', { crc: 1 }, 'the checksum is wrong'],
    ['fewer bytes than the directory says', { size: LONG.length + 1 }, 'not enough bytes in the stream'],
    ['more bytes than the directory says', { size: 10 }, 'too many bytes in the stream'],
  ])('refuses %s', async (_what, wrong, reason) => {
    const archive = await openBytes(zipOf([{ path: 'a.csv', bytes: LONG, ...wrong }]));
    const problem = await problemFrom(textOf(archive));
    expect(problem).toMatchObject({ code: 'input.failed', where: 'in.zip:a.csv' });
    expect(problem.message).toContain(reason);
  });

  it('refuses an unknown compression, and says what to do', async () => {
    const archive = await openBytes(zipOf([{ path: 'a.csv', bytes: 'x', method: 99 }]));
    expect(await problemFrom(textOf(archive))).toMatchObject({
      code: 'input.failed',
      message: "'in.zip:a.csv' cannot be read: unsupported compression method: 99.",
      hint: expect.stringContaining('unpack it with another program'),
    });
  });

  it.each([
    ['cut at its end', zipOf([{ path: 'a.csv', bytes: LONG }]).subarray(0, -30), 'input.failed'],
    ['with an absolute path', zipOf([{ path: '/etc/a.csv', bytes: 'x' }]), 'input.failed'],
  ])('refuses an archive %s', async (_what, bytes, code) => {
    expect(await problemFrom(openBytes(bytes))).toMatchObject({ code, where: 'in.zip' });
  });

  it('refuses too many files, and far more bytes than real data unpacks to', async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => ({ path: `${index}`, bytes: '', method: 0 }));
    expect(await problemFrom(openBytes(zipOf(many)))).toMatchObject({ code: 'input.container' });
    const bomb = zipOf([{ path: 'a.csv', bytes: LONG, size: 2 ** 31 }]);
    expect(await problemFrom(openBytes(bomb))).toMatchObject({ code: 'input.container' });
  });
});
