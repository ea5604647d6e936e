/**
 * Behaviour that the interface leaves open, each as an option; docs/sandbox.md lists them beside the interface's
 * sentences. The defaults are this sandbox's choice, not a statement about the service.
 */
import type { RequestRate } from './request-limiter.ts';

/** Accepted field names of a signal: `either` accepts variant a or b, `both` requires the names of both. */
export const VARIANTS = ['a', 'b', 'both', 'either'] as const;

/** Status of the answer to a batch with too many records. */
export const OVER_LIMIT = ['400', '413', '422'] as const;

/** How a 429 states the wait: `reset` as `RateLimit-Reset`, `seconds` and `date` as `Retry-After`. */
export const RETRY_AFTER = ['seconds', 'date', 'reset', 'none'] as const;

/**
 * - `object`: `{"success":false,"error":{"code":"…","message":"…"}}`
 * - `flat`: `{"success":false,"message":"…"}`
 * - `problem`: RFC 9457, `application/problem+json`
 * - `text`: the message
 * - `html`: a page, as proxies send it
 * - `empty`: no body
 */
export const ERROR_SHAPES = ['object', 'flat', 'problem', 'text', 'html', 'empty'] as const;

/** Largest allowed value of `maxBody`, in bytes: a body is held in memory. */
export const MAX_BODY_LIMIT = 256 * 1024 * 1024;

export interface BehaviourOptions {
  readonly variants: (typeof VARIANTS)[number];
  /** Maximum events per social batch. */
  readonly maxEvents: number;
  /** Maximum size of a request body, in bytes. */
  readonly maxBody: number;
  readonly overLimit: (typeof OVER_LIMIT)[number];
  /** Signals that contain this text fail validation, as by a rule that only the service has. Undefined means none. */
  readonly reject?: string | undefined;
  /** `drop` ignores an invalid event, `refuse` answers its batch with 422. */
  readonly invalidEvents: 'drop' | 'refuse';
  /** Undefined means no limit. */
  readonly rateLimit?: RequestRate | undefined;
  readonly retryAfter: (typeof RETRY_AFTER)[number];
  readonly errors: (typeof ERROR_SHAPES)[number];
}

export const DEFAULT_BEHAVIOUR: BehaviourOptions = {
  variants: 'either',
  maxEvents: 100,
  maxBody: 10 * 1024 * 1024,
  overLimit: '422',
  invalidEvents: 'drop',
  retryAfter: 'seconds',
  errors: 'object',
};
