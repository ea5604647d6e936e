import { describe, expect, test } from 'vitest';
import { parseOptions } from '../../src/options/option-spec.ts';
import { sharedOptions } from '../../src/options/option-table.ts';
import {
  describeRestored,
  recordOptions,
  recordProfile,
  restoreOptions,
  shardDifferences,
} from '../../src/options/run-options.ts';
import { runFileOf } from '../support/run-file.ts';

const table = sharedOptions('upload');

function options(given: Parameters<typeof parseOptions>[1] = {}) {
  return parseOptions(table, given);
}

const all = {
  maxInvalid: '5%',
  minRows: '10',
  isolate: 'yes',
  canary: 'no',
  onUnknown: 'resend',
  rate: '5/s',
  rateStore: 'redis://127.0.0.1',
  concurrency: '2',
  timeout: '90s',
  retries: '3',
  retryMaxTime: '1h',
  maxWait: '10m',
  grace: '5s',
  fsync: 'yes',
};

describe('the options that run.json keeps', () => {
  test('are none if none is given', () => {
    expect(recordOptions(options())).toEqual({});
    expect(restoreOptions(options(), {})).toEqual({ options: options(), restored: {} });
    expect(describeRestored({})).toEqual([]);
  });

  test('are restored by a resume, and listed as typed', () => {
    const restored = restoreOptions(options(), recordOptions(options(all)));
    expect(restored.options).toEqual(options(all));
    expect(describeRestored(restored.restored)).toEqual([
      'Using the original settings: --max-invalid 5% --min-rows 10 --setting isolate=yes --setting canary=no --setting on_unknown=resend --rate 5/s --setting rate_store=redis://127.0.0.1 --concurrency 2 --setting timeout=90s --setting retries=3 --setting retry_max_time=1h --setting max_wait=10m --setting grace=5s --setting fsync=yes.',
    ]);
  });

  test('are never a URL with a password', () => {
    const kept = recordOptions(options({ rate: '5/s', rateStore: 'redis://:secret@127.0.0.1' }));
    expect(kept).toEqual({ settings: { rate: '5/s' } });
  });

  test('are overridden by the options of the resume', () => {
    const restored = restoreOptions(options({ rate: '9/s', isolate: 'no' }), recordOptions(options(all)));
    expect(restored.options).toEqual(options({ ...all, rate: '9/s', isolate: 'no' }));
    expect(restored.restored).not.toHaveProperty('rate');
    expect(restored.restored).not.toHaveProperty('isolate');
  });

  test('include the profile if a setting came from it', () => {
    expect(recordProfile({ profile: 'eu', origins: { rate: 'flag', apiKey: 'profile eu' } })).toEqual({
      profile: 'eu',
    });
    expect(recordProfile({ profile: 'eu', origins: { rate: 'flag', out: 'default' } })).toEqual({});
  });

  test('are all settings about sending: a new one is kept, or listed here with the reason', () => {
    const notKept = [
      // The base URL itself is recorded; the key and the way of this machine to the service are not.
      ...['baseUrl', 'apiKey', 'caFile', 'clientCert', 'clientKey', 'proxy', 'resolve'],
      // They are recorded with what decides the batches.
      ...['type', 'variant', 'quote', 'ragged', 'maxRowBytes', 'batchSize', 'maxBytes'],
      // They concern the present user.
      ...['out', 'engine', 'logInterval'],
    ];
    const settings = Object.entries(table).flatMap(([name, spec]) => ('setting' in spec ? [name] : []));
    expect(settings.toSorted()).toEqual([...Object.keys(all), ...notKept].toSorted());
  });
});

test('shards agree on the service, but not on the URLs of their sandboxes', () => {
  const shard = (baseUrl: string, sandbox: boolean) => ({
    ...runFileOf({ run: 'x', startedAt: '', baseUrl, sandbox }),
    mapping: undefined,
  });
  const differences = (sandbox: boolean) =>
    shardDifferences(shard('http://127.0.0.1:1', sandbox), shard('http://127.0.0.1:2', sandbox));
  expect(differences(false)).toEqual(['--base-url']);
  expect(differences(true)).toEqual([]);
});
