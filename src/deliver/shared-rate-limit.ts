/**
 * One rate for several processes and machines (docs/spec/delivery.md, "Throttle"): leases permits from a store, a few at a
 * time. The store's clock and its atomic lease decide; this side only waits. Without the store no request starts.
 */
import type { ThrottleChanged } from '../model/event.ts';
import type { RunStop } from '../model/run-stop.ts';
import { backoff, CEILING_MS } from './backoff.ts';
import { CLOSED, nextBreaker } from './breaker.ts';
import type { Clock } from './clock.ts';
import type { Rate, RateLimiter, RateSlot } from './rate-limit.ts';

/** Permits of one address and API key. A lease may fail: the store is elsewhere. */
export interface RateStore {
  /**
   * Leases up to `wanted` permits. Each is lost to all for a while if its holder dies.
   * @throws RateStoreRefusal if a later attempt would fail too
   */
  lease(rate: Rate, wanted: number): Promise<Lease>;
  /** The request of a permit was answered: the permit returns one window from now. */
  answered(permit: string): void;
  /** Returns permits that were not used. */
  release(permits: readonly string[]): void;
  /** No process gets a permit for that long. */
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
  /** Changes when the store has lost its data. */
  readonly epoch: string;
  /** How long a request counts after its answer. */
  readonly windowMs: number;
}

/** The store answered, and refuses for a reason that does not pass: a wrong password, another rate. */
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
  /** All sending waits. */
  readonly notifyPause: (change: Pick<ThrottleChanged, 'ms' | 'why'>) => Promise<void>;
}

/** A request leaves at most this long after its permit allows it, in milliseconds; else the permit is returned. */
const USE_MS = 500;
/** A lease is for at most this much of the rate, in milliseconds: a process that dies takes its permits along for a while. */
const BLOCK_MS = 20;
/** Longest time between two questions to the store, in milliseconds: another process may return permits. */
const ASK_AGAIN_MS = 1000;
/** A shorter pause is not worth a message, in milliseconds. */
const SHORT_PAUSE_MS = 250;
/** Longest gap between two failures of the store while the machine is awake, in milliseconds. */
const LONGEST_GAP_MS = 2 * CEILING_MS;

export class SharedRateLimit implements RateLimiter {
  readonly #store: RateStore;
  readonly #rate: Rate;
  readonly #deps: SharedRateDeps;
  #permits: Permit[] = [];
  #onChange: () => void = () => undefined;
  #isLeasing = false;
  #epoch: string | undefined;
  /** Failures of the store in a row. */
  #outage = CLOSED;
  /** An error of {@link SharedRateDeps.notifyPause}. */
  #failure: { readonly error: unknown } | undefined;

  constructor(store: RateStore, rate: Rate, deps: SharedRateDeps) {
    this.#store = store;
    this.#rate = rate;
    this.#deps = deps;
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
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
    this.#permits = this.#permits.filter(({ until }) => until >= now);
    this.#store.release(late.map(({ id }) => id));
  }

  async #lease(waiting: number): Promise<void> {
    const { clock, runStop } = this.#deps;
    this.#isLeasing = true;
    const block = Math.max(1, Math.floor((this.#rate.count * BLOCK_MS) / this.#rate.perMs));
    try {
      while (this.#permits.length === 0 && !runStop.signal.aborted) {
        const waitMs = await this.#ask(Math.min(waiting, block));
        if (waitMs > 0) await clock.sleep(waitMs, runStop.signal);
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#isLeasing = false;
    this.#onChange();
  }

  /** Returns milliseconds until the next question. */
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
    const why = error instanceof Error ? error.message : String(error);
    if (error instanceof RateStoreRefusal) {
      runStop.stop({ code: 'rate', message: `The rate store refuses: ${why}.` });
      return 0;
    }
    this.#outage = nextBreaker(this.#outage, { kind: 'failure', at: clock.now() }, { longestGapMs: LONGEST_GAP_MS });
    const { failures, lastedMs } = this.#outage;
    if (lastedMs > retryMaxTimeMs) {
      const seconds = Math.round(lastedMs / 1000);
      runStop.stop({
        code: 'rate',
        message: `The rate store has been unavailable for ${seconds} s. The last failure was: ${why}.`,
        hint: 'Check --rate-store, and that the store is up and reachable from this machine.',
      });
      return 0;
    }
    const waitMs = Math.max(SHORT_PAUSE_MS, backoff(failures, clock.random()));
    await notifyPause({ ms: waitMs, why: `the rate store is unavailable (${why})` });
    return waitMs;
  }
}
