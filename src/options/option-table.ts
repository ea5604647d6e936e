/**
 * The options and settings that commands share. A new one is an entry here, and its use: the command line, settings and
 * their variables, run.json, the library, suggestions, the comparison of shards, help, completion, the manual page and
 * docs/reference.md are made from this table, in its order.
 */
import { appendFileSync } from 'node:fs';
import { contracts, recordTypes } from '../contract/index.ts';
import type { RunFile } from '../journal/run-file.ts';
import { messageOf } from '../lib/text.ts';
import { inputFormats } from '../model/input-format.ts';
import type { FailOn } from '../report/summary.ts';
import type { RowLimits } from '../run/row-limits.ts';
import { logFormats } from '../terminal/log.ts';
import { flagOf, type OptionSpec, type OptionTable, type ParsedValue, usageError } from './option-spec.ts';
import {
  count,
  duration,
  issue,
  type Parsed,
  type Parser,
  parseBaseUrl,
  parseFile,
  parseFolder,
  parseKey,
  parseNames,
  parsePercent,
  parseProxy,
  parseRate,
  parseRateStore,
  parseResolve,
  parseSwitch,
  size,
} from './parse-values.ts';
import { screenOptions } from './screen-options.ts';

export const INPUT = 'Input:';
const MAPPING = 'Mapping:';
const BATCHES = 'Batches:';
export const SERVICE = 'Service:';
export const OUTPUT = 'Output:';

/** What run.json has about options. */
type RunOptions = Omit<RunFile, 'run' | 'startedAt' | 'argv'>;

const MAP = ['upload', 'check', 'map'] as const;
const PLAN = ['upload', 'check'] as const;
/** These continue a run. */
const RUN = ['resume', 'explain'] as const;
const SEND = ['upload', ...RUN] as const;
const SHOWN = ['upload', 'check', ...RUN] as const;
const TOLD = ['upload', 'resume'] as const;
/** These find a run in the runs folder. */
const FIND = ['runs', 'report', 'fix'] as const;
/** Suggestions of these repeat how the service is reached. */
const REACH = ['upload', 'resume', 'runs explain'] as const;

const ROWS = count(0, Number.MAX_SAFE_INTEGER);
const DAY = duration({ min: '0s', max: '24h' });
/** Maximum records per batch: the API's limit for signals, and our own for social. */
const BATCH_LIMIT = Math.max(...recordTypes.map((type) => contracts[type].limit));

export const optionTable = {
  type: {
    about: 'record type',
    group: MAPPING,
    value: 'type',
    choices: recordTypes,
    defaultText: 'detected and printed',
    setting: 'also',
    commands: MAP,
    common: true,
    reads: 'mapping',
    shards: ({ type }: RunOptions) => type,
    library: 'both',
  },
  variant: {
    about: 'field-name set of a market signal',
    group: MAPPING,
    value: 'variant',
    choices: ['a', 'b', 'both', 'auto'],
    default: 'auto',
    setting: 'also',
    commands: MAP,
    reads: 'mapping',
    shards: ({ variant }: RunOptions) => variant,
    library: 'both',
  },
  map: {
    about: 'mapping file (YAML or JSON)',
    group: MAPPING,
    short: 'm',
    value: 'file',
    commands: PLAN,
    common: true,
  },
  column: {
    about: 'map a column to a field, or a text made of columns; repeatable',
    details: 'A text made of columns: `{Company} raised {Amount}`. In braces, a mapping as in a mapping file',
    group: MAPPING,
    short: 'c',
    value: 'field=column',
    list: true,
    commands: MAP,
    common: true,
    reads: 'mapping',
    library: 'both',
  },
  set: {
    about: 'set a field to a constant; repeatable',
    group: MAPPING,
    value: 'field=value',
    list: true,
    commands: MAP,
    common: true,
    reads: 'mapping',
    library: 'both',
  },
  empty: {
    about: 'treat cells with this text, such as NULL, as empty; repeatable',
    group: MAPPING,
    value: 'text',
    list: true,
    commands: MAP,
    reads: 'mapping',
    library: 'both',
  },
  omitInvalid: {
    about: 'omit these optional fields, separated by commas, where their value is invalid',
    group: MAPPING,
    value: 'fields',
    parse: parseNames,
    setting: 'only',
    reads: 'mapping',
    library: 'both',
  },
  transform: {
    about: 'JavaScript module whose default export changes each row before the mapping; null skips it',
    group: MAPPING,
    value: 'file',
    commands: MAP,
    repeat: MAP,
    reads: 'mapping',
    shards: ({ transform }: RunOptions) => transform?.digest,
  },
  format: {
    about: 'input format',
    group: INPUT,
    value: 'format',
    choices: inputFormats,
    defaultText: 'detected and printed',
    commands: MAP,
    reads: 'mapping',
    shards: ({ decode }: RunOptions) => decode.format,
    library: 'both',
  },
  sheet: {
    about: 'sheet of a workbook, by name or by number from 1',
    group: INPUT,
    value: 'name',
    defaultText: 'the first visible sheet with a table',
    commands: MAP,
    common: true,
    reads: 'mapping',
    shards: ({ decode }: RunOptions) => decode.sheet,
    library: 'both',
    libraryNumber: true,
  },
  delimiter: {
    about: 'cell delimiter; "tab" for a tab',
    group: INPUT,
    value: 'character',
    defaultText: 'detected and printed',
    commands: MAP,
    reads: 'mapping',
    shards: ({ decode }: RunOptions) => decode.delimiter,
    library: 'both',
  },
  encoding: {
    about: 'text encoding: utf-8, utf-16le, windows-1252, …',
    details: 'A byte order mark in the file overrides it',
    group: INPUT,
    value: 'name',
    defaultText: 'detected and printed',
    commands: MAP,
    reads: 'mapping',
    shards: ({ decode }: RunOptions) => decode.encoding,
    library: 'both',
  },
  header: {
    about: 'the first row is data; the columns are named 1, 2, 3, …',
    group: INPUT,
    off: true,
    commands: MAP,
    reads: 'mapping',
    shards: ({ decode }: RunOptions) => decode.header,
    library: 'both',
  },
  headerLine: {
    about: 'line number of the header, after a preamble',
    group: INPUT,
    value: 'n',
    parse: count(1, 1_000_000),
    defaultText: 'detected and printed',
    commands: MAP,
    reads: 'mapping',
    shards: ({ decode }: RunOptions) => decode.headerLine,
    library: 'both',
    libraryNumber: true,
  },
  quote: {
    about: 'quote character; empty for none',
    group: INPUT,
    value: 'character',
    defaultText: '"',
    setting: 'only',
    reads: 'mapping',
    shards: ({ decode }: RunOptions) => decode.quote,
    library: 'both',
  },
  ragged: {
    about: 'how to handle rows with too few cells',
    group: INPUT,
    value: 'how',
    choices: ['reject', 'pad'],
    default: 'reject',
    setting: 'only',
    reads: 'rows',
    shards: ({ decode }: RunOptions) => decode.ragged,
    library: 'both',
  },
  maxRowBytes: {
    about: 'maximum size of a row; a longer one is invalid',
    group: INPUT,
    value: 'size',
    parse: size({ min: '1KB', max: '1GB' }),
    default: '1MiB',
    setting: 'only',
    reads: 'rows',
    shards: ({ decode }: RunOptions) => decode.maxRowBytes,
    library: 'both',
    libraryNumber: true,
  },
  skip: {
    about: 'skip the first N rows of the run',
    group: INPUT,
    value: 'n',
    parse: ROWS,
    commands: PLAN,
    shards: ({ skip }: RunOptions) => skip,
    library: 'both',
    libraryNumber: true,
  },
  limit: {
    about: 'use at most N rows; the rest is read and counted as skipped',
    group: INPUT,
    value: 'n',
    parse: ROWS,
    commands: PLAN,
    common: true,
    shards: ({ limit }: RunOptions) => limit,
    library: 'both',
    libraryNumber: true,
  },
  skipBadFiles: {
    about: 'leave out files that cannot be read or mapped, and exit 3',
    details: 'Otherwise one bad file stops the upload before anything is sent. The summary names them',
    group: INPUT,
    commands: PLAN,
    library: 'both',
  },
  maxInvalid: {
    about: 'stop if more rows than this are invalid',
    group: INPUT,
    value: 'n|n%',
    parse: parseInvalidLimit,
    setting: 'also',
    commands: ['upload'],
    keep: 'limit',
    library: 'upload',
    libraryNumber: true,
  },
  minRows: {
    about: 'send nothing if the input has fewer rows',
    group: INPUT,
    value: 'n',
    parse: ROWS,
    setting: 'also',
    commands: ['upload'],
    keep: 'limit',
    library: 'upload',
    libraryNumber: true,
  },
  engine: {
    about: 'reference: disable the fast path (same output, slower)',
    group: INPUT,
    value: 'engine',
    choices: ['auto', 'reference'],
    default: 'auto',
    setting: 'only',
    library: 'both',
  },
  shard: {
    about: 'send part I (from 0) of N, for several processes; auto or auto/N: from the scheduler',
    details: '[More](sharding.md)',
    group: BATCHES,
    value: 'i/n',
    commands: PLAN,
    library: 'both',
  },
  runId: {
    about: 'name this run; if it exists, resume it, or send nothing if it is complete',
    details:
      'Different data under the same name is an error. Up to 100 letters, digits, `-`, `_` and `.`, starting with a letter or digit; not `last`',
    group: BATCHES,
    value: 'name',
    defaultText: 'from time and input',
    commands: ['upload'],
    common: true,
    library: 'upload',
  },
  again: {
    about: 'send even if an earlier run of this input is unfinished or has delivered the rows',
    details: 'Overrides `--skip-delivered`',
    group: BATCHES,
    commands: SHOWN,
    repeat: ['check', ...REACH],
    library: 'both',
  },
  dedupe: {
    about: 'send identical records of this run only once',
    group: BATCHES,
    commands: PLAN,
    shards: ({ dedupe }: RunOptions) => dedupe,
    library: 'both',
  },
  skipDelivered: {
    about: 'skip records that an earlier run delivered to the same base URL (always on for social)',
    group: BATCHES,
    commands: PLAN,
    library: 'both',
  },
  batchSize: {
    about: 'records per request',
    group: BATCHES,
    value: 'n',
    parse: count(1, BATCH_LIMIT),
    default: '100',
    setting: 'also',
    commands: PLAN,
    shards: ({ batchSize }: RunOptions) => batchSize,
    library: 'both',
    libraryNumber: true,
  },
  // The API names no limit. 1 MB is our own assumption: it stays under the 1 MiB that proxies commonly allow.
  maxBytes: {
    about: 'maximum size of a request body',
    group: BATCHES,
    value: 'size',
    parse: size({ min: '1KB', max: '100MB' }),
    default: '1MB',
    setting: 'only',
    shards: ({ maxBytes }: RunOptions) => maxBytes,
    library: 'both',
    libraryNumber: true,
  },
  isolate: {
    about: 'split refused social batches to find the bad records (signals are always split)',
    group: BATCHES,
    value: 'yes|no',
    parse: parseSwitch,
    default: 'no',
    setting: 'only',
    keep: true,
    library: 'upload',
  },
  canary: {
    about: 'wait for the first batch to succeed before the others are sent',
    group: BATCHES,
    value: 'yes|no',
    parse: parseSwitch,
    default: 'yes',
    setting: 'only',
    keep: true,
    library: 'upload',
  },
  onUnknown: {
    about: 'what to do with social batches whose outcome is unknown',
    group: BATCHES,
    value: 'what',
    choices: ['hold', 'resend'],
    default: 'hold',
    setting: 'only',
    keep: true,
    library: 'upload',
  },
  sandbox: {
    about: 'start a local mock of the service and send there: nothing leaves this machine',
    group: SERVICE,
    commands: ['upload'],
    common: true,
    repeat: ['upload'],
  },
  baseUrl: {
    about: 'base URL of the service',
    group: SERVICE,
    value: 'url',
    parse: parseBaseUrl,
    setting: 'also',
    commands: [...SHOWN, 'doctor'],
    common: true,
    repeat: ['check', ...REACH],
    shards: ({ baseUrl }: RunOptions) => baseUrl,
    library: 'both',
  },
  profile: {
    about: 'settings profile; also SIGNALS_PROFILE',
    group: SERVICE,
    value: 'name',
    defaultText: 'the current profile',
    commands: [...SHOWN, ...FIND, 'doctor', 'config'],
    common: true,
    repeat: ['check', ...REACH, 'runs', 'report', 'fix', 'config'],
  },
  apiKey: {
    about: 'API key',
    group: SERVICE,
    value: 'key',
    parse: parseKey,
    setting: 'only',
    secret: true,
  },
  apiKeyFile: {
    about: 'file that contains the API key; also SIGNALS_API_KEY or SIGNALS_API_KEY_FILE',
    group: SERVICE,
    value: 'file',
    commands: [...SEND, 'doctor'],
    repeat: REACH,
  },
  allowHttp: {
    about: 'allow http:// for hosts other than this machine: the key is sent unencrypted',
    group: SERVICE,
    commands: [...SHOWN, 'doctor', 'config'],
    repeat: ['check', ...REACH],
    library: 'both',
  },
  rate: {
    about: 'maximum request rate: 10/s, 600/m, 36000/h',
    group: SERVICE,
    value: 'n/unit',
    parse: parseRate,
    setting: 'also',
    commands: [...SHOWN, 'doctor'],
    common: true,
    keep: true,
    library: 'both',
  },
  rateStore: {
    about: 'share the rate with other processes and machines (Redis)',
    details: '[One rate](pipelines.md#one-rate-for-several-processes). No effect with `--sandbox`',
    group: SERVICE,
    value: 'url',
    parse: parseRateStore,
    setting: 'only',
    mayHavePassword: true,
    keep: true,
    library: 'both',
  },
  concurrency: {
    about: 'maximum concurrent requests',
    group: SERVICE,
    value: 'n',
    parse: count(1, 256),
    default: '8',
    setting: 'also',
    commands: SEND,
    common: true,
    keep: true,
    library: 'upload',
    libraryNumber: true,
  },
  timeout: {
    about: 'timeout of one request',
    group: SERVICE,
    value: 'time',
    parse: duration({ min: '1ms', max: '24h' }),
    default: '30s',
    setting: 'only',
    keep: true,
    library: 'upload',
  },
  retries: {
    about: 'maximum retries per batch',
    group: SERVICE,
    value: 'n',
    parse: count(0, 1000),
    default: '8',
    setting: 'only',
    keep: true,
    library: 'upload',
    libraryNumber: true,
  },
  retryMaxTime: {
    about: 'stop when the service has failed for this long',
    group: SERVICE,
    value: 'time',
    parse: DAY,
    defaultText: '2m on a terminal, else 30m',
    setting: 'only',
    keep: true,
    library: 'upload',
  },
  maxWait: {
    about: 'longest Retry-After to honour; a longer one stops the run',
    group: SERVICE,
    value: 'time',
    parse: DAY,
    default: '5m',
    setting: 'only',
    keep: true,
    library: 'upload',
  },
  grace: {
    about: 'how long requests in flight may continue after Ctrl-C',
    group: SERVICE,
    value: 'time',
    parse: duration({ min: '0s', max: '1h' }),
    default: '20s',
    setting: 'only',
    keep: true,
    library: 'upload',
  },
  caFile: {
    about: 'additional CA certificate to trust, for a service with a private CA (PEM)',
    details: 'The CAs of Node.js stay trusted; with Node.js 22.15 or later, those of the system too',
    group: SERVICE,
    value: 'file',
    parse: parseFile,
    setting: 'only',
    repeat: REACH,
    library: 'upload',
  },
  clientCert: {
    about: 'client certificate, if the service requires one (PEM)',
    group: SERVICE,
    value: 'file',
    parse: parseFile,
    setting: 'only',
    repeat: REACH,
    library: 'upload',
  },
  clientKey: {
    about: 'unencrypted private key of the client certificate (PEM)',
    group: SERVICE,
    value: 'file',
    parse: parseFile,
    setting: 'only',
    repeat: REACH,
    library: 'upload',
  },
  proxy: {
    about: 'HTTP proxy, instead of HTTPS_PROXY or HTTP_PROXY; hosts in NO_PROXY are reached without it',
    group: SERVICE,
    value: 'url',
    parse: parseProxy,
    setting: 'only',
    mayHavePassword: true,
    repeat: REACH,
    library: 'upload',
  },
  resolve: {
    about: 'connect to this IP address instead of that of the host, without a proxy',
    details: 'The certificate is still checked for the host. For private links and tests',
    group: SERVICE,
    value: 'host:port:ip',
    parse: parseResolve,
    setting: 'only',
    repeat: REACH,
    library: 'upload',
  },
  setting: {
    about: 'set what has no option of its own, such as timeout=5s: see `signals help settings`; repeatable',
    details: 'See [Settings](#settings)',
    group: SERVICE,
    value: 'key=value',
    list: true,
    commands: [...SHOWN, 'map', 'doctor'],
    common: true,
  },
  out: {
    about: 'folder for run folders',
    group: OUTPUT,
    value: 'folder',
    parse: parseFolder,
    default: 'signals-runs',
    setting: 'also',
    variable: 'SIGNALS_RUNS',
    commands: [...SEND, ...FIND, 'doctor'],
    common: true,
    repeat: [...REACH, 'runs', 'report', 'fix'],
    library: 'both',
  },
  fsync: {
    about: 'fsync the journal, so that it survives a power failure (slower)',
    group: OUTPUT,
    value: 'yes|no',
    parse: parseSwitch,
    default: 'no',
    setting: 'only',
    keep: true,
    library: 'upload',
  },
  failOn: {
    about: 'exit 3 if rows fail: any, never, or more than N% of the rows read',
    group: OUTPUT,
    value: 'what',
    parse: parseFailOn,
    defaultText: '`any`',
    commands: [...SHOWN, 'runs merge'],
    library: 'both',
  },
  json: {
    about: 'print the result, or the error, as one JSON object on stdout, everything else on stderr',
    group: OUTPUT,
    commands: [...SHOWN, ...FIND, 'doctor', 'config'],
    common: true,
  },
  logFormat: {
    about: 'format of the log on stderr, or in the file',
    details: '`json`: one JSON object a line, and nothing else on stderr ([the log](machine-output.md#the-log))',
    group: OUTPUT,
    value: 'format',
    choices: logFormats,
    defaultText: '`text`',
    commands: SHOWN,
  },
  logFile: {
    about: 'append the log to this file; stderr stays for people',
    group: OUTPUT,
    value: 'file',
    parse: parseAppendable,
    commands: SHOWN,
  },
  logInterval: {
    about: 'time between progress lines of the log, and of stderr without a terminal',
    group: OUTPUT,
    value: 'time',
    parse: duration({ min: '10ms', max: '24h' }),
    defaultText: '10s, after ten minutes 1m',
    setting: 'only',
  },
  metricsFile: {
    about: 'write metrics to this file, for the textfile collector of node_exporter',
    details: '[Metrics](machine-output.md#metrics)',
    group: OUTPUT,
    value: 'file',
    commands: TOLD,
  },
  onEnd: {
    about: 'run this command when the run has ended or could not start; gets the summary',
    details:
      '[Recipes](machine-output.md#a-command-at-the-end). It gets `SIGNALS_EXIT_CODE`, `SIGNALS_STATE`, `SIGNALS_RUN`, `SIGNALS_RUN_FOLDER` and `SIGNALS_SUMMARY`',
    group: OUTPUT,
    value: 'command',
    commands: TOLD,
  },
  ...screenOptions,
} as const satisfies OptionTable<RunOptions>;

export type Options = typeof optionTable;

type Of<T, C extends string> = {
  [N in keyof T as T[N] extends { readonly everywhere: true }
    ? N
    : T[N] extends { readonly setting: 'only' }
      ? T['setting' & keyof T] extends { readonly commands: readonly (infer D)[] }
        ? C extends D
          ? N
          : never
        : never
      : T[N] extends { readonly commands: readonly (infer D)[] }
        ? C extends D
          ? N
          : never
        : never]: T[N];
};

/** The options of a command: its flags, those of every command and, with `--setting`, all settings. */
export type OptionsOf<C extends string, T = Options> = Of<T, C>;

export function optionsOf<C extends string, const T extends OptionTable>(command: C, table: T): Of<T, C> {
  const has = ({ commands = [] }: OptionSpec<never>): boolean => commands.includes(command);
  const hasSettings = table['setting'] !== undefined && has(table['setting']);
  const entries = Object.entries(table).filter(([, spec]) => {
    if (spec.everywhere) return true;
    return spec.setting === 'only' ? hasSettings : has(spec);
  });
  return Object.fromEntries(entries) as Of<T, C>;
}

/** The options that a command shares with others. */
export function sharedOptions<C extends string>(command: C): OptionsOf<C> {
  return optionsOf(command, optionTable);
}

export type SettingName = {
  [N in keyof Options]: Options[N] extends { readonly setting: string } ? N : never;
}[keyof Options];

type Defaulted = {
  [N in SettingName]: Options[N] extends { readonly default: string } ? N : never;
}[SettingName];

/** The parsed values of all settings but the key. Durations in milliseconds, sizes in bytes, absolute paths. */
export type Settings = { readonly [N in Defaulted]: NonNullable<ParsedValue<Options[N]>> } & {
  readonly [N in Exclude<SettingName, Defaulted | 'apiKey'>]?: ParsedValue<Options[N]>;
};

/** The settings of a command as text, by name, and what else decides where they come from. */
export type SettingOptions = { readonly [N in SettingName]?: string | undefined } & {
  readonly profile?: string | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly allowHttp?: boolean | undefined;
};

/** `N` rows or `N%`. */
function parseInvalidLimit(text: string): Parsed<NonNullable<RowLimits['maxInvalid']>> {
  const percent = parsePercent(text);
  if (percent !== undefined) return { value: { percent } };
  const rows = ROWS(text);
  return 'value' in rows
    ? { value: { rows: rows.value } }
    : issue(text, 'a number of rows, or a percentage such as 5%');
}

function parseFailOn(text: string): Parsed<FailOn> {
  const value = text === 'any' || text === 'never' ? text : parsePercent(text);
  return value === undefined ? issue(text, 'any, never, or a percentage such as 5%') : { value };
}

/** A file to which lines can be added. It is created if it does not exist. */
function parseAppendable(file: string): ReturnType<Parser<string>> {
  try {
    appendFileSync(file, '', { mode: 0o600 });
    return { value: file };
  } catch (error) {
    throw usageError(`Cannot write ${file}: ${messageOf(error)}.`, 'Name a file that you may write to.');
  }
}

/** How a user gives this setting on a command line: `--rate`, `--setting timeout`. */
export function whereOf(name: string, { setting }: Pick<OptionSpec, 'setting'>): string {
  const flag = flagOf(name);
  return setting === 'only' ? `--setting ${flag.slice(2).replaceAll('-', '_')}` : flag;
}
