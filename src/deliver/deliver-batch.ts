/**
 * Delivers one batch: makes attempts until decide.ts ends it, and splits it if the service refuses it. What an
 * attempt means for all other batches takes effect in throttle.ts.
 */
import type { DigestOf } from '../lib/digest.ts';
import type { Batch } from '../model/batch.ts';
import type { AttemptFailed, RunEvent } from '../model/event.ts';
import type { AttemptResult, Outcome } from '../model/outcome.ts';
import type { RunStop } from '../model/run-stop.ts';
import { backoff } from './backoff.ts';
import { attemptFailed, attemptStarted, batchSettled, batchSplit } from './batch-events.ts';
import { type BatchProgress, type EarlierAttempts, startProgress } from './batch-progress.ts';
import type { Canary } from './canary.ts';
import { type Clock, startStopwatch } from './clock.ts';
import { type Decision, decide, type Situation } from './decide.ts';
import type { Transport } from './http.ts';
import type { SizeLimit } from './size-limit.ts';
import { maySplit, PARTS, splitBatch } from './split-batch.ts';
import type { Reaction, Throttle } from './throttle.ts';

/** What all batches of a delivery share. */
export interface BatchDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly digestOf: DigestOf;
  readonly record: (event: RunEvent) => Promise<void>;
  readonly keep: (batch: Batch, outcome: Outcome, words?: string) => Promise<void>;
  readonly runStop: RunStop;
  readonly throttle: Throttle;
  readonly canary: Canary;
  readonly sizeLimit: SizeLimit;
  /** Aborted when the run no longer waits for answers. */
  readonly abandoned: AbortSignal;
  readonly rules: BatchRules;
  readonly totals: DeliveryTotals;
  /** The time of an event: ISO 8601, UTC. */
  readonly now: () => string;
}

export interface BatchRules extends Pick<Situation, 'resendUnknown' | 'isolate'> {
  readonly contract: Situation['contract'] & { readonly path: string };
  readonly retries: number;
  readonly timeoutMs: number;
}

/** Counts that later decisions depend on. */
export interface DeliveryTotals {
  delivered: number;
  /** Batches that earlier parts of the run delivered. */
  readonly deliveredBefore: number;
  /** Requests added by splitting refused batches. */
  extraRequests: number;
}

/** An attempt with the decision on it. */
interface Attempt extends Reaction {
  readonly ms: number;
  readonly decision: Decision;
  /** The failure counts against the batch's own retries. */
  readonly countsAsRetry: boolean;
}

type FailedDecision = Exclude<Decision, { readonly do: 'deliver' }>;
type Next = 'again' | 'split' | 'done';

/** Statuses that are about the records of a batch and not about the request. */
const ABOUT_RECORDS: ReadonlySet<number | undefined> = new Set([400, 403, 413, 422]);

/** Resolves when the batch and all its parts are settled, or left pending by a stop. */
export async function deliverBatch(deps: BatchDeps, batch: Batch, earlier: EarlierAttempts | undefined): Promise<void> {
  const { runStop, sizeLimit, throttle } = deps;
  const progress = startProgress(batch, earlier);
  const { byteLength } = batch.payload;
  for (;;) {
    if (runStop.signal.aborted) return abandonBatch(deps, progress);
    if (!progress.maybeProcessed && batch.records > 1 && sizeLimit.isTooLarge(byteLength)) {
      progress.error = `it has ${byteLength} bytes, and the service refused ${sizeLimit.smallestRefused} as too large`;
      return deliverParts(deps, progress);
    }
    const attempt = await throttle.run(() => makeAttempt(deps, progress));
    if (attempt === undefined) return abandonBatch(deps, progress);
    for (const change of attempt.changes) {
      await deps.record({ event: 'throttle.changed', time: deps.now(), ...change });
    }
    const { decision } = attempt;
    if (decision.do === 'deliver') {
      const { receipt, unaccounted } = decision;
      await settle(deps, progress, { outcome: 'delivered', receipt, unaccounted });
      // An answer may arrive before its request is written completely; then the memory stays with this batch.
      if (deps.transport.hasWritten()) batch.release?.();
      return;
    }
    const next = await handleFailure(deps, progress, attempt, decision);
    if (next === 'done') return;
    if (next === 'split') return deliverParts(deps, progress);
  }
}

/** Sends the batch once. Undefined if the run was stopped before it could leave. */
async function makeAttempt(deps: BatchDeps, progress: BatchProgress): Promise<Attempt | undefined> {
  const { throttle, clock, transport, rules, record, now } = deps;
  const slot = await throttle.pass(deps.runStop.signal);
  if (slot === undefined) return undefined;
  if (throttle.takeResumed()) await record({ event: 'throttle.changed', time: now(), state: 'open' });
  progress.startedAt ??= clock.now();
  const elapsed = startStopwatch(clock, rules.timeoutMs);
  const { round } = throttle;
  await record(attemptStarted(progress, now()));
  const result = await transport.post(
    rules.contract.path,
    progress.batch.payload,
    () => slot.left(clock.now()),
    deps.abandoned,
  );
  slot.answered(clock.now());
  // Judged here, before the next attempt takes this one's place in the queue.
  const decision = judge(deps, progress, result);
  const { slept, awakeMs, asleepMs } = elapsed();
  progress.attempts += 1;
  progress.asleepMs += asleepMs;
  progress.status = result.kind === 'answered' ? result.status : undefined;
  progress.error = errorOf(decision);
  const reaction = throttle.react({ decision, result, round, slept, isPart: progress.isPart });
  // A connection that fails for every batch says nothing about this one, and a machine that slept says nothing at all.
  const isOutage = decision.do === 'retry' && !decision.maybeProcessed && throttle.isOutage;
  return { ...reaction, ms: Math.round(awakeMs), decision, countsAsRetry: !slept && !isOutage };
}

function judge(
  { rules, totals, sizeLimit }: BatchDeps,
  { batch, maybeProcessed }: BatchProgress,
  result: AttemptResult,
): Decision {
  const { records, payload } = batch;
  const { contract, resendUnknown, isolate } = rules;
  const anyDelivered = totals.delivered + totals.deliveredBefore > 0;
  const decision = decide(result, {
    contract,
    records,
    maybeProcessed,
    anyDelivered,
    resendUnknown,
    isolate,
  });
  if (decision.do === 'deliver') {
    totals.delivered += 1;
    sizeLimit.accepted(payload.byteLength);
  }
  return decision;
}

async function handleFailure(
  deps: BatchDeps,
  progress: BatchProgress,
  attempt: Attempt,
  decision: FailedDecision,
): Promise<Next> {
  const fail = (next: AttemptFailed['next'], afterMs?: number): Promise<void> =>
    deps.record(attemptFailed(progress, deps.now(), { ms: attempt.ms, next, afterMs }));

  switch (decision.do) {
    case 'retry':
      progress.maybeProcessed ||= decision.maybeProcessed;
      if (attempt.countsAsRetry) progress.failures += 1;
      if (progress.failures <= deps.rules.retries) {
        const afterMs = backoff(Math.max(1, progress.failures), deps.clock.random());
        await fail('retry', afterMs);
        return waitForRetry(deps, progress, afterMs);
      }
      await fail('settle');
      if (!progress.maybeProcessed) deps.throttle.exhausted(progress.batch.id);
      return settleFailed(deps, progress, 'exhausted');

    case 'wait':
      await fail(attempt.pauseMs === undefined ? 'stop' : 'wait', attempt.pauseMs);
      return 'again';

    case 'refuse':
      if (progress.status === 413) deps.sizeLimit.tooLarge(progress.batch.payload.byteLength);
      if (decision.split && takeSplit(deps, progress, decision.why)) {
        await fail('split');
        return 'split';
      }
      await fail('settle');
      return settleFailed(deps, progress, 'refused');

    case 'hold':
      progress.maybeProcessed = true;
      await fail('settle');
      return settleFailed(deps, progress, 'unknown');

    case 'stop':
      await fail('stop');
      return 'again';
  }
}

async function waitForRetry({ clock, runStop }: BatchDeps, progress: BatchProgress, ms: number): Promise<'again'> {
  const elapsed = startStopwatch(clock, ms);
  await clock.sleep(ms, runStop.signal);
  progress.asleepMs += elapsed().asleepMs;
  return 'again';
}

/** Whether the batch may be split. A split that is not about its size is paid from the run's budget. */
function takeSplit({ totals }: BatchDeps, progress: BatchProgress, why: string): boolean {
  if (progress.batch.records === 1) return false;
  if (progress.status === 413) return true;
  if (maySplit(totals)) {
    totals.extraRequests += PARTS;
    return true;
  }
  progress.error = `Refused whole, because the run has spent its requests for isolating records: ${why}`;
  return false;
}

/** Settles a batch that was not delivered. Unknown is sticky: no later failure makes it anything else. */
async function settleFailed(
  deps: BatchDeps,
  progress: BatchProgress,
  failure: Exclude<Outcome, 'delivered'>,
): Promise<'done'> {
  const { batch, status, error } = progress;
  const outcome = progress.maybeProcessed ? 'unknown' : failure;
  const isOneRecord = outcome === 'refused' && batch.records === 1 && ABOUT_RECORDS.has(status);
  await deps.keep(batch, outcome, isOneRecord ? error : undefined);
  await settle(deps, progress, { outcome });
  return 'done';
}

function settle(
  { canary, record, now, clock }: BatchDeps,
  progress: BatchProgress,
  settled: Parameters<typeof batchSettled>[3],
): Promise<void> {
  const { outcome, receipt } = settled;
  canary.add({ outcome, records: progress.batch.records, receipt, error: progress.error });
  return record(batchSettled(progress, now(), clock.now(), settled));
}

/** Leaves a batch that a stop caught: pending if it was never sent, else unknown. */
async function abandonBatch(deps: BatchDeps, progress: BatchProgress): Promise<void> {
  if (progress.maybeProcessed) await settleFailed(deps, progress, 'unknown');
}

/** Replaces a batch by its parts and delivers them one after the other, so the first good record is found early. */
async function deliverParts(deps: BatchDeps, progress: BatchProgress): Promise<void> {
  const { maybeProcessed } = progress;
  const parts = splitBatch(progress.batch, deps.digestOf);
  await deps.record(batchSplit(progress, deps.now(), parts));
  for (const part of parts) await deliverBatch(deps, part, { attempts: 0, maybeProcessed, isPart: true });
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
