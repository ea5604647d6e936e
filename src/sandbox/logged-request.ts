/** What the sandbox says about a request, and what a test may ask it to do to one. Plain data. */
import type { RecordType } from '../model/record.ts';

/**
 * One request, as the sandbox saw it: a line of the log and of `GET /sandbox/requests`. It holds no record, no
 * header and no query, and so never the key. Requests to `/sandbox/…` make no fact.
 */
export interface LoggedRequest {
  /** Number of the request since the start, from 1, in the order of arrival. */
  readonly n: number;
  /** When its headers had arrived: ISO 8601, UTC. */
  readonly time: string;
  /** The same moment in milliseconds with fractions, on a clock that never jumps. Compare only within one process. */
  readonly at: number;
  readonly method: string;
  /** Without the query, cut at {@link PATH_LIMIT} characters. */
  readonly path: string;
  /** Status of the answer as it was decided; null where no answer is sent. */
  readonly status: number | null;
  /** Absent where the path is none of the service's. */
  readonly type?: RecordType;
  /** Elements of the request's array; 0 where no array was read. */
  readonly records: number;
  /** Bytes of the body that arrived. */
  readonly bytes: number;
  /** Whether the batch was taken in. A batch that was can still have got no answer: see {@link InjectedFault}. */
  readonly processed: boolean;
  readonly batchId?: string;
  readonly accepted?: number;
  readonly deduplicated?: number;
  readonly rejected?: number;
  readonly promoted?: number;
  /**
   * The digest of the body (src/digest.ts), by which the uploader's journal knows the batch. Absent where the body did
   * not arrive whole or was too large.
   */
  readonly digest?: string;
  /** What was done to the request because `behave` asked for it. */
  readonly fault?: FaultKind;
}

export type FaultKind = 'status' | 'latency' | 'hang' | 'reset' | 'cut';

/** Longest path in a fact, in characters. */
export const PATH_LIMIT = 200;

/** What `behave` is told of a batch that passed every check: it would be taken in next. */
export interface IncomingBatch {
  readonly n: number;
  readonly type: RecordType;
  readonly records: number;
  /** Of the request's body. */
  readonly bytes: number;
  /** The request's array, as far as it is taken in. */
  readonly elements: readonly unknown[];
}

/**
 * How one batch is answered instead of plainly. Whether it is taken in first:
 *
 * - `status`: no, unless `taken`. The body is the sandbox's own error body, unless one is given.
 * - `latencyMs`: yes, at once; the answer leaves after so many milliseconds. Beside one of the others, it comes
 *   first and changes nothing else.
 * - `hang`: yes. Nothing is sent any more, before or after the answer's headers, until somebody hangs up.
 * - `reset`: `before` no, `after-headers` yes. The connection is reset (TCP RST).
 * - `cut`: yes. The connection ends in an orderly way in the middle of the answer's body.
 */
export type InjectedFault = { readonly latencyMs: number } | (Departure & { readonly latencyMs?: number });

type Departure =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly taken?: true;
    }
  | { readonly hang: 'before' | 'after-headers' }
  | { readonly reset: 'before' | 'after-headers' }
  | { readonly cut: true };
