/**
 * XXH64 digests with 16 hexadecimal digits, as `xxhsum` prints them. They detect accidental changes, not deliberate ones.
 * docs/internals/performance.md has the reason not to use SHA-256.
 */
import xxhash from 'xxhash-wasm';
import { once } from './resources.ts';

export type DigestOf = (bytes: Uint8Array) => string;

export interface RunningDigest {
  update(bytes: Uint8Array): void;
  /** The digest of the pieces so far, in hexadecimal. */
  digest(): string;
}

export interface Digests {
  readonly digestOf: DigestOf;
  begin(): RunningDigest;
}

/** Compiles WebAssembly at the first call, which takes a few milliseconds. */
export const loadDigests = once(async (): Promise<Digests> => {
  const { h64Raw, create64 } = await xxhash();
  return {
    digestOf: (bytes) => hexadecimal(h64Raw(bytes)),
    begin() {
      const running = create64();
      return { update: (bytes) => void running.update(bytes), digest: () => hexadecimal(running.digest()) };
    },
  };
});

function hexadecimal(value: bigint): string {
  return value.toString(16).padStart(16, '0');
}
