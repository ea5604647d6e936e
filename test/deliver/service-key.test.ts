import { expect, it } from 'vitest';
import { createKeyRedactor, redactResult } from '../../src/deliver/service-key.ts';

it('the key is removed from everything that the service says', () => {
  const redact = createKeyRedactor('first-key');
  const answer = { kind: 'answered', status: 401, headers: { location: 'first-key' }, written: true } as const;
  const body = 'first-key, firs';
  const masked = { ...answer, headers: { location: '[API key]' } };
  expect(redactResult({ ...answer, body, whole: true }, redact)).toEqual({
    ...masked,
    body: '[API key], firs',
    whole: true,
  });
  expect(redactResult({ ...answer, body, whole: false }, redact)).toMatchObject({ body: '[API key], [API key]' });
  const failed = { kind: 'failed', left: true, cause: 'other', code: 'X', message: 'first-key, firs' } as const;
  expect(redactResult(failed, redact)).toEqual({ ...failed, message: '[API key], firs' });
});
