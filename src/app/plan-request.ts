/** The request for a plan, from the files and options of a command. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { RunFile } from '../journal/run-file.ts';
import { assertPlainFiles } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import type { DecodeOptions } from '../model/input-format.ts';
import { isInRejects } from '../model/rejects-file.ts';
import { type OptionTable, type OptionValues, usageError } from '../options/option-spec.ts';
import { type OptionsOf, optionTable, type Settings } from '../options/option-table.ts';
import type { PlanRequest } from '../plan/index.ts';
import type { Surroundings } from './context.ts';

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

/** @param context its streams receive what the user must know while the inputs are read */
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
    again: againOf(context),
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
      // Without a message, waiting looks like a hang.
      if (!options.quiet) streams.err(`Waiting for data from ${printable(name)}. Press Ctrl-C to stop.\n`);
    },
  };
}

/**
 * The mapping of a run, if all files are its rejects: then their columns are those of its input.
 *
 * @throws ProblemError if the run folder contains a link
 */
function mappingOfRejects(files: readonly string[]): string | undefined {
  const folders = new Set(files.filter(isInRejects).map((file) => path.dirname(path.dirname(file))));
  const [folder = ''] = folders;
  const mapping = path.join(folder, 'mapping.yaml');
  const isOfRun = folders.size === 1 && files.every(isInRejects) && existsSync(path.join(folder, 'run.json'));
  if (!isOfRun) return undefined;
  assertPlainFiles(folder);
  return existsSync(mapping) ? mapping : undefined;
}

function againOf({ argv: [command], typed = new Map() }: PlanContext): PlanRequest['again'] {
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
