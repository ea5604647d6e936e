/**
 * When to try again: the backoff, and what the headers Retry-After and RateLimit ask for. Pure: random numbers and times
 * are passed in.
 */
import type { AnswerHeaders } from '../model/outcome.ts';

/** First ceiling of the backoff, in milliseconds. */
const BASE_MS = 250;
/** Largest ceiling of the backoff, in milliseconds. */
export const CEILING_MS = 30_000;
/** A service that asks for more than a day has an error in a header, in milliseconds. */
const ABSURD_MS = 24 * 60 * 60 * 1000;

/**
 * Exponential backoff with full jitter: uniform between zero and a ceiling that doubles with each failure.
 * @param failures consecutive failures, from 1
 * @param random in [0, 1)
 * @returns milliseconds
 */
export function backoff(failures: number, random: number): number {
  return Math.round(random * Math.min(CEILING_MS, BASE_MS * 2 ** (failures - 1)));
}

/** How long the service asks all sending to wait. */
export interface RetryAfter {
  /** Absent if no header gives a valid time; then the backoff decides. */
  readonly ms?: number;
  /** The text of a header that is absurd or cannot be parsed, for the message. */
  readonly invalid?: string;
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3: seconds or an HTTP-date), else `RateLimit` and `RateLimit-Reset` (drafts of
 * the IETF httpapi group: seconds until the window ends).
 * @param now milliseconds since the epoch
 * @param maxWaitMs replaces an absurdly long wait
 */
export function readRetryAfter(headers: AnswerHeaders, now: number, maxWaitMs: number): RetryAfter {
  const text = headers['retry-after'] ?? headers['ratelimit-reset'] ?? windowEnd(headers.ratelimit);
  if (text === undefined) return {};
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  if (Number.isNaN(ms) || text.trim().startsWith('-')) return { invalid: text };
  if (ms > ABSURD_MS) return { ms: maxWaitMs, invalid: text };
  return { ms: Math.max(0, Math.ceil(ms)) };
}

/** `limit=100, remaining=0, reset=12` in older drafts, `"default";r=0;t=12` in newer ones. */
function windowEnd(rateLimit: string | undefined): string | undefined {
  return rateLimit === undefined ? undefined : /(?:\breset|;\s*t)\s*=\s*(\d+)/i.exec(rateLimit)?.[1];
}
