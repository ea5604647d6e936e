/**
 * Detects compressed inputs and decompresses them while they are read. Memory is bounded: nothing is decompressed before
 * the caller asks for it.
 */
import { pipeline, Readable, Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { once } from '../lib/once.ts';
import { ProblemError } from '../model/problem.ts';

export type Compression = 'gzip' | 'brotli' | 'zstd';

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** A skippable frame has no content; pzstd writes one first. Its first byte, not included here, is 0x50 to 0x5f. */
const SKIPPABLE = Buffer.from([0x2a, 0x4d, 0x18]);

/** Detects a compression by its first bytes; Brotli, which has no magic number, by the file name. */
export function detectCompression(name: string, first: Buffer): Compression | undefined {
  if (first.subarray(0, GZIP.length).equals(GZIP)) return 'gzip';
  if (first.subarray(0, ZSTD.length).equals(ZSTD) || isSkippable(first)) return 'zstd';
  return /\.br$/i.test(name) ? 'brotli' : undefined;
}

function isSkippable(first: Buffer): boolean {
  return ((first[0] ?? 0) & 0xf0) === 0x50 && first.subarray(1, 4).equals(SKIPPABLE);
}

/**
 * Decompresses `packed`, and reads all of it so that its digest is that of the file. What follows the compressed data is
 * decompressed too (more gzip members or Zstandard frames), or is padding that zlib skips, or an error.
 *
 * @throws ProblemError `input.container` if this Node cannot decompress it. Rejects if `packed` does, and with zlib's
 * error if the data is truncated or damaged.
 */
export function decompress(
  name: string,
  compression: Compression,
  packed: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  const first = createDecompressor(name, compression);
  return (async function* () {
    let rest = yield* decompressOne(first, packed, []);
    if (compression === 'gzip') {
      for await (const _padding of packed);
      return;
    }
    // Node's decompressors stop silently at the end of a frame that ends inside a chunk.
    while (rest.length > 0) {
      if (compression === 'brotli') throw new Error('there is data after the end of the compressed data');
      rest = yield* decompressOne(createDecompressor(name, compression), packed, rest);
    }
  })();
}

/** Decompresses one member or frame, and returns the bytes after it: none at the end of the input. */
async function* decompressOne(
  decompressor: Transform,
  packed: AsyncGenerator<Buffer>,
  before: readonly Buffer[],
): AsyncGenerator<Buffer, readonly Buffer[]> {
  const ahead = [...before];
  const fed: Buffer[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const pull = async (): Promise<IteratorResult<Buffer>> => {
    const held = ahead.shift();
    const next: IteratorResult<Buffer> = held === undefined ? await packed.next() : { done: false, value: held };
    if (next.done !== true) fed.push(next.value);
    return next;
  };
  // Has no `return`, so that the rest can be read after the decompressor has stopped.
  const source = Readable.from({
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const pulled = pull();
        last = pulled;
        return pulled;
      },
    }),
  });
  let dropped = 0;
  let failure: unknown;
  pipeline(source, decompressor, (error) => {
    failure = error;
  });
  try {
    for await (const chunk of decompressor) {
      dropped = dropUsed(fed, dropped, bytesUsed(decompressor));
      yield chunk;
    }
  } catch (error) {
    throw failure ?? error;
  }
  source.destroy();
  await last;
  const used = bytesUsed(decompressor) - dropUsed(fed, dropped, bytesUsed(decompressor));
  const [partlyUsed, ...unused] = fed;
  const rest =
    partlyUsed === undefined ? [] : [partlyUsed.subarray(used), ...unused, ...ahead].filter(({ length }) => length > 0);
  if (rest.length > 0) return rest;
  const next = await packed.next();
  return next.done === true ? [] : [next.value];
}

/** Drops chunks that are used up. `dropped`: bytes of the chunks dropped before; returns the new count. */
function dropUsed(fed: Buffer[], dropped: number, used: number): number {
  let count = dropped;
  for (let [first] = fed; first !== undefined && count + first.length <= used; [first] = fed) {
    count += first.length;
    fed.shift();
  }
  return count;
}

/** Compressed bytes that the decompressor has used. */
function bytesUsed(decompressor: Transform): number {
  const bytes: unknown = Reflect.get(decompressor, 'bytesWritten');
  if (typeof bytes !== 'number') throw new TypeError('zlib does not report how many bytes it has read');
  return bytes;
}

function createDecompressor(name: string, compression: Compression): Transform {
  if (compression === 'gzip') return zlib.createGunzip();
  if (compression === 'brotli') return zlib.createBrotliDecompress();
  // Node's types are those of the oldest supported version, which has no Zstandard.
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  const decompressor: unknown = typeof create === 'function' && detectsTruncatedZstd() ? create() : undefined;
  if (decompressor instanceof Transform) return decompressor;
  throw new ProblemError({
    code: 'input.container',
    message: `'${name}' is compressed with Zstandard, which Node ${process.versions.node} cannot decompress without missing truncated data; expected Node 24 or newer.`,
    where: name,
    hint: 'Decompress it first (`zstd -d FILE.zst`), or use a newer Node.',
  });
}

/** Node 22 accepts truncated data: the last rows would be missing without an error. */
const detectsTruncatedZstd = once((): boolean => {
  const pack: unknown = Reflect.get(zlib, 'zstdCompressSync');
  const unpack: unknown = Reflect.get(zlib, 'zstdDecompressSync');
  if (typeof pack !== 'function' || typeof unpack !== 'function') return false;
  const packed: unknown = pack(Buffer.from('whole'));
  try {
    unpack(Buffer.isBuffer(packed) ? packed.subarray(0, -1) : packed);
    return false;
  } catch {
    return true;
  }
});
