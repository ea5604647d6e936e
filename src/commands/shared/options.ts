/**
 * The options that several commands have. A new option of upload is one line in a table here, and its use; help lists
 * the options of a command in the order of its tables.
 *
 * Settings, and the options that run.json records, stay text: profiles and run.json hold the same texts, and the value
 * in effect is known only after merging.
 */
import { inputFormats } from '../../model/input-format.ts';
import type { FailOn } from '../../report/exit-code.ts';
import type { RowLimits } from '../../run/row-limits.ts';
import { count, duration, size } from '../../settings/parse-values.ts';
import type { SettingsInput } from '../../settings/resolve-settings.ts';
import { parseOption } from '../../settings/setting-table.ts';
import type { Context } from './command.ts';
import {
  choice,
  flag,
  negatedFlag,
  type Option,
  type OptionValues,
  parsed,
  repeated,
  text,
  under,
  usageError,
} from './option.ts';

export const INPUT = 'Input:';
const MAPPING = 'Mapping:';
const BATCHES = 'Batches:';
const SERVICE = 'Service:';
const OUTPUT = 'Output:';

const ROWS = count(0, Number.MAX_SAFE_INTEGER);

export const PROFILE = text('--profile <name>', 'settings profile to use; also SIGNALS_PROFILE');
export const OUT = text('--out <folder>', 'folder for run folders (default: signals-runs); also SIGNALS_RUNS');
export const JSON_OPTION = flag('--json', 'print one JSON object on stdout');
const QUIET = flag('--quiet', 'print nothing on success', OUTPUT);
export const YES = flag('--yes', 'do not prompt', OUTPUT);
const ALLOW_HTTP = flag('--allow-http', 'allow http:// (the key is sent unencrypted)', SERVICE);

/** Of every command that prepares batches. */
export const ENGINE = choice(
  '--engine <engine>',
  'auto, or reference: without the fast path (same output, slower)',
  ['auto', 'reference'],
  INPUT,
);

const kindOptions = {
  type: choice('--type <type>', 'record type (default: detected)', ['signals', 'social'], MAPPING),
  variant: choice(
    '--variant <variant>',
    'field-name set of a signal (default: auto)',
    ['a', 'b', 'both', 'auto'],
    MAPPING,
  ),
};

const readOptions = {
  column: repeated('-c, --column <field=column>', 'map a column to a field; repeatable', MAPPING),
  set: repeated('--set <field=value>', 'set a field to a constant; repeatable', MAPPING),
  transform: text(
    '--transform <file>',
    'JavaScript module whose default export changes each row before the mapping; null skips the row',
    MAPPING,
  ),
  format: choice('--format <format>', 'input format (default: detected)', inputFormats, INPUT),
  encoding: text('--encoding <name>', 'text encoding: utf-8, utf-16le, windows-1252, … (default: detected)', INPUT),
  delimiter: text('--delimiter <character>', 'cell delimiter; "tab" for a tab (default: detected)', INPUT),
  quote: text('--quote <character>', 'quote character; "" for none (default: ")', INPUT),
  header: negatedFlag('--no-header', 'the first row is data; the columns are named 1, 2, 3, …', INPUT),
  headerLine: parsed('--header-line <n>', 'line number of the header (default: 1)', count(1, 1_000_000), INPUT),
  ragged: choice('--ragged <how>', 'how to handle rows with too few cells (default: reject)', ['reject', 'pad'], INPUT),
  maxRowBytes: parsed(
    '--max-row-bytes <size>',
    'maximum size of a row (default: 1MiB)',
    size({ min: '1KB', max: '1GB' }),
    INPUT,
  ),
};

/** Of `map`: how to read a file, and what is known about its columns. */
export const understandOptions = { ...kindOptions, ...readOptions };

/** Of upload and check: also the mapping, the rows, and the batches. */
export const planOptions = {
  ...kindOptions,
  map: text('-m, --map <file>', 'mapping file (YAML or JSON)', MAPPING),
  ...readOptions,
  skip: parsed('--skip <n>', 'skip the first N rows', ROWS, INPUT),
  limit: parsed('--limit <n>', 'read at most N rows', ROWS, INPUT),
  dedupe: flag('--dedupe', 'send identical records of this run only once', BATCHES),
  skipDelivered: flag(
    '--skip-delivered',
    'skip records that an earlier run delivered to the same service (always on for social)',
    BATCHES,
  ),
  again: flag('--again', 'send even if an earlier run of this input is unfinished or has delivered the rows', BATCHES),
  batchSize: text('--batch-size <n>', 'records per request, 1 to 100 (default: 100)', BATCHES),
  maxBytes: text('--max-bytes <size>', 'maximum size of a request (default: 1MB)', BATCHES),
  engine: ENGINE,
};

/** Of upload, check, resume and replay: the service, and the request rate. */
export const serviceOptions = {
  baseUrl: text('--base-url <url>', 'base URL of the service; also SIGNALS_BASE_URL', SERVICE),
  profile: under(SERVICE, PROFILE),
  allowHttp: ALLOW_HTTP,
  rate: text('--rate <n/unit>', 'maximum request rate: 10/s, 600/m, 36000/h', SERVICE),
};

/** Of upload alone. */
export const uploadOptions = {
  sandbox: flag('--sandbox', 'start a local mock of the service and send there: nothing leaves this machine', SERVICE),
  maxInvalid: text('--max-invalid <n|n%>', 'stop if more rows than this are invalid', INPUT),
  minRows: text('--min-rows <n>', 'send nothing if the input has fewer rows', INPUT),
  runId: text('--run-id <name>', 'name this run; if it exists, resume it, or send nothing if it is complete', OUTPUT),
  dryRun: flag('--dry-run', 'send nothing: same as `signals check`', OUTPUT),
};

/** Of upload, resume and replay. */
export const deliveryOptions = {
  apiKeyFile: text(
    '--api-key-file <file>',
    'file that contains the API key; also SIGNALS_API_KEY or SIGNALS_API_KEY_FILE',
    SERVICE,
  ),
  concurrency: text('--concurrency <n>', 'maximum concurrent requests (default: 8)', SERVICE),
  timeout: text('--timeout <time>', 'timeout of one request (default: 30s)', SERVICE),
  retries: text('--retries <n>', 'maximum retries per batch (default: 8)', SERVICE),
  retryMaxTime: text(
    '--retry-max-time <time>',
    'stop when the service has failed for this long (default: 2m on a terminal, else 30m)',
    SERVICE,
  ),
  maxWait: text(
    '--max-wait <time>',
    'longest Retry-After to honour; stop if the service asks for more (default: 5m)',
    SERVICE,
  ),
  onUnknown: choice(
    '--on-unknown <what>',
    'social batches whose outcome is unknown: hold or resend (default: hold)',
    ['hold', 'resend'],
    SERVICE,
  ),
  isolate: flag(
    '--isolate',
    'split refused social batches to find the bad records (signals are always split)',
    SERVICE,
  ),
  canary: negatedFlag('--no-canary', 'do not wait for the first batch to succeed', SERVICE),
  grace: text('--grace <time>', 'how long requests in flight may continue after Ctrl-C (default: 20s)', SERVICE),
  out: under(OUTPUT, OUT),
  fsync: flag('--fsync', 'fsync the journal, so that it survives a power failure (slower)', OUTPUT),
};

export const outputOptions = {
  failOn: failOnOption(),
  json: flag('--json', 'print the summary as one JSON object on stdout, everything else on stderr', OUTPUT),
  quiet: QUIET,
  verbose: flag('--verbose', 'also print the outcome of each batch', OUTPUT),
  progress: negatedFlag('--no-progress', 'hide the progress display', OUTPUT),
  yes: YES,
};

/** Of resume and replay. */
export const leftoverOptions = {
  ...serviceOptions,
  ...deliveryOptions,
  again: flag('--again', 'send even if this run was handed over', SERVICE),
  ...outputOptions,
};

export type PlanOptions = OptionValues<typeof planOptions>;
export type DeliveryOptions = OptionValues<typeof deliveryOptions>;
export type OutputOptions = OptionValues<typeof outputOptions>;
/** `--max-invalid` and `--min-rows`, as typed. */
export type LimitOptions = Partial<Pick<OptionValues<typeof uploadOptions>, 'maxInvalid' | 'minRows'>>;

/** The options that are also settings, where a command has them. */
export interface SettingOptions {
  readonly type?: string | undefined;
  readonly variant?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly concurrency?: string | undefined;
  readonly rate?: string | undefined;
  readonly timeout?: string | undefined;
  readonly retries?: string | undefined;
  readonly maxWait?: string | undefined;
  readonly retryMaxTime?: string | undefined;
  readonly batchSize?: string | undefined;
  readonly maxBytes?: string | undefined;
  readonly onUnknown?: string | undefined;
  readonly out?: string | undefined;
  readonly profile?: string | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly allowHttp?: boolean | undefined;
}

/**
 * The flags and the environment, for settings/ to resolve.
 *
 * @param runProfile the profile of the run that is resumed or replayed
 */
export function givenSettings(
  { env, invocation }: Context,
  options: SettingOptions,
  runProfile?: string,
): SettingsInput {
  return {
    flags: {
      type: options.type,
      variant: options.variant,
      base_url: options.baseUrl,
      concurrency: options.concurrency,
      rate: options.rate,
      timeout: options.timeout,
      retries: options.retries,
      max_wait: options.maxWait,
      retry_max_time: options.retryMaxTime,
      batch_size: options.batchSize,
      max_bytes: options.maxBytes,
      on_unknown: options.onUnknown,
      out: options.out,
    },
    apiKeyFile: options.apiKeyFile,
    profile: options.profile,
    runProfile,
    allowHttp: options.allowHttp,
    env,
    invocation,
  };
}

/** `--grace`, in milliseconds. */
export function graceMs({ grace }: Pick<DeliveryOptions, 'grace'>): number {
  return grace === undefined ? 20_000 : parseOption('--grace', grace, duration({ min: '0s', max: '1h' }));
}

/** `--max-invalid N|N%` and `--min-rows N`. */
export function rowLimits({ maxInvalid, minRows }: LimitOptions): RowLimits {
  return {
    maxInvalid: maxInvalid === undefined ? undefined : invalidLimit(maxInvalid),
    minRows: minRows === undefined ? undefined : parseOption('--min-rows', minRows, ROWS),
  };
}

function invalidLimit(given: string): NonNullable<RowLimits['maxInvalid']> {
  const percent = percentOf(given.trim());
  if (percent !== undefined) return { percent };
  if (/^\d+$/.test(given.trim())) return { rows: Number(given) };
  throw usageError(`--max-invalid is "${given}": expected a number of rows, or a percentage such as 5%.`);
}

/** `--fail-on any|never|N%`; `any` is the default. */
function failOnOption(): Option<FailOn> {
  return {
    flags: '--fail-on <what>',
    about:
      'when to exit with code 3: any (invalid, refused or rejected row; default), never, or N% (more than this share)',
    group: OUTPUT,
    parse(given = 'any') {
      if (given === 'any' || given === 'never') return given;
      const percent = percentOf(String(given));
      if (percent !== undefined) return percent;
      throw usageError(`--fail-on is "${given}": expected "any", "never", or a percentage such as 5%.`);
    },
  };
}

/** The number of `5%`, if it is one up to 100. */
function percentOf(text: string): number | undefined {
  const percent = Number(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]);
  return percent <= 100 ? percent : undefined;
}
