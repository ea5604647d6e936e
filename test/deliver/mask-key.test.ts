import { expect, it } from 'vitest';
import { createKeyRedactor, redacted } from '../../src/deliver/mask-key.ts';

it('is removed from what the service and the connection say, also where the text was cut', () => {
  const redact = createKeyRedactor('first-key');
  const answer = { kind: 'answered', status: 401, headers: { location: 'first-key' }, written: true } as const;
  const body = 'first-key, firs';
  const masked = { ...answer, headers: { location: '[API key]' } };
  expect(redacted({ ...answer, body, whole: true }, redact)).toEqual({
    ...masked,
    body: '[API key], firs',
    whole: true,
  });
  expect(redacted({ ...answer, body, whole: false }, redact)).toMatchObject({ body: '[API key], [API key]' });
  const failed = { kind: 'failed', left: true, cause: 'other', code: 'X', message: 'first-key, firs' } as const;
  expect(redacted(failed, redact)).toEqual({ ...failed, message: '[API key], firs' });
});
