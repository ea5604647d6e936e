/**
 * Delivery: takes sealed batches, gives each an outcome (docs/internals/spec/delivery.md), and records every step as an event.
 *
 * Each batch has a loop of its own (deliver-batch.ts). All attempts share one queue, the send gate, the rate limit and
 * the circuit breaker (throttle.ts). The decisions are pure: decide.ts, throttle-rules.ts, split-batch.ts.
 * Imports model, lib and contract.
 */
import { EventEmitter, once } from 'node:events';
import type { Batch } from '../model/batch.ts';
import { StorageError } from '../model/outcome.ts';
import { isoTime } from './clock.ts';
import {
  BatchDelivery,
  Canary,
  type DeliveryDeps,
  type DeliveryOptions,
  type EarlierAttempts,
  type SharedState,
} from './deliver-batch.ts';
import { SizeLimit } from './split-batch.ts';
import { type Change, Throttle } from './throttle.ts';

export class Delivery {
  readonly #shared: SharedState;
  readonly #inFlight: InFlightLimit;
  #bug: { readonly error: unknown } | undefined;

  constructor(options: DeliveryOptions, deps: DeliveryDeps) {
    // Twice the requests in flight: none waits for the reader, and memory stays bounded.
    this.#inFlight = new InFlightLimit(2 * options.concurrency);
    const now = isoTime(deps.clock);
    const recordChange = (change: Change): Promise<void> =>
      deps.record({ event: 'throttle.changed', time: now(), ...change });
    this.#shared = {
      ...deps,
      options,
      now,
      recordChange,
      throttle: new Throttle(options, { ...deps, recordChange }),
      canary: new Canary(options.canary === true && (options.deliveredBefore ?? 0) === 0),
      sizeLimit: new SizeLimit(),
      totals: { delivered: 0, extraRequests: 0 },
    };
  }

  /** Takes a sealed batch. Resolves when the next one may be submitted. */
  submit(batch: Batch, earlier?: EarlierAttempts): Promise<void> {
    const { canary, runStop } = this.#shared;
    if (canary.stop !== undefined) runStop.stop(canary.stop);
    if (runStop.signal.aborted) return RESOLVED;
    const done = this.#start(batch, earlier);
    if (canary.isPending) return done.then(() => canary.judge());
    return this.#inFlight.isFull ? this.#waitForCapacity() : RESOLVED;
  }

  /** Resolves when no batch is in flight. Rejects only with a bug. */
  async idle(): Promise<void> {
    await this.#inFlight.empty();
    if (this.#bug !== undefined) throw this.#bug.error;
  }

  /** Never rejects: a bug is thrown by idle(). */
  async #start(batch: Batch, earlier: EarlierAttempts | undefined): Promise<void> {
    // Approximately what it holds in memory: its payload and the rows it was made from.
    const bytes = batch.ranges.reduce((sum, { start, end }) => sum + end - start, batch.payload.byteLength);
    this.#inFlight.enter(bytes);
    try {
      await new BatchDelivery(this.#shared, batch, earlier).run();
    } catch (error) {
      if (!(error instanceof StorageError)) this.#bug ??= { error };
      this.#shared.runStop.stop();
    }
    this.#inFlight.leave(bytes);
  }

  async #waitForCapacity(): Promise<void> {
    while (this.#inFlight.isFull && !this.#shared.runStop.signal.aborted) await this.#inFlight.change();
  }
}

const RESOLVED: Promise<void> = Promise.resolve();

export { type Clock, isoTime, systemClock } from './clock.ts';
export type { DeliveryDeps, DeliveryOptions, EarlierAttempts } from './deliver-batch.ts';
export type { Transport } from './http.ts';
export type { RateStore } from './rate-limit.ts';

/** Payloads and rows of batches in flight, in bytes: memory is bounded by this and one batch. */
const MEMORY_LIMIT = 64 * 1024 * 1024;

/** The reader of the input waits here, so a slow service slows down reading and memory stays bounded. */
export class InFlightLimit {
  readonly #maxBatches: number;
  #batches = 0;
  #memory = 0;
  readonly #changes = new EventEmitter<{ left: [] }>();

  constructor(maxBatches: number) {
    this.#maxBatches = maxBatches;
  }

  /** Adds a batch, even above the limit: the caller waits afterwards. */
  enter(bytes: number): void {
    this.#batches += 1;
    this.#memory += bytes;
  }

  leave(bytes: number): void {
    this.#batches -= 1;
    this.#memory -= bytes;
    // Preparing the next batch takes longer than sending those that are ready, so it starts in the next turn of the
    // event loop: in this one, free connections are reused first.
    setImmediate(() => this.#changes.emit('left'));
  }

  get isFull(): boolean {
    return this.#batches >= this.#maxBatches || (this.#batches > 0 && this.#memory >= MEMORY_LIMIT);
  }

  /** Resolves when a batch has left; the limit may still be reached. */
  async change(): Promise<void> {
    await once(this.#changes, 'left');
  }

  async empty(): Promise<void> {
    while (this.#batches > 0) await this.change();
  }
}
