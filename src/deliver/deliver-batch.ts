/** Delivers one batch: makes attempts until decide.ts ends it, and splits it if the service refuses it. */
import type { Contract } from '../contract/index.ts';
import type { DigestOf } from '../lib/digest.ts';
import type { Batch } from '../model/batch.ts';
import type { AttemptFailed, RunEvent } from '../model/event.ts';
import {
  type AttemptResult,
  isAboutContent,
  type Outcome,
  type Receipt,
  type RunStop,
  type Stop,
  StorageError,
} from '../model/outcome.ts';
import type { Clock } from './clock.ts';
import { brief, briefWords, type Decision, decide, type Situation } from './decide.ts';
import type { Transport } from './http.ts';
import { maySplit, PARTS, type SizeLimit, splitBatch } from './split-batch.ts';
import type { Change, Throttle, ThrottleOptions } from './throttle.ts';
import { backoff } from './throttle-rules.ts';

export interface DeliveryOptions extends ThrottleOptions, Pick<Situation, 'resendUnknown'> {
  readonly contract: Contract;
  readonly retries: number;
  /** Refused social batches are split too. */
  readonly isolate?: boolean | undefined;
  readonly canary?: boolean | undefined;
  /** Before a resume. If there are any, there is no canary. */
  readonly deliveredBefore?: number | undefined;
}

export interface DeliveryDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Digests the parts of a batch that is split. */
  readonly digestOf: DigestOf;
  readonly runStop: RunStop;
  /** Resolves when the event is in the journal. Rejects with a {@link StorageError} if it cannot be written. */
  readonly record: (event: RunEvent) => Promise<void>;
  /** Stores the payload of a batch before its outcome is recorded. `words`: of the service, if it refused a single record. */
  readonly storePayload: (batch: Batch, outcome: Outcome, words?: string) => Promise<void>;
}

/** What all batches of a delivery share. */
export interface SharedState extends DeliveryDeps {
  readonly options: DeliveryOptions;
  readonly throttle: Throttle;
  readonly canary: Canary;
  readonly sizeLimit: SizeLimit;
  /** Batches delivered, and requests added by splitting refused batches. */
  readonly totals: { delivered: number; extraRequests: number };
  /** The time of an event: ISO 8601, UTC. */
  readonly now: () => string;
  readonly recordChange: (change: Change) => Promise<void>;
}

/** The state after earlier attempts: before a resume, or of the batch that was split into this one. */
export interface EarlierAttempts {
  readonly attempts: number;
  readonly maybeProcessed: boolean;
  /** Refusals of the batch do not count as refusals in succession: it is a part of one that this run has split, or a single record. */
  readonly isPart?: boolean | undefined;
}

interface Attempt {
  readonly ms: number;
  readonly decision: Decision;
  readonly countsAsRetry: boolean;
  readonly changes: readonly Change[];
}

export class BatchDelivery {
  readonly #shared: SharedState;
  readonly #batch: Batch;
  readonly #isPart: boolean;
  #attempts: number;
  #failures = 0;
  /** An attempt may have been processed, and no receipt came since. */
  #maybeProcessed: boolean;
  #startedAt: number | undefined;
  /** HTTP status of the last attempt, if it was answered. */
  #status: number | undefined;
  #error: string | undefined;
  /** The error of the first attempt that may have been processed: why the outcome is unknown, whatever followed. */
  #firstDoubt: string | undefined;

  constructor(shared: SharedState, batch: Batch, earlier?: EarlierAttempts) {
    this.#shared = shared;
    this.#batch = batch;
    this.#isPart = earlier?.isPart === true;
    this.#attempts = earlier?.attempts ?? 0;
    this.#maybeProcessed = earlier?.maybeProcessed === true;
  }

  /** Resolves when the batch and all its parts are settled, or left pending by a stop. */
  async run(): Promise<void> {
    const { runStop, sizeLimit, throttle, recordChange } = this.#shared;
    const { records, payload } = this.#batch;
    for (;;) {
      if (runStop.signal.aborted) return this.#abandon();
      if (!this.#maybeProcessed && records > 1 && sizeLimit.isTooLarge(payload.byteLength)) {
        this.#error = `it has ${payload.byteLength} bytes, and the service refused a request of ${sizeLimit.smallestRefused} bytes as too large`;
        return this.#deliverParts();
      }
      const attempt = await throttle.run(() => this.#attempt());
      if (attempt === undefined) return this.#abandon();
      for (const change of attempt.changes) await recordChange(change);
      const next = await this.#apply(attempt);
      if (next === 'done') return;
      if (next === 'split') return this.#deliverParts();
    }
  }

  /** Sends the batch once. Undefined if the run was stopped before it could leave. */
  async #attempt(): Promise<Attempt | undefined> {
    const { throttle, clock, transport, options, runStop, record, now } = this.#shared;
    const { id, payload } = this.#batch;
    const slot = await throttle.pass(runStop.signal);
    if (slot === undefined) return undefined;
    const startedAt = clock.now();
    this.#startedAt ??= startedAt;
    const { round } = throttle;
    this.#attempts += 1;
    const attempt = this.#attempts;
    await record({ event: 'attempt.started', time: now(), batch: id, attempt, bytes: payload.byteLength });
    const result = await transport.post(options.contract.path, payload, () => slot.left(clock.now()));
    const answeredAt = clock.now();
    slot.answered(answeredAt);
    // Judged here, before the next attempt takes this one's place in the queue.
    const decision = this.#judge(result);
    this.#status = result.kind === 'answered' ? result.status : undefined;
    this.#error = decision.do === 'deliver' ? undefined : decision.why;
    const changes = throttle.react({ decision, result, round, isPart: this.#isPart });
    // A connection that fails for every batch is not this batch's fault.
    const countsAsRetry = decision.do !== 'retry' || decision.maybeProcessed || !throttle.isOutage;
    return { ms: Math.round(answeredAt - startedAt), decision, countsAsRetry, changes };
  }

  #judge(result: AttemptResult): Decision {
    const { options, totals, sizeLimit } = this.#shared;
    const decision = decide(result, {
      contract: options.contract,
      records: this.#batch.records,
      maybeProcessed: this.#maybeProcessed,
      anyDelivered: totals.delivered + (options.deliveredBefore ?? 0) > 0,
      resendUnknown: options.resendUnknown,
      isolate: options.isolate === true,
    });
    if (decision.do === 'deliver') {
      totals.delivered += 1;
      sizeLimit.accepted(this.#batch.payload.byteLength);
    }
    return decision;
  }

  async #apply({ decision, ms, countsAsRetry, changes }: Attempt): Promise<'retry' | 'split' | 'done'> {
    const { clock, options, runStop, sizeLimit, throttle } = this.#shared;
    const { payload } = this.#batch;
    switch (decision.do) {
      case 'deliver':
        await this.#settle('delivered', decision);
        // A socket may still write an earlier request with this body.
        if (this.#attempts === 1) this.#batch.release?.();
        return 'done';

      case 'retry': {
        this.#maybeProcessed ||= decision.maybeProcessed;
        if (decision.maybeProcessed) this.#firstDoubt ??= this.#error;
        if (countsAsRetry) this.#failures += 1;
        if (this.#failures > options.retries) {
          await this.#recordFailure(ms, 'settle');
          return this.#settleFailed('exhausted');
        }
        const afterMs = Math.min(backoff(Math.max(1, this.#failures), clock.random()), throttle.longestWaitMs);
        await this.#recordFailure(ms, 'retry', afterMs);
        await clock.sleep(afterMs, runStop.signal);
        return 'retry';
      }

      case 'wait': {
        const pause = changes.find(({ state }) => state === 'paused');
        await this.#recordFailure(ms, pause === undefined ? 'stop' : 'wait', pause?.ms);
        return 'retry';
      }

      case 'refuse': {
        const { because, split, why } = decision;
        if (because === 'size') sizeLimit.tooLarge(payload.byteLength);
        const isSplit = split && this.#takeSplit(because, why);
        await this.#recordFailure(ms, isSplit ? 'split' : 'settle');
        return isSplit ? 'split' : this.#settleFailed('refused');
      }

      case 'hold':
        this.#maybeProcessed = true;
        await this.#recordFailure(ms, 'settle');
        return this.#settleFailed('unknown');

      case 'stop':
        await this.#recordFailure(ms, 'stop');
        return 'retry';
    }
  }

  #recordFailure(ms: number, next: AttemptFailed['next'], afterMs?: number): Promise<void> {
    return this.#shared.record({
      event: 'attempt.failed',
      time: this.#shared.now(),
      batch: this.#batch.id,
      attempt: this.#attempts,
      ms,
      status: this.#status,
      error: brief(this.#error ?? ''),
      maybeProcessed: this.#maybeProcessed,
      next,
      afterMs,
    });
  }

  /** Whether the batch may be split. A split that is not about its size is paid from the run's budget. */
  #takeSplit(because: string, why: string): boolean {
    const { totals } = this.#shared;
    if (this.#batch.records === 1) return false;
    if (because === 'size') return true;
    if (maySplit(totals)) {
      totals.extraRequests += PARTS;
      return true;
    }
    this.#error = `Refused as a whole, because the run has used up its requests for isolating records: ${why}`;
    return false;
  }

  /** Settles a batch that was not delivered. Unknown is sticky: no later failure makes it anything else. */
  async #settleFailed(failure: Exclude<Outcome, 'delivered'>): Promise<'done'> {
    const outcome = this.#maybeProcessed ? 'unknown' : failure;
    const isOneRecord = outcome === 'refused' && this.#batch.records === 1 && isAboutContent(this.#status);
    await this.#shared.storePayload(this.#batch, outcome, isOneRecord ? this.#error : undefined);
    await this.#settle(outcome);
    return 'done';
  }

  #settle(
    outcome: Outcome,
    { receipt, unaccounted = 0 }: { readonly receipt?: Receipt; readonly unaccounted?: number } = {},
  ): Promise<void> {
    const { canary, clock, record, now } = this.#shared;
    const { id, records } = this.#batch;
    canary.add({ outcome, records, receipt, error: this.#error });
    return record({
      event: 'batch.settled',
      time: now(),
      batch: id,
      outcome,
      attempts: this.#attempts,
      ms: Math.round(clock.now() - (this.#startedAt ?? clock.now())),
      status: this.#status,
      receipt,
      unaccounted,
      error: outcome === 'delivered' ? undefined : (this.#firstDoubt ?? this.#error),
    });
  }

  /** Leaves a batch that a stop caught: pending if it was never sent, else unknown. */
  async #abandon(): Promise<void> {
    if (this.#maybeProcessed) await this.#settleFailed('unknown');
  }

  /** Delivers the parts one after the other. They inherit whether the batch may have been processed. */
  async #deliverParts(): Promise<void> {
    const { digestOf, record, now } = this.#shared;
    const maybeProcessed = this.#maybeProcessed;
    const parts = splitBatch(this.#batch, digestOf);
    await record({
      event: 'batch.split',
      time: now(),
      batch: this.#batch.id,
      attempts: this.#attempts,
      status: this.#status,
      error: brief(this.#error ?? ''),
      parts: parts.map(({ id, digest, records, payload, ranges }) => ({
        batch: id,
        digest,
        records,
        bytes: payload.byteLength,
        ranges,
        maybeProcessed: maybeProcessed ? true : undefined,
      })),
    });
    for (const part of parts) {
      await new BatchDelivery(this.#shared, part, { attempts: 0, maybeProcessed, isPart: true }).run();
    }
  }
}

export interface CanaryResult {
  readonly outcome: Outcome;
  readonly records: number;
  readonly receipt?: Receipt | undefined;
  /** The service's words, if the batch was not delivered. */
  readonly error?: string | undefined;
}

/** The first batch is sent alone. If the service accepts none of its records, no batch follows. */
export class Canary {
  /** Whether the next batch must be sent alone and judged. */
  isPending: boolean;
  /** Why no batch may follow the first one. */
  stop: Stop | undefined;
  #results: CanaryResult[] = [];

  constructor(isPending: boolean) {
    this.isPending = isPending;
  }

  add(result: CanaryResult): void {
    if (this.isPending) this.#results.push(result);
  }

  /** Evaluates the results since the last call. If nothing was accepted, and not all of it was answered, the next batch is the canary. */
  judge(): void {
    const results = this.#results;
    this.#results = [];
    const isAccepted = results.some((result) => result.outcome === 'delivered' && !isRejected(result));
    const isRefused =
      results.length > 0 && results.every((result) => result.outcome === 'refused' || isRejected(result));
    if (isRefused) this.stop = canaryStop(results);
    this.isPending = !isAccepted && !isRefused;
  }
}

function isRejected({ records, receipt }: CanaryResult): boolean {
  return receipt?.rejected !== undefined && receipt.rejected >= records;
}

function canaryStop(results: readonly CanaryResult[]): Stop {
  const total = results.reduce((sum, { records }) => sum + records, 0);
  const refusal = results.findLast((result) => result.error !== undefined)?.error;
  const what = total === 1 ? 'the only record' : `all ${total} records`;
  const answer = refusal === undefined ? '' : ` (${briefWords(refusal)})`;
  return { code: 'canary', message: `The service rejected ${what} of the first batch${answer}.` };
}
