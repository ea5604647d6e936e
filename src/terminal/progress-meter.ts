/**
 * Measures the progress of a run: done and left, speed, and what sending waits for, from events, the run state and a clock.
 */
import type { AttemptFailed, RunEvent, ThrottleChanged } from '../model/event.ts';
import type { RunState } from '../model/run-state.ts';
import { bytesRead } from '../report/run-summary.ts';
import type { ProgressView, Waiting } from './progress-text.ts';

export interface ProgressMeterOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Bytes of all inputs; undefined if one of them is a pipe. */
  readonly totalBytes: number | undefined;
  /** Rows after this one are skipped (`--skip` and `--limit`). */
  readonly lastRow?: number | undefined;
  /** `--rate`: at most `count` requests in `perMs` milliseconds. */
  readonly rate?: { readonly count: number; readonly perMs: number } | undefined;
  /** The timeout of a request. */
  readonly timeoutMs?: number | undefined;
  /** In a check, a row that was read is done, and deliveries are not shown. */
  readonly checking?: boolean | undefined;
}

/** The counts at a moment. */
interface Sample {
  /** Without outages: how long those last says nothing about the speed. */
  readonly at: number;
  /** Also without the waits that the service asked for. */
  readonly active: number;
  readonly done: number;
  readonly delivered: number;
}

/** A pause of all sending. An outage lasts until the next delivery, also while a request probes. */
interface Wait {
  readonly since: number;
  readonly until: number;
  readonly why: string;
  /** Set in an outage. */
  readonly giveUpAt: number | undefined;
}

/** The period over which the speed is measured: this much time in which sending was allowed. */
const WINDOW_MS = 30_000;
const SAMPLE_MS = 250;
/** A longer time without progress reduces the speed. */
const STEP_MS = 2_000;
/** Shortest time for a meaningful speed. */
const MIN_WINDOW_MS = 2_000;
/** Longer estimates are not shown. */
const MAX_ESTIMATE_MS = 99 * 3_600_000;
/** A longer time between two looks at the clock is not measured. */
const SLEEP_MS = 10_000;
/** Without any answer for this long, the display says so. */
const STALL_MS = 5_000;

export class ProgressMeter {
  readonly #options: ProgressMeterOptions;
  #runState: RunState | undefined;
  #wait: Wait | undefined;
  #outageMs = 0;
  #askedMs = 0;
  /** The last failed attempt, until the next delivery. */
  #failure: { readonly error: string; readonly retryAt: number } | undefined;
  #inFlight = 0;
  /** The last answer, or when the first request left after it. */
  #lastAnswer = 0;
  #samples: readonly Sample[] = [];
  #lastView: number;

  constructor(options: ProgressMeterOptions) {
    this.#options = options;
    this.#lastView = options.now();
  }

  update(event: RunEvent, runState: RunState): void {
    this.#runState = runState;
    switch (event.event) {
      case 'attempt.started':
        if (this.#inFlight === 0) this.#lastAnswer = this.#options.now();
        this.#inFlight += 1;
        break;
      case 'attempt.failed':
        this.#answered();
        this.#fail(event);
        break;
      case 'batch.settled':
        if (event.outcome !== 'delivered') break;
        this.#answered();
        this.#failure = undefined;
        break;
      case 'throttle.changed':
        if (event.state === 'paused') this.#pause(event);
        break;
      default:
    }
    const { paused, outage } = runState.throttle;
    if (this.#wait !== undefined && !paused && !outage) this.#endWait();
  }

  /** Takes a sample and returns what to show; undefined before the first event. */
  view(): ProgressView | undefined {
    const runState = this.#runState;
    if (runState === undefined) return undefined;
    const { checking, lastRow = Number.POSITIVE_INFINITY } = this.#options;
    const { rows } = runState;
    const allRows = this.#allRows(runState);
    const total = allRows && Math.min(lastRow, allRows);
    const done = Math.min(lastRow, rows.read) - (checking === true ? 0 : rows.pending);
    const speed = this.#speed(done, checking === true ? done : rows.delivered);
    return {
      runState,
      checking,
      share: total === undefined ? undefined : done / Math.max(1, total),
      throughput: runState.throttle.outage ? undefined : speed && speed.delivered * 1000,
      msLeft: total === undefined ? undefined : this.#msLeft(total - done, speed?.done, runState),
      waiting: this.#waiting(),
    };
  }

  /** Rows of all inputs, estimated from those read; undefined while an input of unknown size is read. */
  #allRows(runState: RunState): number | undefined {
    const { rows, sources } = runState;
    if (sources.every(({ ended }) => ended)) return rows.read;
    const { totalBytes } = this.#options;
    if (totalBytes === undefined) return undefined;
    const read = bytesRead(runState);
    return read === 0 ? Number.POSITIVE_INFINITY : rows.read * Math.max(1, totalBytes / read);
  }

  #answered(): void {
    this.#inFlight -= 1;
    this.#lastAnswer = this.#options.now();
  }

  #fail({ next, error, afterMs = 0 }: AttemptFailed): void {
    if (next === 'retry') this.#failure = { error, retryAt: this.#options.now() + afterMs };
  }

  #pause({ ms = 0, giveUpMs, why = 'sending is paused' }: ThrottleChanged): void {
    const now = this.#options.now();
    const giveUpAt = giveUpMs === undefined ? this.#wait?.giveUpAt : now + giveUpMs;
    this.#wait = { since: this.#wait?.since ?? now, until: now + ms, why, giveUpAt };
  }

  #endWait(): void {
    this.#outageMs += this.#waitedMs(true);
    this.#askedMs += this.#waitedMs(false);
    this.#wait = undefined;
  }

  /** How long the current wait lasts, if it is of that kind. */
  #waitedMs(isOutage: boolean): number {
    const { since, giveUpAt } = this.#wait ?? {};
    return since === undefined || (giveUpAt !== undefined) !== isOutage ? 0 : this.#options.now() - since;
  }

  /** Adds a sample if something is done since the last one. Returns the speed per millisecond; undefined at first. */
  #speed(done: number, delivered: number): { readonly done: number; readonly delivered: number } | undefined {
    const now = this.#options.now();
    // The display asks at least every second: a machine that slept did not work.
    if (now - this.#lastView > SLEEP_MS) this.#outageMs += now - this.#lastView;
    this.#lastView = now;
    const at = now - this.#outageMs - this.#waitedMs(true);
    const active = at - this.#askedMs - this.#waitedMs(false);
    const newest = this.#samples.at(-1);
    if (newest === undefined || (done !== newest.done && active - newest.active >= SAMPLE_MS)) {
      this.#samples = [...this.#samples, { at, active, done, delivered }];
    }
    // Two samples stay, so that slow answers have a speed too.
    while (this.#samples.length > 2 && (this.#samples[0]?.active ?? active) < active - WINDOW_MS) {
      this.#samples = this.#samples.slice(1);
    }
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined) return undefined;
    // Answers come in steps, so the time since the last one counts only if it is long. A requested wait counts when it is over.
    const idle = at - this.#waitedMs(false) - last.at;
    const ms = last.at - first.at + (idle > STEP_MS ? idle : 0);
    if (ms < MIN_WINDOW_MS) return undefined;
    return { done: (last.done - first.done) / ms, delivered: (last.delivered - first.delivered) / ms };
  }

  /** Estimated milliseconds for these rows; undefined without progress, in an outage, or for a very long time. */
  #msLeft(rows: number, speed: number | undefined, { rows: counts, batches, throttle }: RunState): number | undefined {
    const { now, rate } = this.#options;
    const wait = this.#wait;
    if (rows <= 0) return 0;
    if (throttle.outage) return undefined;
    const measured = speed === undefined || speed <= 0 ? undefined : rows / speed;
    const { delivered, refused, exhausted, unknown, pending } = counts;
    const perBatch = (delivered + refused + exhausted + unknown + pending) / (batches.sealed - batches.split);
    const least = rate && (Math.ceil(rows / perBatch) * rate.perMs) / rate.count;
    if (measured === undefined && least === undefined) return undefined;
    const ms = Math.max(measured ?? 0, least ?? 0) + Math.max(0, (wait?.until ?? 0) - now());
    return ms <= MAX_ESTIMATE_MS ? ms : undefined;
  }

  #waiting(): Waiting | undefined {
    const { now, timeoutMs } = this.#options;
    const at = now();
    const wait = this.#wait;
    if (wait !== undefined) {
      const { why, until, giveUpAt } = wait;
      const giveUp = giveUpAt === undefined ? undefined : new Date(Date.now() + giveUpAt - at);
      return { why, retryMs: Math.max(0, until - at), giveUpAt: giveUp };
    }
    if (this.#inFlight > 0 && at - this.#lastAnswer >= STALL_MS) {
      return { why: 'no answer from the service', sinceMs: at - this.#lastAnswer, timeoutMs };
    }
    const failure = this.#failure;
    return failure && { why: `request failed (${failure.error})`, retryMs: Math.max(0, failure.retryAt - at) };
  }
}
