/**
 * A simulated Redis with a shared rate, as `@redis/client` for each process. It does what the scripts of
 * deliver/redis-rate-store.ts say; test/deliver/redis-rate-store.test.ts tries them in a real one.
 */
import { EventEmitter } from 'node:events';
import { systemError } from './disk.ts';
import type { Owner, Random, Schedule } from './schedule.ts';

/** Times are microseconds. */
interface Share {
  readonly freeAt: Map<string, number>;
  rate: string;
  epoch: number;
  paused: number;
  spaced: number;
}

interface Question {
  readonly keys: readonly string[];
  readonly arguments: readonly string[];
}

export class RateStore {
  /** Of each question, the part that fails before or after the store has done it. */
  failing = 0;
  /** When it lost its data, in simulated milliseconds. */
  readonly losses: number[] = [];
  readonly #schedule: Schedule;
  readonly #random: Random;
  /** Of each API key. */
  readonly #shares = new Map<string, Share>();

  constructor(schedule: Schedule, random: Random) {
    this.#schedule = schedule;
    this.#random = random;
  }

  loseData(): void {
    this.losses.push(this.#schedule.now);
    this.#shares.clear();
  }

  moduleFor(client: Owner): object {
    const ask = <T>(work: () => T, fates = ['lost', 'cut', 'silent']): Promise<T> =>
      new Promise((resolve, reject) => {
        const fate = this.#random.chance(this.failing) ? this.#random.pick(fates) : 'done';
        // What has left is done, whatever becomes of the process.
        this.#schedule.in(this.#random.next() * 2, undefined, () => {
          const answer = fate === 'lost' ? undefined : work();
          if (fate === 'silent') return;
          this.#schedule.in(this.#random.next() * 2, client, () =>
            fate === 'done' ? resolve(answer as T) : reject(systemError('ECONNRESET', 'read', 'the store')),
          );
        });
      });
    const evaluate = (key: string, given: readonly string[]) => ask(() => this.#run(this.#shareOf(key), given));
    const release = (key: string, permits: readonly string[]) =>
      ask(() => {
        for (const permit of permits) this.#shareOf(key).freeAt.delete(permit);
      });
    class Client extends EventEmitter {
      isReady = false;
      isOpen = false;
      /** Tries until it is connected. */
      async connect(): Promise<void> {
        this.isOpen = true;
        while (this.isOpen && !this.isReady) {
          try {
            await ask(() => undefined, ['lost']);
            this.isReady = true;
            this.emit('ready');
          } catch (error) {
            this.emit('error', error);
          }
        }
      }
      eval = (_script: string, { keys: [key = ''], arguments: given }: Question) => evaluate(key, given);
      zRem = release;
      close = () => ask(() => this.destroy());
      destroy(): void {
        this.isOpen = false;
        this.isReady = false;
      }
    }
    const [ErrorReply, ClientOfflineError, ClientClosedError] = [class {}, class {}, class {}];
    return { createClient: () => new Client(), ErrorReply, ClientOfflineError, ClientClosedError };
  }

  #shareOf(key: string): Share {
    const share = this.#shares.get(key) ?? { freeAt: new Map(), rate: '', epoch: 0, paused: 0, spaced: 0 };
    this.#shares.set(key, share);
    return share;
  }

  /** The scripts differ in the number of their arguments. */
  #run(share: Share, given: readonly string[]): unknown {
    const now = this.#schedule.now * 1000;
    const [first = '', permit = ''] = given;
    if (given.length > 2) return lease(share, now, given);
    const at = now + Number(first);
    if (given.length === 1) share.paused = Math.max(share.paused, at);
    else if ((share.freeAt.get(permit) ?? 0) > at) share.freeAt.set(permit, at);
    return null;
  }
}

function lease(share: Share, now: number, [rate = '', ...given]: readonly string[]): unknown {
  const [count = 0, window = 0, hold = 0, ahead = 0, slack = 0, wanted = 0] = given.map(Number);
  const { freeAt } = share;
  for (const [permit, at] of freeAt) if (at <= now || at > now + ahead + hold) freeAt.delete(permit);
  if (share.rate !== '' && share.rate !== rate && freeAt.size > 0) return share.rate;
  share.rate = rate;
  share.epoch ||= now + 1;
  const pause = Math.max(0, share.paused - now);
  const inUs: number[] = [];
  let wait = 0;
  share.spaced = Math.min(Math.max(share.spaced, now - slack), now + ahead + window);
  for (let n = 1; pause === 0 && n <= wanted; n += 1) {
    const [oldest] = freeAt.size >= count ? [...freeAt].sort(([, one], [, other]) => one - other) : [];
    const at = Math.max(now, share.spaced, oldest?.[1] ?? 0);
    if (at > now + ahead) {
      wait = at - ahead - now;
      break;
    }
    if (oldest !== undefined) freeAt.delete(oldest[0]);
    freeAt.set(`${given[6]}${n}`, at + hold);
    share.spaced = Math.max(share.spaced, at - slack) + window / count;
    inUs.push(at - now);
  }
  return [String(share.epoch), pause, wait, ...inUs];
}
