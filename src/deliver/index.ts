/**
 * The deliver half: sealed batches to outcomes. Each batch is carried by one loop that makes attempts until the
 * decision (decide.ts) ends it; attempts of all batches stand in one queue and pass one gate (throttle.ts), and no
 * more batches are under way than there is room for (room.ts).
 *
 * What an attempt means is decided by pure functions: decide.ts, retry.ts for times, split.ts and canary.ts for
 * refusals. Here their answers are carried out for the batch; throttle.ts carries them out for the whole run.
 */
import { setMaxListeners } from 'node:events';
import type { Contract } from '../contract/index.ts';
import type { DigestOf } from '../lib/digest.ts';
import type { Batch } from '../model/batch.ts';
import type { AttemptFailed, RunEvent } from '../model/event.ts';
import type { AttemptResult, Outcome, Receipt, Stop } from '../model/outcome.ts';
import { backoff } from './backoff.ts';
import { canaryStop, judgeCanary, type Leaf } from './canary.ts';
import { type Clock, isoTime, sleptIn } from './clock.ts';
import { type Decision, decide } from './decide.ts';
import type { Transport } from './http.ts';
import { createInFlightLimit } from './in-flight-limit.ts';
import type { Rate } from './rate-limit.ts';
import { maySplit, PARTS, splitBatch } from './split-batch.ts';
import { createThrottle, type Reaction } from './throttle.ts';

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
  /** `--isolate`: refused social batches are split too. Default: false. */
  readonly isolate?: boolean;
  /** Whether the first batch goes alone, and the others only when the service took something of it. Default: false. */
  readonly canary?: boolean;
  /** Batches that earlier parts of the run delivered: its canary is done then. Default: none. */
  readonly deliveredBefore?: number;
  /** How long the transport lets an attempt take: what takes longer, the machine slept through. Default: for ever. */
  readonly timeoutMs?: number;
}

export interface DeliveryDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Names the parts of a batch that is split. */
  readonly digestOf: DigestOf;
  /** The journal's gate: resolves when the event is written. Rejects where nothing more may be done. */
  readonly record: (event: RunEvent) => Promise<void>;
  /**
   * Keeps the payload of a batch that ended otherwise than delivered, before that is recorded. `words`: the
   * service's own, where it refused a single record for what it is.
   */
  readonly keep: (batch: Batch, outcome: Outcome, words?: string) => Promise<void>;
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

/** Answers that are about the records of the batch, and not about the request. */
const ABOUT_RECORDS: ReadonlySet<number | undefined> = new Set([400, 403, 413, 422]);

/** One attempt, judged, and carried out as far as it concerns the whole run. */
interface Attempted extends Reaction {
  readonly result: AttemptResult;
  readonly ms: number;
  readonly decision: Decision;
  /** Whether the failure counts against the batch's own retries. */
  readonly own: boolean;
}

/** What one batch has been through. */
interface Course {
  attempts: number;
  /** Attempts that count against `retries`. */
  failures: number;
  maybeProcessed: boolean;
  startedAt: number | undefined;
  /** Milliseconds since then that the machine slept. */
  asleepMs: number;
  status: number | undefined;
  error: string | undefined;
}

export function createDelivery(options: DeliveryOptions, doors: DeliveryDeps): Delivery {
  const { contract, concurrency, timeoutMs = Number.POSITIVE_INFINITY, deliveredBefore = 0 } = options;
  const { transport, clock, digestOf, record } = doors;
  const halted = new AbortController();
  const abandoned = new AbortController();
  // Every batch under way listens: that many listeners are no leak.
  setMaxListeners(0, halted.signal, abandoned.signal);

  /** Twice the requests in flight: enough that none waits for the reader, and no more than that in memory. */
  const room = createInFlightLimit(2 * concurrency);
  let mistake: unknown;
  let stop: Stop | undefined;
  let delivered = 0;
  let extraRequests = 0;
  /** Bytes of the smallest request that the service called too large. */
  let tooLarge = Number.POSITIVE_INFINITY;
  /** Bytes of the largest request that it took: a smaller one is not too large, whatever it called so. */
  let largestTaken = 0;
  /** Where the first batch is under way, what became of it so far; where it was not taken, why nothing follows. */
  let canary: { readonly leaves: Leaf[] } | { readonly stop: Stop } | undefined =
    options.canary === true && deliveredBefore === 0 ? { leaves: [] } : undefined;

  const halt = (reason: Stop): void => {
    stop ??= reason;
    halted.abort();
  };

  const throttle = createThrottle({ ...options, timeoutMs }, { clock, halt });
  const now = isoTime(clock);

  /** Starts a watch; it tells the time that passed awake, and whether there was any other. */
  const watch = (longestMs: number): (() => { slept: boolean; awakeMs: number; asleepMs: number }) => {
    const at = clock.now();
    const date = clock.date();
    return () => {
      const monotonicMs = clock.now() - at;
      const { slept, awakeMs } = sleptIn({ monotonicMs, wallMs: clock.date() - date, longestMs });
      return { slept, awakeMs, asleepMs: monotonicMs - awakeMs };
    };
  };

  const attempt = async (batch: Batch, course: Course): Promise<Attempted | undefined> => {
    const place = await throttle.pass(halted.signal);
    if (place === undefined) return undefined;
    if (throttle.goesOn()) await record({ event: 'throttle.changed', time: now(), state: 'open' });
    course.startedAt ??= clock.now();
    const elapsed = watch(timeoutMs);
    const { round } = throttle;
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
      anyDelivered: delivered + deliveredBefore > 0,
      resendUnknown: options.resendUnknown,
      isolate: options.isolate === true,
    });
    if (decision.do === 'deliver') {
      delivered += 1;
      largestTaken = Math.max(largestTaken, bytes);
    }
    const { slept, awakeMs, asleepMs } = elapsed();
    course.asleepMs += asleepMs;
    const { changes, pauseMs } = throttle.react({ decision, result, round, slept, isPart: isPart(batch) });
    // A connection that fails for all says nothing about this batch, and a machine that slept nothing about anybody.
    const nobodys = decision.do === 'retry' && !decision.maybeProcessed && throttle.isOutage;
    return { result, ms: Math.round(awakeMs), decision, own: !slept && !nobodys, changes, pauseMs };
  };

  const settle = async (
    batch: Batch,
    course: Course,
    outcome: Exclude<Outcome, 'delivered'>,
  ): Promise<void> => {
    const alone = outcome === 'refused' && batch.records === 1 && ABOUT_RECORDS.has(course.status);
    await doors.keep(batch, outcome, alone ? course.error : undefined);
    await end(batch, course, outcome, { unaccounted: 0 });
  };

  /** Records the end of a batch that left nothing to be kept. */
  const end = (
    batch: Batch,
    course: Course,
    outcome: Outcome,
    answer: { readonly receipt?: Receipt; readonly unaccounted: number },
  ): Promise<void> => {
    if (canary !== undefined && 'leaves' in canary) {
      const { receipt } = answer;
      canary.leaves.push({
        outcome,
        records: batch.records,
        ...(receipt === undefined ? {} : { receipt }),
        ...(course.error === undefined ? {} : { error: course.error }),
      });
    }
    return record({
      event: 'batch.settled',
      time: now(),
      batch: batch.id,
      outcome,
      attempts: course.attempts,
      ms: Math.round(clock.now() - (course.startedAt ?? clock.now()) - course.asleepMs),
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
    next: AttemptFailed['next'],
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

  /** Carries out what a decision means for a batch that was not delivered. Resolves to how the batch goes on. */
  const carryOut = async (
    batch: Batch,
    course: Course,
    attempted: Attempted,
    decision: Exclude<Decision, { readonly do: 'deliver' }>,
  ): Promise<'again' | 'split' | 'ended'> => {
    const { ms } = attempted;
    switch (decision.do) {
      case 'retry': {
        course.maybeProcessed ||= decision.maybeProcessed;
        if (attempted.own) course.failures += 1;
        if (course.failures <= options.retries) {
          const afterMs = backoff(Math.max(1, course.failures), clock.random());
          await failed(batch, course, ms, 'retry', afterMs);
          const elapsed = watch(afterMs);
          await clock.sleep(afterMs, halted.signal);
          course.asleepMs += elapsed().asleepMs;
          return 'again';
        }
        await failed(batch, course, ms, 'settle');
        if (!course.maybeProcessed) throttle.exhausted(batch.id);
        await settle(batch, course, course.maybeProcessed ? 'unknown' : 'exhausted');
        return 'ended';
      }

      case 'wait':
        await failed(batch, course, ms, attempted.pauseMs === undefined ? 'stop' : 'wait', attempted.pauseMs);
        return 'again';

      case 'refuse': {
        if (course.status === 413) tooLarge = Math.min(tooLarge, batch.payload.byteLength);
        if (decision.split && batch.records > 1) {
          const bySize = course.status === 413;
          if (bySize || maySplit({ extraRequests, delivered })) {
            if (!bySize) extraRequests += PARTS;
            await failed(batch, course, ms, 'split');
            return 'split';
          }
          course.error = `Refused whole, because the run has spent its requests for finding single records: ${decision.why}`;
        }
        await failed(batch, course, ms, 'settle');
        await settle(batch, course, course.maybeProcessed ? 'unknown' : 'refused');
        return 'ended';
      }

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

  /**
   * Replaces a batch by its parts and carries these to their ends, one after the other: so the first good record
   * is found early, and no more batches are under way than before.
   */
  const split = async (batch: Batch, course: Course): Promise<void> => {
    const parts = splitBatch(batch, digestOf);
    await record({
      event: 'batch.split',
      time: now(),
      batch: batch.id,
      attempts: course.attempts,
      ...(course.status === undefined ? {} : { status: course.status }),
      error: course.error ?? '',
      parts: parts.map(({ id, digest, records, payload, ranges }) => ({
        batch: id,
        digest,
        records,
        bytes: payload.byteLength,
        ranges,
        ...(course.maybeProcessed ? { maybeProcessed: true as const } : {}),
      })),
    });
    const { maybeProcessed } = course;
    for (const part of parts) await carry(part, { attempts: 0, maybeProcessed });
  };

  const carry = async (batch: Batch, before: Parameters<Delivery['submit']>[1]): Promise<void> => {
    const course: Course = {
      attempts: before?.attempts ?? 0,
      failures: 0,
      maybeProcessed: before?.maybeProcessed ?? false,
      startedAt: undefined,
      asleepMs: 0,
      status: undefined,
      error: undefined,
    };
    for (;;) {
      if (halted.signal.aborted) return leave(batch, course);
      const { byteLength } = batch.payload;
      const certain = byteLength >= tooLarge && byteLength > largestTaken;
      if (!course.maybeProcessed && certain && batch.records > 1) {
        course.error = `it has ${byteLength} bytes, and the service called ${tooLarge} too large`;
        return split(batch, course);
      }
      const attempted = await throttle.run(() => attempt(batch, course));
      if (attempted === undefined) return leave(batch, course);
      const { result, decision } = attempted;
      course.attempts += 1;
      course.status = result.kind === 'answered' ? result.status : undefined;
      course.error = errorOf(decision);
      for (const change of attempted.changes) {
        await record({ event: 'throttle.changed', time: now(), ...change });
      }
      if (decision.do === 'deliver') {
        const { receipt, unaccounted } = decision;
        await end(batch, course, 'delivered', { receipt, unaccounted });
        if (transport.hasWritten()) batch.release?.();
        return;
      }
      const next = await carryOut(batch, course, attempted, decision);
      if (next === 'ended') return;
      if (next === 'split') return split(batch, course);
    }
  };

  /** Carries a batch beside the others. Never rejects: a mistake is kept for idle(). */
  const start = async (batch: Batch, before: Parameters<Delivery['submit']>[1]): Promise<void> => {
    const weight = weightOf(batch);
    room.enter(weight);
    try {
      await carry(batch, before);
    } catch (error) {
      // A journal that can't be written has halted the run already, and says so itself. All else is our mistake.
      if (stop?.code !== 'storage') mistake ??= error;
      halted.abort();
    }
    room.leave(weight);
  };

  /** Carries a batch to its end and judges what became of it, before another one follows. */
  const startAlone = async (
    batch: Batch,
    before: Parameters<Delivery['submit']>[1],
    leaves: readonly Leaf[],
  ) => {
    await start(batch, before);
    const verdict = judgeCanary(leaves);
    if (verdict === 'taken') canary = undefined;
    else canary = verdict === 'untold' ? { leaves: [] } : { stop: canaryStop(leaves) };
  };

  const waitForRoom = async (): Promise<void> => {
    while (room.isFull && !halted.signal.aborted) await room.change();
  };

  return {
    submit(batch, before) {
      if (halted.signal.aborted) return AT_ONCE;
      if (canary === undefined) {
        void start(batch, before);
        return room.isFull ? waitForRoom() : AT_ONCE;
      }
      if ('leaves' in canary) return startAlone(batch, before, canary.leaves);
      halt(canary.stop);
      return AT_ONCE;
    },
    async idle() {
      await room.empty();
      if (mistake !== undefined) throw mistake;
    },
    halt,
    halted: halted.signal,
    abandon: () => abandoned.abort(),
    get stop() {
      return stop;
    },
    get exhaustedByOutage() {
      return stop?.code === 'outage' ? throttle.exhaustedByOutage : [];
    },
  };
}

const AT_ONCE: Promise<void> = Promise.resolve();

/** Whether a batch is a part of one that was split. */
function isPart(batch: Batch): boolean {
  return batch.id.includes('.');
}

/** The bytes that a batch keeps in memory, about: its payload, and the rows that it was made of. */
function weightOf({ payload, ranges }: Batch): number {
  let weight = payload.byteLength;
  for (const { start, end } of ranges) weight += end - start;
  return weight;
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

export { type Clock, isoTime, systemClock } from './clock.ts';
export { createTransport, type Transport } from './http.ts';
