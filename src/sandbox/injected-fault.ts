/** Faults that replace or delay the answer to a batch. */
import type { RecordType } from '../model/record.ts';
import type { FaultKind } from './logged-request.ts';

/** A batch that passed every check and would be processed next. */
export interface IncomingBatch {
  /** Number of the request. */
  readonly n: number;
  readonly type: RecordType;
  readonly records: number;
  /** Bytes of the request's body. */
  readonly bytes: number;
  /** The elements that would be processed. */
  readonly elements: readonly unknown[];
}

/**
 * How one batch is answered, and whether it is processed first:
 *
 * - `status`: not processed, unless `taken` is set. The body is the sandbox's error body, unless one is given.
 * - `latencyMs`: processed at once, answered after so many milliseconds. May be combined with the others.
 * - `hang`: processed. Nothing more is sent, before or after the headers, until the client closes the connection.
 * - `reset`: `before` not processed, `after-headers` processed. The connection is reset (TCP RST).
 * - `cut`: processed. The connection is closed normally in the middle of the body.
 */
export type InjectedFault = { readonly latencyMs: number } | (AnswerFault & { readonly latencyMs?: number });

export type AnswerFault = StatusFault | ConnectionFault;

export interface StatusFault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly taken?: true | undefined;
}

type ConnectionFault =
  | { readonly hang: 'before' | 'after-headers' }
  | { readonly reset: 'before' | 'after-headers' }
  | { readonly cut: true };

export function kindOf(fault: InjectedFault): FaultKind {
  if ('status' in fault) return 'status';
  if ('hang' in fault) return 'hang';
  if ('reset' in fault) return 'reset';
  return 'cut' in fault ? 'cut' : 'latency';
}

/** Whether the batch is left unprocessed. */
export function preventsProcessing(fault: InjectedFault): boolean {
  return 'status' in fault ? fault.taken !== true : isResetBefore(fault);
}

/** Whether not even a status is sent. */
export function preventsAnswer(fault: InjectedFault): boolean {
  return isResetBefore(fault) || ('hang' in fault && fault.hang === 'before');
}

function isResetBefore(fault: InjectedFault): boolean {
  return 'reset' in fault && fault.reset === 'before';
}
