/**
 * How fast a run delivered and when it waited, from its events. Time without a process, between an interruption and a resume, is
 * left out. The memory is bounded: when a run outgrows its steps, two become one.
 */
import type { RunReader, ThrottleState } from '../model/run-state.ts';
import { answerMs } from './metrics.ts';

const STEP_LIMIT = 200;
const FIRST_STEP_MS = 20;
/** Different reasons of waits. */
const WAIT_LIMIT = 20;
/** Latencies are counted in steps of 5%. */
const LATENCY_STEP = 1.05;

export interface TimelineFacts {
  readonly stepMs: number;
  readonly steps: readonly Readonly<Step>[];
  /** When the run was resumed: milliseconds since its start. */
  readonly resumedAt: readonly number[];
  readonly totalMs: number;
  /** Why nothing was sent, and how long: the longest first. */
  readonly waits: readonly (readonly [why: string, ms: number])[];
  readonly latency: Latency | undefined;
}

/** Of the requests that were answered, in milliseconds, accurate to 5%. */
export interface Latency {
  readonly median: number;
  readonly p95: number;
}

export interface Step {
  /** Rows delivered. */
  rows: number;
  /** In which nothing was sent because the service failed, and because it asked for that. */
  outageMs: number;
  askedMs: number;
  /** The sum of the times that requests were in flight. */
  inFlightMs: number;
}

export class Timeline {
  #stepMs = FIRST_STEP_MS;
  #steps: Step[] = [];
  readonly #resumedAt: number[] = [];
  readonly #latencies = new Map<number, number>();
  #throttle: ThrottleState = { paused: false, outage: false };
  #inFlight = 0;
  readonly #waits = new Map<string, number>();
  #sessionStart = 0;
  #before = 0;
  #last = 0;

  readonly on: RunReader = (event, { throttle }, changes) => {
    if (!('time' in event)) return;
    const time = Date.parse(event.time);
    if (event.event === 'run.started' || event.event === 'run.resumed') {
      this.#before = this.#last;
      this.#sessionStart = time;
      this.#inFlight = 0;
      if (event.event === 'run.resumed') this.#resumedAt.push(this.#last);
    }
    this.#advance(Math.max(this.#last, this.#before + time - this.#sessionStart));
    this.#throttle = { ...throttle, why: throttle.why ?? this.#throttle.why };
    if (event.event === 'attempt.started') this.#inFlight += 1;
    if (event.event === 'attempt.failed') this.#endAttempt();
    if (event.event === 'batch.settled' && event.outcome === 'delivered') {
      this.#endAttempt();
      for (const { batch } of changes) this.#stepAt(this.#last).rows += batch.records;
    }
    const ms = answerMs(event, changes);
    if (ms !== undefined) this.#countLatency(ms);
  };

  facts(): TimelineFacts {
    return {
      stepMs: this.#stepMs,
      steps: this.#steps,
      resumedAt: this.#resumedAt,
      totalMs: this.#last,
      waits: [...this.#waits].sort(([, one], [, other]) => other - one),
      latency: latencyOf(this.#latencies),
    };
  }

  /** The attempts of a process that was killed do not count. */
  #endAttempt(): void {
    this.#inFlight = Math.max(0, this.#inFlight - 1);
  }

  /** Counts the time since the last event as what it was spent on. */
  #advance(to: number): void {
    const { paused, outage, why = 'sending was paused' } = this.#throttle;
    const kind = outage ? 'outageMs' : paused ? 'askedMs' : undefined;
    const reason = outage ? `the service was unavailable (${why})` : why;
    if (kind !== undefined && (this.#waits.has(reason) || this.#waits.size < WAIT_LIMIT))
      this.#waits.set(reason, (this.#waits.get(reason) ?? 0) + to - this.#last);
    // The last step first: it may make the steps longer.
    this.#stepAt(to);
    for (let at = this.#last; at < to; ) {
      const end = Math.min(to, (Math.floor(at / this.#stepMs) + 1) * this.#stepMs);
      const step = this.#stepAt(at);
      if (kind !== undefined) step[kind] += end - at;
      step.inFlightMs += this.#inFlight * (end - at);
      at = end;
    }
    this.#last = to;
  }

  #stepAt(at: number): Step {
    while (at >= this.#stepMs * STEP_LIMIT) {
      this.#stepMs *= 2;
      this.#steps = mergeSteps(this.#steps, 2);
    }
    const index = Math.floor(at / this.#stepMs);
    while (this.#steps.length <= index) this.#steps.push(emptyStep());
    return this.#steps[index] ?? emptyStep();
  }

  #countLatency(ms: number): void {
    const step = Math.round(Math.log(Math.max(1, ms)) / Math.log(LATENCY_STEP));
    this.#latencies.set(step, (this.#latencies.get(step) ?? 0) + 1);
  }
}

function emptyStep(): Step {
  return { rows: 0, outageMs: 0, askedMs: 0, inFlightMs: 0 };
}

/** Each `by` steps become one. */
export function mergeSteps(steps: readonly Readonly<Step>[], by: number): Step[] {
  return Array.from({ length: Math.ceil(steps.length / by) }, (_, index) => {
    const merged = emptyStep();
    for (const step of steps.slice(index * by, (index + 1) * by)) {
      merged.rows += step.rows;
      merged.outageMs += step.outageMs;
      merged.askedMs += step.askedMs;
      merged.inFlightMs += step.inFlightMs;
    }
    return merged;
  });
}

function latencyOf(latencies: ReadonlyMap<number, number>): Latency | undefined {
  const sorted = [...latencies].sort(([one], [other]) => one - other);
  const total = sorted.reduce((sum, [, requests]) => sum + requests, 0);
  if (total === 0) return undefined;
  const at = (share: number): number => {
    let left = total * share;
    for (const [step, requests] of sorted) {
      left -= requests;
      if (left <= 0) return Math.round(LATENCY_STEP ** step);
    }
    return 0;
  };
  return { median: at(0.5), p95: at(0.95) };
}
