/**
 * What the result of an attempt means: delivery.md's table as one pure function. The interface names no error
 * status, no rate limit and no idempotency key (interface.md, "Errors", "Limits"), so every line here is our own
 * assumption; each has a test of its own.
 */

import type { Contract } from '../contract/index.ts';
import { cut } from '../lib/text.ts';
import type { AnsweredAttempt, AttemptResult, FailedAttempt, Receipt, Stop } from '../model/outcome.ts';

/** What the decision depends on besides the result itself. */
export interface Situation {
  readonly contract: Pick<Contract, 'deduplicates' | 'receiptOf'>;
  /** Records in the batch. */
  readonly records: number;
  /** Whether an earlier attempt of this batch may have been processed. Only a receipt clears that. */
  readonly maybeProcessed: boolean;
  /** Whether any batch of this run was delivered. */
  readonly anyDelivered: boolean;
  /** `--on-unknown resend`: what may have been processed is sent again although nothing documents deduplication. */
  readonly resendUnknown: boolean;
  /** `--isolate`: a refused social batch is split too, although a part of it may have been processed. */
  readonly isolate: boolean;
}

export type Decision =
  | { readonly do: 'deliver'; readonly receipt: Receipt; readonly unaccounted: number }
  /** Again after a backoff; uses up an attempt. */
  | { readonly do: 'retry'; readonly maybeProcessed: boolean; readonly why: string }
  /** All sending waits, as long as the service asks or as the backoff says; uses up no attempt. */
  | { readonly do: 'wait'; readonly why: string }
  /**
   * The service will not take it. `split`: the records may be at fault, one of several or by their size, so its
   * parts are worth a try, and a single one is refused for what it is. After an attempt that may have been processed
   * only to be split: the parts stay as unknown as their batch.
   */
  | { readonly do: 'refuse'; readonly split: boolean; readonly why: string; readonly streak?: Streak }
  /** It may have been processed, and sending it again is not allowed or would not help. */
  | { readonly do: 'hold'; readonly why: string; readonly streak?: Streak }
  /** Nothing more is sent. The batch stays pending, or unknown where an earlier attempt may have been processed. */
  | { readonly do: 'stop'; readonly stop: Stop };

/** Results of which {@link STREAK_LIMIT} running, with no delivery between them, stop the run. */
export type Streak = 'refusals' | 'answers';

/** One answer of the kind may be about one batch. Three running are about the run. */
export const STREAK_LIMIT = 3;

/** Longest name of a batch that is kept, in characters: every line of the results log holds one. */
const BATCH_ID_LIMIT = 200;

export function decide(result: AttemptResult, situation: Situation): Decision {
  const decision = result.kind === 'failed' ? onFailure(result, situation) : onAnswer(result, situation);
  // Unknown is sticky: a refusal says nothing about the attempt before it.
  if (decision.do === 'refuse' && situation.maybeProcessed) {
    const why = `${decision.why}, after an attempt that may have been processed`;
    // The parts are as unknown as their batch, but those without the record at fault can be delivered yet.
    const parts = decision.split && situation.records > 1 && situation.contract.deduplicates;
    return parts ? { ...decision, why } : { ...decision, do: 'hold', why };
  }
  return decision;
}

function onFailure(result: FailedAttempt, situation: Situation): Decision {
  const why = `${result.code}: ${result.message}`;
  if (!result.left) {
    switch (result.cause) {
      case 'tls':
        return stop('address', `The service's TLS certificate was not accepted (${why}).`);
      case 'url':
        return stop('address', `The base URL cannot be used (${why}).`);
      case 'proxy':
        return stop(
          'address',
          `The proxy refused to connect (${why}).`,
          'Check HTTPS_PROXY and its user name.',
        );
      default:
        return { do: 'retry', maybeProcessed: false, why };
    }
  }
  return maybeProcessed(why, situation);
}

function onAnswer(answer: AnsweredAttempt, situation: Situation): Decision {
  const { status } = answer;
  if (status >= 200 && status < 300) return onSuccess(answer, situation);
  const why = `HTTP ${status}${quote(answer.body)}`;
  if (status >= 300 && status < 400) {
    const to = answer.headers['location'];
    return stop(
      'address',
      `The service answered with a redirect (HTTP ${status}${to === undefined ? '' : ` to ${to}`}). It is not followed, because the key would go with it.`,
    );
  }
  switch (status) {
    case 401:
      return stop('key', `The service refused the key (${why}).`);
    case 403:
      if (!situation.anyDelivered) return stop('key', `The service refused the key (${why}).`);
      return { do: 'refuse', split: mayIsolate(situation), why, streak: 'refusals' };
    case 404:
    case 405:
      return stop('address', `There is no such operation at this address (${why}).`);
    case 407:
      return stop('address', `The proxy asks for a user name (${why}).`, 'Put it into HTTPS_PROXY.');
    case 408:
      return maybeProcessed(why, situation);
    case 413:
      return { do: 'refuse', split: true, why };
    case 429:
      return { do: 'wait', why };
    case 400:
    case 422:
      return { do: 'refuse', split: mayIsolate(situation), why };
    case 503:
      return answer.headers['retry-after'] === undefined
        ? maybeProcessed(why, situation)
        : { do: 'wait', why };
    default:
      if (status >= 400 && status < 500) return { do: 'refuse', split: false, why };
      return maybeProcessed(why, situation);
  }
}

/** A 2xx is a delivery only with a valid receipt: anything else in its place says nothing about what happened. */
function onSuccess(answer: AnsweredAttempt, situation: Situation): Decision {
  const receipt = answer.whole ? situation.contract.receiptOf(json(answer.body)) : undefined;
  if (receipt === undefined) {
    const what = answer.whole ? 'an answer that is no receipt' : 'an answer that was cut off';
    return { do: 'hold', why: `HTTP ${answer.status} with ${what}${quote(answer.body)}`, streak: 'answers' };
  }
  const { batchId, accepted, deduplicated, rejected } = receipt;
  const counts = accepted !== undefined || deduplicated !== undefined || rejected !== undefined;
  const counted = (accepted ?? 0) + (deduplicated ?? 0) + (rejected ?? 0);
  return {
    do: 'deliver',
    receipt:
      batchId.length <= BATCH_ID_LIMIT ? receipt : { ...receipt, batchId: batchId.slice(0, BATCH_ID_LIMIT) },
    unaccounted: counts ? situation.records - counted : 0,
  };
}

function maybeProcessed(why: string, { contract, resendUnknown }: Situation): Decision {
  if (contract.deduplicates || resendUnknown) return { do: 'retry', maybeProcessed: true, why };
  return { do: 'hold', why };
}

/** Of a refused batch of social events, nothing documents that no part of it was processed. */
function mayIsolate({ contract, isolate }: Situation): boolean {
  return contract.deduplicates || isolate;
}

function stop(code: Stop['code'], message: string, hint?: string): Decision {
  return { do: 'stop', stop: { code, message, ...(hint === undefined ? {} : { hint }) } };
}

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The longest words of the service in a message: 200 characters and an ellipsis. */
const WORDS_LIMIT = 201;

/** The service's words in a message: one line, bounded. Whoever shows them cleans them. */
function quote(body: string): string {
  const words = body.replace(/\s+/g, ' ').trim();
  if (words === '') return '';
  return `: ${cut(words, WORDS_LIMIT)}`;
}
