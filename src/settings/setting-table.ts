/**
 * The table of settings: their names, origins and parsers. A new setting is one entry here, one in
 * {@link SettingValues}, and one where it is used.
 */
import { contracts, recordTypes } from '../contract/index.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import {
  choice,
  count,
  duration,
  type Parsed,
  type ParseIssue,
  parseBaseUrl,
  parseFile,
  parseFolder,
  parseKey,
  parseProxy,
  parseRate,
  parseRateStore,
  type Rate,
  size,
} from './parse-values.ts';

/** The parsed values of all settings. Durations in milliseconds, sizes in bytes. */
export interface SettingValues {
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
  /** Absolute path. */
  ca_file: string;
  /** Absolute path. */
  client_cert: string;
  /** Absolute path. */
  client_key: string;
  proxy: string;
  rate_store: string;
}

export type SettingName = keyof SettingValues;

interface SettingSpec<T> {
  /** The environment variable. */
  readonly variable: string;
  /** As a user would write it. */
  readonly default?: string;
  /** One sentence for the help. */
  readonly about: string;
  readonly parse: (text: string, options: { readonly allowHttp?: boolean | undefined }) => Parsed<T>;
  /** The value is never shown. */
  readonly secret?: true;
  /** A URL that may contain a password, which is never shown and never an argument: the process list would show it. */
  readonly mayHavePassword?: true;
}

/** Maximum records per batch: the interface's limit for signals, and our own for social. */
const BATCH_LIMIT = Math.max(...recordTypes.map((type) => contracts[type].limit));

export const settingSpecs: { readonly [N in SettingName]: SettingSpec<SettingValues[N]> } = {
  base_url: {
    variable: 'SIGNALS_BASE_URL',
    about: 'Base URL of the service.',
    parse: parseBaseUrl,
  },
  api_key: {
    variable: 'SIGNALS_API_KEY',
    about: 'API key.',
    parse: parseKey,
    secret: true,
  },
  type: {
    variable: 'SIGNALS_TYPE',
    about: 'Record type: signals or social.',
    parse: choice(recordTypes),
  },
  variant: {
    variable: 'SIGNALS_VARIANT',
    default: 'auto',
    about: 'Field-name set of signals: a, b, both or auto.',
    parse: choice(['a', 'b', 'both', 'auto']),
  },
  concurrency: {
    variable: 'SIGNALS_CONCURRENCY',
    default: '8',
    about: 'Maximum number of concurrent requests.',
    parse: count(1, 256),
  },
  rate: {
    variable: 'SIGNALS_RATE',
    about: 'Maximum number of requests per second, minute or hour.',
    parse: parseRate,
  },
  timeout: {
    variable: 'SIGNALS_TIMEOUT',
    default: '30s',
    about: 'Timeout of one request.',
    parse: duration({ min: '1ms', max: '24h' }),
  },
  retries: {
    variable: 'SIGNALS_RETRIES',
    default: '8',
    about: 'Maximum number of retries per batch.',
    parse: count(0, 1000),
  },
  max_wait: {
    variable: 'SIGNALS_MAX_WAIT',
    default: '5m',
    about: 'Longest wait the service may ask for.',
    parse: duration({ min: '0s', max: '24h' }),
  },
  retry_max_time: {
    variable: 'SIGNALS_RETRY_MAX_TIME',
    about: 'Longest outage before the run stops.',
    parse: duration({ min: '0s', max: '24h' }),
  },
  batch_size: {
    variable: 'SIGNALS_BATCH_SIZE',
    default: '100',
    about: 'Maximum number of records per request.',
    parse: count(1, BATCH_LIMIT),
  },
  // The interface names no limit. 1 MB is our own assumption: it stays under the 1 MiB that proxies commonly allow.
  max_bytes: {
    variable: 'SIGNALS_MAX_BYTES',
    default: '1MB',
    about: 'Maximum size of a request.',
    parse: size({ min: '1KB', max: '100MB' }),
  },
  on_unknown: {
    variable: 'SIGNALS_ON_UNKNOWN',
    default: 'hold',
    about: 'What to do with a social batch whose answer was lost: hold or resend.',
    parse: choice(['hold', 'resend']),
  },
  out: {
    variable: 'SIGNALS_RUNS',
    default: 'signals-runs',
    about: 'Folder for run folders.',
    parse: parseFolder,
  },
  ca_file: {
    variable: 'SIGNALS_CA_FILE',
    about: 'Additional CA certificate to trust (PEM).',
    parse: parseFile,
  },
  client_cert: {
    variable: 'SIGNALS_CLIENT_CERT',
    about: 'Client certificate (PEM).',
    parse: parseFile,
  },
  client_key: {
    variable: 'SIGNALS_CLIENT_KEY',
    about: 'Private key of the client certificate (PEM).',
    parse: parseFile,
  },
  proxy: {
    variable: 'SIGNALS_PROXY',
    about: 'URL of an HTTP proxy.',
    parse: parseProxy,
    mayHavePassword: true,
  },
  rate_store: {
    variable: 'SIGNALS_RATE_STORE',
    about: 'Redis URL that shares the rate with other processes.',
    parse: parseRateStore,
    mayHavePassword: true,
  },
};

export const settingNames = Object.keys(settingSpecs) as readonly SettingName[];

/** The setting of that name; `base-url` and `BASE_URL` are `base_url`. */
export function findSetting(text: string): SettingName | undefined {
  const wanted = text.trim().toLowerCase().replaceAll('-', '_');
  return settingNames.find((name) => name === wanted);
}

/** The flag of upload that gives this setting: `--max-bytes`. */
export function flagOf(name: SettingName): string {
  return `--${name.replaceAll('_', '-')}`;
}

/**
 * A parse issue as a problem.
 *
 * @param where where the text comes from: `--rate`, `SIGNALS_RATE`, `rate in profile default`
 */
export function settingProblem(issue: ParseIssue, where: string): Problem {
  const found = issue.found === '' ? 'Found an empty value, expected' : `Found "${issue.found}", expected`;
  return {
    code: 'settings.value',
    message: `${issue.found === undefined ? 'Expected' : found} ${issue.expected}.`,
    where,
    hint: issue.hint,
  };
}

/** A password in an argument: other users see it in the process list, and the shell saves it in its history. */
export function passwordProblem(name: SettingName, where: string): Problem {
  return {
    code: 'settings.password',
    message: 'The URL contains a password, and other users can see arguments in the process list.',
    where,
    hint: `Set ${settingSpecs[name].variable} instead, or save it with \`config set ${name}\`, which reads it from a prompt or a pipe.`,
  };
}

/**
 * The value of a command's own option.
 *
 * @throws ProblemError `settings.value`, naming the option
 */
export function parseOption<T>(where: string, text: string, parse: (text: string) => Parsed<T>): T {
  const parsed = parse(text);
  if ('issue' in parsed) throw new ProblemError(settingProblem(parsed.issue, where));
  return parsed.value;
}
