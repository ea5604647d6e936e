/** The signals that the sandbox has received, by key: 20 to 28 bytes of memory each. */
import { hashKey, KeyMap } from '../lib/key-map.ts';

export interface SignalKeys {
  /** Adds a key. @returns whether it is new */
  add(key: string): boolean;
  /** A key as 16 characters, for a file. */
  shorten(key: string): string;
  /** Adds a shortened key. */
  restore(short: string): void;
  clear(): void;
}

export function createSignalKeys(): SignalKeys {
  let keys = new KeyMap();
  return {
    add(key) {
      const before = keys.size;
      keys.set(hashKey(key), 0);
      return keys.size > before;
    },
    shorten: (key) => Buffer.from(hashKey(key), 'latin1').toString('base64'),
    restore: (short) => keys.set(Buffer.from(short, 'base64').toString('latin1'), 0),
    clear() {
      keys = new KeyMap();
    },
  };
}
