/**
 * What interface.md leaves open, each as a switch (docs/sandbox.md lists them beside the interface's sentences).
 * The defaults are this sandbox's choice and no statement about the service.
 */
import type { Variant } from '../model/record.ts';
import type { Window } from './request-limiter.ts';

/** Field names of a signal that are accepted: `either` takes a record of variant a or b, `both` wants both. */
export type AcceptedVariants = Variant | 'either';

export const ERROR_SHAPES = ['object', 'flat', 'problem', 'text', 'html', 'empty'] as const;

/**
 * - `object`: `{"success":false,"error":{"code":"…","message":"…"}}`
 * - `flat`: `{"success":false,"message":"…"}`
 * - `problem`: RFC 9457, `application/problem+json`
 * - `text`: the sentence alone
 * - `html`: a page, as proxies send it
 * - `empty`: no body
 */
export type ErrorShape = (typeof ERROR_SHAPES)[number];

/** How a 429 says when to come again. `reset` is the header `RateLimit-Reset`; the others are `Retry-After`. */
export type RetryAfter = 'seconds' | 'date' | 'reset' | 'none';

export interface BehaviourOptions {
  readonly variants: AcceptedVariants;
  /** Largest social batch, in events. */
  readonly maxEvents: number;
  /** Largest request body, in bytes. */
  readonly maxBody: number;
  readonly overLimit: OverLimit;
  /** An event that is not valid is left out, or it has its batch refused with 422. */
  readonly invalidEvents: 'drop' | 'refuse';
  /** Absent: as many as come. */
  readonly rateLimit?: Window;
  readonly retryAfter: RetryAfter;
  readonly errors: ErrorShape;
}

export const VARIANTS = ['a', 'b', 'both', 'either'] as const satisfies readonly AcceptedVariants[];
export const RETRY_AFTER = ['seconds', 'date', 'reset', 'none'] as const satisfies readonly RetryAfter[];
export const OVER_LIMIT = ['400', '413', '422', 'rest'] as const;

/** What becomes of a batch with too many records: refused with that status, or its first records are taken. */
export type OverLimit = (typeof OVER_LIMIT)[number];

/** The largest body that can be asked for, in bytes: it is held in memory while it is read. */
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
