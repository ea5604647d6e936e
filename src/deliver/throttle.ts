/**
 * The throttle: what all batches share of the service's patience. It holds the queue of attempts, the gate, the pace,
 * the breaker, and why sending waits; what an attempt means for the whole run takes effect here, and at once.
 *
 * It decides nothing by itself: pace.ts says when a request may leave, concurrency.ts how many at once, breaker.ts
 * what an outage is, retry.ts how long to wait. Their readings are taken here, and their answers carried out.
 */
import type { Contract } from '../contract/index.ts';
import type { ThrottleChanged } from '../model/event.ts';
import type { AttemptResult, Stop } from '../model/outcome.ts';
import { createAttemptQueue } from './attempt-queue.ts';
import { backoff, CEILING_MS, retryAfter } from './backoff.ts';
import {
  type BreakerLimits,
  type BreakerReading,
  CLOSED,
  isOpen as isBreakerOpen,
  isSpent,
  nextBreaker,
} from './breaker.ts';
import type { Clock } from './clock.ts';
import { adaptConcurrency, type ConcurrencyReading, startConcurrency } from './concurrency.ts';
import { type Decision, STREAK_LIMIT, type Streak } from './decide.ts';
import { createRateLimit, type Rate, type RateSlot } from './rate-limit.ts';
import { createSendGate } from './send-gate.ts';

export interface ThrottleOptions {
  readonly contract: Pick<Contract, 'deduplicates'>;
  /** Requests at once, at most. */
  readonly concurrency: number;
  readonly rate?: Rate;
  /** A longer Retry-After stops the run. */
  readonly maxWaitMs: number;
  /** A longer time without a good answer stops the run. */
  readonly retryMaxTimeMs: number;
  /** How long the transport lets an attempt take. */
  readonly timeoutMs: number;
}

/** A change of the throttle that is yet to be recorded. */
export type Change = Omit<ThrottleChanged, 'event' | 'time'>;

/** What an attempt means for the whole run. */
export interface Reaction {
  readonly changes: readonly Change[];
  /** How long the service's asking makes all sending wait. */
  readonly pauseMs: number | undefined;
}

/** One attempt, as far as it concerns all others. */
export interface Attempted {
  readonly decision: Decision;
  readonly result: AttemptResult;
  /** {@link Throttle.round} when it left. */
  readonly round: number;
  /** Whether the machine slept meanwhile. */
  readonly slept: boolean;
  /** Whether its batch is a part of one that was split. */
  readonly isPart: boolean;
}

export interface Throttle {
  /** Runs an attempt when one of the places is free; first come, first served. */
  run<T>(attempt: () => Promise<T>): Promise<T>;
  /** Lets a request leave, at once or when it may; undefined when the signal was aborted first. */
  pass(signal: AbortSignal): RateSlot | Promise<RateSlot | undefined>;
  /** Whether sending was paused until now: true once for each pause, to whoever passes first. */
  goesOn(): boolean;
  /** Told of each attempt as soon as it is judged. */
  react(attempted: Attempted): Reaction;
  /** Told of a batch that spent its retries, and was certainly not processed. */
  exhausted(batch: string): void;
  /** Counts the halvings of the pace. */
  readonly round: number;
  /** Whether one batch probes, and the others wait. */
  readonly isOutage: boolean;
  /** Batches that ended exhausted since the last good answer. */
  readonly exhaustedByOutage: readonly string[];
}

/** All sending waits at least this long where the service is busy, be it that it says "0 s" again and again. */
const SHORTEST_PAUSE_MS = 250;
/** A busy process may be this late, in milliseconds, between two failures of an outage. */
const LATENESS_MS = 10_000;

/** @param halt stops the run; called while an attempt is reacted to */
export function createThrottle(
  options: ThrottleOptions,
  { clock, halt }: { readonly clock: Clock; readonly halt: (stop: Stop) => void },
): Throttle {
  const { contract, concurrency, rate, maxWaitMs, timeoutMs } = options;
  const queue = createAttemptQueue(concurrency);
  const gate = createSendGate(clock, rate === undefined ? undefined : createRateLimit(rate));
  const limits: BreakerLimits = {
    retryMaxTimeMs: options.retryMaxTimeMs,
    maxWaitMs,
    longestGapMs: timeoutMs + CEILING_MS + LATENESS_MS + (rate === undefined ? 0 : rate.perMs / rate.count),
  };
  let breaker = CLOSED;
  let pace = startConcurrency(concurrency);
  /** Social events go one batch at a time, since the answer to one was lost. */
  let careful = false;
  let waits = 0;
  let paused = false;
  let streak: { kind: Streak; length: number } | undefined;

  /** Tells the breaker; where that leaves it open, all sending waits before the next probe. */
  const count = (reading: BreakerReading, why: string): readonly Change[] => {
    breaker = nextBreaker(breaker, reading, limits);
    if (isSpent(breaker, limits)) {
      const seconds = Math.round(breaker.lastedMs / 1000);
      halt({
        code: 'outage',
        message: `The service gave no good answer for ${seconds} s; the last one was: ${why}.`,
      });
      return NO_CHANGES;
    }
    if (reading.kind !== 'failure' || !isBreakerOpen(breaker)) return NO_CHANGES;
    const ms = Math.max(SHORTEST_PAUSE_MS, backoff(breaker.failures, clock.random()));
    gate.closeFor(ms);
    paused = true;
    return [{ state: 'paused', ms, why: 'the service gives no good answer, so one batch at a time tries' }];
  };

  const countStreak = (kind: Streak | undefined, why: string): void => {
    if (kind === undefined) return;
    streak = { kind, length: streak?.kind === kind ? streak.length + 1 : 1 };
    if (streak.length < STREAK_LIMIT) return;
    const what = kind === 'answers' ? 'answered without a receipt' : 'refused';
    halt({ code: kind, message: `The service ${what} ${STREAK_LIMIT} times running: ${why}.` });
  };

  /** Closes the gate for all, or stops the run where the wait is longer than the user allows. */
  const pauseAll = (result: AttemptResult, why: string): { ms: number; why: string } | undefined => {
    const headers = result.kind === 'answered' ? result.headers : {};
    const asked = retryAfter(headers, clock.date(), maxWaitMs);
    if (asked.ms !== undefined && asked.ms > maxWaitMs) {
      const until = new Date(clock.date() + asked.ms).toISOString();
      halt({
        code: 'wait',
        message: `The service asked to wait until ${until}, longer than --max-wait (${maxWaitMs / 1000} s) allows (${why}).`,
        hint: `Go on after ${until}.`,
      });
      return undefined;
    }
    // Requests that were under way together get the same answer: it counts once.
    if (gate.closedFor() === 0) waits += 1;
    const ms = Math.max(SHORTEST_PAUSE_MS, asked.ms ?? backoff(waits, clock.random()));
    const before = gate.closedFor();
    gate.closeFor(ms);
    paused = true;
    const askedMs = asked.ms === undefined ? 0 : gate.closedFor() - before;
    count({ kind: 'busy', at: clock.now(), askedMs }, why);
    const odd = asked.odd === undefined ? '' : ` (its wait "${asked.odd.slice(0, 40)}" makes no sense)`;
    return {
      ms,
      why: `${asked.ms === undefined ? 'the service is busy' : 'the service asked to wait'}${odd}`,
    };
  };

  /** Takes the reading for the pace, and makes the queue as wide as that and the breaker allow. */
  const adapt = (kind: ConcurrencyReading['kind'], round: number): readonly Change[] => {
    const before = pace.places;
    pace = adaptConcurrency(pace, { kind, round });
    queue.resize(careful || isBreakerOpen(breaker) ? 1 : pace.places);
    if (pace.places === before) return NO_CHANGES;
    return [
      {
        state: 'paced',
        ...(pace.places < concurrency ? { concurrency: pace.places } : {}),
        why: pace.places < before ? 'the service is busy' : 'the service keeps up',
      },
    ];
  };

  return {
    run: (attempt) => queue.run(attempt),
    pass: (signal) => gate.pass(signal),
    goesOn() {
      const was = paused;
      paused = false;
      return was;
    },
    react({ decision, result, round, slept, isPart }) {
      let first = NO_CHANGES;
      let pauseMs: number | undefined;
      switch (decision.do) {
        case 'deliver':
          breaker = CLOSED;
          waits = 0;
          streak = undefined;
          careful = false;
          break;
        case 'retry':
          if (!slept) first = count({ kind: 'failure', at: clock.now() }, decision.why);
          break;
        case 'wait': {
          const pause = pauseAll(result, decision.why);
          if (pause !== undefined) first = [{ state: 'paused', ...pause }];
          pauseMs = pause?.ms;
          break;
        }
        case 'refuse':
          // The parts of a split batch are refused as often as it takes to find the one at fault.
          if (!isPart) countStreak(decision.streak, decision.why);
          break;
        case 'hold':
          // What was lost so can't be sent again, so as little as possible is put at risk until one is delivered.
          careful ||= !contract.deduplicates;
          first = count({ kind: 'failure', at: clock.now() }, decision.why);
          countStreak(decision.streak, decision.why);
          break;
        case 'stop':
          halt(decision.stop);
      }
      const second = adapt(readingOf(result, decision, slept), round);
      return first.length + second.length === 0 ? NOTHING : { changes: [...first, ...second], pauseMs };
    },
    exhausted(batch) {
      breaker = nextBreaker(breaker, { kind: 'exhausted', batch }, limits);
    },
    get round() {
      return pace.round;
    },
    get isOutage() {
      return isBreakerOpen(breaker);
    },
    get exhaustedByOutage() {
      return breaker.exhausted;
    },
  };
}

const NO_CHANGES: readonly Change[] = [];
const NOTHING: Reaction = { changes: NO_CHANGES, pauseMs: undefined };

function readingOf(result: AttemptResult, decision: Decision, slept: boolean): ConcurrencyReading['kind'] {
  if (decision.do === 'deliver') return 'good';
  const busy =
    result.kind === 'answered'
      ? result.status === 429 || result.status === 503
      : result.cause === 'timeout' && !slept;
  return busy ? 'busy' : 'neutral';
}
