/** What fixtures/examples/attempts.ndjson cannot have: the table of delivery.md is there, a line for each result of an attempt. */
import { expect, test } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { decide, describeFailure } from '../../src/deliver/decide.ts';

test("the service's words are quoted in one line, and bounded", () => {
  const body = `line one\n\nline   two ${'x'.repeat(5000)}`;
  const decision = decide(
    { kind: 'answered', status: 422, headers: {}, body, whole: true, written: true },
    {
      contract: contracts.signals,
      records: 5,
      maybeProcessed: false,
      anyDelivered: false,
      resendUnknown: false,
      isolate: false,
    },
  );
  expect(decision).toMatchObject({ do: 'refuse', why: expect.stringMatching(/^HTTP 422: line one line two x+…$/) });
  expect(decision.do === 'refuse' && decision.why.length).toBe('HTTP 422: '.length + 4096);
});

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'ca_file'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ca_file'],
  ['CERT_HAS_EXPIRED', 'clock'],
  ['CERT_NOT_YET_VALID', 'clock'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'resolve'],
])('a certificate refused with %s has a hint with what helps: %s', (code, hint) => {
  const described = describeFailure({ kind: 'failed', left: false, cause: 'tls', code, message: 'no' });
  expect(described.hint).toContain(hint);
});
