/**
 * Digests are XXH64, with 16 hexadecimal digits, as `xxhsum` prints them. They tell bytes that have changed; they do not
 * withstand somebody who wants others to look the same. docs/decisions/0074-digests-are-xxh64.md says why not SHA-256.
 */
import xxhash from 'xxhash-wasm';
import { once } from './contract/once.ts';
import type { DigestOf, RunningDigest } from './model/digest.ts';
import { loadedAtBest } from './tuning.ts';

export interface Digests {
  readonly digestOf: DigestOf;
  begin(): RunningDigest;
}

/** WebAssembly, compiled once: a few milliseconds. */
export const loadDigests = once(load);

async function load(): Promise<Digests> {
  const { h64Raw, create64 } = await loadedAtBest(xxhash);
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
