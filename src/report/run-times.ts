/** Why a run took as long as it did: how fast the service answered, and when nothing was sent. Reads events. Pure. */
import { type Html, html, htmlSection } from '../lib/page.ts';
import { count, humanDuration } from '../lib/units.ts';
import type { RunEvent } from '../model/event.ts';
import type { BatchChange, RunReader, RunState, ThrottleState } from '../model/run-state.ts';

/** In milliseconds. */
export interface TimeFacts {
  /** Why nothing was sent, and how long: the longest first. */
  readonly waits: readonly (readonly [why: string, ms: number])[];
  /** How long the service took for each answer, in ascending order. */
  readonly answers: readonly number[];
}

export class RunTimes {
  readonly #waits = new Map<string, number>();
  readonly #answers: number[] = [];
  #throttle: ThrottleState = { paused: false, outage: false };
  #workedMs = 0;

  readonly on: RunReader = (event, { throttle, workedMs }, changes) => {
    const { paused, outage, why = 'sending was paused' } = this.#throttle;
    const reason = outage ? `the service was unavailable (${why})` : why;
    if (paused || outage) this.#waits.set(reason, (this.#waits.get(reason) ?? 0) + workedMs - this.#workedMs);
    this.#workedMs = workedMs;
    this.#throttle = { ...throttle, why: throttle.why ?? why };
    const ms = answerMs(event, changes);
    if (ms !== undefined) this.#answers.push(ms);
  };

  facts(): TimeFacts {
    return {
      waits: [...this.#waits].sort(([, one], [, other]) => other - one),
      answers: this.#answers.toSorted((one, other) => one - other),
    };
  }
}

/** In milliseconds. Undefined if the event is not about an answer. */
function answerMs(event: RunEvent, [change]: readonly BatchChange[]): number | undefined {
  if (event.event === 'attempt.failed') return event.status === undefined ? undefined : event.ms;
  const sentAt = event.event === 'batch.settled' && event.outcome === 'delivered' ? change?.batch.sentAt : undefined;
  return sentAt === undefined || !('time' in event) ? undefined : Date.parse(event.time) - Date.parse(sentAt);
}

/** With fewer requests, the times are chance. */
const MIN_REQUESTS = 20;
const WAITS_SHOWN = 3;

/** Undefined if there are too few requests. */
export function timeSection(
  { waits, answers }: TimeFacts,
  { requests, workedMs }: Pick<RunState, 'requests' | 'workedMs'>,
): Html | undefined {
  if (requests < MIN_REQUESTS || workedMs === 0) return undefined;
  const within = (share: number): string => `${count(answers[Math.ceil(answers.length * share) - 1] ?? 0)} ms`;
  const answered =
    answers.length === 0
      ? 'No request was answered.'
      : `Half of the answers came within ${within(0.5)}, 95% within ${within(0.95)}.`;
  const waitedMs = waits.reduce((sum, [, ms]) => sum + ms, 0);
  const shown = waits
    .slice(0, WAITS_SHOWN)
    .map(([why, ms]) => (waits.length === 1 ? why : `${why} ${humanDuration(ms)}`));
  const waited =
    waitedMs < workedMs / 100
      ? ''
      : ` Of ${humanDuration(workedMs)}, waits took ${humanDuration(waitedMs)}: ${shown.join(', ')}.`;
  return htmlSection('time', 'Why it took this long', html`<p>${answered}${waited}</p>\n`);
}
