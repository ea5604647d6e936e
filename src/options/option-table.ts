/**
 * The options that several commands have. A new option of upload is one line in a table here, and its use
 * (CONTRIBUTING.md, "Add an option to upload"); help lists the options of a command in the order of its tables.
 *
 * Settings, and the options that run.json records, stay text: profiles and run.json hold the same texts, and the value
 * in effect is known only after merging.
 */
import { isIP } from 'node:net';
import { inputFormats } from '../model/input-format.ts';
import type { FailOn } from '../report/exit-code.ts';
import { logFormats } from '../terminal/log.ts';
import {
  appendable,
  choice,
  flag,
  negatedFlag,
  type OptionValues,
  parsed,
  parsePercent,
  repeated,
  text,
  under,
} from './option-spec.ts';
import { count, duration, issue, type Parsed, size } from './parse-values.ts';
import type { SettingsInput } from './resolve-settings.ts';
import { type CamelCase, camelCase, type SettingName, settingNames } from './setting-table.ts';

export const INPUT = 'Input:';
const MAPPING = 'Mapping:';
const BATCHES = 'Batches:';
const SERVICE = 'Service:';
export const OUTPUT = 'Output:';

const ROWS = count(0, Number.MAX_SAFE_INTEGER);
const INTERVAL = duration({ min: '10ms', max: '24h' });
const ROW_SIZE = size({ min: '1KB', max: '1GB' });

export const PROFILE = text('--profile <name>', 'settings profile to use; also SIGNALS_PROFILE');
export const OUT = text('--out <folder>', 'folder for run folders (default: signals-runs); also SIGNALS_RUNS');
export const JSON_OPTION = flag('--json', 'print one JSON object on stdout');
export const ALLOW_HTTP = flag('--allow-http', 'allow http:// (the key is sent unencrypted)');
export const YES = flag('--yes', 'do not prompt');
/** Of every command that prepares batches. */
export const ENGINE = choice('--engine <engine>', 'reference: disable the fast path (slower)', ['auto', 'reference']);

const kindOptions = under(MAPPING, {
  type: choice('--type <type>', 'record type (default: detected)', ['signals', 'social']),
  variant: choice('--variant <variant>', 'field-name set of a signal (default: auto)', ['a', 'b', 'both', 'auto']),
});

const columnOptions = under(MAPPING, {
  column: repeated('-c, --column <field=column>', 'map a column to a field, or a text made of columns; repeatable'),
  set: repeated('--set <field=value>', 'set a field to a constant; repeatable'),
  empty: repeated('--empty <text>', 'treat cells with this text, such as NULL, as empty; repeatable'),
  omitInvalid: repeated('--omit-invalid <field>', 'omit an optional field where its value is invalid; repeatable'),
  transform: text('--transform <file>', 'JavaScript module whose default export changes each row; null skips it'),
});

const formatOptions = under(INPUT, {
  format: choice('--format <format>', 'input format (default: detected)', inputFormats),
  encoding: text('--encoding <name>', 'text encoding: utf-8, utf-16le, windows-1252, … (default: detected)'),
  delimiter: text('--delimiter <character>', 'cell delimiter; "tab" for a tab (default: detected)'),
  quote: text('--quote <character>', 'quote character; "" for none (default: ")'),
  header: negatedFlag('--no-header', 'the first row is data; the columns are named 1, 2, 3, …'),
  sheet: text('--sheet <name>', 'sheet of a workbook, by name or number (default: the first visible table)'),
  headerLine: parsed('--header-line <n>', 'line number of the header (default: detected)', count(1, 1_000_000)),
});

/** About rows, so a mapping does not contain them. */
export const rowOptions = under(INPUT, {
  ragged: choice('--ragged <how>', 'how to handle rows with too few cells (default: reject)', ['reject', 'pad']),
  maxRowBytes: parsed('--max-row-bytes <size>', 'maximum size of a row (default: 1MiB)', ROW_SIZE),
});

/** Of `map`: how to read a file, and what is known about its columns. */
export const understandOptions = { ...kindOptions, ...columnOptions, ...formatOptions, ...rowOptions };

/** Of upload and check: also the mapping, the rows, and the batches. */
export const planOptions = {
  ...kindOptions,
  ...under(MAPPING, { map: text('-m, --map <file>', 'mapping file (YAML or JSON)') }),
  ...columnOptions,
  ...formatOptions,
  ...rowOptions,
  ...under(INPUT, {
    skip: parsed('--skip <n>', 'skip the first N rows', ROWS),
    limit: parsed('--limit <n>', 'use at most the first N rows', ROWS),
    shard: text(
      '--shard <i/n>',
      'send part I (from 0) of N, for several processes; auto or auto/N: from the scheduler',
    ),
    skipBadFiles: flag('--skip-bad-files', 'leave out files that cannot be read or mapped, and exit 3'),
    engine: ENGINE,
  }),
  ...under(BATCHES, {
    dedupe: flag('--dedupe', 'send identical records of this run only once'),
    skipDelivered: flag('--skip-delivered', 'skip records that an earlier run delivered (always on for social)'),
    again: flag('--again', 'send even if an earlier run of this input is unfinished or has delivered the rows'),
    batchSize: text('--batch-size <n>', 'records per request, 1 to 100 (default: 100)'),
    maxBytes: text('--max-bytes <size>', 'maximum size of a request (default: 1MB)'),
  }),
};

/** Of upload, check, resume and replay: the service, and the request rate. */
export const serviceOptions = under(SERVICE, {
  baseUrl: text('--base-url <url>', 'base URL of the service; also SIGNALS_BASE_URL'),
  profile: PROFILE,
  allowHttp: ALLOW_HTTP,
  rate: text('--rate <n/unit>', 'maximum request rate: 10/s, 600/m, 36000/h'),
});

/** Of upload alone. */
export const uploadOnlyOptions = {
  ...under(SERVICE, {
    sandbox: flag('--sandbox', 'start a local mock of the service and send there: nothing leaves this machine'),
  }),
  ...under(INPUT, {
    maxInvalid: text('--max-invalid <n|n%>', 'stop if more rows than this are invalid'),
    minRows: text('--min-rows <n>', 'send nothing if the input has fewer rows'),
  }),
  ...under(OUTPUT, {
    runId: text('--run-id <name>', 'name this run; if it exists, resume it, or send nothing if it is complete'),
    dryRun: flag('--dry-run', 'send nothing: same as `signals check`'),
  }),
};

/** Of upload, resume and replay. */
export const deliveryOptions = {
  ...under(SERVICE, {
    apiKeyFile: text('--api-key-file <file>', 'file with the API key; also SIGNALS_API_KEY or SIGNALS_API_KEY_FILE'),
    caFile: text('--ca-file <file>', 'additional CA certificate to trust, for a service with a private CA (PEM)'),
    clientCert: text('--client-cert <file>', 'client certificate, if the service requires one (PEM)'),
    clientKey: text('--client-key <file>', 'private key of the client certificate (PEM)'),
    proxy: text('--proxy <url>', 'HTTP proxy; also SIGNALS_PROXY, HTTPS_PROXY. One with a password: only there'),
    resolve: parsed('--resolve <host:port:ip>', 'connect to this IP address instead of that of the host', parseResolve),
    rateStore: text(
      '--rate-store <url>',
      'share --rate with other processes and machines (Redis); also SIGNALS_RATE_STORE',
    ),
    concurrency: text('--concurrency <n>', 'maximum concurrent requests (default: 8)'),
    timeout: text('--timeout <time>', 'timeout of one request (default: 30s)'),
    retries: text('--retries <n>', 'maximum retries per batch (default: 8)'),
    retryMaxTime: text(
      '--retry-max-time <time>',
      'stop after an outage this long (default: 2m on a terminal, else 30m)',
    ),
    maxWait: text('--max-wait <time>', 'longest Retry-After to honour; a longer one stops the run (default: 5m)'),
    onUnknown: choice('--on-unknown <what>', 'social batches of unknown outcome (default: hold)', ['hold', 'resend']),
    isolate: flag('--isolate', 'split refused social batches to find the bad records (signals are always split)'),
    canary: negatedFlag('--no-canary', 'do not wait for the first batch to succeed'),
    grace: text('--grace <time>', 'how long requests in flight may continue after Ctrl-C (default: 20s)'),
  }),
  ...under(OUTPUT, {
    out: OUT,
    fsync: flag('--fsync', 'fsync the journal, so that it survives a power failure (slower)'),
  }),
};

/** Of upload, resume and replay: for other programs. */
export const observerOptions = under(OUTPUT, {
  metricsFile: text('--metrics-file <file>', 'write metrics to this file, for the textfile collector of node_exporter'),
  onEnd: text('--on-end <command>', 'run this command when the run has ended or could not start; gets the summary'),
});

export const outputOptions = under(OUTPUT, {
  failOn: parsed('--fail-on <what>', 'exit 3 if rows fail: any (default), never, or more than N%', parseFailOn),
  json: flag('--json', 'print the summary as one JSON object on stdout, everything else on stderr'),
  quiet: flag('--quiet', 'print nothing on success'),
  verbose: flag('--verbose', 'also print the outcome of each batch'),
  logFormat: choice('--log-format <format>', 'format of the log on stderr, or in the file (default: text)', logFormats),
  logInterval: parsed(
    '--log-interval <time>',
    'how often the log tells the progress (default: 10s, later 1m)',
    INTERVAL,
  ),
  logFile: appendable('--log-file <file>', 'append the log to this file; stderr stays for people'),
  progress: negatedFlag('--no-progress', 'hide the progress display'),
  yes: YES,
});

/** Of resume and replay. */
export const leftoverOptions = {
  ...serviceOptions,
  ...deliveryOptions,
  ...under(SERVICE, {
    again: flag('--again', 'send even if this run was handed over; resume: or if its journal has lost its end'),
  }),
  ...outputOptions,
};

/** Of resume and explain, which read the inputs again. */
export const againOptions = under(INPUT, {
  input: repeated('--input <old=new>', 'new path of an input that has moved; repeatable'),
  transform: text(
    '--transform <file>',
    'transform module of the run; in scripts, needed if another user started the run',
  ),
});

export type PlanOptions = OptionValues<typeof planOptions>;
export type DeliveryOptions = OptionValues<typeof deliveryOptions>;
export type ObserverOptions = OptionValues<typeof observerOptions>;
export type OutputOptions = OptionValues<typeof outputOptions>;
/** `--max-invalid` and `--min-rows`, as typed. */
export type LimitOptions = Partial<Pick<OptionValues<typeof uploadOnlyOptions>, 'maxInvalid' | 'minRows'>>;

/** The options of a command that are also settings: `maxBytes` is `max_bytes`. */
export type SettingOptions = { readonly [N in SettingName as CamelCase<N>]?: string | undefined } & {
  readonly profile?: string | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly allowHttp?: boolean | undefined;
};

/** Without `env`, only options give values. */
export interface SettingsContext {
  readonly invocation: string;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * The flags and the environment, for resolve-settings.ts.
 *
 * @param runProfile the profile of the run that is resumed or replayed
 */
export function givenSettings(
  { env, invocation }: SettingsContext,
  options: SettingOptions,
  runProfile?: string,
): SettingsInput {
  const { apiKeyFile, profile, allowHttp } = options;
  const flags = Object.fromEntries(settingNames.map((name) => [name, options[camelCase(name)]]));
  return { flags, apiKeyFile, profile, runProfile, allowHttp, env, invocation };
}

/** `--resolve`, as curl has it. An IPv6 address may be in brackets. */
export interface Resolve {
  /** `host:port` */
  readonly host: string;
  readonly address: string;
}

function parseResolve(text: string): Parsed<Resolve> {
  const [, host = '', ip = ''] = /^([^:]+:\d+):(.+)$/.exec(text.trim()) ?? [];
  const address = ip.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0
    ? issue(text, 'HOST:PORT:ADDRESS, such as api.example.com:443:10.0.0.7')
    : { value: { host: host.toLowerCase(), address } };
}

function parseFailOn(text: string): Parsed<FailOn> {
  const value = text === 'any' || text === 'never' ? text : parsePercent(text);
  return value === undefined ? issue(text, 'any, never, or a percentage such as 5%') : { value };
}
