import { describe, expect, test } from 'vitest';
import { type OptionValues, parseOptions } from '../../src/options/option-spec.ts';
import { deliveryOptions, serviceOptions, uploadOnlyOptions } from '../../src/options/option-table.ts';
import {
  optionsForReplay,
  recordOptions,
  recordProfile,
  restoreOptions,
  withoutLimits,
} from '../../src/options/run-options.ts';

const table = { ...serviceOptions, ...deliveryOptions, ...uploadOnlyOptions };

function options(given: Parameters<typeof parseOptions>[1] = {}): OptionValues<typeof table> {
  return parseOptions(table, given);
}

const all = {
  concurrency: '2',
  rate: '5/s',
  rateStore: 'redis://127.0.0.1',
  timeout: '90s',
  retries: '3',
  retryMaxTime: '1h',
  maxWait: '10m',
  onUnknown: 'resend',
  grace: '5s',
  maxInvalid: '5%',
  minRows: '10',
  isolate: true,
  canary: false,
  fsync: true,
};

describe('the options that run.json records', () => {
  test('are none if none is given', () => {
    expect(recordOptions(options())).toEqual({});
    expect(restoreOptions(options(), {})).toEqual({ options: options(), notes: [] });
  });

  test('are restored by a resume, and listed as typed', () => {
    const restored = restoreOptions(options(), recordOptions(options(all)));
    expect(restored.options).toEqual(options(all));
    expect(restored.notes).toEqual([
      'Using the original settings: --concurrency 2 --rate 5/s --rate-store redis://127.0.0.1 --timeout 90s --retries 3 --retry-max-time 1h --max-wait 10m --on-unknown resend --grace 5s --max-invalid 5% --min-rows 10 --isolate --no-canary --fsync.',
    ]);
  });

  test('are never a URL with a password', () => {
    const recorded = recordOptions(options({ rate: '5/s', rateStore: 'redis://:secret@127.0.0.1' }));
    expect(recorded).toEqual({ delivery: { rate: '5/s' } });
  });

  test('are overridden by the options of the resume', () => {
    const restored = restoreOptions(options({ rate: '9/s', isolate: true }), recordOptions(options(all)));
    expect(restored.options).toEqual(options({ ...all, rate: '9/s' }));
    expect(restored.notes.join()).not.toContain('--rate 5');
    expect(restored.notes.join()).not.toContain('--isolate');
  });

  test('give a replay neither consent to resend nor row limits', () => {
    const delivery = JSON.parse(JSON.stringify(optionsForReplay(recordOptions(options(all))).delivery));
    expect(Object.keys(delivery)).toEqual(
      Object.keys(all).filter((name) => !['onUnknown', 'maxInvalid', 'minRows'].includes(name)),
    );
  });

  test('can be taken without the row limits', () => {
    const { delivery } = withoutLimits(recordOptions(options({ minRows: '10', rate: '5/s' })));
    expect(delivery).toEqual({ rate: '5/s' });
  });

  test('include the profile if a setting came from it', () => {
    expect(recordProfile({ profile: 'eu', origins: { rate: 'flag', api_key: 'profile eu' } })).toEqual({
      profile: 'eu',
    });
    expect(recordProfile({ profile: 'eu', origins: { rate: 'flag', out: 'default' } })).toEqual({});
  });

  test('are all options of delivery: a new one is recorded, or listed here with the reason', () => {
    const notRecorded = [
      // The base URL itself is recorded; consent, the key and the way of this machine to the service are not.
      ...['baseUrl', 'profile', 'allowHttp', 'sandbox', 'apiKeyFile', 'caFile', 'clientCert', 'clientKey'],
      ...['proxy', 'resolve'],
      // They name the run and its folder, or send nothing.
      ...['out', 'runId', 'dryRun'],
    ];
    expect(Object.keys(table).toSorted()).toEqual([...Object.keys(all), ...notRecorded].toSorted());
  });
});
