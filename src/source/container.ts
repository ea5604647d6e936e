/**
 * Compressed inputs: which they are, and their bytes unpacked as they are read. Memory is bounded, whatever a few
 * bytes unpack to: nothing is unpacked before it is asked for.
 */
import { pipeline, Readable, Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { ProblemError } from '../model/problem.ts';

export type Container = 'gzip' | 'brotli' | 'zstd';

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** By its first bytes; Brotli has none of its own, and is known by the name alone. */
export function containerOf(name: string, first: Buffer): Container | undefined {
  if (first.subarray(0, GZIP.length).equals(GZIP)) return 'gzip';
  if (first.subarray(0, ZSTD.length).equals(ZSTD)) return 'zstd';
  return /\.br$/i.test(name) ? 'brotli' : undefined;
}

/**
 * The bytes that are packed in `packed`. All of `packed` is read, so that its digest is the file's: padding behind
 * the end of the packed data is passed over, and more than zlib takes for padding is a failure.
 *
 * @throws ProblemError `input.container` where this Node cannot unpack it. Rejects with what `packed` rejects
 * with, and with zlib's error where the data is torn or damaged.
 */
export function unpacked(
  name: string,
  container: Container,
  packed: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  const unpacker = unpackerOf(name, container);
  return (async function* () {
    // Without `return`, so that the rest can be read when the unpacker has enough.
    const source = Readable.from({ [Symbol.asyncIterator]: () => ({ next: () => packed.next() }) });
    let failure: unknown;
    pipeline(source, unpacker, (error) => {
      failure = error;
    });
    try {
      for await (const chunk of unpacker) yield chunk;
    } catch (error) {
      throw failure ?? error;
    }
    for await (const _rest of packed);
  })();
}

function unpackerOf(name: string, container: Container): Transform {
  if (container === 'gzip') return zlib.createGunzip();
  if (container === 'brotli') return zlib.createBrotliDecompress();
  // From Node 22.15 and 23.8 on; the types are those of the oldest version that this program runs on.
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  const unpacker: unknown = typeof create === 'function' ? create() : undefined;
  if (unpacker instanceof Transform) return unpacker;
  throw new ProblemError({
    code: 'input.container',
    message: `'${name}' is compressed with Zstandard, which Node ${process.versions.node} cannot unpack; expected Node 22.15 or newer.`,
    where: name,
    hint: 'Unpack it first (`zstd -d FILE.zst`), or upload with a newer Node.',
  });
}
