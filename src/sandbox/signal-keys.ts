/** The signals that the sandbox has received, by key: 20 to 28 bytes of memory each. */
import { hashKey, KeyMap } from '../lib/key-map.ts';

export class SignalKeys {
  readonly #keys = new KeyMap();

  /** Adds a key. @returns whether it is new */
  add(key: string): boolean {
    const before = this.#keys.size;
    this.#keys.set(hashKey(key), 0);
    return this.#keys.size > before;
  }

  /** A key as 16 characters, for a file. */
  shorten(key: string): string {
    return Buffer.from(hashKey(key), 'latin1').toString('base64');
  }

  /** Adds a shortened key. */
  restore(short: string): void {
    this.#keys.set(Buffer.from(short, 'base64').toString('latin1'), 0);
  }
}
