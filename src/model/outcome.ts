/**
 * What became of a batch (delivery.md, "Outcomes of a batch"). `pending` is a batch that is not settled, and
 * `split` one whose parts have outcomes of their own.
 */
export type Outcome = 'delivered' | 'refused' | 'exhausted' | 'unknown';

export type BatchState = Outcome | 'pending';

/** The service's answer to a delivered batch. Which counts it has depends on the record type. */
export interface Receipt {
  readonly batchId: string;
  readonly accepted?: number;
  readonly deduplicated?: number;
  readonly rejected?: number;
  readonly promoted?: number;
}

/** The facts of one HTTP request, without judgement. */
export type AttemptResult = AnsweredAttempt | FailedAttempt;

export interface AnsweredAttempt {
  readonly kind: 'answered';
  readonly status: number;
  /** Header names in lower case. Only those that delivery reads. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, cut at the transport's limit. */
  readonly body: string;
  /** Whether the body arrived whole. */
  readonly whole: boolean;
}

export interface FailedAttempt {
  readonly kind: 'failed';
  /** Whether the request had begun to leave: from then on the service may have processed it. */
  readonly left: boolean;
  /** Why, for the decision. */
  readonly cause: 'dns' | 'connect' | 'tls' | 'proxy' | 'url' | 'timeout' | 'reset' | 'other';
  /** The library's stable code: `ECONNREFUSED`, `UND_ERR_HEADERS_TIMEOUT`. */
  readonly code: string;
  readonly message: string;
}

/** Why the run sends nothing more. The code is stable; the message is made by report/. */
export interface Stop {
  readonly code: StopCode;
  /** What happened, in a sentence: the service's or the system's words are quoted in it. */
  readonly message: string;
  /** What to do about it, in a sentence. */
  readonly hint?: string | undefined;
}

export type StopCode =
  | 'key' // 401, or 403 before anything was delivered
  | 'address' // 404, 405, 3xx, TLS, proxy, URL: this is not the service
  | 'wait' // the service asked for a longer wait than --max-wait
  | 'outage' // no good answer for longer than --retry-max-time
  | 'answers' // answers that are no receipts, again and again
  | 'refusals' // 403 again and again after a delivery
  | 'canary' // the service took nothing of the first batch
  | 'invalid' // more invalid rows than --max-invalid allows
  | 'rows' // fewer rows than --min-rows asks for
  | 'storage' // the run folder cannot be written
  | 'input' // an input failed half-way
  | 'lost' // another process took over the run
  | 'signal'; // SIGINT, SIGTERM, SIGHUP
