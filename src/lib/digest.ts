/**
 * XXH64 digests with 16 hexadecimal digits, as `xxhsum` prints them. They detect accidental changes, not deliberate ones.
 * docs/internals/performance.md has the reason not to use SHA-256.
 */
import xxhash from 'xxhash-wasm';
import { once } from './resources.ts';

export type DigestOf = (bytes: Uint8Array) => string;

/** Compiles WebAssembly at the first call, which takes a few milliseconds. */
export const loadDigests = once(async () => {
  const { h64Raw, create64 } = await xxhash();
  const digestOf: DigestOf = (bytes) => hexadecimal(h64Raw(bytes));
  return {
    digestOf,
    begin() {
      const running = create64();
      return {
        update: (bytes: Uint8Array): void => void running.update(bytes),
        digest: (): string => hexadecimal(running.digest()),
      };
    },
  };
});

export type Digests = Awaited<ReturnType<typeof loadDigests>>;
export type RunningDigest = ReturnType<Digests['begin']>;

function hexadecimal(value: bigint): string {
  return value.toString(16).padStart(16, '0');
}
