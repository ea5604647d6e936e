import { describe, expect, it } from 'vitest';
import { createKeyRedactor, ServiceKey } from '../../src/deliver/service-key.ts';

describe('createKeyRedactor', () => {
  const redact = createKeyRedactor('sk-live/9+Zq');

  it('replaces every occurrence and no other text', () => {
    expect(redact('Bearer sk-live/9+Zq, sk-live/9+Zq!')).toBe('Bearer [API key], [API key]!');
    expect(redact('{"batchId":"b-1"}')).toBe('{"batchId":"b-1"}');
  });

  it.each([0, 1, 2, 3])('replaces it in base64 after %d bytes', (before) => {
    const text = Buffer.from(`${'x'.repeat(before)}sk-live/9+Zq and more`).toString('base64');
    expect(redact(text)).toContain('[API key]');
    expect(redact(text).length).toBeLessThan(text.length);
  });

  it.each([
    'sk-live%2F9%2BZq%22%3C',
    'sk-live%2f9%2bZq%22%3c',
    'sk-live/9+Zq\\"<',
    'sk-live\\/9+Zq\\"<',
    'sk-live/9+Zq&quot;&lt;',
    'sk-live/9+Zq\\\\\\"<',
  ])('replaces it escaped: %s', (form) => {
    expect(createKeyRedactor('sk-live/9+Zq"<')(`?key=${form}&x=1`)).toBe('?key=[API key]&x=1');
  });

  it('replaces its beginning at the end of a text that was cut', () => {
    expect(redact('the key sk-li', true)).toBe('the key [API key]');
    expect(redact('the key sk-', true)).toBe('the key sk-');
    expect(createKeyRedactor('ababababab')('ababab', true)).toBe('[API key]');
    expect(redact('the key sk-li')).toBe('the key sk-li');
  });

  it('leaves valid answers alone if the key is a short word', () => {
    expect(createKeyRedactor('success')('{"success":true}')).toBe('{"success":true}');
  });
});

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
    expect(createKeyRedactor('8-digits')('8-digits')).toBe('[API key]');
  });
});
