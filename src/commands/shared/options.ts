/** The options that commands share, and how their texts are read. */

import { printable } from '../../lib/printable.ts';
import type { Suggest } from '../../lib/shell.ts';
import { type Problem, ProblemError } from '../../model/problem.ts';
import type { PlanRequest } from '../../plan/index.ts';
import type { FailOn } from '../../report/summary.ts';
import type { RowLimits } from '../../run/row-limits.ts';
import { count, duration, size } from '../../settings/parse-values.ts';
import type { Given, Settings } from '../../settings/resolve-settings.ts';
import { optionValue } from '../../settings/setting-table.ts';
import type { Context, Option, Options } from './command.ts';
import { createSuggest, type Repeated } from './suggest.ts';

const INPUT = 'Input:';
const MAPPING = 'Mapping:';
const BATCHES = 'Batches:';
const SERVICE = 'Service:';
const OUTPUT = 'Output:';

/** The same wherever settings are read. */
export const PROFILE: Option = {
  flags: '--profile <name>',
  about: 'settings profile to use; also SIGNALS_PROFILE',
};
export const OUT: Option = {
  flags: '--out <folder>',
  about: 'folder for run folders (default: signals-runs); also SIGNALS_RUNS',
};
/** Of commands that tell one thing. */
export const JSON_OPTION: Option = { flags: '--json', about: 'print one JSON object on stdout' };

const kindOptions: readonly Option[] = [
  {
    flags: '--type <type>',
    about: 'record type (default: detected)',
    choices: ['signals', 'social'],
    group: MAPPING,
  },
  {
    flags: '--variant <variant>',
    about: 'field-name set of a signal (default: auto)',
    choices: ['a', 'b', 'both', 'auto'],
    group: MAPPING,
  },
];

const MAP_FILE: Option = { flags: '-m, --map <file>', about: 'mapping file (YAML or JSON)', group: MAPPING };

const readOptions: readonly Option[] = [
  {
    flags: '-c, --column <field=column>',
    about: 'map a column to a field; repeatable',
    repeat: true,
    group: MAPPING,
  },
  {
    flags: '--set <field=value>',
    about: 'set a field to a constant; repeatable',
    repeat: true,
    group: MAPPING,
  },
  {
    flags: '--transform <file>',
    about: 'JavaScript module whose default export changes each row before the mapping; null skips the row',
    group: MAPPING,
  },
  {
    flags: '--format <format>',
    about: 'input format (default: detected)',
    choices: ['csv', 'ndjson', 'json'],
    group: INPUT,
  },
  {
    flags: '--encoding <name>',
    about: 'text encoding: utf-8, utf-16le, windows-1252, … (default: detected)',
    group: INPUT,
  },
  {
    flags: '--delimiter <character>',
    about: 'cell delimiter; "tab" for a tab (default: detected)',
    group: INPUT,
  },
  { flags: '--quote <character>', about: 'quote character; "" for none (default: ")', group: INPUT },
  { flags: '--no-header', about: 'the first row is data; the columns are named 1, 2, 3, …', group: INPUT },
  {
    flags: '--header-line <n>',
    about: 'line number of the header (default: 1)',
    group: INPUT,
  },
  {
    flags: '--ragged <how>',
    about: 'how to handle rows with too few cells (default: reject)',
    choices: ['reject', 'pad'],
    group: INPUT,
  },
  { flags: '--max-row-bytes <size>', about: 'maximum size of a row (default: 1MiB)', group: INPUT },
];

const cutOptions: readonly Option[] = [
  { flags: '--skip <n>', about: 'skip the first N rows', group: INPUT },
  { flags: '--limit <n>', about: 'read at most N rows', group: INPUT },
  { flags: '--dedupe', about: 'send identical records of this run only once', group: BATCHES },
  {
    flags: '--skip-delivered',
    about: 'skip records that an earlier run delivered to the same service (always on for social)',
    group: BATCHES,
  },
  {
    flags: '--again',
    about: 'send even if an earlier run of this input is unfinished or has delivered the rows',
    group: BATCHES,
  },
  { flags: '--batch-size <n>', about: 'records per request, 1 to 100 (default: 100)', group: BATCHES },
  { flags: '--max-bytes <size>', about: 'maximum size of a request (default: 1MB)', group: BATCHES },
];

/** Of every command that prepares batches. */
export const ENGINE: Option = {
  flags: '--engine <engine>',
  about: 'reference: disable the fast path (same output, slower; default: auto)',
  choices: ['auto', 'reference'],
  group: INPUT,
};

/** Of every command that reads a file: how that is done, and what is known of its columns. */
export const understandOptions: readonly Option[] = [...kindOptions, ...readOptions];

/** Of upload and check: also which mapping holds, which rows count, and how batches are cut. */
export const planOptions: readonly Option[] = [
  ...kindOptions,
  MAP_FILE,
  ...readOptions,
  ...cutOptions,
  ENGINE,
];

/** Of both: which service, and how fast. */
export const serviceOptions: readonly Option[] = [
  { flags: '--base-url <url>', about: 'base URL of the service; also SIGNALS_BASE_URL', group: SERVICE },
  { ...PROFILE, group: SERVICE },
  { flags: '--allow-http', about: 'allow http:// (the key is sent unencrypted)', group: SERVICE },
  {
    flags: '--rate <n/unit>',
    about: 'maximum request rate: 10/s, 600/m, 36000/h',
    group: SERVICE,
  },
];

/** Of upload alone. */
export const uploadOptions: readonly Option[] = [
  {
    flags: '--sandbox',
    about: 'start a local mock of the service and send there: nothing leaves this machine',
    group: SERVICE,
  },
  { flags: '--max-invalid <n|n%>', about: 'stop if more rows than this are invalid', group: INPUT },
  { flags: '--min-rows <n>', about: 'send nothing if the input has fewer rows', group: INPUT },
  {
    flags: '--run-id <name>',
    about: 'name this run; if it exists, resume it, or send nothing if it is complete',
    group: OUTPUT,
  },
  { flags: '--dry-run', about: 'send nothing: same as `signals check`', group: OUTPUT },
];

/** Of every command that sends. */
export const deliveryOptions: readonly Option[] = [
  {
    flags: '--api-key-file <file>',
    about: 'file that contains the API key; also SIGNALS_API_KEY or SIGNALS_API_KEY_FILE',
    group: SERVICE,
  },
  { flags: '--concurrency <n>', about: 'maximum concurrent requests (default: 8)', group: SERVICE },
  { flags: '--timeout <time>', about: 'timeout of one request (default: 30s)', group: SERVICE },
  { flags: '--retries <n>', about: 'maximum retries per batch (default: 8)', group: SERVICE },
  {
    flags: '--retry-max-time <time>',
    about: 'stop when the service has failed for this long (default: 2m on a terminal, else 30m)',
    group: SERVICE,
  },
  {
    flags: '--max-wait <time>',
    about: 'longest Retry-After to honour; stop if the service asks for more (default: 5m)',
    group: SERVICE,
  },
  {
    flags: '--on-unknown <what>',
    about: 'social batches whose outcome is unknown: hold or resend (default: hold)',
    choices: ['hold', 'resend'],
    group: SERVICE,
  },
  {
    flags: '--isolate',
    about: 'split refused social batches to isolate the bad records (always on for signals)',
    group: SERVICE,
  },
  {
    flags: '--no-canary',
    about: 'do not wait for the first batch to succeed',
    group: SERVICE,
  },
  {
    flags: '--grace <time>',
    about: 'how long requests in flight may continue after Ctrl-C (default: 20s)',
    group: SERVICE,
  },
  { ...OUT, group: OUTPUT },
  {
    flags: '--fsync',
    about: 'fsync the journal, so that it survives a power failure (slower)',
    group: OUTPUT,
  },
];

export const outputOptions: readonly Option[] = [
  {
    flags: '--fail-on <what>',
    about: 'exit 3 for: any bad row (default), never, or more than N% bad rows',
    group: OUTPUT,
  },
  {
    flags: '--json',
    about: 'print the summary as one JSON object on stdout, everything else on stderr',
    group: OUTPUT,
  },
  { flags: '--quiet', about: 'print nothing on success', group: OUTPUT },
  { flags: '--verbose', about: 'also print the outcome of each batch', group: OUTPUT },
  { flags: '--no-progress', about: 'hide the progress display', group: OUTPUT },
  { flags: '--yes', about: 'do not prompt', group: OUTPUT },
];

/** Of resume and replay: they send what a run has left over. */
export const leftoverOptions: readonly Option[] = [
  ...serviceOptions,
  ...deliveryOptions,
  { flags: '--again', about: 'send even if this run was handed over', group: SERVICE },
  ...outputOptions,
];

const NAMES = [
  'type',
  'variant',
  'base-url',
  'concurrency',
  'rate',
  'timeout',
  'retries',
  'max-wait',
  'retry-max-time',
  'batch-size',
  'max-bytes',
  'on-unknown',
  'out',
] as const;

/** The flags that are settings too, as settings/ wants them. */
function settingFlags(options: Options): Readonly<Record<string, string>> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = text(options, camelCase(name));
      return value === undefined ? [] : [[name.replaceAll('-', '_'), value]];
    }),
  );
}

/**
 * What the user said of settings, by flags and by the environment.
 *
 * @param begunWith the profile of the run that goes on, where there is one
 */
export function settingsAsked({ env, invocation }: Context, options: Options, begunWith?: string): Given {
  return {
    flags: settingFlags(options),
    apiKeyFile: text(options, 'apiKeyFile'),
    profile: text(options, 'profile'),
    begunWith,
    allowHttp: options['allowHttp'] === true,
    env,
    invocation,
  };
}

/** The builder of suggested commands, for a command with these options. */
export function suggestFor(context: Context, options: Options, forUpload?: Repeated): Suggest {
  return createSuggest(
    context,
    {
      sandbox: options['sandbox'] === true,
      baseUrl: text(options, 'baseUrl'),
      profile: text(options, 'profile'),
      allowHttp: options['allowHttp'] === true,
      apiKeyFile: text(options, 'apiKeyFile'),
      again: options['again'] === true,
      transform: text(options, 'transform'),
      out: text(options, 'out'),
    },
    forUpload,
  );
}

export function graceOf(options: Options): number {
  return parsed(options, 'grace', '--grace', duration({ least: '0s', most: '1h' })) ?? 20_000;
}

/** The inputs: as named, or what is piped in. @throws ProblemError `usage` where there is neither */
export function inputsOf(
  files: readonly string[],
  { streams }: Context,
  suggest: Suggest,
): readonly string[] {
  if (files.length > 0) return files;
  if (streams.stdinHoldsData) return ['-'];
  throw new ProblemError({
    code: 'usage',
    message: 'No input: name a file, or pipe data in.',
    hint: `For example: \`${suggest('upload', 'export.csv')}\`.`,
  });
}

/** RUN of resume and replay. @throws ProblemError `usage` where it is left out and nobody can see which run is taken */
export function wantedRun(
  { streams }: Context,
  suggest: Suggest,
  [wanted]: readonly string[],
  { command, does }: { readonly command: string; readonly does: string },
): string {
  if (wanted !== undefined) return wanted;
  if (streams.interactive) return 'last';
  throw new ProblemError({
    code: 'usage',
    message: `Without a terminal, \`${command}\` needs the id of a run.`,
    hint: `\`${suggest(command, 'last')}\` ${does} the latest run.`,
  });
}

/** Says which pipe is waited for, where nothing comes: to be silent together looks like a hang. */
export function sayWaiting({ streams }: Context, options: Options): Pick<PlanRequest, 'onWait'> {
  if (options['quiet'] === true) return {};
  return {
    onWait: (name) => streams.err(`Waiting for data from ${printable(name)}. Press Ctrl-C to stop.\n`),
  };
}

/** What is to be planned. @throws ProblemError with every option that makes no sense */
export function planRequest(
  files: readonly string[],
  options: Options,
  settings: Settings,
  suggest: Suggest,
): PlanRequest {
  const format = text(options, 'format');
  const encoding = text(options, 'encoding');
  const delimiter = text(options, 'delimiter');
  const quote = text(options, 'quote');
  const map = text(options, 'map');
  const headerLine = parsed(options, 'headerLine', '--header-line', count(1, 1_000_000));
  const transform = text(options, 'transform');
  return {
    files,
    suggest,
    ...(settings.type === undefined ? {} : { type: settings.type }),
    variant: settings.variant,
    ...(map === undefined ? {} : { mapFile: map }),
    columns: list(options, 'column'),
    constants: list(options, 'set'),
    ...(transform === undefined ? {} : { transformFile: transform }),
    decode: {
      ...(format === 'csv' || format === 'ndjson' || format === 'json' ? { format } : {}),
      ...(encoding === undefined ? {} : { encoding }),
      ...(delimiter === undefined ? {} : { delimiter }),
      ...(quote === undefined ? {} : { quote }),
      ...(options['header'] === false ? { header: false } : {}),
      ...(headerLine === undefined ? {} : { headerLine }),
      maxRowBytes:
        parsed(options, 'maxRowBytes', '--max-row-bytes', size({ least: '1KB', most: '1GB' })) ?? 2 ** 20,
      ragged: options['ragged'] === 'pad' ? 'pad' : 'reject',
    },
    batchSize: settings.batchSize,
    maxBytes: settings.maxBytes,
    skip: parsed(options, 'skip', '--skip', count(0, Number.MAX_SAFE_INTEGER)) ?? 0,
    limit: parsed(options, 'limit', '--limit', count(0, Number.MAX_SAFE_INTEGER)) ?? Number.POSITIVE_INFINITY,
    engine: engineOf(options),
  };
}

/** `--engine`. */
export function engineOf(options: Options): 'auto' | 'reference' {
  return options['engine'] === 'reference' ? 'reference' : 'auto';
}

/** `--fail-on never|N%`; `any` is the default and may be said. */
export function failOn(options: Options): FailOn {
  const given = text(options, 'failOn') ?? 'any';
  if (given === 'any' || given === 'never') return given;
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(given)?.[1];
  if (percent !== undefined && Number(percent) <= 100) return Number(percent);
  throw new ProblemError(optionProblem('--fail-on', given, '"any", "never", or a percentage such as 5%'));
}

/** `--max-invalid N|N%` and `--min-rows N`. */
export function rowLimits(options: Options): RowLimits {
  const given = text(options, 'maxInvalid');
  const minRows = parsed(options, 'minRows', '--min-rows', count(0, Number.MAX_SAFE_INTEGER));
  return {
    ...(given === undefined ? {} : { maxInvalid: maxInvalid(given) }),
    ...(minRows === undefined ? {} : { minRows }),
  };
}

function maxInvalid(given: string): NonNullable<RowLimits['maxInvalid']> {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(given.trim())?.[1];
  if (percent !== undefined && Number(percent) <= 100) return { percent: Number(percent) };
  if (/^\d+$/.test(given.trim())) return { rows: Number(given) };
  throw new ProblemError(
    optionProblem('--max-invalid', given, 'a number of rows, or a percentage such as 5%'),
  );
}

export function parsed<T>(
  options: Options,
  key: string,
  flag: string,
  parse: Parameters<typeof optionValue<T>>[2],
): T | undefined {
  const given = text(options, key);
  return given === undefined ? undefined : optionValue(flag, given, parse);
}

export function text(options: Options, key: string): string | undefined {
  const value = options[key];
  return typeof value === 'string' ? value : undefined;
}

export function list(options: Options, key: string): readonly string[] {
  const value = options[key];
  return Array.isArray(value) ? value : [];
}

function optionProblem(flag: string, given: string, expected: string): Problem {
  return { code: 'usage', message: `${flag} is "${given}": expected ${expected}.` };
}

/** The flag of an option: `--retry-max-time` of `retryMaxTime`. */
export function flagNamed(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
