/** The requests of a command, from its files and options: how its inputs are read and mapped, and how records are sent. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { RunFile } from '../journal/run-file.ts';
import { assertPlainFiles } from '../journal/run-folder.ts';
import type { AllKeys } from '../lib/all-keys.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import type { Shard } from '../model/batch.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import { ProblemError } from '../model/problem.ts';
import { isInRejects } from '../model/rejects-file.ts';
import { type OptionTable, type OptionValues, usageError } from '../options/option-spec.ts';
import { type OptionsOf, optionTable, type SettingOptions, type Settings } from '../options/option-table.ts';
import { type ResolvedSettings, resolveSettings, type SettingsInput } from '../options/resolve-settings.ts';
import type { PlanRequest } from '../plan/index.ts';
import type { FailOn } from '../report/run-summary.ts';
import type { Surroundings } from './context.ts';
import { divideSettings, parseShard } from './shard.ts';

/** The files as typed, or stdin if data is piped in. @throws ProblemError `usage` if there is neither */
export function inputsOf(
  files: readonly string[],
  { streams, argv: [command = 'upload'] }: Surroundings,
  suggest: Suggest,
): readonly string[] {
  if (files.length > 0) return files;
  if (streams.stdinHoldsData) return ['-'];
  throw usageError('No input: name a file, or pipe data in.', `For example: \`${suggest(command, 'export.csv')}\`.`);
}

type MapOptions = OptionValues<OptionsOf<'map'>>;

/** How inputs are read and mapped. The settings among the options come resolved. */
type ReadingOptions = Pick<MapOptions, 'column' | 'set' | 'empty' | 'transform'> &
  Pick<MapOptions, Exclude<keyof DecodeOptions, keyof Settings>> &
  Partial<Pick<OptionValues<OptionsOf<'check'>>, 'map' | 'skip' | 'limit' | 'skipBadFiles' | 'quiet'>>;

type PlanContext = Pick<Surroundings, 'argv' | 'typed'> & { readonly streams: Pick<Surroundings['streams'], 'err'> };

export function planRequest(
  context: PlanContext,
  files: readonly string[],
  options: ReadingOptions,
  { settings, suggest }: { readonly settings: Settings; readonly suggest: Suggest },
): PlanRequest {
  const { format, encoding, delimiter, sheet, headerLine } = options;
  const { type, variant, batchSize, maxBytes, quote, maxRowBytes, ragged, engine } = settings;
  const { streams } = context;
  // Only --no-header overrides the mapping.
  const header = options.header ? undefined : false;
  const mappingOfRun = mappingOfRejects(files);
  return {
    files,
    skipBadFiles: options.skipBadFiles,
    suggest,
    asking: askingOf(context),
    type,
    variant,
    mapFile: options.map ?? mappingOfRun,
    areRejects: mappingOfRun !== undefined,
    columns: options.column,
    constants: options.set,
    empty: options.empty,
    transformFile: options.transform,
    onTransformOutput: (line) => streams.err(`${printable(line)}\n`),
    decode: { format, encoding, delimiter, quote, header, headerLine, sheet, maxRowBytes, ragged } satisfies Record<
      keyof DecodeOptions,
      unknown
    >,
    batchSize,
    maxBytes,
    skip: options.skip ?? 0,
    limit: options.limit ?? Number.POSITIVE_INFINITY,
    engine,
    onWait(name) {
      if (!options.quiet) streams.err(`Waiting for data from ${printable(name)}. Press Ctrl-C to stop.\n`);
    },
  } satisfies AllKeys<Omit<PlanRequest, 'stdinName' | 'why' | 'isPart' | 'mapping' | 'mayAsk'>>;
}

/** The mapping of a run, if all files are its rejects. @throws ProblemError if the run folder contains a link */
function mappingOfRejects(files: readonly string[]): string | undefined {
  const folders = new Set(files.filter(isInRejects).map((file) => path.dirname(path.dirname(file))));
  const [folder = ''] = folders;
  const mapping = path.join(folder, 'mapping.yaml');
  const isOfRun = folders.size === 1 && files.every(isInRejects) && existsSync(path.join(folder, 'run.json'));
  if (!isOfRun) return undefined;
  assertPlainFiles(folder);
  return existsSync(mapping) ? mapping : undefined;
}

function askingOf({ argv: [command], typed = new Map() }: PlanContext): PlanRequest['asking'] {
  const table: OptionTable = optionTable;
  const given = [...typed].map(([name, words]) => ({ name, words, reads: table[name]?.reads }));
  return {
    command: command === 'check' || command === 'map' ? command : 'upload',
    mappingOptions: new Map(given.flatMap(({ name, words, reads }) => (reads === 'mapping' ? [[name, words]] : []))),
    rowOptions: given.flatMap(({ words, reads }) => (reads === 'rows' ? words : [])),
    otherOptions: given.flatMap(({ words, reads }) => (reads === undefined ? words : [])),
  };
}

/** The request for the inputs of a run that exists, with its settings and the mapping in its folder. */
export function planRequestOf(folder: string, runFile: RunFile, files: readonly string[], suggest: Suggest) {
  const { type, variant = 'auto', decode, batchSize, maxBytes } = runFile;
  return {
    files,
    suggest,
    type,
    variant,
    decode,
    batchSize,
    maxBytes,
    mapFile: path.join(folder, 'mapping.yaml'),
    columns: [],
    constants: [],
    skip: 0,
    limit: Number.POSITIVE_INFINITY,
    // The user confirmed a guessed encoding when the run began; the same head leads to the same guess.
    mayAsk: true,
  } satisfies PlanRequest;
}

/** The request for the rejects files of a run. They are UTF-8 with a header, whatever its input was. */
export function rejectsRequestOf(folder: string, runFile: RunFile, files: readonly string[], suggest: Suggest) {
  const { maxRowBytes, ragged } = runFile.decode;
  return { ...planRequestOf(folder, runFile, files, suggest), decode: { maxRowBytes, ragged } } satisfies PlanRequest;
}

/** Options that are no settings, and are passed on as they are. */
export interface PassedOn {
  readonly shard?: string | undefined;
  readonly failOn?: FailOn | undefined;
  readonly yes?: boolean | undefined;
}

export interface SendRequest extends ResolvedSettings, Omit<PassedOn, 'shard'> {
  readonly given: SettingsInput;
  /** Its settings are those of this shard. Absent if the run is not divided. */
  readonly shard?: Shard | undefined;
}

/** @param run the run that is resumed. @throws ProblemError for every setting that is not valid */
export async function resolveRequest(
  context: Pick<SettingsInput, 'env' | 'invocation'>,
  options: SettingOptions & PassedOn,
  run?: Pick<RunFile, 'profile' | 'shard'>,
): Promise<SendRequest> {
  const { failOn, yes } = options;
  const shard = run === undefined ? parseShard(options.shard, context.env ?? {}) : run.shard;
  const given = { ...context, ...options, runProfile: run?.profile };
  const resolved = await resolveSettings(given);
  const { settings } = resolved;
  if (settings.rateStore !== undefined && settings.rate === undefined) {
    throw new ProblemError({
      code: 'settings.rate_store',
      message: 'The setting rate_store needs --rate: the rate that all processes share.',
      hint: 'Add --rate, such as --rate 100/s: the same for all.',
    });
  }
  return { ...resolved, settings: divideSettings(settings, shard), given, shard, failOn, yes };
}
