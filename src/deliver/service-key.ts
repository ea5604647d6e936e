/** The API key of a run: masked in every text of the service, and read again once when the service refuses it. */
import type { AttemptResult } from '../model/outcome.ts';
import { createKeyRedactor, type KeyRedactor } from './redact-key.ts';

export class ServiceKey {
  readonly #reread: (() => Promise<string | undefined>) | undefined;
  /** One for each key: a late answer may repeat the old one. */
  readonly #redactors: KeyRedactor[];
  #value: string;
  #renewal: Promise<void> | undefined;

  constructor(value: string, reread?: () => Promise<string | undefined>) {
    this.#value = value;
    this.#reread = reread;
    this.#redactors = [createKeyRedactor(value)];
  }

  get value(): string {
    return this.#value;
  }

  /**
   * After the service refused a request: whether there is another key than the one that was used. The key is read again
   * once in a run: if the new one is refused too, more attempts would only lock the account.
   */
  async isReplaced(used: string): Promise<boolean> {
    if (used === this.#value) {
      this.#renewal ??= this.#renew();
      await this.#renewal;
    }
    return used !== this.#value;
  }

  /** Removes the key from every text of the service and of the connection. */
  redact(result: AttemptResult): AttemptResult {
    if (result.kind === 'failed') return { ...result, message: this.#mask(result.message) };
    const headers = Object.entries(result.headers).map(([name, value]) => [name, this.#mask(value)]);
    return { ...result, headers: Object.fromEntries(headers), body: this.#mask(result.body, !result.whole) };
  }

  #mask(text: string, isCut = false): string {
    return this.#redactors.reduce((masked, redact) => redact(masked, isCut), text);
  }

  async #renew(): Promise<void> {
    const value = await this.#reread?.();
    if (value === undefined || value === this.#value) return;
    this.#value = value;
    this.#redactors.push(createKeyRedactor(value));
  }
}
