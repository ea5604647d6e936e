import { describe, expect, test } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { type Decision, decide, describeCause, describeFailure, type Situation } from '../../src/deliver/decide.ts';
import type { AttemptResult, FailedAttempt } from '../../src/model/outcome.ts';

const receipts = {
  signals: { success: true, batchId: 'b1', stats: { accepted: 3, deduplicated: 1, rejected: 1 } },
  social: { success: true, batchId: 'b1', promotedToPipeline: 2 },
};

const answer = (status: number, body: unknown = '', headers: Record<string, string> = {}): AttemptResult => ({
  kind: 'answered',
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  whole: true,
  written: true,
});

const renewed = (result: AttemptResult): AttemptResult =>
  result.kind === 'answered' ? { ...result, hasNewKey: true } : result;

const unwritten = (result: AttemptResult): AttemptResult =>
  result.kind === 'answered' ? { ...result, written: false } : result;

const failure = (left: boolean, cause: FailedAttempt['cause']): AttemptResult => ({
  kind: 'failed',
  left,
  cause,
  code: 'CODE',
  message: 'message',
});

const situation = (type: 'signals' | 'social', more: Partial<Situation> = {}): Situation => ({
  contract: contracts[type],
  records: 5,
  maybeProcessed: false,
  anyDelivered: false,
  resendUnknown: false,
  isolate: false,
  ...more,
});

/** What matters of a decision, in a word or two. */
function gist(decision: Decision): string {
  switch (decision.do) {
    case 'stop':
      return `stop: ${decision.stop.code}`;
    case 'retry':
      return decision.maybeProcessed ? 'retry, maybe processed' : 'retry';
    case 'refuse':
      return decision.split ? 'refuse, split' : 'refuse';
    default:
      return decision.do;
  }
}

/** delivery.md, "What the result of an attempt means", line by line. */
const table: readonly (readonly [name: string, result: AttemptResult, signals: string, social: string])[] = [
  ['a DNS failure', failure(false, 'dns'), 'retry', 'retry'],
  ['a refused connection', failure(false, 'connect'), 'retry', 'retry'],
  ['a connect time-out', failure(false, 'timeout'), 'retry', 'retry'],
  ['a reset before the request began to leave', failure(false, 'reset'), 'retry', 'retry'],
  ['a TLS certificate error', failure(false, 'tls'), 'stop: address', 'stop: address'],
  ['a TLS handshake that the service ended', failure(false, 'handshake'), 'stop: address', 'stop: address'],
  ['a plain request to a port that speaks TLS', failure(false, 'scheme'), 'stop: address', 'stop: address'],
  ['no more open files', failure(false, 'files'), 'stop: files', 'stop: files'],
  ['an invalid base URL', failure(false, 'url'), 'stop: address', 'stop: address'],
  ['a proxy that refuses to connect', failure(false, 'proxy'), 'stop: address', 'stop: address'],
  ['407', answer(407), 'stop: address', 'stop: address'],
  ['401', answer(401), 'stop: key', 'stop: key'],
  ['401, and the key file has another key', renewed(answer(401)), 'renew', 'renew'],
  ['403 while nothing was delivered', answer(403), 'stop: key', 'stop: key'],
  ['404', answer(404), 'stop: address', 'stop: address'],
  ['405', answer(405), 'stop: address', 'stop: address'],
  ['TLS to a port that does not speak it', failure(false, 'plain'), 'stop: address', 'stop: address'],
  ['a status below 200', answer(199), 'retry, maybe processed', 'hold'],
  ['300', answer(300), 'stop: address', 'stop: address'],
  ['301', answer(301, '', { location: 'https://elsewhere.example' }), 'stop: address', 'stop: address'],
  ['302', answer(302), 'stop: address', 'stop: address'],
  ['304', answer(304), 'stop: address', 'stop: address'],
  ['307', answer(307), 'stop: address', 'stop: address'],
  ['308', answer(308), 'stop: address', 'stop: address'],
  ['429', answer(429), 'wait', 'wait'],
  ['429 with Retry-After', answer(429, '', { 'retry-after': '3' }), 'wait', 'wait'],
  ['503 with Retry-After', answer(503, '', { 'retry-after': '3' }), 'wait', 'wait'],
  ['413', answer(413), 'refuse, split', 'refuse, split'],
  ['400', answer(400), 'refuse, split', 'refuse'],
  ['422', answer(422), 'refuse, split', 'refuse'],
  ['402', answer(402), 'refuse', 'refuse'],
  ['409', answer(409), 'refuse', 'refuse'],
  ['410', answer(410), 'refuse', 'refuse'],
  ['415', answer(415), 'refuse', 'refuse'],
  ['451', answer(451), 'refuse', 'refuse'],
  ['408', answer(408), 'retry, maybe processed', 'hold'],
  ['500', answer(500), 'retry, maybe processed', 'hold'],
  ['502', answer(502), 'retry, maybe processed', 'hold'],
  ['503 without Retry-After', answer(503), 'retry, maybe processed', 'hold'],
  ['504', answer(504), 'retry, maybe processed', 'hold'],
  ['a status that does not exist', answer(799), 'retry, maybe processed', 'hold'],
  ['a reset after the request began to leave', failure(true, 'reset'), 'retry, maybe processed', 'hold'],
  ['a time-out after the request began to leave', failure(true, 'timeout'), 'retry, maybe processed', 'hold'],
  ['an unexplained failure after it began to leave', failure(true, 'other'), 'retry, maybe processed', 'hold'],
  ['200 with HTML', answer(200, '<html>welcome</html>'), 'hold', 'hold'],
  ['200 with nothing', answer(200), 'hold', 'hold'],
  ['200 with success: false', answer(200, { ...receipts.signals, ...receipts.social, success: false }), 'hold', 'hold'],
  ['200 with missing counts', answer(200, { success: true, batchId: 'b1' }), 'hold', 'hold'],
  [
    '200 with a negative count',
    answer(200, {
      success: true,
      batchId: 'b',
      promotedToPipeline: -1,
      stats: { accepted: -1, deduplicated: 0, rejected: 0 },
    }),
    'hold',
    'hold',
  ],
  ['204', answer(204), 'hold', 'hold'],
  ['200 with a receipt', answer(200, { ...receipts.signals, ...receipts.social }), 'deliver', 'deliver'],
  [
    '200 with a receipt after a byte order mark',
    answer(200, `\uFEFF${JSON.stringify({ ...receipts.signals, ...receipts.social })}`),
    'deliver',
    'deliver',
  ],
  [
    '200 with a receipt before all of the request was written',
    unwritten(answer(200, { ...receipts.signals, ...receipts.social })),
    'retry, maybe processed',
    'hold',
  ],
  ['202 with a receipt', answer(202, { ...receipts.signals, ...receipts.social }), 'deliver', 'deliver'],
];

describe.each(['signals', 'social'] as const)('for %s', (type) => {
  test.each(table)('%s means what the table says', (_name, result, signals, social) => {
    expect(gist(decide(result, situation(type)))).toBe(type === 'signals' ? signals : social);
  });

  test('an answer whose body did not arrive whole is no receipt', () => {
    const cut = { ...answer(200, receipts[type]), whole: false };
    expect(gist(decide(cut, situation(type)))).toBe('hold');
  });

  test('403 after a delivery refuses the batch, and counts towards stopping the run', () => {
    const decision = decide(answer(403), situation(type, { anyDelivered: true }));
    expect(decision).toMatchObject({ do: 'refuse', split: type === 'signals', streak: 'refusals' });
  });

  test('a 2xx without a receipt counts towards stopping the run', () => {
    expect(decide(answer(200, 'ok'), situation(type))).toMatchObject({ do: 'hold', streak: 'answers' });
  });

  test.each([400, 403, 413, 422, 409])(
    'a %i after an attempt that may have been processed leaves it unknown',
    (status) => {
      const sticky = situation(type, { maybeProcessed: true, anyDelivered: true });
      const alone = { ...sticky, records: 1 };
      expect(decide(answer(status), alone)).toMatchObject({ do: 'hold', busy: false });
      // The parts of several signals are tried: they stay as unknown as their batch.
      const parts = type === 'signals' && status !== 409;
      expect(gist(decide(answer(status), { ...sticky, records: 2, isolate: true }))).toBe(
        parts ? 'refuse, split' : 'hold',
      );
    },
  );

  test('429, 503 and a time-out lower the concurrency, and nothing else does', () => {
    const lowers = table.filter(([, result]) => {
      const decision = decide(result, situation(type));
      return decision.do === 'wait' || ('busy' in decision && decision.busy);
    });
    expect(lowers.map(([name]) => name)).toEqual([
      'a connect time-out',
      ...['429', '429 with Retry-After', '503 with Retry-After', '503 without Retry-After'],
      'a time-out after the request began to leave',
    ]);
  });

  test.each([
    [413, 'size'],
    [400, 'records'],
    [422, 'records'],
    [403, 'records'],
    [409, 'request'],
    [451, 'request'],
  ])('a %i refuses the batch because of its %s', (status, because) => {
    const decision = decide(answer(status), situation(type, { anyDelivered: true }));
    expect(decision).toMatchObject({ do: 'refuse', because });
  });

  test.each([
    [401, 'HTTP 401'],
    [403, 'HTTP 403: no such key'],
  ])('a %i says that the service refused the key', (status, why) => {
    const message = `The service refused the API key (${why}).`;
    expect(decide(answer(status, 'no such key'), situation(type))).toEqual({
      do: 'stop',
      why: message,
      stop: { code: 'key', message },
    });
  });
});

test('with --setting on_unknown=resend a social batch whose answer was lost is sent again', () => {
  const decision = decide(failure(true, 'reset'), situation('social', { resendUnknown: true }));
  expect(gist(decision)).toBe('retry, maybe processed');
});

test('with --setting isolate=yes a refused social batch is split', () => {
  expect(gist(decide(answer(422), situation('social', { isolate: true })))).toBe('refuse, split');
});

test('says what happened', () => {
  const cut = { ...answer(200, 'x'), whole: false } as AttemptResult;
  const refused = { ...failure(false, 'connect'), code: 'ECONNREFUSED' } as AttemptResult;
  const said: readonly (readonly [result: AttemptResult, cause: string, why: string])[] = [
    [
      answer(302, '', { location: 'x' }),
      'HTTP 302',
      'The service answered with a redirect (HTTP 302 to x). Redirects are not followed, because the key would be sent along.',
    ],
    [
      answer(302),
      'HTTP 302',
      'The service answered with a redirect (HTTP 302). Redirects are not followed, because the key would be sent along.',
    ],
    [answer(500), 'HTTP 500', 'HTTP 500'],
    [answer(500, ' a\n b '), 'HTTP 500', 'HTTP 500: a b'],
    [answer(200, 'x'), 'HTTP 200', 'HTTP 200 without a valid receipt: x'],
    [cut, 'HTTP 200', 'HTTP 200 with a truncated body: x'],
    [failure(true, 'timeout'), 'no answer', 'no answer in time after sending had begun (CODE: message)'],
    [failure(true, 'reset'), 'connection closed', 'connection lost after sending had begun (CODE: message)'],
    [failure(true, 'other'), 'CODE', 'failed after sending had begun (CODE: message)'],
    [refused, 'connection refused', 'ECONNREFUSED: message'],
    [failure(false, 'plain'), 'CODE', 'The port does not speak TLS.'],
    [failure(false, 'files'), 'CODE', 'Too many files are open (CODE: message).'],
  ];
  for (const [result, cause, why] of said) {
    expect(describeCause(result)).toBe(cause);
    expect(decide(result, situation('signals'))).toMatchObject({ why });
  }
  expect(decide(failure(false, 'plain'), situation('signals'))).toMatchObject({
    stop: { hint: expect.stringContaining('http://') },
  });
});

test('a receipt that does not account for every signal is a delivery, and the difference is told', () => {
  const decision = decide(answer(200, receipts.signals), situation('signals', { records: 7 }));
  expect(decision).toEqual({
    do: 'deliver',
    receipt: { batchId: 'b1', accepted: 3, deduplicated: 1, rejected: 1 },
    unaccounted: 2,
  });
  const social = decide(answer(200, receipts.social), situation('social'));
  expect(social).toMatchObject({ receipt: { batchId: 'b1', promoted: 2 }, unaccounted: 0 });
});

test('a batch id is truncated to the 200 characters that fit into the results log', () => {
  const idOf = (length: number): unknown => {
    const decision = decide(answer(200, { ...receipts.signals, batchId: 'b'.repeat(length) }), situation('signals'));
    return decision.do === 'deliver' && decision.receipt.batchId.length;
  };
  expect([199, 200, 201, 5000].map(idOf)).toEqual([199, 200, 200, 200]);
});

test("the service's words are quoted in one line, and bounded", () => {
  const decision = decide(answer(422, `line one\n\nline   two ${'x'.repeat(5000)}`), situation('signals'));
  expect(decision).toMatchObject({ why: expect.stringMatching(/^HTTP 422: line one line two x+…$/) });
  expect(decision.do === 'refuse' && decision.why.length).toBe('HTTP 422: '.length + 4096);
});

const certificate = {
  protocol: 'TLSv1.3',
  subject: 'service.test',
  issuer: 'Acme Private CA',
  validFrom: Date.UTC(2026, 0, 1),
  validTo: Number.NaN,
};

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'ca_file'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ca_file'],
  ['CERT_HAS_EXPIRED', 'clock'],
  ['CERT_NOT_YET_VALID', 'clock'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'resolve'],
])('a certificate refused with %s is described, with what helps: %s', (code, hint) => {
  const described = describeFailure({ kind: 'failed', left: false, cause: 'tls', code, message: 'no', certificate });
  expect(described.message).toContain(
    'for service.test, issued by Acme Private CA, valid from 2026-01-01 to an unknown day.',
  );
  expect(described.hint).toContain(hint);
});
