/** `run.json`: the options of a run, in enough detail to resume it on another machine. Never has the API key. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { once } from '../lib/resources.ts';
import { messageOf } from '../lib/text.ts';
import { shard } from '../model/batch.ts';
import { decodeOptions } from '../model/decode-options.ts';
import { inputFormats } from '../model/input-format.ts';
import { problem } from '../model/outcome.ts';
import { ProblemError } from '../model/problem.ts';
import { recordType, variant } from '../model/record.ts';
import { isMissing } from './file-system.ts';
import type { RunFolder } from './run-folder.ts';

const inputSchema = once(() =>
  z.object({
    source: z.string(),
    /** Absolute; absent for a pipe. */
    path: z.string().optional(),
    member: z.string().optional(),
    bytes: z.int().optional(),
    format: z.enum(inputFormats),
    /** The detected value; absent if the format has none. */
    delimiter: z.string().optional(),
    columns: z.array(z.string()),
    /** XXH64 of the input's head, in hexadecimal. */
    head: z.string(),
  }),
);

const schema = once(() =>
  z.object({
    run: z.string(),
    startedAt: z.string(),
    version: z.string(),
    type: recordType,
    variant: variant.optional(),
    baseUrl: z.string(),
    /** The run is then never resumed against another service. */
    sandbox: z.boolean(),
    inputs: z.array(inputSchema()),
    skippedFiles: z.array(problem).optional(),
    /** The module of `--transform`: absolute path, and SHA-256 of the file in hexadecimal. */
    transform: z.object({ path: z.string(), digest: z.string() }).optional(),
    decode: decodeOptions,
    batchSize: z.int(),
    maxBytes: z.int(),
    skip: z.int(),
    limit: z.int().optional(),
    shard: shard.optional(),
    /** Whether the journal has the keys of the records. */
    keys: z.literal(true).optional(),
    /** Whether equal records of the run are sent once. */
    dedupe: z.literal(true).optional(),
    /** Whether records that another run has sent are skipped. */
    skipSent: z.literal(true).optional(),
    /** Settings as typed, by name: `record` of the option table says which. A resume uses them unless overridden. */
    settings: z.record(z.string(), z.string()).optional(),
    /** The profile of a setting or of the key. Absent if no profile was used. */
    profile: z.string().optional(),
    /** Arguments of the command line, without the program's name. */
    argv: z.array(z.string()),
  }),
);

export type RunFile = z.infer<ReturnType<typeof schema>>;

export interface StoredRun {
  readonly folder: RunFolder;
  readonly file: RunFile;
}

/** With the base URL of the last resume, which the journal has. */
export function fileNow(file: RunFile, { baseUrl = file.baseUrl }: { readonly baseUrl?: string | undefined }): RunFile {
  return { ...file, baseUrl };
}

export function renderRunFile(runFile: RunFile): string {
  return `${JSON.stringify(runFile, null, 2)}\n`;
}

/** @throws ProblemError `run.unreadable` */
export async function readRunFile(folder: string): Promise<RunFile> {
  const file = path.join(folder, 'run.json');
  try {
    return schema().parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new ProblemError({
      code: 'run.unreadable',
      message: isMissing(error)
        ? `${folder} is not a run folder, or incomplete: it has no run.json, which says what the run reads and where it sends.`
        : `The run.json of ${folder} is damaged: ${messageOf(error).split('\n')[0]}.`,
      hint: 'Copy or restore a run folder again; its results.csv lists what was delivered. Else name a run folder, or the id of a run.',
    });
  }
}
