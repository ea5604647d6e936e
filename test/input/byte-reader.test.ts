import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenInput, openInputs } from '../../src/input/open-inputs.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import { problemFrom } from '../support/problems.ts';

let folder: string;

beforeEach(async () => {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(path.join(parent, 'compression-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const { digestOf } = await loadDigests();

/** Text that is large, and that compresses to something that is large as well. */
const TEXT = Buffer.from(`a,b\n${randomBytes(600_000).toString('hex')}\n`);

async function openBytes(name: string, bytes: Buffer): Promise<OpenInput> {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  const [input] = await openInputs([file], Readable.from([]));
  if (input === undefined) throw new Error('nothing was opened');
  return input;
}

async function bytesOf(input: OpenInput): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of input.chunks()) chunks.push(chunk);
  } finally {
    await input.close();
  }
  return Buffer.concat(chunks);
}

describe('a compressed input', () => {
  it('gives what is in it, and size and digest of the file itself', async () => {
    const packed = zlib.gzipSync(TEXT);
    const input = await openBytes('in.csv.gz', packed);
    expect(input).toMatchObject({ isGzip: true, size: packed.length, headIsWhole: false });
    expect(input.head.equals(TEXT.subarray(0, 256 * 1024))).toBe(true);
    expect((await bytesOf(input)).equals(TEXT)).toBe(true);
    expect(input.digest()).toBe(digestOf(packed));
  });

  it('that is truncated is a failure half-way, and not the end of the data', async () => {
    const packed = zlib.gzipSync(TEXT);
    const input = await openBytes('in.csv.gz', packed.subarray(0, packed.length - 100));
    expect(await problemFrom(bytesOf(input))).toMatchObject({
      code: 'input.failed',
      where: path.join(folder, 'in.csv.gz'),
      message: expect.stringContaining('failed at byte'),
    });
    expect(() => input.digest()).toThrow('not been read to their end');
  });

  it('is detected as gzip by its first bytes, whatever its name is', async () => {
    const input = await openBytes('in.csv', zlib.gzipSync('a,b\n1,2\n'));
    expect(input).toMatchObject({ isGzip: true, headIsWhole: true });
    expect((await bytesOf(input)).toString()).toBe('a,b\n1,2\n');
  });

  it('is read to its end although some bytes of padding stand behind the packed data', async () => {
    const bytes = Buffer.concat([zlib.gzipSync('a,b\n1,2\n'), Buffer.alloc(1000)]);
    const input = await openBytes('in.gz', bytes);
    expect((await bytesOf(input)).toString()).toBe('a,b\n1,2\n');
    expect(input.digest()).toBe(digestOf(bytes));
  });

  it('that is damaged or has nothing in it is told on opening', async () => {
    const packed = zlib.gzipSync('a,b\n1,2\n');
    packed[14] = (packed[14] ?? 0) ^ 0xff;
    expect(await problemFrom(openBytes('in.gz', packed))).toMatchObject({ code: 'input.failed' });
    expect(await problemFrom(openBytes('in.gz', packed.subarray(0, 12)))).toMatchObject({
      code: 'input.failed',
    });
    expect(await problemFrom(openBytes('in.gz', zlib.gzipSync('')))).toMatchObject({ code: 'input.empty' });
  });

  it('that unpacks to a thousand times its size is unpacked as it is read', async () => {
    const packed = zlib.gzipSync(Buffer.alloc(256 * 1024 * 1024));
    expect(packed.length).toBeLessThan(300_000);
    const input = await openBytes('bomb.csv.gz', packed);
    const before = process.memoryUsage().rss;
    let bytes = 0;
    let most = 0;
    for await (const chunk of input.chunks()) {
      bytes += chunk.length;
      most = Math.max(most, process.memoryUsage.rss() - before);
    }
    await input.close();
    expect(bytes).toBe(256 * 1024 * 1024);
    expect(most).toBeLessThan(100 * 1024 * 1024);
  });
});
