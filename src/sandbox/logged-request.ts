/** One request as the sandbox logs it. */
import type { RecordType } from '../model/record.ts';
import type { effectOf } from './fault.ts';

/**
 * A line of the log and of `GET /sandbox/requests`. It contains no record, no header and no query, so never the key.
 * Requests to `/sandbox/…` are not logged.
 */
export interface LoggedRequest {
  /** Number of the request since the start, from 1, in order of arrival. */
  readonly n: number;
  /** When its headers had arrived: ISO 8601, UTC. */
  readonly time: string;
  /** The same moment in milliseconds on a monotonic clock. Compare only within one process. */
  readonly at: number;
  readonly method: string;
  /** Without the query, cut at {@link PATH_LIMIT} characters. */
  readonly path: string;
  /** Status of the answer; null if no answer is sent. */
  readonly status: number | null;
  /** Absent if the path is not one of the service's. */
  readonly type?: RecordType | undefined;
  /** Elements of the request's array; 0 if no array was read. */
  readonly records: number;
  /** Bytes of the body that arrived. */
  readonly bytes: number;
  /** Whether the batch was processed. A processed batch may still get no answer, see {@link InjectedFault}. */
  readonly processed: boolean;
  readonly batchId?: string | undefined;
  readonly accepted?: number | undefined;
  readonly deduplicated?: number | undefined;
  readonly rejected?: number | undefined;
  readonly promoted?: number | undefined;
  /** XXH64 of the body, as in the uploader's journal. Absent if the body was incomplete or too large. */
  readonly digest?: string | undefined;
  /** The injected fault. */
  readonly fault?: ReturnType<typeof effectOf>['kind'] | undefined;
}

/** Maximum length of a logged path, in characters. */
export const PATH_LIMIT = 200;
