/** Requests that could not be sent, in words. Pure. */
import type { AttemptResult, FailedAttempt, ServiceCertificate } from '../model/outcome.ts';

/** What happened, and what to do about it: one sentence each. */
interface FailureText {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What helps against a certificate that is not accepted, by the code of OpenSSL or Node.js. */
const CERTIFICATE_HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/,
    'If a private CA or a proxy issued it, pass the CA certificate with --ca-file FILE or NODE_EXTRA_CA_CERTS.',
  ],
  [/NOT_YET_VALID|EXPIRED/, 'Check the clock of this machine. If it is right, the service needs a new certificate.'],
  [/ALTNAME/, 'Use a name that the certificate is for in the base URL; --resolve leads that name to another address.'],
];

/** The proxy wants a user name and a password, or others. */
export const CHECK_PROXY =
  'Check the address of the proxy, with its user name and password: SIGNALS_PROXY or HTTPS_PROXY.';

const CHECK_ADDRESS = 'Check the base URL and the network connection.';

const FAILURES: Readonly<
  Record<FailedAttempt['cause'], FailureText & { readonly brief?: string; readonly permanent?: true }>
> = {
  tls: { message: "The service's TLS certificate was not accepted", permanent: true },
  handshake: {
    message: 'The service refused the TLS connection',
    hint: 'If it requires a client certificate, pass --client-cert FILE and --client-key FILE.',
    permanent: true,
  },
  scheme: { message: 'The base URL is not usable', hint: 'Use https:// in the base URL.', permanent: true },
  files: { message: 'Too many files are open', permanent: true },
  url: { message: 'The base URL is not usable', permanent: true },
  proxy: { message: 'The proxy refused to connect', hint: CHECK_PROXY, permanent: true },
  dns: { message: 'The name of the service was not found', hint: CHECK_ADDRESS, brief: 'name not found' },
  connect: { message: 'No connection to the service', hint: CHECK_ADDRESS, brief: 'no connection' },
  timeout: { message: 'The service did not answer', hint: CHECK_ADDRESS, brief: 'no answer' },
  reset: { message: 'The service closed the connection', brief: 'connection closed' },
  other: { message: 'The request failed' },
};

/** Whether the next request would fail in the same way. */
export function isPermanent({ cause }: Pick<FailedAttempt, 'cause'>): boolean {
  return FAILURES[cause].permanent === true;
}

export function describeFailure({ cause, code, message: detail, certificate }: FailedAttempt): FailureText {
  const { message, hint } = FAILURES[cause];
  const about = certificate === undefined ? '' : ` ${describeCertificate(certificate)}`;
  const certificateHint = CERTIFICATE_HINTS.find(([pattern]) => pattern.test(code))?.[1];
  return { message: `${message} (${code}: ${detail}).${about}`, hint: certificateHint ?? hint };
}

function describeCertificate({ subject, issuer, validFrom, validTo }: ServiceCertificate): string {
  return `The certificate is for ${subject}, issued by ${issuer}, valid from ${day(validFrom)} to ${day(validTo)}.`;
}

function day(ms: number): string {
  return Number.isNaN(ms) ? 'an unknown day' : new Date(ms).toISOString().slice(0, 10);
}

/** What happened to a request that may have been processed. */
export function describeLoss({ cause }: Pick<FailedAttempt, 'cause'>): string {
  if (cause === 'timeout') return 'no answer in time after sending had begun';
  return cause === 'reset' ? 'connection lost after sending had begun' : 'failed after sending had begun';
}

/** Why an attempt was not delivered, in two or three words. */
export function describeCause(result: AttemptResult): string {
  if (result.kind === 'answered') return `HTTP ${result.status}`;
  return result.code === 'ECONNREFUSED' ? 'connection refused' : (FAILURES[result.cause].brief ?? result.code);
}
