/**
 * Behaviour that the interface leaves open, each as an option; docs/sandbox.md lists them beside the interface's
 * sentences. The defaults are this sandbox's choice, not a statement about the service.
 */
import type { Variant } from '../model/record.ts';
import type { Window } from './request-limiter.ts';

/** Accepted field names of a signal: `either` accepts variant a or b, `both` requires the names of both. */
export type AcceptedVariants = Variant | 'either';

export const ERROR_SHAPES = ['object', 'flat', 'problem', 'text', 'html', 'empty'] as const;

/**
 * - `object`: `{"success":false,"error":{"code":"…","message":"…"}}`
 * - `flat`: `{"success":false,"message":"…"}`
 * - `problem`: RFC 9457, `application/problem+json`
 * - `text`: the message
 * - `html`: a page, as proxies send it
 * - `empty`: no body
 */
export type ErrorShape = (typeof ERROR_SHAPES)[number];

/** How a 429 states the wait: `reset` as `RateLimit-Reset`, `seconds` and `date` as `Retry-After`. */
export type RetryAfter = 'seconds' | 'date' | 'reset' | 'none';

export interface BehaviourOptions {
  readonly variants: AcceptedVariants;
  /** Maximum events per social batch. */
  readonly maxEvents: number;
  /** Maximum size of a request body, in bytes. */
  readonly maxBody: number;
  readonly overLimit: OverLimit;
  /** `drop` ignores an invalid event, `refuse` answers its batch with 422. */
  readonly invalidEvents: 'drop' | 'refuse';
  /** Undefined means no limit. */
  readonly rateLimit?: Window | undefined;
  readonly retryAfter: RetryAfter;
  readonly errors: ErrorShape;
}

export const VARIANTS = ['a', 'b', 'both', 'either'] as const satisfies readonly AcceptedVariants[];
export const RETRY_AFTER = ['seconds', 'date', 'reset', 'none'] as const satisfies readonly RetryAfter[];
export const OVER_LIMIT = ['400', '413', '422', 'rest'] as const;

/** Answer to a batch with too many records: an error status, or `rest`: its first records are processed, the rest rejected. */
export type OverLimit = (typeof OVER_LIMIT)[number];

/** Largest allowed value of `maxBody`, in bytes: a body is held in memory. */
export const MAX_BODY_LIMIT = 256 * 1024 * 1024;

export const DEFAULT_BEHAVIOUR: BehaviourOptions = {
  variants: 'either',
  maxEvents: 100,
  maxBody: 10 * 1024 * 1024,
  overLimit: '422',
  invalidEvents: 'drop',
  retryAfter: 'seconds',
  errors: 'object',
};
