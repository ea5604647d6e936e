import { randomBytes } from 'node:crypto';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { loadDigests } from '../../src/lib/digest.ts';
import { problemFrom } from '../support/problems.ts';
import { bytesOf, openOne, put } from './opened.ts';

const { digestOf } = await loadDigests();

/** Text that is large, and that compresses to something that is large as well. */
const TEXT = Buffer.from(`a,b\n${randomBytes(600_000).toString('hex')}\n`);

const openBytes = async (name: string, bytes: Buffer) => openOne(await put(name, bytes));

describe('a compressed input', () => {
  it('gives what is in it, and size and digest of the file itself', async () => {
    const packed = zlib.gzipSync(TEXT);
    const input = await openBytes('in.csv.gz', packed);
    expect(input).toMatchObject({ isGzip: true, size: packed.length, headIsWhole: false });
    expect(input.head.equals(TEXT.subarray(0, 256 * 1024))).toBe(true);
    expect((await bytesOf(input)).equals(TEXT)).toBe(true);
    expect(input.digest()).toBe(digestOf(packed));
  });

  it('is detected by its bytes, and read to its end although padding follows the packed data', async () => {
    const bytes = Buffer.concat([zlib.gzipSync('a,b\n1,2\n'), Buffer.alloc(1000)]);
    const input = await openBytes('in.csv', bytes);
    expect(input).toMatchObject({ isGzip: true, headIsWhole: true });
    expect((await bytesOf(input)).toString()).toBe('a,b\n1,2\n');
    expect(input.digest()).toBe(digestOf(bytes));
  });

  it('that is damaged or has nothing in it is told on opening', async () => {
    const packed = zlib.gzipSync('a,b\n1,2\n');
    const damaged = Buffer.from(packed).fill(0xff, 14, 15);
    expect(await problemFrom(openBytes('in.gz', damaged))).toMatchObject({ code: 'input.failed' });
    expect(await problemFrom(openBytes('in.gz', packed.subarray(0, 12)))).toMatchObject({ code: 'input.failed' });
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
    expect(bytes).toBe(256 * 1024 * 1024);
    expect(most).toBeLessThan(100 * 1024 * 1024);
  });
});
