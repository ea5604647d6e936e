/** Requests that could not be sent, in words. Pure. */
import type { AttemptResult, FailedAttempt } from '../model/outcome.ts';

/** What happened, and what to do about it: one sentence each. */
interface FailureText {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** OpenSSL codes of certificates with an unknown issuer. */
const PRIVATE_CA = /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;

const CHECK_ADDRESS = 'Check the base URL and the network connection.';

const FAILURES: Readonly<Record<FailedAttempt['cause'], FailureText & { readonly permanent?: true }>> = {
  tls: { message: "The service's TLS certificate was not accepted", permanent: true },
  handshake: {
    message: 'The service refused the TLS connection',
    hint: 'If it requires a client certificate, pass --client-cert FILE and --client-key FILE.',
    permanent: true,
  },
  scheme: { message: 'The base URL is not usable', hint: 'Use https:// in the base URL.', permanent: true },
  files: { message: 'Too many files are open', permanent: true },
  url: { message: 'The base URL is not usable', permanent: true },
  proxy: { message: 'The proxy refused to connect', hint: 'Check HTTPS_PROXY.', permanent: true },
  dns: { message: 'The name of the service was not found', hint: CHECK_ADDRESS },
  connect: { message: 'No connection to the service', hint: CHECK_ADDRESS },
  timeout: { message: 'The service did not answer', hint: CHECK_ADDRESS },
  reset: { message: 'The service closed the connection' },
  other: { message: 'The request failed' },
};

/** Whether the next request would fail in the same way. */
export function isPermanent({ cause }: Pick<FailedAttempt, 'cause'>): boolean {
  return FAILURES[cause].permanent === true;
}

export function describeFailure({ cause, code, message: detail }: FailedAttempt): FailureText {
  const { message, hint } = FAILURES[cause];
  const privateCa = 'If a private CA issued it, pass the CA certificate with --ca-file FILE or NODE_EXTRA_CA_CERTS.';
  return { message: `${message} (${code}: ${detail}).`, hint: PRIVATE_CA.test(code) ? privateCa : hint };
}

/** Why an attempt was not delivered, in two or three words. */
export function describeCause(result: AttemptResult): string {
  if (result.kind === 'answered') return `HTTP ${result.status}`;
  return BRIEF[result.code] ?? BRIEF[result.cause] ?? result.code;
}

/** By code or cause. */
const BRIEF: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'connection refused',
  dns: 'name not found',
  connect: 'no connection',
  timeout: 'no answer',
  reset: 'connection closed',
};
