/**
 * The built program uploads through a validator that knows the OpenAPI document alone: whatever the program sends
 * and the sandbox answers is what the document says, and what the interface forbids does not pass.
 */
import path from 'node:path';
import { describe, expect } from 'vitest';
import { gateway } from '../support/gateway.ts';
import { SIGNALS, SOCIAL } from '../support/open-sandbox.ts';
import { at, root, run, service, summaryOf, test } from '../support/program.ts';
import { post } from '../support/sandbox-client.ts';

const SIGNAL_FILES = ['signals.ndjson', 'signals-with-faults.csv', 'funding-export.csv'];
const SOCIAL_FILES = ['social.csv', 'social.ndjson', 'social-with-faults.ndjson'];
const uploads = [
  ...['a', 'b', 'both'].map((variant) => ['signals.csv', ['--variant', variant]] as const),
  ...SIGNAL_FILES.map((file) => [file, ['--variant', 'a']] as const),
  ...SOCIAL_FILES.map((file) => [file, []] as const),
];

test.for(uploads)('lets the upload of fixtures/%s %j pass, and its answers', async ([file, as], { cwd }) => {
  const sandbox = await service();
  const { url, verdicts } = await gateway(sandbox.url);
  const fixtures = path.join(root, 'fixtures');
  const mapping = file === 'funding-export.csv' ? ['-m', path.join(fixtures, 'funding-export.mapping.yaml')] : [];
  // Small batches: more of them, and not only the first one, which goes alone.
  const args = ['upload', path.join(fixtures, file), ...mapping, ...as, '--batch-size', '4', '--json', '--yes'];
  const ended = await run(cwd, args, { env: at({ url, key: sandbox.key }) });
  expect(ended.code, ended.stderr).toBe(file.includes('faults') ? 3 : 0);
  const { read = 0, invalid = 0, delivered = 0 } = summaryOf(ended).rows;
  expect(delivered).toBe(read - invalid);
  expect(delivered).toBeGreaterThan(1);
  expect(verdicts.filter(({ about }) => about !== 'passed')).toStrictEqual([]);
  expect(verdicts).toHaveLength(sandbox.requests().length);
  const type = SOCIAL_FILES.includes(file) ? 'social' : 'signals';
  expect(sandbox.requests().filter((fact) => fact.status !== 200 || fact.type !== type)).toStrictEqual([]);
});

describe('does not let pass', () => {
  const signal = { company_name: 'Acme', signal_name: 'Raised a round', source: 'funding' };
  const { company_name: _none, ...nameless } = signal;
  const event = { platform: 'linkedin', engagement_type: 'like' };

  test.each([
    ['101 signals', SIGNALS, { signals: Array(101).fill(signal) }, /^\/requestBody\/signals .*100/],
    ['a missing company_name', SIGNALS, { signals: [signal, nameless] }, /signals\/1 .*'company_name'/],
    ['a source that is not allowed', SIGNALS, { signals: [{ ...signal, source: 'fax' }] }, /\/0\/source /],
    ['a warmth of 101', SOCIAL, { events: [{ ...event, warmth_hint: 101 }] }, /warmth_hint .*100/],
    ['a missing platform', SOCIAL, { events: [{ engagement_type: 'like' }] }, /events\/0 .*'platform'/],
    ['no array', SIGNALS, { events: [] }, /'signals'/],
  ])('%s', async (_what, where, body, words) => {
    const sandbox = await service();
    const { url, verdicts } = await gateway(sandbox.url);
    expect((await post(url + where, sandbox.key, body)).status).toBe(400);
    expect(verdicts).toMatchObject([{ about: 'request' }]);
    expect(verdicts[0]?.errors.join('\n')).toMatch(words);
    expect(sandbox.requests()).toStrictEqual([]);
  });

  test.each([
    ['without counts', SIGNALS, { success: true, batchId: 'b1' }],
    [
      'with a count that is a text',
      SIGNALS,
      { success: true, batchId: 'b1', stats: { accepted: '1', deduplicated: 0, rejected: 0 } },
    ],
    ['without promotedToPipeline', SOCIAL, { success: true, batchId: 'b1', stats: {} }],
  ])('an answer %s', async (_what, where, answer) => {
    const sandbox = await service({
      injectFault: () => ({ status: 200, body: JSON.stringify(answer) }),
    });
    const { url, verdicts } = await gateway(sandbox.url);
    const body = where === SIGNALS ? { signals: [signal] } : { events: [event] };
    expect((await post(url + where, sandbox.key, body)).status).toBe(502);
    expect(verdicts).toMatchObject([{ about: 'answer' }]);
  });
});
