/** What the service answers, which answers refuse a batch, what becomes of it, and why a run stops. deliver/decide.ts decides. */
import { z } from 'zod';
import { withEach } from './counts.ts';
import type { Data } from './row.ts';

/** How a batch ended that was not delivered. */
export const failure = z.enum(['refused', 'exhausted', 'unknown']);
export const outcome = z.enum(['delivered', ...failure.options]);
export const batchState = z.enum([...outcome.options, 'pending']);
/** What can become of a row: it is dropped, or has the state of its batch. */
export const rowState = z.enum(['invalid', 'skipped', 'duplicate', ...batchState.options]);

export type Failure = z.infer<typeof failure>;
/** The final state of a batch (docs/internals/spec/delivery.md, "Outcomes of a batch"). A split batch has none; its parts do. */
export type Outcome = z.infer<typeof outcome>;
export type BatchState = z.infer<typeof batchState>;
export type RowState = z.infer<typeof rowState>;

/** Whether a resume without an option may still change the outcome. Such rows are exit code 4, and others exit code 3. */
const IS_OPEN: Readonly<Record<Failure, boolean>> = { refused: false, exhausted: true, unknown: true };
export const openFailures = failure.options.filter((name) => IS_OPEN[name]);

/** The counts of a receipt. Which of them it has depends on the record type. */
export const receiptCounts = ['accepted', 'deduplicated', 'rejected', 'promoted'] as const;

export const receipt = z.object({ batchId: z.string(), ...withEach(receiptCounts, z.int().optional()) });

/** The service's answer to a delivered batch. */
export type Receipt = Data<typeof receipt>;

/** The result of one HTTP request, not yet interpreted. */
export type AttemptResult = AnsweredAttempt | FailedAttempt;

/** The headers of an answer that are read. Others never arrive in delivery. */
export const answerHeaders = ['retry-after', 'ratelimit', 'ratelimit-reset', 'location', 'date'] as const;

export type AnswerHeaders = { readonly [H in (typeof answerHeaders)[number]]?: string };

export interface AnsweredAttempt {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** The body as text, cut at the transport's limit. */
  readonly body: string;
  readonly whole: boolean;
  /** Whether all of the request was written before the answer ended. */
  readonly written: boolean;
}

export interface FailedAttempt {
  readonly kind: 'failed';
  /** Whether part of the request was sent, so that the service may have processed it. */
  readonly left: boolean;
  readonly cause:
    | 'dns'
    | 'connect'
    | 'files'
    | 'tls'
    | 'handshake'
    | 'plain'
    | 'scheme'
    | 'proxy'
    | 'proxy_connect'
    | 'url'
    | 'timeout'
    | 'reset'
    | 'other';
  /** The library's stable code: `ECONNREFUSED`, `UND_ERR_HEADERS_TIMEOUT`. */
  readonly code: string;
  readonly message: string;
}

/** With these, the service refuses what a batch contains. Others refuse the request. */
const CONTENT_REFUSALS: Readonly<Record<number, 'size' | 'records'>> = {
  400: 'records',
  403: 'records',
  413: 'size',
  422: 'records',
};

export type Refusal = 'size' | 'records' | 'request';

export function refusalOf(status: number): Refusal {
  return CONTENT_REFUSALS[status] ?? 'request';
}

/** Whether a refusal of a single record puts its row into the rejects file. @param status of the answer */
export function isAboutContent(status: number | undefined): boolean {
  return status !== undefined && refusalOf(status) !== 'request';
}

const stopCode = z.enum([
  'key', // 401, or 403 before anything was delivered
  'address', // 404, 405, 3xx, TLS, proxy, URL: this is not the service
  'scheme', // http:// to a port that speaks TLS, or https:// to one that does not
  'files', // the process has reached its limit of open files
  'wait', // the service asked for a longer wait than max_wait
  'rate', // the rate store is unavailable or refuses
  'outage', // the service was unavailable for longer than retry_max_time
  'answers', // the service repeatedly answered 2xx without a valid receipt
  'refusals', // repeated 403 after a delivery
  'canary', // no record of the first batch was accepted
  'invalid', // more invalid rows than --max-invalid allows
  'rows', // fewer rows than --min-rows requires
  'storage', // the run folder cannot be written
  'input', // reading an input failed
  'changed', // an input grew or shrank while it was read
  'lost', // another process took over the run
  'folder', // the run folder was deleted or renamed
  'signal', // SIGINT, SIGTERM, SIGHUP
]);

export type StopCode = z.infer<typeof stopCode>;

export const stop = z.object({
  code: stopCode,
  message: z.string().describe('What happened, in one sentence that quotes the error of the service or the system'),
  hint: z.string().optional().describe('What to do, in one sentence'),
});

/** Why the run stopped sending. The code is stable. */
export type Stop = Data<typeof stop>;

export const problem = z.object({
  code: z.string().describe('Stable, for scripts: input.empty, mapping.column'),
  message: z.string().describe('What happened, in one sentence: what was found and what was expected'),
  where: z.string().optional().describe('The location, as the user would write it: in.csv:12'),
  hint: z.string().optional().describe('What to do next, in one sentence; commands are in backquotes'),
});

/** An error that the user can fix. Bugs of the program are other errors. */
export type Problem = Data<typeof problem>;

/**
 * The first reason to stop, and a signal: shared by all parts that can stop a run or must react to a stop. Made by
 * run/run-stop.ts, one for each run.
 */
export interface RunStop {
  /** Aborted by {@link RunStop.stop}: no new request starts, and requests in flight may finish. */
  readonly signal: AbortSignal;
  /** The first reason given. Undefined while there is none. */
  readonly reason: Stop | undefined;
  /** Ends sending. Only the first reason counts; a bug gives none, because its error is thrown. */
  stop(reason?: Stop): void;
  /** Ends reading: an input failed. Batches that are already prepared are still sent. */
  stopReading(reason: Stop): void;
}

/** A file of the run folder could not be written, and the run was stopped because of it. */
export class StorageError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'StorageError';
  }
}
