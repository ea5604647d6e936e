/**
 * Digests are XXH64, with 16 hexadecimal digits, as `xxhsum` prints them. They tell bytes that have changed; they do not
 * withstand somebody who wants others to look the same. docs/performance.md, "What was tried",
 * says why not SHA-256.
 */
import xxhash from 'xxhash-wasm';
import { once } from './once.ts';

/** The digest of bytes, in hexadecimal. */
export type DigestOf = (bytes: Uint8Array) => string;

/** The digest of bytes that come in pieces. */
export interface RunningDigest {
  update(bytes: Uint8Array): void;
  /** In hexadecimal; of what has come so far. */
  digest(): string;
}

export interface Digests {
  readonly digestOf: DigestOf;
  begin(): RunningDigest;
}

/** WebAssembly, compiled once: a few milliseconds. */
export const loadDigests = once(load);

async function load(): Promise<Digests> {
  const { h64Raw, create64 } = await xxhash();
  return {
    digestOf: (bytes) => hexadecimal(h64Raw(bytes)),
    begin() {
      const running = create64();
      return {
        update: (bytes) => void running.update(bytes),
        digest: () => hexadecimal(running.digest()),
      };
    },
  };
}

function hexadecimal(value: bigint): string {
  return value.toString(16).padStart(16, '0');
}
