/**
 * Compressed inputs: which they are, and their bytes unpacked as they are read. Memory is bounded, whatever a few
 * bytes unpack to: nothing is unpacked before it is asked for.
 */
import { pipeline, Readable, Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { once } from '../lib/once.ts';
import { ProblemError } from '../model/problem.ts';

export type Compression = 'gzip' | 'brotli' | 'zstd';

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** A frame that carries no content; pzstd begins with one. The first of its four bytes may be 0x50 to 0x5f. */
const SKIPPABLE = Buffer.from([0x2a, 0x4d, 0x18]);

/** By its first bytes; Brotli has none of its own, and is known by the name alone. */
export function detectCompression(name: string, first: Buffer): Compression | undefined {
  if (first.subarray(0, GZIP.length).equals(GZIP)) return 'gzip';
  if (first.subarray(0, ZSTD.length).equals(ZSTD) || isSkippable(first)) return 'zstd';
  return /\.br$/i.test(name) ? 'brotli' : undefined;
}

function isSkippable(first: Buffer): boolean {
  return ((first[0] ?? 0) & 0xf0) === 0x50 && first.subarray(1, 4).equals(SKIPPABLE);
}

/**
 * The bytes that are packed in `packed`. All of `packed` is read, so that its digest is the file's. What stands behind
 * the packed data is packed data as well (several gzip members or Zstandard frames), or padding that zlib passes
 * over, or a failure: never passed over in silence.
 *
 * @throws ProblemError `input.container` where this Node cannot unpack it. Rejects with what `packed` rejects
 * with, and with zlib's error where the data is torn or damaged.
 */
export function decompress(
  name: string,
  container: Compression,
  packed: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  const first = unpackerOf(name, container);
  return (async function* () {
    let rest = yield* unpackedOnce(first, packed, []);
    if (container === 'gzip') {
      for await (const _padding of packed);
      return;
    }
    // Node's unpackers stop at the end of a frame that does not end with a chunk, and say nothing.
    while (rest.length > 0) {
      if (container === 'brotli') throw new Error('there is more behind the end of the packed data');
      rest = yield* unpackedOnce(unpackerOf(name, container), packed, rest);
    }
  })();
}

/** Unpacks up to where the unpacker has enough, and returns the packed bytes behind that: none at the end. */
async function* unpackedOnce(
  unpacker: Transform,
  packed: AsyncGenerator<Buffer>,
  before: readonly Buffer[],
): AsyncGenerator<Buffer, readonly Buffer[]> {
  const ahead = [...before];
  const fed: Buffer[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const pull = async (): Promise<IteratorResult<Buffer>> => {
    const held = ahead.shift();
    const next: IteratorResult<Buffer> =
      held === undefined ? await packed.next() : { done: false, value: held };
    if (next.done !== true) fed.push(next.value);
    return next;
  };
  // Without `return`, so that the rest can be read when the unpacker has enough.
  const source = Readable.from({
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const pulled = pull();
        last = pulled;
        return pulled;
      },
    }),
  });
  let taken = 0;
  let failure: unknown;
  pipeline(source, unpacker, (error) => {
    failure = error;
  });
  try {
    for await (const chunk of unpacker) {
      taken = forget(fed, taken, bytesTaken(unpacker));
      yield chunk;
    }
  } catch (error) {
    throw failure ?? error;
  }
  source.destroy();
  await last;
  const used = bytesTaken(unpacker) - forget(fed, taken, bytesTaken(unpacker));
  const [half, ...whole] = fed;
  const rest =
    half === undefined ? [] : [half.subarray(used), ...whole, ...ahead].filter(({ length }) => length > 0);
  if (rest.length > 0) return rest;
  const next = await packed.next();
  return next.done === true ? [] : [next.value];
}

/** Drops chunks that were used up. `dropped` counts the bytes of those dropped before; returns the new count. */
function forget(fed: Buffer[], dropped: number, used: number): number {
  let count = dropped;
  for (let [first] = fed; first !== undefined && count + first.length <= used; [first] = fed) {
    count += first.length;
    fed.shift();
  }
  return count;
}

/** Packed bytes that the unpacker has made use of. */
function bytesTaken(unpacker: Transform): number {
  const bytes: unknown = Reflect.get(unpacker, 'bytesWritten');
  if (typeof bytes !== 'number') throw new TypeError('zlib does not say how many bytes it has read');
  return bytes;
}

function unpackerOf(name: string, container: Compression): Transform {
  if (container === 'gzip') return zlib.createGunzip();
  if (container === 'brotli') return zlib.createBrotliDecompress();
  // The types are those of the oldest Node that this program runs on, which has nothing for Zstandard.
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  const unpacker: unknown = typeof create === 'function' && noticesTornZstd() ? create() : undefined;
  if (unpacker instanceof Transform) return unpacker;
  throw new ProblemError({
    code: 'input.container',
    message: `'${name}' is compressed with Zstandard, which Node ${process.versions.node} cannot unpack so that missing data is noticed; expected Node 24 or newer.`,
    where: name,
    hint: 'Unpack it first (`zstd -d FILE.zst`), or upload with a newer Node.',
  });
}

/** Node 22 takes data that was cut off for whole: its last rows would be missing, and nobody would know. */
const noticesTornZstd = once((): boolean => {
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
