/** When to try again. Pure: chance and clock are handed in. */

/** First ceiling of the backoff, in milliseconds. */
const BASE_MS = 250;
/** Largest ceiling of the backoff, in milliseconds. */
export const CEILING_MS = 30_000;
/** A longer wait than a day is no answer of a service that works, but a mistake in a header. */
const ABSURD_MS = 24 * 60 * 60 * 1000;

/**
 * Exponential backoff with full jitter: anywhere between nothing and a ceiling that doubles.
 * @param failures how many attempts failed in a row, from 1
 * @param random in [0, 1)
 * @returns milliseconds
 */
export function backoff(failures: number, random: number): number {
  return Math.round(random * Math.min(CEILING_MS, BASE_MS * 2 ** (failures - 1)));
}

/** How long the service asks all sending to wait. */
export interface RetryAfter {
  /** Absent where no header says so, or none that can be understood: the backoff decides. */
  readonly ms?: number;
  /** A header's text that is absurd or cannot be read, to be told. */
  readonly odd?: string;
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3: seconds or an HTTP-date), else `RateLimit` and `RateLimit-Reset` (the
 * drafts of the IETF's httpapi group: seconds until the window ends).
 * @param now milliseconds since the epoch
 * @param maxWaitMs an absurdly long wait is clamped to this
 */
export function retryAfter(
  headers: Readonly<Record<string, string>>,
  now: number,
  maxWaitMs: number,
): RetryAfter {
  const text = headers['retry-after'] ?? headers['ratelimit-reset'] ?? windowEnd(headers['ratelimit']);
  if (text === undefined) return {};
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  if (Number.isNaN(ms) || text.trim().startsWith('-')) return { odd: text };
  if (ms > ABSURD_MS) return { ms: maxWaitMs, odd: text };
  return { ms: Math.max(0, Math.ceil(ms)) };
}

/** `limit=100, remaining=0, reset=12` of the older drafts, `"default";r=0;t=12` of the newer ones. */
function windowEnd(rateLimit: string | undefined): string | undefined {
  return rateLimit === undefined ? undefined : /(?:\breset|;\s*t)\s*=\s*(\d+)/i.exec(rateLimit)?.[1];
}
