import { expect, test } from 'vitest';
import { describeFailure } from '../../src/deliver/failure.ts';

const certificate = {
  protocol: 'TLSv1.3',
  subject: 'service.test',
  issuer: 'Acme Private CA',
  validFrom: Date.UTC(2026, 0, 1),
  validTo: Date.UTC(2026, 1, 1),
};

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', '--ca-file'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', '--ca-file'],
  ['CERT_HAS_EXPIRED', 'clock'],
  ['CERT_NOT_YET_VALID', 'clock'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', '--resolve'],
])('a certificate refused with %s is described, with what helps: %s', (code, hint) => {
  const described = describeFailure({ kind: 'failed', left: false, cause: 'tls', code, message: 'no', certificate });
  expect(described.message).toContain(
    'for service.test, issued by Acme Private CA, valid from 2026-01-01 to 2026-02-01.',
  );
  expect(described.hint).toContain(hint);
});
