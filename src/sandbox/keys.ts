/** The keys of the signals that were seen. About 60 bytes of memory a signal. */
import { hash } from 'node:crypto';

export interface Keys {
  /** The key in short where it was not seen before, and undefined where it was. Seen from now on. */
  add(key: string): string | undefined;
  /** Takes up a key in short. */
  restore(short: string): void;
  forget(): void;
}

export function createKeys(): Keys {
  // A Set holds at most 2^24 elements, which is fewer than a large upload has.
  let parts = new Map<string, Set<string>>();

  /** Whether it is new. */
  const put = (short: string): boolean => {
    const part = short.slice(0, 1);
    let set = parts.get(part);
    if (set === undefined) {
      set = new Set();
      parts.set(part, set);
    }
    const before = set.size;
    return set.add(short).size > before;
  };

  return {
    add(key) {
      // 96 bits: among a hundred million keys, two are taken for one with a chance of one in ten trillion.
      const short = hash('sha256', key, 'base64').slice(0, 16);
      return put(short) ? short : undefined;
    },
    restore(short) {
      put(short);
    },
    forget() {
      parts = new Map();
    },
  };
}
