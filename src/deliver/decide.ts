/**
 * What the result of an attempt means: the table in docs/internals/spec/delivery.md as one pure function. throttle.ts (all batches)
 * and deliver-batch.ts (one batch) act on the decision. The API names no error status, so each line is an assumption with a test.
 */
import type { Contract } from '../contract/index.ts';
import { briefAnswer, cut, parseJson } from '../lib/text.ts';
import {
  type AnsweredAttempt,
  type AttemptResult,
  type FailedAttempt,
  type Receipt,
  type Refusal,
  refusalOf,
  type Stop,
} from '../model/outcome.ts';

/** What the decision depends on besides the result. */
export interface Situation {
  readonly contract: Pick<Contract, 'deduplicates' | 'receiptOf'>;
  readonly records: number;
  /** Whether an earlier attempt of this batch may have been processed. Only a receipt clears that. */
  readonly maybeProcessed: boolean;
  readonly anyDelivered: boolean;
  /** `--setting on_unknown=resend` */
  readonly resendUnknown: boolean;
  /** `--setting isolate=yes` */
  readonly isolate: boolean;
}

export type Decision =
  | { readonly do: 'deliver'; readonly receipt: Receipt; readonly unaccounted: number }
  /** Retry after a backoff; counts against `retries`. `busy`: lowers the concurrency. */
  | { readonly do: 'retry'; readonly maybeProcessed: boolean; readonly busy: boolean; readonly why: string }
  /** All sending waits, and the concurrency is lowered. Does not count against `retries`. */
  | { readonly do: 'wait'; readonly why: string }
  /** `split`: its parts may be delivered. After an attempt that may have been processed, they stay unknown. */
  | {
      readonly do: 'refuse';
      readonly because: Refusal;
      readonly split: boolean;
      readonly why: string;
      readonly streak?: Streak;
    }
  /** The batch may have been processed, and sending it again is not allowed or does not help. */
  | { readonly do: 'hold'; readonly busy: boolean; readonly why: string; readonly streak?: Streak }
  /** The run stops. The batch stays pending, or unknown if an earlier attempt may have been processed. */
  | { readonly do: 'stop'; readonly why: string; readonly stop: Stop };

/** Results that stop the run after {@link STREAK_LIMIT} in a row without a delivery between them. */
export type Streak = 'refusals' | 'answers';

/** One such answer may be about one batch; three in a row are about the run. */
export const STREAK_LIMIT = 3;

/** Characters of the service's batch id: every line of the results log has one. */
const BATCH_ID_LIMIT = 200;

export function decide(result: AttemptResult, situation: Situation): Decision {
  const decision = result.kind === 'failed' ? onFailure(result, situation) : onAnswer(result, situation);
  // Unknown is sticky: a refusal says nothing about an earlier attempt.
  if (decision.do === 'refuse' && situation.maybeProcessed) {
    const why = `${decision.why}, after an attempt that may have been processed`;
    // The parts are as unknown as their batch, but those without the refused record can still be delivered.
    const maySplit = decision.split && situation.records > 1 && situation.contract.deduplicates;
    return maySplit ? { ...decision, why } : { ...decision, do: 'hold', busy: false, why };
  }
  return decision;
}

function onFailure(result: FailedAttempt, situation: Situation): Decision {
  const why = `${result.code}: ${result.message}`;
  const busy = result.cause === 'timeout';
  if (result.left) return maybeProcessed(`${describeLoss(result)} (${why})`, situation, busy);
  const { permanent } = FAILURES[result.cause];
  if (permanent === undefined) return { do: 'retry', maybeProcessed: false, busy, why };
  const { message, hint } = describeFailure(result);
  return stop(permanent, message, hint);
}

function onAnswer(answer: AnsweredAttempt, situation: Situation): Decision {
  const { status } = answer;
  if (status >= 200 && status < 300) return onSuccess(answer, situation);
  const why = `HTTP ${status}${quote(answer.body)}`;
  if (status >= 300 && status < 400) {
    const to = answer.headers.location;
    return stop(
      'address',
      `The service answered with a redirect (HTTP ${status}${to === undefined ? '' : ` to ${to}`}). Redirects are not followed, because the key would be sent along.`,
    );
  }
  switch (status) {
    case 401:
      return stopForKey(`HTTP ${status}`);
    case 403:
      if (!situation.anyDelivered) return stopForKey(why);
      return { ...refused(status, why, situation), streak: 'refusals' };
    case 404:
    case 405:
      return stop('address', `The service has no such endpoint (HTTP ${status}).`, CHECK_PATH);
    case 407:
      return stop('address', `The proxy requires authentication (${briefWords(why)}).`, CHECK_PROXY);
    case 408:
      return maybeProcessed(why, situation);
    case 429:
      return { do: 'wait', why };
    case 503:
      return answer.headers['retry-after'] === undefined ? maybeProcessed(why, situation, true) : { do: 'wait', why };
    default:
      if (status >= 400 && status < 500) return refused(status, why, situation);
      return maybeProcessed(why, situation);
  }
}

/** A 2xx is a delivery only with a valid receipt. Without one, the outcome is unknown. */
function onSuccess(answer: AnsweredAttempt, situation: Situation): Decision {
  const receipt = answer.whole ? situation.contract.receiptOf(parseJson(answer.body)) : undefined;
  if (receipt === undefined) {
    const what = answer.whole ? 'without a valid receipt' : 'with a truncated body';
    return { do: 'hold', busy: false, why: `HTTP ${answer.status} ${what}${quote(answer.body)}`, streak: 'answers' };
  }
  // The service cannot have read the rest.
  if (!answer.written) return maybeProcessed(`HTTP ${answer.status} before the whole batch was sent`, situation);
  const { batchId, accepted, deduplicated = 0, rejected = 0 } = receipt;
  return {
    do: 'deliver',
    receipt: { ...receipt, batchId: batchId.slice(0, BATCH_ID_LIMIT) },
    unaccounted: accepted === undefined ? 0 : situation.records - accepted - deduplicated - rejected,
  };
}

function maybeProcessed(why: string, { contract, resendUnknown }: Situation, busy = false): Decision {
  if (contract.deduplicates || resendUnknown) return { do: 'retry', maybeProcessed: true, busy, why };
  return { do: 'hold', busy, why };
}

function refused(status: number, why: string, { contract, isolate }: Situation) {
  const because = refusalOf(status);
  // Nothing documents that no part of a refused social batch was processed.
  const split = because === 'size' || (because === 'records' && (contract.deduplicates || isolate));
  return { do: 'refuse', because, split, why } as const;
}

function stopForKey(why: string): Decision {
  return stop('key', `The service refused the API key (${briefWords(why)}).`);
}

function stop(code: Stop['code'], message: string, hint?: string): Decision {
  return { do: 'stop', why: message, stop: { code, message, hint } };
}

/** Characters of the service's answer in an error. It may repeat the request before it names the wrong field. */
const ANSWER_LIMIT = 4096;
const BRIEF_LIMIT = 220;

/** Shortens an error for a message, or for an event about a single attempt. */
export function brief(error: string): string {
  return cut(error, BRIEF_LIMIT);
}

/** The same for a sentence: of an answer, only its words. */
export function briefWords(error: string): string {
  return brief(briefAnswer(error)).replace(/\.$/, '');
}

/** The service's words as one bounded line. Control characters are removed where it is displayed. */
function quote(body: string): string {
  const words = body.replace(/\s+/g, ' ').trim();
  return words === '' ? '' : `: ${cut(words, ANSWER_LIMIT)}`;
}

interface FailureText {
  readonly message: string;
  readonly hint?: string | undefined;
}

const CERTIFICATE_HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/,
    'If a private CA or a proxy issued it, pass the CA certificate with --setting ca_file=FILE or NODE_EXTRA_CA_CERTS.',
  ],
  [/NOT_YET_VALID|EXPIRED/, 'Check the clock of this machine. If it is right, the service needs a new certificate.'],
  [/ALTNAME/, 'Use a name that the certificate is for in the base URL; resolve leads that name to another address.'],
];

export const CHECK_PROXY =
  'Check the address of the proxy, with its user name and password: SIGNALS_PROXY or HTTPS_PROXY.';

const CHECK_PATH = 'Check the host and the path of the base URL.';

export const CHECK_NAME =
  'If the host is misspelt, pass the right one with --base-url; if not, check the network connection.';

const CHECK_ADDRESS = 'Check the base URL and the network connection.';

const FAILURES: Readonly<
  Record<FailedAttempt['cause'], FailureText & { readonly brief?: string; readonly permanent?: Stop['code'] }>
> = {
  tls: { message: "The service's TLS certificate was not accepted", permanent: 'address' },
  handshake: {
    message: 'The service refused the TLS connection',
    hint: 'If it requires a client certificate, pass --setting client_cert=FILE and --setting client_key=FILE.',
    permanent: 'address',
  },
  plain: {
    message: 'The port does not speak TLS',
    hint: 'Use http:// in the base URL; for a host that is not this machine, add --allow-http.',
    permanent: 'scheme',
  },
  scheme: { message: 'The base URL is not usable', hint: 'Use https:// in the base URL.', permanent: 'scheme' },
  files: { message: 'Too many files are open', permanent: 'files' },
  url: { message: 'The base URL is not usable', permanent: 'address' },
  proxy: { message: 'The proxy refused to connect', hint: CHECK_PROXY, permanent: 'address' },
  proxy_connect: { message: 'No connection to the proxy', hint: CHECK_PROXY, brief: 'no connection to the proxy' },
  dns: { message: 'The name of the service was not found', hint: CHECK_NAME, brief: 'name not found' },
  connect: { message: 'No connection to the service', hint: CHECK_ADDRESS, brief: 'no connection' },
  timeout: { message: 'The service did not answer', hint: CHECK_ADDRESS, brief: 'no answer' },
  reset: { message: 'The service closed the connection', brief: 'connection closed' },
  other: { message: 'The request failed' },
};

export function describeFailure({ cause, code, message: detail }: FailedAttempt): FailureText {
  const { message, hint } = FAILURES[cause];
  const certificateHint = CERTIFICATE_HINTS.find(([pattern]) => pattern.test(code))?.[1];
  const why = cause === 'plain' ? '' : ` (${detail.includes(code) ? '' : `${code}: `}${detail})`;
  return { message: `${message}${why}.`, hint: certificateHint ?? hint };
}

function describeLoss({ cause }: Pick<FailedAttempt, 'cause'>): string {
  if (cause === 'timeout') return 'no answer in time after sending had begun';
  return cause === 'reset' ? 'connection lost after sending had begun' : 'failed after sending had begun';
}

export function describeOutage(result: AttemptResult, lasted: string): FailureText {
  if (result.kind === 'failed' && (result.cause === 'proxy_connect' || result.cause === 'dns')) {
    const { message, hint } = FAILURES[result.cause];
    return { message: `${message} for ${lasted} (${result.message}).`, hint };
  }
  return { message: `The service was unavailable for ${lasted} (${describeCause(result)}).` };
}

/** Why an attempt was not delivered, in two or three words. */
export function describeCause(result: AttemptResult): string {
  if (result.kind === 'answered') return `HTTP ${result.status}`;
  if (result.cause === 'connect' && result.code === 'ECONNREFUSED') return 'connection refused';
  return FAILURES[result.cause].brief ?? result.code;
}
