/**
 * The table of settings: what each is called, where it may come from, how its text is read. A new setting is one
 * line here, one in {@link Values}, and one where it is used.
 */
import { contracts, recordTypes } from '../contract/index.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import {
  choice,
  count,
  duration,
  type Fault,
  type Parsed,
  parseBaseUrl,
  parseFolder,
  parseKey,
  parseRate,
  type Rate,
  size,
} from './parse-values.ts';

/** Every setting that a profile can hold, and what its text becomes. Durations in milliseconds, sizes in bytes. */
export interface Values {
  base_url: string;
  api_key: string;
  type: RecordType;
  variant: Variant | 'auto';
  concurrency: number;
  rate: Rate;
  timeout: number;
  retries: number;
  max_wait: number;
  retry_max_time: number;
  batch_size: number;
  max_bytes: number;
  on_unknown: 'hold' | 'resend';
  out: string;
}

export type SettingName = keyof Values;

export interface SettingSpec<T> {
  readonly name: SettingName;
  /** The environment variable. */
  readonly env: string;
  /** As a user would write it. Absent where there is none. */
  readonly default?: string;
  /** One sentence for people. */
  readonly about: string;
  readonly parse: (text: string, options: { allowHttp?: boolean }) => Parsed<T>;
  /** Its value is never shown. */
  readonly secret?: true;
}

/** Records a batch: the interface's limit for signals, and our own for social. */
const BATCH_MOST = Math.max(...recordTypes.map((type) => contracts[type].limit));

export const specs: { readonly [N in SettingName]: SettingSpec<Values[N]> } = {
  base_url: {
    name: 'base_url',
    env: 'SIGNALS_BASE_URL',
    about: 'Base URL of the service.',
    parse: parseBaseUrl,
  },
  api_key: {
    name: 'api_key',
    env: 'SIGNALS_API_KEY',
    about: 'API key.',
    parse: parseKey,
    secret: true,
  },
  type: {
    name: 'type',
    env: 'SIGNALS_TYPE',
    about: 'Record type: signals or social.',
    parse: choice(recordTypes),
  },
  variant: {
    name: 'variant',
    env: 'SIGNALS_VARIANT',
    default: 'auto',
    about: 'Field-name set of signals: a, b, both or auto.',
    parse: choice(['a', 'b', 'both', 'auto']),
  },
  concurrency: {
    name: 'concurrency',
    env: 'SIGNALS_CONCURRENCY',
    default: '8',
    about: 'Maximum number of concurrent requests.',
    parse: count(1, 256),
  },
  rate: {
    name: 'rate',
    env: 'SIGNALS_RATE',
    about: 'Maximum number of requests per second, minute or hour.',
    parse: parseRate,
  },
  timeout: {
    name: 'timeout',
    env: 'SIGNALS_TIMEOUT',
    default: '30s',
    about: 'Timeout of one request.',
    parse: duration({ least: '1ms', most: '24h' }),
  },
  retries: {
    name: 'retries',
    env: 'SIGNALS_RETRIES',
    default: '8',
    about: 'Maximum number of retries per batch.',
    parse: count(0, 1000),
  },
  max_wait: {
    name: 'max_wait',
    env: 'SIGNALS_MAX_WAIT',
    default: '5m',
    about: 'Longest wait the service may ask for.',
    parse: duration({ least: '0s', most: '24h' }),
  },
  retry_max_time: {
    name: 'retry_max_time',
    env: 'SIGNALS_RETRY_MAX_TIME',
    about: 'Longest outage before the run stops.',
    parse: duration({ least: '0s', most: '24h' }),
  },
  batch_size: {
    name: 'batch_size',
    env: 'SIGNALS_BATCH_SIZE',
    default: '100',
    about: 'Maximum number of records per request.',
    parse: count(1, BATCH_MOST),
  },
  // The interface names no limit. 1 MB is our own assumption: it stays under the 1 MiB that proxies commonly allow.
  max_bytes: {
    name: 'max_bytes',
    env: 'SIGNALS_MAX_BYTES',
    default: '1MB',
    about: 'Maximum size of a request.',
    parse: size({ least: '1KB', most: '100MB' }),
  },
  on_unknown: {
    name: 'on_unknown',
    env: 'SIGNALS_ON_UNKNOWN',
    default: 'hold',
    about: 'What to do with a social batch whose answer was lost: hold or resend.',
    parse: choice(['hold', 'resend']),
  },
  out: {
    name: 'out',
    env: 'SIGNALS_RUNS',
    default: 'signals-runs',
    about: 'Folder for run folders.',
    parse: parseFolder,
  },
};

export const settingNames: readonly SettingName[] = Object.values(specs).map((spec) => spec.name);

/** The setting of that name; `base-url` and `BASE_URL` are `base_url`. */
export function settingNamed(text: string): SettingName | undefined {
  const wanted = text.trim().toLowerCase().replaceAll('-', '_');
  return settingNames.find((name) => name === wanted);
}

/** The flag of upload that gives this setting: `--max-bytes`. */
export function flagOf(name: SettingName): string {
  return `--${name.replaceAll('_', '-')}`;
}

/**
 * A fault as a problem.
 *
 * @param where whence the text came: `--rate`, `SIGNALS_RATE`, `rate in profile default`
 */
export function problemOf(fault: Fault, where: string): Problem {
  const found = fault.found === '' ? 'Found an empty value, expected' : `Found "${fault.found}", expected`;
  return {
    code: 'settings.value',
    message: `${fault.found === undefined ? 'Expected' : found} ${fault.expected}.`,
    where,
    ...(fault.hint === undefined ? {} : { hint: fault.hint }),
  };
}

/**
 * The value of a command's own option.
 *
 * @throws ProblemError `settings.value`, naming the option
 */
export function optionValue<T>(where: string, text: string, parse: (text: string) => Parsed<T>): T {
  const parsed = parse(text);
  if ('fault' in parsed) throw new ProblemError(problemOf(parsed.fault, where));
  return parsed.value;
}
