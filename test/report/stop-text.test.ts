import { describe, expect, it } from 'vitest';
import { describeStop } from '../../src/report/stop-text.ts';
import { suggest } from '../support/suggest.ts';

describe('describeStop', () => {
  it("tells the stop's own words and its own hint", () => {
    expect(
      describeStop(
        { code: 'wait', message: 'HTTP 429: wait until 12:00.', hint: 'Begin at 12:00.' },
        suggest,
      ),
    ).toBe('HTTP 429: wait until 12:00.\n  Begin at 12:00.');
  });

  it.each([
    ['key', 'npx signals config set api_key'],
    ['address', 'npx signals config get base_url'],
    ['wait', '--max-wait'],
    ['outage', 'service is up'],
    ['answers', 'base URL'],
    ['refusals', 'owner of the service'],
    ['canary', 'begin a new run'],
    ['invalid', '--max-invalid'],
    ['rows', '--min-rows'],
    ['storage', '--out'],
    ['input', 'to its end'],
  ] as const)('knows what to mend after %s', (code, words) => {
    const [message, hint] = describeStop({ code, message: '' }, suggest).split('\n  ');
    expect(message).toMatch(/^[A-Z].*\.$/);
    expect(hint).toContain(words);
  });

  it('has nothing to mend after an interruption', () => {
    expect(describeStop({ code: 'signal', message: '' }, suggest)).toBe('The run was interrupted.');
  });
});
