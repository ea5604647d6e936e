/**
 * Delivery: takes sealed batches, gives each an outcome (docs/spec/delivery.md), and records every step as an event.
 *
 * Each batch has a loop of its own (deliver-batch.ts). All attempts share one queue, the send gate, the rate limit and
 * the circuit breaker (throttle.ts). The decisions are pure functions: decide.ts, backoff.ts, breaker.ts,
 * concurrency.ts, rate-limit.ts, split-batch.ts. Imports model, lib and contract.
 */
import { setMaxListeners } from 'node:events';
import type { Contract } from '../contract/index.ts';
import type { DigestOf } from '../lib/digest.ts';
import type { Batch } from '../model/batch.ts';
import type { RunEvent } from '../model/event.ts';
import type { Outcome } from '../model/outcome.ts';
import { type RunStop, StorageError } from '../model/run-stop.ts';
import type { EarlierAttempts } from './batch-progress.ts';
import { createCanary } from './canary.ts';
import { type Clock, isoTime } from './clock.ts';
import { deliverBatch } from './deliver-batch.ts';
import type { Transport } from './http.ts';
import { createInFlightLimit } from './in-flight-limit.ts';
import type { Rate } from './rate-limit.ts';
import { createSizeLimit } from './size-limit.ts';
import { Throttle } from './throttle.ts';

export interface DeliveryOptions {
  readonly contract: Contract;
  /** Maximum requests in flight. */
  readonly concurrency: number;
  readonly rate?: Rate | undefined;
  /** Attempts of a batch after the first. */
  readonly retries: number;
  /** A longer Retry-After stops the run. */
  readonly maxWaitMs: number;
  /** A longer outage stops the run. */
  readonly retryMaxTimeMs: number;
  /** `--on-unknown resend`. */
  readonly resendUnknown: boolean;
  /** `--isolate`: refused social batches are split too. Default: false. */
  readonly isolate?: boolean | undefined;
  /** The first batch is sent alone, and the others follow only if the service took a record of it. Default: false. */
  readonly canary?: boolean | undefined;
  /** Batches that earlier parts of the run delivered; then there is no canary. Default: 0. */
  readonly deliveredBefore?: number | undefined;
  /** The transport's limit for an attempt: the machine slept during one that took longer. Default: no limit. */
  readonly timeoutMs?: number | undefined;
}

export interface DeliveryDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Digests the parts of a batch that is split. */
  readonly digestOf: DigestOf;
  readonly runStop: RunStop;
  /** Resolves when the event is in the journal. Rejects with a {@link StorageError} if it cannot be written. */
  readonly record: (event: RunEvent) => Promise<void>;
  /**
   * Stores the payload of a batch that was not delivered; called before that is recorded. `words`: the service's
   * words, if it refused a single record.
   */
  readonly keep: (batch: Batch, outcome: Outcome, words?: string) => Promise<void>;
}

export interface Delivery {
  /** Takes a sealed batch. Resolves when the next one may be submitted. */
  submit(batch: Batch, earlier?: EarlierAttempts): Promise<void>;
  /** Resolves when no batch is in flight. Rejects only with a bug. */
  idle(): Promise<void>;
  /** Aborts the requests in flight. */
  abandon(): void;
  /** Batches that were exhausted by the outage that stopped the run. */
  readonly exhaustedByOutage: readonly string[];
}

export function createDelivery(options: DeliveryOptions, deps: DeliveryDeps): Delivery {
  const { contract, concurrency, retries, resendUnknown, isolate = false, deliveredBefore = 0 } = options;
  const { timeoutMs = Number.POSITIVE_INFINITY } = options;
  const { clock, runStop } = deps;
  const abandoned = new AbortController();
  // Every batch in flight listens, so many listeners are not a leak.
  setMaxListeners(0, abandoned.signal);

  // Twice the requests in flight: none waits for the reader, and memory stays bounded.
  const inFlight = createInFlightLimit(2 * concurrency);
  const canary = createCanary(options.canary === true && deliveredBefore === 0);
  const throttle = new Throttle({ ...options, timeoutMs }, { clock, runStop });
  const batchDeps = {
    ...deps,
    throttle,
    canary,
    sizeLimit: createSizeLimit(),
    abandoned: abandoned.signal,
    rules: { contract, retries, resendUnknown, isolate, timeoutMs },
    totals: { delivered: 0, deliveredBefore, extraRequests: 0 },
    now: isoTime(clock),
  };
  let bug: { readonly error: unknown } | undefined;

  /** Never rejects: a bug is thrown by idle(). */
  const start = async (batch: Batch, earlier: EarlierAttempts | undefined): Promise<void> => {
    const bytes = memoryOf(batch);
    inFlight.enter(bytes);
    try {
      await deliverBatch(batchDeps, batch, earlier);
    } catch (error) {
      if (!(error instanceof StorageError)) bug ??= { error };
      runStop.stop();
    }
    inFlight.leave(bytes);
  };

  const startAlone = async (batch: Batch, earlier: EarlierAttempts | undefined): Promise<void> => {
    await start(batch, earlier);
    canary.judge();
  };

  const waitForCapacity = async (): Promise<void> => {
    while (inFlight.isFull && !runStop.signal.aborted) await inFlight.change();
  };

  return {
    submit(batch, earlier) {
      if (canary.stop !== undefined) runStop.stop(canary.stop);
      if (runStop.signal.aborted) return RESOLVED;
      if (canary.isPending) return startAlone(batch, earlier);
      void start(batch, earlier);
      return inFlight.isFull ? waitForCapacity() : RESOLVED;
    },
    async idle() {
      await inFlight.empty();
      if (bug !== undefined) throw bug.error;
    },
    abandon: () => abandoned.abort(),
    get exhaustedByOutage() {
      return throttle.exhaustedByOutage;
    },
  };
}

const RESOLVED: Promise<void> = Promise.resolve();

/** Approximate bytes that a batch holds in memory: its payload and the rows it was made from. */
function memoryOf({ payload, ranges }: Batch): number {
  let bytes = payload.byteLength;
  for (const { start, end } of ranges) bytes += end - start;
  return bytes;
}

export type { EarlierAttempts } from './batch-progress.ts';
export { type Clock, isoTime, systemClock } from './clock.ts';
export { createTransport, type Transport } from './http.ts';
