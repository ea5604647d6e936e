/** What is said of a value that is refused; fixtures/examples/options.ndjson has the values that are read and refused. */
import { expect, it } from 'vitest';
import { duration, parseBaseUrl, parseChoice, parseCount, parseKey } from '../../src/options/parse-values.ts';

it('a refused value is shown trimmed and truncated, with what was expected', () => {
  expect(duration({ min: '0s', max: '30d' })(' 31d ')).toMatchObject({ issue: { found: '31d' } });
  expect(parseCount(1, 100)('101')).toMatchObject({ issue: { expected: 'a whole number from 1 to 100' } });
  expect(parseChoice(['a', 'b'])('x'.repeat(500))).toEqual({
    issue: { found: `${'x'.repeat(79)}…`, expected: 'one of a, b' },
  });
  expect(parseKey('Bearer ')).toMatchObject({ issue: { expected: expect.stringContaining('empty') } });
});

it('a URL that would send the key unencrypted is refused with the option that allows it', () => {
  expect(parseBaseUrl('http://api.example.com')).toMatchObject({
    issue: { expected: expect.stringContaining('https://'), hint: expect.stringContaining('--allow-http') },
  });
});

it.each([
  'https://user:hunter2-secret@api.example.com',
  'http://hunter2-secret@api.example.com',
  'https://api.example.com/?token=hunter2-secret',
  'https://api.example.com/#hunter2-secret',
  'hunter2-secret',
  'Bearer hunter2-secret',
  'eyJhbGciOi.eyJzdWIiOiIx.hunter2-secret',
  'user:hunter2-secret@api.example.com',
  'https://user:hunter2-secret@host:99999',
])('the secret in the URL %j is never printed', (text) => {
  const parsed = parseBaseUrl(text);
  expect(parsed).toHaveProperty('issue');
  expect(JSON.stringify(parsed)).not.toContain('hunter2');
});

it.each([
  'sk-hunter2 and more',
  'sk-hunter2\nsecond',
  'sk-hunter2\u2013x',
  'sk-hunter2\u0007x',
  'sk-hunter2\u200b',
  'sk-hunter2\u007fx',
  `sk-hunter2${'x'.repeat(5000)}`,
])('the key %j is refused and never printed', (text) => {
  const parsed = parseKey(text);
  expect(parsed).toHaveProperty('issue');
  expect(JSON.stringify(parsed)).not.toContain('hunter2');
});
