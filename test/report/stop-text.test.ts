import { describe, expect, it } from 'vitest';
import { describeStop } from '../../src/report/stop-text.ts';
import { suggest } from '../support/suggest.ts';

describe('describeStop', () => {
  it("uses the stop's own message and hint", () => {
    expect(
      describeStop({ code: 'wait', message: 'HTTP 429: wait until 12:00.', hint: 'Begin at 12:00.' }, suggest),
    ).toBe('HTTP 429: wait until 12:00.\n  Begin at 12:00.');
  });

  it.each([
    ['key', 'npx signals config set api_key'],
    ['address', 'npx signals config get base_url'],
    ['wait', '--max-wait'],
    ['outage', 'service is up'],
    ['answers', 'base URL'],
    ['refusals', 'operator of the service'],
    ['canary', 'start a new run'],
    ['invalid', '--max-invalid'],
    ['rows', '--min-rows'],
    ['storage', '--out'],
    ['input', 'read to the end'],
  ] as const)('has a message and a hint for %s', (code, words) => {
    const [message, hint] = describeStop({ code, message: '' }, suggest).split('\n  ');
    expect(message).toMatch(/^[A-Z].*\.$/);
    expect(hint).toContain(words);
  });

  it('has no hint for an interruption', () => {
    expect(describeStop({ code: 'signal', message: '' }, suggest)).toBe('The run was interrupted.');
  });
});
