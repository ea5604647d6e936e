/**
 * The table of settings: their names, defaults and parsers. A new setting is one entry here, and its use.
 */
import { contracts, recordTypes } from '../contract/index.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
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
  size,
} from './parse-values.ts';

interface SettingSpec<T> {
  /** One sentence for the help. */
  readonly about: string;
  readonly parse: (text: string, options: { readonly allowHttp?: boolean | undefined }) => Parsed<T>;
  /** As a user would write it. */
  readonly default?: string;
  /** The environment variable, if it is not named like the setting. */
  readonly variable?: string;
  /** The value is never shown. */
  readonly secret?: true;
  /** A URL that may contain a password, which is never shown and never an argument: the process list would show it. */
  readonly mayHavePassword?: true;
}

/** Maximum records per batch: the interface's limit for signals, and our own for social. */
const BATCH_LIMIT = Math.max(...recordTypes.map((type) => contracts[type].limit));

const DAY = { min: '0s', max: '24h' };

const table = {
  base_url: { about: 'Base URL of the service.', parse: parseBaseUrl },
  api_key: { about: 'API key.', parse: parseKey, secret: true },
  type: { about: 'Record type: signals or social.', parse: choice(recordTypes) },
  variant: {
    about: 'Field-name set of signals: a, b, both or auto.',
    parse: choice(['a', 'b', 'both', 'auto']),
    default: 'auto',
  },
  concurrency: { about: 'Maximum number of concurrent requests.', parse: count(1, 256), default: '8' },
  rate: { about: 'Maximum number of requests per second, minute or hour.', parse: parseRate },
  timeout: { about: 'Timeout of one request.', parse: duration({ min: '1ms', max: '24h' }), default: '30s' },
  retries: { about: 'Maximum number of retries per batch.', parse: count(0, 1000), default: '8' },
  max_wait: { about: 'Longest wait the service may ask for.', parse: duration(DAY), default: '5m' },
  retry_max_time: { about: 'Longest outage before the run stops.', parse: duration(DAY) },
  batch_size: { about: 'Maximum number of records per request.', parse: count(1, BATCH_LIMIT), default: '100' },
  // The interface names no limit. 1 MB is our own assumption: it stays under the 1 MiB that proxies commonly allow.
  max_bytes: { about: 'Maximum size of a request.', parse: size({ min: '1KB', max: '100MB' }), default: '1MB' },
  on_unknown: {
    about: 'What to do with a social batch whose answer was lost: hold or resend.',
    parse: choice(['hold', 'resend']),
    default: 'hold',
  },
  out: { about: 'Folder for run folders.', parse: parseFolder, default: 'signals-runs', variable: 'SIGNALS_RUNS' },
  ca_file: { about: 'Additional CA certificate to trust (PEM).', parse: parseFile },
  client_cert: { about: 'Client certificate (PEM).', parse: parseFile },
  client_key: { about: 'Private key of the client certificate (PEM).', parse: parseFile },
  proxy: { about: 'URL of an HTTP proxy.', parse: parseProxy, mayHavePassword: true },
  rate_store: {
    about: 'Redis URL that shares the rate with other processes.',
    parse: parseRateStore,
    mayHavePassword: true,
  },
} as const satisfies Readonly<Record<string, SettingSpec<unknown>>>;

type Table = typeof table;

export type SettingName = keyof Table;

type ValueOf<S> = S extends SettingSpec<infer T> ? T : never;

type Defaulted = { [N in SettingName]: Table[N] extends { readonly default: string } ? N : never }[SettingName];

/** The parsed values of all settings but the key. Durations in milliseconds, sizes in bytes, absolute paths. */
export type Settings = { readonly [N in Defaulted as CamelCase<N>]: ValueOf<Table[N]> } & {
  readonly [N in Exclude<SettingName, Defaulted | 'api_key'> as CamelCase<N>]?: ValueOf<Table[N]> | undefined;
};

/** `maxBytes` for `max_bytes`. */
export type CamelCase<S extends string> = S extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : S;

export const settingSpecs: Readonly<Record<SettingName, SettingSpec<unknown>>> = table;

export const settingNames = Object.keys(table) as readonly SettingName[];

export function camelCase<N extends SettingName>(name: N): CamelCase<N> {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()) as CamelCase<N>;
}

export function variableOf(name: SettingName): string {
  return settingSpecs[name].variable ?? `SIGNALS_${name.toUpperCase()}`;
}

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
    hint: `Set ${variableOf(name)} instead, or save it with \`config set ${name}\`, which reads it from a prompt or a pipe.`,
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
