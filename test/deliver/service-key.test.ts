import { describe, expect, it } from 'vitest';
import { ServiceKey } from '../../src/deliver/service-key.ts';

describe('a refused key', () => {
  it('is read again once in a run, and each of them is removed from what the service says', async () => {
    const next = ['second-key', 'third-key'];
    const key = new ServiceKey('first-key', async () => next.shift());
    expect(await Promise.all([key.isReplaced('first-key'), key.isReplaced('first-key')])).toEqual([true, true]);
    expect(key.value).toBe('second-key');
    expect(await key.isReplaced('second-key')).toBe(false);
    expect(await key.isReplaced('first-key')).toBe(true);
    const answer = { kind: 'answered', status: 401, headers: { location: 'first-key' }, written: true } as const;
    const body = 'second-key, firs';
    const masked = { ...answer, headers: { location: '[API key]' } };
    expect(key.redact({ ...answer, body, whole: true })).toEqual({ ...masked, body: '[API key], firs', whole: true });
    expect(key.redact({ ...answer, body, whole: false })).toMatchObject({ body: '[API key], [API key]' });
    const failed = { kind: 'failed', left: true, cause: 'other', code: 'X', message: 'first-key, firs' } as const;
    expect(key.redact(failed)).toEqual({ ...failed, message: '[API key], firs' });
  });

  it('is the same one if it cannot be read again, or did not change', async () => {
    expect(await new ServiceKey('only-key').isReplaced('only-key')).toBe(false);
    expect(await new ServiceKey('same-key', async () => 'same-key').isReplaced('same-key')).toBe(false);
  });
});
