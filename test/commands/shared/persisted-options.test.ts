import { describe, expect, test } from 'vitest';
import type { Options } from '../../../src/commands/shared/command.ts';
import { deliveryOptions, serviceOptions, uploadOptions } from '../../../src/commands/shared/options.ts';
import {
  heardAgain,
  ofReplay,
  profileOf,
  saidOf,
  withoutLimits,
} from '../../../src/commands/shared/persisted-options.ts';

/** As the command line hands them over: `canary` is true where nobody says --no-canary. */
const nothing: Options = { canary: true };
const all: Options = {
  concurrency: '2',
  rate: '5/s',
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

describe('what a run keeps of what was said', () => {
  test('is nothing where nothing was said', () => {
    expect(saidOf(nothing)).toEqual({});
    expect(heardAgain(nothing, {})).toEqual({ options: nothing, kept: [] });
  });

  test('comes back when the run goes on, and is told as it is typed', () => {
    const { options, kept } = heardAgain(nothing, saidOf(all));
    expect(options).toEqual(all);
    expect(kept.join(' ')).toBe(
      '--concurrency 2 --rate 5/s --timeout 90s --retries 3 --retry-max-time 1h --max-wait 10m --on-unknown resend --grace 5s --max-invalid 5% --min-rows 10 --isolate --no-canary --fsync',
    );
  });

  test('gives way to what is said anew', () => {
    const { options, kept } = heardAgain({ ...nothing, rate: '9/s', isolate: true }, saidOf(all));
    expect(options).toEqual({ ...all, rate: '9/s' });
    expect(kept).not.toContain('--rate');
    expect(kept).not.toContain('--isolate');
  });

  test('is no consent for a replay, which has no rows to count either', () => {
    const { delivery } = ofReplay(saidOf(all));
    expect(Object.keys(delivery ?? {})).toEqual(
      Object.keys(all).filter((name) => !['onUnknown', 'maxInvalid', 'minRows'].includes(name)),
    );
  });

  test('can be taken without the limits of rows', () => {
    const { delivery } = withoutLimits(saidOf({ minRows: '10', rate: '5/s' }));
    expect(delivery).toEqual({ rate: '5/s' });
  });

  test('names its profile where a setting came from there', () => {
    expect(profileOf({ profile: 'eu', origins: { rate: 'flag', api_key: 'profile eu' } })).toEqual({
      profile: 'eu',
    });
    expect(profileOf({ profile: 'eu', origins: { rate: 'flag', out: 'default' } })).toEqual({});
  });

  test('is every option of delivery: a new one is kept, or named here with the reason', () => {
    const elsewhere = [
      // Kept as the address itself, agreed to for that address, or never kept at all.
      ...['base-url', 'profile', 'allow-http', 'sandbox', 'api-key-file'],
      // They say which run it is, and where; or whether there is one.
      ...['out', 'run-id', 'dry-run'],
    ];
    const names = [...serviceOptions, ...deliveryOptions, ...uploadOptions].map(
      ({ flags }) => /^--(?:no-)?([a-z-]+)/.exec(flags)?.[1] ?? flags,
    );
    const kept = Object.keys(saidOf(all).delivery ?? {}).map((name) =>
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    );
    expect(names.toSorted()).toEqual([...kept, ...elsewhere].toSorted());
  });
});
