/**
 * The throttle: what all batches share of the service's capacity. It applies what an attempt means for all others, by the
 * rules of throttle-rules.ts.
 */
import { once } from 'node:events';
import PQueue from 'p-queue';
import type { Contract } from '../contract/index.ts';
import { humanDuration } from '../lib/units.ts';
import type { ThrottleChanged } from '../model/event.ts';
import type { AttemptResult, RunStop } from '../model/outcome.ts';
import type { Clock } from './clock.ts';
import { briefWords, type Decision, describeCause, describeOutage, STREAK_LIMIT, type Streak } from './decide.ts';
import {
  RateLimit,
  type RateLimiter,
  type RateSlot,
  type RateStore,
  type RequestRate,
  SharedRateLimit,
} from './rate-limit.ts';
import {
  adaptConcurrency,
  type Breaker,
  type BreakerLimits,
  backoff,
  CEILING_MS,
  CLOSED,
  type Concurrency,
  type ConcurrencyReading,
  isOpen,
  msUntilSpent,
  nextBreaker,
  readRetryAfter,
  startConcurrency,
} from './throttle-rules.ts';

export interface ThrottleOptions {
  readonly contract: Pick<Contract, 'deduplicates'>;
  /** Maximum requests in flight. */
  readonly concurrency: number;
  readonly rate?: RequestRate | undefined;
  readonly rateStore?: RateStore | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly maxWaitMs: number;
  readonly retryMaxTimeMs: number;
  /** The transport's timeout for an attempt. */
  readonly timeoutMs: number;
}

/** A change of the throttle that is not recorded yet. */
export type Change = Omit<ThrottleChanged, 'event' | 'time'>;

interface ThrottleDeps {
  readonly clock: Clock;
  readonly runStop: RunStop;
  readonly recordChange: (change: Change) => Promise<void>;
}

interface JudgedAttempt {
  readonly decision: Decision;
  readonly result: AttemptResult;
  /** {@link Throttle.round} when it started. */
  readonly round: number;
  /** The batch is a part of one that was split. */
  readonly isPart: boolean;
}

/** Minimum pause after a throttling answer, in milliseconds, even for `Retry-After: 0`. */
const SHORTEST_PAUSE_MS = 250;
/** How late a busy process may be between two failures of an outage, in milliseconds. */
const LATENESS_MS = 10_000;

export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #clock: Clock;
  readonly #runStop: RunStop;
  /** Each task is one request, so retries queue like first attempts. */
  readonly #queue: PQueue;
  readonly #gate: SendGate;
  readonly #rateLimiter: RateLimiter | undefined;
  readonly #limits: BreakerLimits;
  #breaker: Breaker = CLOSED;
  #concurrency: Concurrency;
  /** Social events are sent one batch at a time after an answer was lost. */
  #isCareful = false;
  #pauses = 0;
  #streak: { readonly kind: Streak; readonly length: number } | undefined;

  constructor(options: ThrottleOptions, { clock, runStop, recordChange }: ThrottleDeps) {
    const { concurrency, rate, rateStore, rateLimit, maxWaitMs, retryMaxTimeMs, timeoutMs } = options;
    const intervalMs = rate === undefined ? 0 : rate.perMs / rate.count;
    this.#options = options;
    this.#clock = clock;
    this.#runStop = runStop;
    this.#queue = new PQueue({ concurrency });
    const notifyPause = (pause: Pick<Change, 'ms' | 'why'>): Promise<void> =>
      recordChange({ state: 'paused', ...pause });
    this.#rateLimiter =
      rate && rateStore
        ? new SharedRateLimit(rateStore, rate, { clock, runStop, retryMaxTimeMs, notifyPause })
        : rate && (rateLimit ?? new RateLimit(rate));
    this.#gate = new SendGate(clock, this.#rateLimiter);
    this.#limits = { retryMaxTimeMs, maxWaitMs, longestGapMs: timeoutMs + CEILING_MS + LATENESS_MS + intervalMs };
    this.#concurrency = startConcurrency(concurrency);
  }

  run<T>(attempt: () => Promise<T>): Promise<T> {
    return this.#queue.add(attempt);
  }

  /** Lets a request leave, now or as soon as it may. Undefined if the signal was aborted first. */
  pass(signal: AbortSignal): RateSlot | Promise<RateSlot | undefined> {
    return this.#gate.pass(signal);
  }

  get round(): number {
    return this.#concurrency.round;
  }

  get isOutage(): boolean {
    return isOpen(this.#breaker);
  }

  /** No wait in an outage is longer, so that the last probe comes right after `retry_max_time`. */
  get longestWaitMs(): number {
    return Math.max(0, Math.ceil(msUntilSpent(this.#breaker, this.#limits))) + 1;
  }

  react({ decision, result, round, isPart }: JudgedAttempt): readonly Change[] {
    const why = decision.do === 'deliver' ? '' : briefWords(decision.why);
    let changes: readonly Change[] = [];
    switch (decision.do) {
      case 'deliver':
        this.#recover();
        break;
      case 'retry':
        changes = this.#countFailure(result);
        break;
      case 'wait':
        changes = this.#pauseAll(result, why);
        break;
      case 'refuse':
        // Parts of a split batch are refused as often as it takes to isolate one record.
        if (!isPart) this.#countStreak(decision.streak, why);
        break;
      case 'hold':
        // A lost social batch cannot be sent again, so the next one is sent alone.
        this.#isCareful ||= !this.#options.contract.deduplicates;
        changes = this.#countFailure(result);
        this.#countStreak(decision.streak, why);
        break;
      case 'stop':
        this.#runStop.stop(decision.stop);
    }
    return [...changes, ...this.#adapt({ kind: readingOf(decision), round })];
  }

  #recover(): void {
    this.#breaker = CLOSED;
    this.#pauses = 0;
    this.#streak = undefined;
    this.#isCareful = false;
  }

  /** If the failure leaves the breaker open, all sending waits before the next probe. */
  #countFailure(result: AttemptResult): readonly Change[] {
    const isSpent = this.#updateBreaker(result);
    if (isSpent || !this.isOutage) return [];
    const wanted = backoff(this.#breaker.failures, this.#clock.random());
    const ms = Math.max(SHORTEST_PAUSE_MS, Math.min(wanted, this.longestWaitMs));
    this.#gate.closeFor(ms);
    const giveUpMs = Math.max(0, Math.round(msUntilSpent(this.#breaker, this.#limits)));
    return [{ state: 'paused', ms, giveUpMs, why: describeCause(result) }];
  }

  /** Returns whether the outage has lasted longer than `retry_max_time`, which stops the run. */
  #updateBreaker(result: AttemptResult, askedMs?: number): boolean {
    this.#breaker = nextBreaker(this.#breaker, { at: this.#clock.now(), askedMs }, this.#limits);
    if (msUntilSpent(this.#breaker, this.#limits) >= 0) return false;
    this.#runStop.stop({ code: 'outage', ...describeOutage(result, humanDuration(this.#breaker.lastedMs)) });
    return true;
  }

  #countStreak(kind: Streak | undefined, why: string): void {
    if (kind === undefined) return;
    const length = this.#streak?.kind === kind ? this.#streak.length + 1 : 1;
    this.#streak = { kind, length };
    if (length < STREAK_LIMIT) return;
    const message =
      kind === 'answers'
        ? `The service answered without a valid receipt ${STREAK_LIMIT} times in a row: ${why}.`
        : `The service refused ${STREAK_LIMIT} batches in a row: ${why}.`;
    this.#runStop.stop({ code: kind, message });
  }

  /** Closes the gate for everyone, or stops the run if the wait is longer than `max_wait`. */
  #pauseAll(result: AttemptResult, why: string): readonly Change[] {
    const { maxWaitMs } = this.#options;
    const headers = result.kind === 'answered' ? result.headers : {};
    const asked = readRetryAfter(headers, this.#clock.date(), maxWaitMs);
    if (asked.ms !== undefined && asked.ms > maxWaitMs) {
      const until = `${new Date(this.#clock.date() + asked.ms + 999).toISOString().slice(0, 19)}Z`;
      this.#runStop.stop({
        code: 'wait',
        message: `The service asked to wait until ${until}, longer than max_wait (${maxWaitMs / 1000} s) allows (${why}).`,
        hint: `Resume after ${until}.`,
      });
      return [];
    }
    const closedMs = this.#gate.closedFor();
    // Requests that were in flight together get the same answer, which counts once.
    if (closedMs === 0) this.#pauses += 1;
    const ms = Math.max(SHORTEST_PAUSE_MS, asked.ms ?? backoff(this.#pauses, this.#clock.random()));
    this.#gate.closeFor(ms);
    this.#rateLimiter?.pause?.(ms);
    const askedMs = Math.min(asked.ms ?? 0, this.#gate.closedFor() - closedMs);
    this.#updateBreaker(result, askedMs);
    const reason = asked.ms === undefined ? 'the service is busy' : 'the service asked to wait';
    const invalid =
      asked.invalid === undefined ? '' : ` (the requested wait "${asked.invalid.slice(0, 40)}" is invalid)`;
    return [{ state: 'paused', ms, why: `${reason}${invalid}` }];
  }

  #adapt(reading: ConcurrencyReading): readonly Change[] {
    const before = this.#concurrency.limit;
    this.#concurrency = adaptConcurrency(this.#concurrency, reading);
    const { limit } = this.#concurrency;
    const size = this.#isCareful || this.isOutage ? 1 : limit;
    // Every assignment makes p-queue look for tasks to start.
    if (size !== this.#queue.concurrency) this.#queue.concurrency = size;
    if (limit === before) return [];
    const concurrency = limit < this.#options.concurrency ? limit : undefined;
    return [{ state: 'limited', concurrency, why: limit < before ? 'the service is busy' : 'the service keeps up' }];
  }
}

function readingOf(decision: Decision): ConcurrencyReading['kind'] {
  if (decision.do === 'deliver') return 'good';
  const isBusy = decision.do === 'wait' || ('busy' in decision && decision.busy);
  return isBusy ? 'busy' : 'neutral';
}

const UNLIMITED: RateSlot = { left: () => undefined, answered: () => undefined };

/** Every request passes it before it leaves: closed while the service asks to wait, opened for one at a time by the rate. */
export class SendGate {
  readonly #clock: Clock;
  readonly #rateLimiter: RateLimiter | undefined;
  #closedUntil = 0;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(clock: Clock, rateLimiter?: RateLimiter) {
    this.#clock = clock;
    this.#rateLimiter = rateLimiter;
  }

  /** A slot, or a promise that is resolved in the order of the calls; undefined if the signal was aborted first. */
  pass(signal: AbortSignal): RateSlot | Promise<RateSlot | undefined> {
    const now = this.#clock.now();
    if (this.#waiting === 0 && !signal.aborted && this.#earliest(now, 1) <= now) return this.#take(now);
    this.#waiting += 1;
    const turn = this.#lastTurn.then(async () => {
      const slot = await this.#waitForSlot(signal);
      this.#waiting -= 1;
      return slot;
    });
    this.#lastTurn = turn;
    return turn;
  }

  closeFor(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#clock.now() + ms);
  }

  closedFor(): number {
    return Math.max(0, this.#closedUntil - this.#clock.now());
  }

  #earliest(now: number, waiting: number): number {
    if (this.#closedUntil > now) return this.#closedUntil;
    return this.#rateLimiter?.earliest(waiting) ?? 0;
  }

  #take(now: number): RateSlot {
    return this.#rateLimiter?.take(now) ?? UNLIMITED;
  }

  async #waitForSlot(signal: AbortSignal): Promise<RateSlot | undefined> {
    for (;;) {
      if (signal.aborted) return undefined;
      const now = this.#clock.now();
      const opens = this.#earliest(now, this.#waiting);
      if (opens <= now) return this.#take(now);
      if (this.#rateLimiter === undefined || Number.isFinite(opens)) await this.#clock.sleep(opens - now, signal);
      else await once(this.#rateLimiter, 'change', { signal }).catch(() => undefined);
    }
  }
}
