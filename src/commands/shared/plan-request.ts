/** From the files and options of a command to the request for a plan. */
import { printable } from '../../lib/printable.ts';
import type { Suggest } from '../../lib/shell.ts';
import type { PlanRequest } from '../../plan/index.ts';
import type { Settings } from '../../settings/resolve-settings.ts';
import type { Context } from './command.ts';
import { type OptionValues, usageError } from './option.ts';
import type { PlanOptions, understandOptions } from './options.ts';

/** The files as typed, or stdin if data is piped in. @throws ProblemError `usage` if there is neither */
export function inputsOf(files: readonly string[], { streams }: Context, suggest: Suggest): readonly string[] {
  if (files.length > 0) return files;
  if (streams.stdinHoldsData) return ['-'];
  throw usageError('No input: name a file, or pipe data in.', `For example: \`${suggest('upload', 'export.csv')}\`.`);
}

type ReadingOptions = OptionValues<typeof understandOptions> &
  Partial<Pick<PlanOptions, 'map' | 'skip' | 'limit' | 'engine'>>;

export function planRequest(
  files: readonly string[],
  options: ReadingOptions,
  settings: Settings,
  suggest: Suggest,
): PlanRequest {
  const { map, transform, format, encoding, delimiter, quote, header, headerLine } = options;
  return {
    files,
    suggest,
    type: settings.type,
    variant: settings.variant,
    mapFile: map,
    columns: options.column,
    constants: options.set,
    transformFile: transform,
    decode: {
      format,
      encoding,
      delimiter,
      quote,
      // Only --no-header overrides the mapping.
      header: header ? undefined : false,
      headerLine,
      maxRowBytes: options.maxRowBytes ?? 2 ** 20,
      ragged: options.ragged ?? 'reject',
    },
    batchSize: settings.batchSize,
    maxBytes: settings.maxBytes,
    skip: options.skip ?? 0,
    limit: options.limit ?? Number.POSITIVE_INFINITY,
    engine: options.engine ?? 'auto',
  };
}

/** Prints which pipe the program waits for: silence looks like a hang. */
export function reportWaiting(
  { streams }: Context,
  { quiet }: { readonly quiet: boolean },
): Pick<PlanRequest, 'onWait'> {
  if (quiet) return {};
  return {
    onWait: (name) => streams.err(`Waiting for data from ${printable(name)}. Press Ctrl-C to stop.\n`),
  };
}
