/**
 * The rate limiters: RateLimit limits one process, SharedRateLimit several. The rate is what the *server* must see: at most `count`
 * requests in any window. The window of a request starts when it has certainly arrived: at its answer, or {@link ARRIVAL_MS}
 * after it left. Requests are also spaced evenly, so the service sees no bursts.
 */
import { EventEmitter } from 'node:events';
import { messageOf } from '../lib/text.ts';
import type { ThrottleChanged } from '../model/event.ts';
import type { RunStop } from '../model/outcome.ts';
import type { Clock } from './clock.ts';
import { backoff, CEILING_MS, CLOSED, nextBreaker } from './throttle-rules.ts';

export interface RequestRate {
  readonly count: number;
  readonly perMs: number;
}

/** A request counts as arrived this long after it left. Only slower answers reduce the rate. */
export const ARRIVAL_MS = 1000;
/** Difference between the server's second and ours. */
export const MARGIN_MS = 10;
/** How far a busy process may fall behind the even spacing and still catch up. */
const SLACK_MS = 50;

export interface RateSlot {
  left(now: number): void;
  answered(now: number): void;
}

/** Emits `change` when the earliest time may have changed. */
export interface RateLimiter extends EventEmitter<{ change: [] }> {
  /**
   * The earliest time at which the next request may leave. Infinity: not known before the next change.
   * @param waiting requests that could leave now
   */
  earliest(waiting: number): number;
  take(now: number): RateSlot;
  pause?(ms: number): void;
}

export class RateLimit extends EventEmitter<{ change: [] }> implements RateLimiter {
  readonly #count: number;
  readonly #intervalMs: number;
  readonly #windowMs: number;
  /** When the slot of request n is free, at index n modulo `count`: request n + count reuses it. */
  readonly #freeAt: number[] = [];
  #started = 0;
  #nextSpaced = 0;

  constructor({ count, perMs }: RequestRate) {
    super();
    this.#count = count;
    this.#intervalMs = perMs / count;
    this.#windowMs = perMs + MARGIN_MS;
  }

  earliest(): number {
    return Math.max(this.#nextSpaced, this.#freeAt[this.#started % this.#count] ?? 0);
  }

  take(now: number): RateSlot {
    const request = this.#started;
    this.#started += 1;
    this.#freeAt[request % this.#count] = Number.POSITIVE_INFINITY;
    this.#nextSpaced = Math.max(this.#nextSpaced, now - SLACK_MS) + this.#intervalMs;
    return {
      left: (at) => this.#free(request, at + ARRIVAL_MS + this.#windowMs),
      answered: (at) => this.#free(request, at + this.#windowMs),
    };
  }

  #free(request: number, until: number): void {
    const isReused = this.#started > request + this.#count;
    const slot = request % this.#count;
    if (isReused) return;
    this.#freeAt[slot] = Math.min(this.#freeAt[slot] ?? until, until);
    this.emit('change');
  }
}

/** Permits of one address and API key. A lease may fail: the store is elsewhere. */
export interface RateStore {
  /**
   * Leases up to `wanted` permits. Each is lost to all for a while if its holder dies.
   * @throws RateStoreRefusal if a later attempt would fail too
   */
  lease(rate: RequestRate, wanted: number): Promise<Lease>;
  /** The request of a permit was answered: the permit returns one window from now. */
  answered(permit: string): void;
  release(permits: readonly string[]): void;
  pause(ms: number): void;
  close(): Promise<void>;
}

export interface Lease {
  /** `inMs`: when the request may leave, from now. */
  readonly permits: readonly { readonly id: string; readonly inMs: number }[];
  /** Without permits: when it is worth asking again. */
  readonly waitMs: number;
  /** How long sending is paused for all. */
  readonly pausedMs: number;
  readonly epoch: string;
  /** How long a request counts after its answer. */
  readonly windowMs: number;
}

export class RateStoreRefusal extends Error {}

interface Permit {
  readonly id: string;
  /** When its request may leave, and until when it must. Monotonic milliseconds. */
  readonly at: number;
  readonly until: number;
}

export interface SharedRateDeps {
  readonly clock: Clock;
  readonly runStop: RunStop;
  readonly retryMaxTimeMs: number;
  readonly notifyPause: (change: Pick<ThrottleChanged, 'ms' | 'why'>) => Promise<void>;
}

/** A request leaves at most this long after its permit allows it; else the permit is returned. */
const USE_MS = 500;
/** A lease is for at most this much of the rate: a process that dies takes its permits along for a while. */
const BLOCK_MS = 20;
/** Longest time between two questions to the store: another process may return permits. */
const ASK_AGAIN_MS = 1000;
/** A shorter pause is not worth a message. */
const SHORT_PAUSE_MS = 250;
const LONGEST_GAP_MS = 2 * CEILING_MS;

/**
 * One rate for several processes (docs/internals/spec/delivery.md, "Throttle"): leases a few permits at a time. The store's clock
 * decides. Without the store no request starts.
 */
export class SharedRateLimit extends EventEmitter<{ change: [] }> implements RateLimiter {
  readonly #store: RateStore;
  readonly #rate: RequestRate;
  readonly #deps: SharedRateDeps;
  #permits: Permit[] = [];
  #isLeasing = false;
  #epoch: string | undefined;
  #outage = CLOSED;
  /** An error of {@link SharedRateDeps.notifyPause}. */
  #failure: { readonly error: unknown } | undefined;

  constructor(store: RateStore, rate: RequestRate, deps: SharedRateDeps) {
    super();
    this.#store = store;
    this.#rate = rate;
    this.#deps = deps;
  }

  earliest(waiting: number): number {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#returnLate();
    const [next] = this.#permits;
    if (next !== undefined) return next.at;
    if (!this.#isLeasing) void this.#lease(waiting);
    return Number.POSITIVE_INFINITY;
  }

  take(): RateSlot {
    const permit = this.#permits.shift();
    return { left: () => undefined, answered: () => permit !== undefined && this.#store.answered(permit.id) };
  }

  pause(ms: number): void {
    this.#store.pause(ms);
  }

  /** A permit that was not used in time, for example because sending was paused, is for others. */
  #returnLate(): void {
    const now = this.#deps.clock.now();
    const late = this.#permits.filter(({ until }) => until < now);
    if (late.length === 0) return;
    this.#permits = this.#permits.filter((permit) => !late.includes(permit));
    this.#store.release(late.map(({ id }) => id));
  }

  async #lease(waiting: number): Promise<void> {
    const { clock, runStop } = this.#deps;
    this.#isLeasing = true;
    const block = Math.max(1, Math.floor((this.#rate.count * BLOCK_MS) / this.#rate.perMs));
    try {
      while (!runStop.signal.aborted) {
        const waitMs = await this.#ask(Math.min(waiting, block));
        // A request may have taken the permit meanwhile.
        if (waitMs === 0) break;
        await clock.sleep(waitMs, runStop.signal);
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#isLeasing = false;
    this.emit('change');
  }

  async #ask(wanted: number): Promise<number> {
    const { clock, notifyPause } = this.#deps;
    let lease: Lease;
    try {
      lease = await this.#store.lease(this.#rate, wanted);
    } catch (error) {
      return this.#onError(error);
    }
    this.#outage = CLOSED;
    const { permits, pausedMs, epoch, windowMs } = lease;
    const hasForgotten = this.#epoch !== undefined && epoch !== this.#epoch;
    this.#epoch = epoch;
    if (hasForgotten) {
      this.#store.release(permits.map(({ id }) => id));
      const why = 'the rate store has lost its data, so the last requests must pass first';
      await notifyPause({ ms: windowMs, why });
      return windowMs;
    }
    // Not early: the store's clock was read before this moment.
    const now = clock.now();
    this.#permits = permits.map(({ id, inMs }) => ({ id, at: now + inMs, until: now + inMs + USE_MS }));
    if (pausedMs > SHORT_PAUSE_MS) {
      await notifyPause({ ms: pausedMs, why: 'the service asked another process to wait' });
      return pausedMs;
    }
    return permits.length > 0 ? 0 : Math.min(Math.max(1, pausedMs, lease.waitMs), ASK_AGAIN_MS);
  }

  async #onError(error: unknown): Promise<number> {
    const { clock, runStop, retryMaxTimeMs, notifyPause } = this.#deps;
    const why = messageOf(error);
    if (error instanceof RateStoreRefusal) {
      runStop.stop({ code: 'rate', message: `The rate store refuses: ${why}.` });
      return 0;
    }
    this.#outage = nextBreaker(this.#outage, { at: clock.now() }, { longestGapMs: LONGEST_GAP_MS });
    const { failures, lastedMs } = this.#outage;
    if (lastedMs > retryMaxTimeMs) {
      const seconds = Math.round(lastedMs / 1000);
      runStop.stop({
        code: 'rate',
        message: `The rate store has been unavailable for ${seconds} s. The last failure was: ${why}.`,
        hint: 'Check rate_store, and that the store is up and reachable from this machine.',
      });
      return 0;
    }
    const waitMs = Math.max(SHORT_PAUSE_MS, backoff(failures, clock.random()));
    await notifyPause({ ms: waitMs, why: `the rate store is unavailable (${why})` });
    return waitMs;
  }
}
