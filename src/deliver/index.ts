/**
 * The deliver half: sealed batches to outcomes. Each batch is carried by one loop that makes attempts until the
 * decision (decide.ts) ends it; attempts of all batches stand in one queue and pass one gate.
 *
 * The rest of delivery.md (splitting, the canary, the breaker's single probe, adaptive pace) has its place here:
 * a batch that `decide` would split is refused whole, and concurrency stays at its ceiling.
 */
import type { Contract } from '../contract/index.ts';
import type { Batch } from '../model/batch.ts';
import type { RunEvent } from '../model/event.ts';
import type { AttemptResult, Outcome, Receipt, Stop } from '../model/outcome.ts';
import type { Clock } from './clock.ts';
import { type Decision, decide, STREAK_LIMIT, type Streak } from './decide.ts';
import { createGate } from './gate.ts';
import type { Transport } from './http.ts';
import { createPace, type Rate } from './pace.ts';
import { createQueue } from './queue.ts';
import { askedWait, backoff, type Outage, outageIsTooLong } from './retry.ts';

export interface DeliveryOptions {
  readonly contract: Contract;
  /** Requests at once, at most. */
  readonly concurrency: number;
  readonly rate?: Rate;
  /** Attempts of a batch after the first. */
  readonly retries: number;
  /** A longer Retry-After stops the run. */
  readonly maxWaitMs: number;
  /** A longer time without a good answer stops the run. */
  readonly retryMaxTimeMs: number;
  readonly resendUnknown: boolean;
}

export interface DeliveryDoors {
  readonly transport: Transport;
  readonly clock: Clock;
  /** The journal's gate: resolves when the event is written. Rejects where nothing more may be done. */
  readonly record: (event: RunEvent) => Promise<void>;
  /** Keeps the payload of a batch that ended otherwise than delivered, before that is recorded. */
  readonly keep: (batch: Batch, outcome: Outcome) => Promise<void>;
}

export interface Delivery {
  /**
   * Takes a sealed batch; resolves when there is room for another one. `before`: what an earlier part of the run
   * has done with it.
   */
  submit(
    batch: Batch,
    before?: { readonly attempts: number; readonly maybeProcessed: boolean },
  ): Promise<void>;
  /** Resolves when no batch is under way any more. Rejects only for a mistake of the program. */
  idle(): Promise<void>;
  /** Nothing new starts; attempts in flight may finish. The first reason counts. */
  halt(stop: Stop): void;
  /** Gives up the attempts in flight. */
  abandon(): void;
  /** Aborted as soon as nothing new starts. */
  readonly halted: AbortSignal;
  readonly stop: Stop | undefined;
  /** Batches that were exhausted by the outage that stopped the run. */
  readonly exhaustedByOutage: readonly string[];
}

/** All sending waits at least this long where the service is busy and does not say for how long. */
const SHORTEST_PAUSE_MS = 250;

interface Attempted {
  readonly result: AttemptResult;
  readonly ms: number;
  readonly decision: Decision;
  /** How long all sending waits because of this attempt, and why, where it does. */
  readonly pause: { readonly ms: number; readonly why: string } | undefined;
}

/** What one batch has been through. */
interface Course {
  attempts: number;
  /** Attempts that count against `retries`. */
  failures: number;
  maybeProcessed: boolean;
  startedAt: number | undefined;
  status: number | undefined;
  error: string | undefined;
}

export function createDelivery(options: DeliveryOptions, doors: DeliveryDoors): Delivery {
  const { contract, concurrency } = options;
  const { transport, clock, record } = doors;
  const queue = createQueue(concurrency);
  const gate = createGate(clock, options.rate === undefined ? undefined : createPace(options.rate));
  const halted = new AbortController();
  const abandoned = new AbortController();

  const underWay = new Set<Promise<void>>();
  let mistake: unknown;
  let stop: Stop | undefined;
  let anyDelivered = false;
  let outage: Outage | undefined;
  let exhaustedByOutage: string[] = [];
  let waits = 0;
  let paused = false;
  let streak: { kind: Streak; length: number } | undefined;

  const halt = (reason: Stop): void => {
    stop ??= reason;
    halted.abort();
  };

  const now = (): string => new Date(clock.date()).toISOString();

  const attempt = (batch: Batch, course: Course): Promise<Attempted | undefined> =>
    queue.run(async () => {
      const place = await gate.pass(halted.signal);
      if (place === undefined) return undefined;
      if (paused) {
        paused = false;
        await record({ event: 'throttle.changed', time: now(), state: 'open' });
      }
      const started = clock.now();
      const number = course.attempts + 1;
      const bytes = batch.payload.byteLength;
      await record({ event: 'attempt.started', time: now(), batch: batch.id, attempt: number, bytes });
      const onLeave = (): void => place.left(clock.now());
      const result = await transport.post(contract.path, batch.payload, onLeave, abandoned.signal);
      place.answered(clock.now());
      // Judged before the next request can take this one's place in the queue.
      const decision = decide(result, {
        contract,
        records: batch.records,
        maybeProcessed: course.maybeProcessed,
        anyDelivered,
        resendUnknown: options.resendUnknown,
      });
      return { result, decision, pause: react(decision, result), ms: Math.round(clock.now() - started) };
    });

  const settle = async (
    batch: Batch,
    course: Course,
    outcome: Outcome,
    answer: { receipt?: Receipt; unaccounted: number } = { unaccounted: 0 },
  ): Promise<void> => {
    if (outcome !== 'delivered') await doors.keep(batch, outcome);
    await record({
      event: 'batch.settled',
      time: now(),
      batch: batch.id,
      outcome,
      attempts: course.attempts,
      ms: Math.round(clock.now() - (course.startedAt ?? clock.now())),
      ...(course.status === undefined ? {} : { status: course.status }),
      ...answer,
      ...(course.error === undefined || outcome === 'delivered' ? {} : { error: course.error }),
    });
  };

  /** The end of a batch that a stop caught: never sent is pending, and needs no event; anything else is unknown. */
  const leave = async (batch: Batch, course: Course): Promise<void> => {
    if (course.maybeProcessed) await settle(batch, course, 'unknown');
  };

  const failed = (
    batch: Batch,
    course: Course,
    ms: number,
    next: 'retry' | 'wait' | 'settle' | 'stop',
    afterMs?: number,
  ): Promise<void> =>
    record({
      event: 'attempt.failed',
      time: now(),
      batch: batch.id,
      attempt: course.attempts,
      ms,
      ...(course.status === undefined ? {} : { status: course.status }),
      error: course.error ?? '',
      maybeProcessed: course.maybeProcessed,
      next,
      ...(afterMs === undefined ? {} : { afterMs }),
    });

  /** What a decision means for the whole run. Takes effect at once; what it means for its batch is carried out later. */
  const react = (decision: Decision, result: AttemptResult): Attempted['pause'] => {
    switch (decision.do) {
      case 'deliver':
        anyDelivered = true;
        outage = undefined;
        exhaustedByOutage = [];
        waits = 0;
        streak = undefined;
        queue.resize(concurrency);
        return undefined;
      case 'retry':
        countOutage(decision.why, 0);
        return undefined;
      case 'wait':
        return pauseAll(result, decision.why);
      case 'refuse':
        countStreak(decision.streak, decision.why);
        return undefined;
      case 'hold':
        // What was lost so can't be sent again, so as little as possible is put at risk until one is delivered.
        if (!contract.deduplicates) queue.resize(1);
        if (decision.streak === undefined) countOutage(decision.why, 0);
        countStreak(decision.streak, decision.why);
        return undefined;
      case 'stop':
        halt(decision.stop);
        return undefined;
    }
  };

  const countOutage = (why: string, askedMs: number): void => {
    outage = { since: outage?.since ?? clock.now(), askedMs: (outage?.askedMs ?? 0) + askedMs };
    if (!outageIsTooLong(outage, clock.now(), options)) return;
    halt({
      code: 'outage',
      message: `The service gave no good answer for ${Math.round((clock.now() - outage.since) / 1000)} s; the last one was: ${why}.`,
    });
  };

  const countStreak = (kind: Streak | undefined, why: string): void => {
    if (kind === undefined) return;
    streak = { kind, length: streak?.kind === kind ? streak.length + 1 : 1 };
    if (streak.length < STREAK_LIMIT) return;
    const what = kind === 'answers' ? 'answered without a receipt' : 'refused';
    halt({ code: kind, message: `The service ${what} ${STREAK_LIMIT} times running: ${why}.` });
  };

  /** Closes the gate for all, or stops the run where the wait is longer than the user allows. */
  const pauseAll = (result: AttemptResult, why: string): Attempted['pause'] => {
    const headers = result.kind === 'answered' ? result.headers : {};
    const asked = askedWait(headers, clock.date(), options.maxWaitMs);
    if (asked.ms !== undefined && asked.ms > options.maxWaitMs) {
      const until = new Date(clock.date() + asked.ms).toISOString();
      halt({
        code: 'wait',
        message: `The service asked to wait until ${until}, longer than --max-wait (${options.maxWaitMs / 1000} s) allows (${why}).`,
        hint: `Go on after ${until}.`,
      });
      return undefined;
    }
    waits += 1;
    const ms = asked.ms ?? Math.max(SHORTEST_PAUSE_MS, backoff(waits, clock.random()));
    gate.closeFor(ms);
    paused = true;
    countOutage(why, asked.ms ?? 0);
    const odd = asked.odd === undefined ? '' : ` (its wait "${asked.odd.slice(0, 40)}" makes no sense)`;
    return {
      ms,
      why: `${asked.ms === undefined ? 'the service is busy' : 'the service asked to wait'}${odd}`,
    };
  };

  /** Carries out what a decision means for its batch. Resolves to whether the batch goes on. */
  const carryOut = async (batch: Batch, course: Course, attempted: Attempted): Promise<'again' | 'ended'> => {
    const { decision, ms } = attempted;
    switch (decision.do) {
      case 'deliver': {
        const { receipt, unaccounted } = decision;
        await settle(batch, course, 'delivered', { receipt, unaccounted });
        return 'ended';
      }

      case 'retry': {
        course.maybeProcessed ||= decision.maybeProcessed;
        course.failures += 1;
        if (course.failures <= options.retries) {
          const afterMs = backoff(course.failures, clock.random());
          await failed(batch, course, ms, 'retry', afterMs);
          await clock.sleep(afterMs, halted.signal);
          return 'again';
        }
        await failed(batch, course, ms, 'settle');
        if (!course.maybeProcessed) exhaustedByOutage.push(batch.id);
        await settle(batch, course, course.maybeProcessed ? 'unknown' : 'exhausted');
        return 'ended';
      }

      case 'wait': {
        const { pause } = attempted;
        if (pause !== undefined)
          await record({ event: 'throttle.changed', time: now(), state: 'paused', ...pause });
        await failed(batch, course, ms, pause === undefined ? 'stop' : 'wait', pause?.ms);
        return 'again';
      }

      case 'refuse':
        await failed(batch, course, ms, 'settle');
        await settle(batch, course, 'refused');
        return 'ended';

      case 'hold':
        course.maybeProcessed = true;
        await failed(batch, course, ms, 'settle');
        await settle(batch, course, 'unknown');
        return 'ended';

      case 'stop':
        await failed(batch, course, ms, 'stop');
        return 'again';
    }
  };

  const carry = async (batch: Batch, before: Parameters<Delivery['submit']>[1]): Promise<void> => {
    const course: Course = {
      attempts: before?.attempts ?? 0,
      failures: 0,
      maybeProcessed: before?.maybeProcessed ?? false,
      startedAt: undefined,
      status: undefined,
      error: undefined,
    };
    for (;;) {
      if (halted.signal.aborted) return leave(batch, course);
      const attempted = await attempt(batch, course);
      if (attempted === undefined) return leave(batch, course);
      const { result, decision } = attempted;
      course.attempts += 1;
      course.startedAt ??= clock.now() - attempted.ms;
      course.status = result.kind === 'answered' ? result.status : undefined;
      course.error = errorOf(decision);
      if ((await carryOut(batch, course, attempted)) === 'ended') return;
    }
  };

  return {
    async submit(batch, before) {
      if (halted.signal.aborted) return;
      const carried: Promise<void> = carry(batch, before)
        .catch((error: unknown) => {
          // A journal that can't be written has halted the run already, and says so itself. All else is our mistake.
          if (stop?.code !== 'storage') mistake ??= error;
          halted.abort();
        })
        .finally(() => underWay.delete(carried));
      underWay.add(carried);
      // Twice the requests in flight: enough that none waits for the reader, and no more than that in memory.
      while (underWay.size >= 2 * concurrency && !halted.signal.aborted) await Promise.race(underWay);
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
      if (mistake !== undefined) throw mistake;
    },
    halt,
    halted: halted.signal,
    abandon: () => abandoned.abort(),
    get stop() {
      return stop;
    },
    get exhaustedByOutage() {
      return stop?.code === 'outage' ? exhaustedByOutage : [];
    },
  };
}

function errorOf(decision: Decision): string | undefined {
  switch (decision.do) {
    case 'deliver':
      return undefined;
    case 'stop':
      return decision.stop.message;
    default:
      return decision.why;
  }
}

export { type Clock, systemClock } from './clock.ts';
export { createTransport, type Transport } from './http.ts';
