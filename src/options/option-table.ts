/**
 * The options and settings that commands share. A new one is an entry here, and its use: the command line, settings and
 * their variables, run.json, the library, suggestions, the comparison of shards, help, completion, the manual page and
 * docs/reference.md are made from this table, in its order.
 */
import { contracts, recordTypes } from '../contract/index.ts';
import { inputFormats } from '../model/input-format.ts';
import type { FailOn } from '../report/run-summary.ts';
import type { RowLimits } from '../run/row-limits.ts';
import { logFormats } from '../terminal/log.ts';
import {
  choice,
  flag,
  type OptionSpec,
  type OptionTable,
  type ParsedValue,
  parsed,
  repeated,
  screenOptions,
  sharing,
  text,
  under,
} from './option-spec.ts';
import {
  duration,
  issue,
  type Parsed,
  parseBaseUrl,
  parseCount,
  parseFile,
  parseFolder,
  parseKey,
  parsePercent,
  parseProxy,
  parseRate,
  parseRateStore,
  parseResolve,
  parseSwitch,
  size,
} from './parse-values.ts';

export const INPUT = 'Input:';
const MAPPING = 'Mapping:';
const BATCHES = 'Batches:';
export const SERVICE = 'Service:';
export const OUTPUT = 'Output:';

const DETECTED = 'detected and printed';

const ROWS = parseCount(0, Number.MAX_SAFE_INTEGER);
const DAY = duration({ min: '0s', max: '24h' });
/** Maximum records per batch: the API's limit for signals, and our own for social. */
const BATCH_LIMIT = Math.max(...recordTypes.map((type) => contracts[type].limit));

const PLANNING = ['upload', 'check'] as const;
const SENDING = ['upload', 'resume', 'explain'] as const;
const SHOWING = ['check', ...SENDING] as const;

/** Which commands have an option. */
const commands = {
  planning: PLANNING,
  mapping: [...PLANNING, 'map'],
  sending: SENDING,
  showing: SHOWING,
  addressing: ['map', ...SHOWING],
  ending: ['upload', 'resume'],
  finding: ['runs', 'report', 'fix'],
} as const;

const SUGGESTED = ['upload', 'resume', 'runs explain'] as const;

/** Which suggested commands repeat an option: those that send, connect to the service, or depend on which service it is. */
const repeating = {
  sending: SUGGESTED,
  connecting: [...SUGGESTED, 'doctor'],
  reaching: ['map', 'check', ...SUGGESTED, 'doctor'],
} as const;

/** A setting without an option of its own, which a run keeps. */
const SETTING = { setting: 'only', record: true, library: 'upload' } as const;

/** What several options have in common. */
const shared = {
  mapping: { group: MAPPING, commands: commands.mapping, reads: 'mapping', agree: true, library: 'both' },
  reading: { group: INPUT, commands: commands.mapping, reads: 'mapping', agree: true, library: 'both' },
  rows: { group: INPUT, setting: 'only', reads: 'rows', agree: true, library: 'both' },
  selection: { group: INPUT, commands: commands.planning, library: 'both' },
  limit: { setting: 'also', commands: ['upload'], record: true, library: 'upload' },
  batches: { group: BATCHES, commands: commands.planning, library: 'both' },
  delivery: { group: BATCHES, ...SETTING },
  pace: { group: SERVICE, ...SETTING },
  address: { group: SERVICE, commands: [...commands.addressing, 'doctor'] },
  connection: { group: SERVICE, setting: 'only', repeat: ['map', ...repeating.connecting], library: 'upload' },
} as const;

export const optionTable = {
  map: text('file', 'mapping file (YAML or JSON)', {
    group: MAPPING,
    short: 'm',
    commands: commands.planning,
    common: true,
  }),
  ...sharing(shared.mapping, {
    type: choice('type', recordTypes, 'record type', { defaultText: DETECTED, setting: 'also', common: true }),
    variant: choice('variant', ['a', 'b', 'both', 'auto'], 'field-name set of a market signal', {
      default: 'auto',
      setting: 'also',
    }),
    column: repeated('field=column', "map a column or a text like '{Company}: {Event}' to a field; repeatable", {
      details: '[How](mapping.md#ways-to-map-a-column)',
      short: 'c',
      common: true,
    }),
    set: repeated('field=value', 'set a field to a constant; repeatable', { common: true }),
    empty: repeated('text', 'treat cells with this text, such as NULL, as empty; repeatable'),
  }),
  transform: text('file', 'JavaScript module whose default export changes each row before the mapping; null skips it', {
    group: MAPPING,
    commands: commands.mapping,
    repeat: commands.mapping,
    reads: 'mapping',
    agree: true,
  }),

  ...sharing(shared.reading, {
    format: choice('format', inputFormats, 'input format', { defaultText: DETECTED }),
    sheet: text('name', 'sheet of a workbook, by name or by number from 1', {
      defaultText: 'the first visible sheet with a table',
      common: true,
    }),
    delimiter: text('character', 'cell delimiter; "tab" for a tab', { defaultText: DETECTED }),
    encoding: text('name', 'text encoding: utf-8, utf-16le, windows-1252, …', {
      details: 'A byte order mark in the file overrides it',
      defaultText: DETECTED,
    }),
    header: flag('the first row is data; the columns are named 1, 2, 3, …', { off: true }),
    headerLine: parsed('n', parseCount(1, 1_000_000), 'line number of the header, after a preamble', {
      defaultText: DETECTED,
    }),
    quote: text('character', 'quote character; empty for none', { defaultText: '"', setting: 'only' }),
  }),
  ...sharing(shared.rows, {
    ragged: choice('how', ['reject', 'pad'], 'how to handle rows with too few cells', { default: 'reject' }),
    maxRowBytes: parsed('size', size({ min: '1KB', max: '1GB' }), 'maximum size of a row; a longer one is invalid', {
      default: '1MiB',
    }),
  }),
  ...sharing(shared.selection, {
    skip: parsed('n', ROWS, 'skip the first N rows of the run', { agree: true }),
    limit: parsed('n', ROWS, 'use at most N rows; the rest is read and counted as skipped', {
      common: true,
      agree: true,
    }),
    skipBadFiles: flag('leave out files that cannot be read or mapped, and exit 3', {
      details: 'Otherwise one bad file stops the upload before anything is sent',
    }),
    maxInvalid: parsed('n|n%', parseInvalidLimit, 'stop if more rows than this are invalid', shared.limit),
    minRows: parsed('n', ROWS, 'send nothing if the input has fewer rows', shared.limit),
    engine: choice('engine', ['auto', 'reference'], 'reference: disable the fast path (same output, slower)', {
      default: 'auto',
      setting: 'only',
    }),
  }),

  ...sharing(shared.batches, {
    shard: text('i/n', 'send part I (from 0) of N, for several processes; auto or auto/N: from the scheduler', {
      details: '[More](scale.md#shards)',
    }),
    runId: text('name', 'name this run; if it exists, resume it, or send nothing if it is complete', {
      details: '[More](recover.md#the-same-data-twice)',
      defaultText: 'from time and input',
      commands: ['upload'],
      common: true,
      library: 'upload',
    }),
    again: flag('send even if an earlier run of this input is unfinished or has delivered the rows', {
      details: 'Overrides `--skip-delivered`',
      commands: commands.showing,
      repeat: ['check', ...SENDING],
    }),
    dedupe: flag('send identical records of this run only once', { agree: true }),
    skipDelivered: flag('skip what an earlier run with this option delivered to this base URL (always on for social)'),
    batchSize: parsed('n', parseCount(1, BATCH_LIMIT), 'records per request', {
      default: '100',
      setting: 'also',
      agree: true,
    }),
    // The API names no limit. 1 MB is our own assumption: it stays under the 1 MiB that proxies commonly allow.
    maxBytes: parsed('size', size({ min: '1KB', max: '100MB' }), 'maximum size of a request body', {
      default: '1MB',
      setting: 'only',
      agree: true,
    }),
  }),
  ...sharing(shared.delivery, {
    isolate: parsed(
      'yes|no',
      parseSwitch,
      'split refused social batches to find the bad records (signals are always split)',
      { default: 'no' },
    ),
    canary: parsed('yes|no', parseSwitch, 'wait for the first batch to succeed before the others are sent', {
      default: 'yes',
    }),
    onUnknown: choice('what', ['hold', 'resend'], 'what to do with social batches whose outcome is unknown', {
      default: 'hold',
    }),
  }),

  sandbox: flag('start a local mock of the service and send there: nothing leaves this machine', {
    group: SERVICE,
    commands: commands.mapping,
    common: true,
    repeat: commands.mapping,
  }),
  ...sharing(shared.address, {
    baseUrl: parsed('url', parseBaseUrl, 'base URL of the service', {
      setting: 'also',
      common: true,
      repeat: repeating.reaching,
      agree: true,
      library: 'both',
    }),
    profile: text('name', 'settings profile; also SIGNALS_PROFILE', {
      defaultText: 'the current profile',
      commands: [...commands.addressing, ...commands.finding, 'doctor', 'config'],
      common: true,
      repeat: [...repeating.reaching, ...commands.finding, 'config'],
    }),
    apiKey: parsed('key', parseKey, 'API key', { setting: 'only', secret: true }),
    apiKeyFile: text('file', 'file that contains the API key; also SIGNALS_API_KEY or SIGNALS_API_KEY_FILE', {
      commands: ['map', ...commands.sending, 'doctor'],
      repeat: ['map', ...repeating.connecting],
    }),
    allowHttp: flag('allow http:// for hosts other than this machine: the key is sent unencrypted', {
      commands: [...commands.addressing, 'doctor', 'config'],
      repeat: repeating.reaching,
      library: 'both',
    }),
    rate: parsed('n/unit', parseRate, 'maximum request rate: 10/s, 600/m, 36000/h', {
      commands: [...commands.showing, 'doctor'],
      setting: 'also',
      common: true,
      record: true,
      library: 'both',
    }),
    rateStore: parsed('url', parseRateStore, 'share the rate with other processes and machines (Redis)', {
      details: '[One rate](scale.md#one-rate-for-several-processes). No effect with `--sandbox`',
      setting: 'only',
      mayHavePassword: true,
      record: true,
      library: 'both',
    }),
  }),
  ...sharing(shared.pace, {
    concurrency: parsed('n', parseCount(1, 256), 'maximum concurrent requests', {
      default: '8',
      setting: 'also',
      commands: commands.sending,
      common: true,
    }),
    timeout: parsed('time', duration({ min: '1ms', max: '24h' }), 'timeout of one request', { default: '30s' }),
    retries: parsed('n', parseCount(0, 1000), 'maximum retries per batch', { default: '8' }),
    retryMaxTime: parsed('time', DAY, 'stop when the service has failed for this long', {
      defaultText: '2m on a terminal, else 30m',
    }),
    maxWait: parsed('time', DAY, 'longest Retry-After to honour; a longer one stops the run', { default: '5m' }),
    grace: parsed('time', duration({ min: '0s', max: '1h' }), 'how long requests in flight may continue after Ctrl-C', {
      default: '20s',
    }),
  }),
  ...sharing(shared.connection, {
    caFile: parsed('file', parseFile, 'additional CA certificate to trust, for a service with a private CA (PEM)', {
      details: 'The CAs of Node.js stay trusted',
    }),
    clientCert: parsed('file', parseFile, 'client certificate, if the service requires one (PEM)'),
    clientKey: parsed('file', parseFile, 'unencrypted private key of the client certificate (PEM)'),
    proxy: parsed(
      'url',
      parseProxy,
      'HTTP proxy, instead of HTTPS_PROXY or HTTP_PROXY; hosts in NO_PROXY are reached without it',
      { mayHavePassword: true },
    ),
    resolve: parsed(
      'host:port:ip',
      parseResolve,
      'connect to this IP address instead of that of the host, without a proxy',
      { details: 'The certificate is still checked for the host' },
    ),
  }),
  setting: repeated(
    'key=value',
    'set what has no option of its own, such as timeout=5s: see `signals help settings`; repeatable',
    { group: SERVICE, commands: [...commands.showing, 'map', 'doctor'], common: true },
  ),

  ...under(OUTPUT, {
    out: parsed('folder', parseFolder, 'folder for run folders', {
      default: 'signals-runs',
      setting: 'also',
      variable: 'SIGNALS_RUNS',
      commands: [...commands.sending, ...commands.finding, 'doctor'],
      common: true,
      repeat: [...repeating.connecting, ...commands.finding],
      library: 'both',
    }),
    fsync: parsed('yes|no', parseSwitch, 'fsync the journal, so that it survives a power failure (slower)', {
      ...SETTING,
      default: 'no',
    }),
    failOn: parsed('what', parseFailOn, 'exit 3 if rows fail: any, never, or more than N% of the rows read', {
      defaultText: '`any`',
      commands: [...commands.showing, 'runs merge'],
      library: 'both',
    }),
    json: flag('print the result, or the error, as one JSON object on stdout, everything else on stderr', {
      commands: [...commands.showing, ...commands.finding, 'doctor', 'config'],
      common: true,
    }),
    logFormat: choice('format', logFormats, 'format of the log on stderr, or in the file', {
      details: '[The log](machine-output.md#the-log)',
      defaultText: 'text',
      commands: commands.showing,
    }),
    logFile: text('file', 'append the log to this file; stderr stays for people', {
      commands: commands.showing,
    }),
    logInterval: parsed(
      'time',
      duration({ min: '10ms', max: '24h' }),
      'time between progress lines of the log, and of stderr without a terminal',
      { defaultText: '10s, after ten minutes 1m', setting: 'only' },
    ),
    metricsFile: text('file', 'write metrics to this file, for the textfile collector of node_exporter', {
      details: '[Metrics](machine-output.md#metrics)',
      commands: commands.ending,
    }),
    onEnd: text('command', 'run this command when the run has ended or could not start; gets the summary', {
      details: '[Recipes](machine-output.md#a-command-at-the-end)',
      commands: commands.ending,
    }),
  }),
  ...screenOptions,
} as const satisfies OptionTable;

export type Options = typeof optionTable;

/** The commands that have an option of table T. `--setting` gives those that have no flag. */
type CommandsOf<T, S> = S extends { readonly everywhere: true }
  ? string
  : S extends { readonly setting: 'only' }
    ? CommandsOf<T, T['setting' & keyof T]>
    : S extends { readonly commands: readonly (infer C)[] }
      ? C
      : never;

/** The options of a command: its flags, those of every command and, with `--setting`, all settings. */
export type OptionsOf<C extends string, T = Options> = {
  [N in keyof T as C extends CommandsOf<T, T[N]> ? N : never]: T[N];
};

export function optionsOf<C extends string, const T extends OptionTable>(command: C, table: T): OptionsOf<C, T> {
  const has = (spec: OptionSpec | undefined): boolean => spec?.commands?.includes(command) === true;
  const entries = Object.entries(table).filter(
    ([, spec]) => spec.everywhere || has(spec.setting === 'only' ? table['setting'] : spec),
  );
  return Object.fromEntries(entries) as OptionsOf<C, T>;
}

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
