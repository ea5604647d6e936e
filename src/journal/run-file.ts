/** `run.json`: what was asked of a run, in as much detail as it takes to go on with it elsewhere. Never the key. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { once } from '../lib/once.ts';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';

const schema = once(() =>
  z.object({
    run: z.string(),
    startedAt: z.string(),
    /** Of the program that began the run. */
    version: z.string(),
    type: z.enum(['signals', 'social']),
    variant: z.enum(['a', 'b', 'both']).optional(),
    baseUrl: z.string(),
    /** The service was the program's own, and is gone with it: such a run never goes on anywhere else. */
    sandbox: z.boolean(),
    inputs: z.array(
      z.object({
        source: z.string(),
        /** Absolute; absent for a pipe. */
        path: z.string().optional(),
        bytes: z.int().optional(),
        format: z.enum(['csv', 'ndjson', 'json']),
        columns: z.array(z.string()),
        /** XXH64 of the input's head, in hexadecimal. */
        head: z.string(),
      }),
    ),
    /** The function of `--transform`: absolute path, and SHA-256 of the file in hexadecimal. */
    transform: z.object({ path: z.string(), digest: z.string() }).optional(),
    decode: z.object({
      format: z.enum(['csv', 'ndjson', 'json']).optional(),
      encoding: z.string().optional(),
      delimiter: z.string().optional(),
      quote: z.string().optional(),
      header: z.boolean(),
      headerLine: z.int().optional(),
      maxRowBytes: z.int(),
      ragged: z.enum(['reject', 'pad']),
    }),
    batchSize: z.int(),
    maxBytes: z.int(),
    skip: z.int(),
    /** Absent where all rows are taken. */
    limit: z.int().optional(),
    /** Whether the journal tells the keys of the records. */
    keys: z.literal(true).optional(),
    /** Equal records of the run are sent once. */
    dedupe: z.literal(true).optional(),
    /** Records that earlier runs have sent are not sent again: those that were sent up to this time (ISO 8601). */
    skipSent: z.string().optional(),
    /**
     * What was said of delivery by flags, as typed: it holds when the run goes on, until something else is said. By the
     * options' camel-cased names, so that `--no-canary` is `canary: false`.
     */
    delivery: z
      .object({
        concurrency: z.string().optional(),
        rate: z.string().optional(),
        timeout: z.string().optional(),
        retries: z.string().optional(),
        retryMaxTime: z.string().optional(),
        maxWait: z.string().optional(),
        onUnknown: z.string().optional(),
        grace: z.string().optional(),
        maxInvalid: z.string().optional(),
        minRows: z.string().optional(),
        isolate: z.literal(true).optional(),
        canary: z.literal(false).optional(),
        fsync: z.literal(true).optional(),
      })
      .optional(),
    /** The profile from which a setting or the key came. Absent where none did. */
    profile: z.string().optional(),
    /** The words behind the program's name. */
    argv: z.array(z.string()),
    /** The run that was replayed. Absent for a run that reads inputs. */
    parent: z.string().optional(),
    /** The batches of a replay, by the run in whose undelivered.ndjson they stood: the parent or a replay of it. */
    takes: z.record(z.string(), z.array(z.string())).optional(),
  }),
);

export type RunFile = z.infer<ReturnType<typeof schema>>;

/** @throws ProblemError `run.unreadable` */
export async function readRunFile(folder: string): Promise<RunFile> {
  const file = path.join(folder, 'run.json');
  try {
    return schema().parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new ProblemError({
      code: 'run.unreadable',
      message: `${folder} is not the folder of a run, or its run.json is damaged: ${messageOf(error).split('\n')[0]}.`,
      hint: 'Name a folder that `signals upload` has made.',
    });
  }
}

/** How the inputs of a run are read, without the keys that have no value. */
export function decodeOptionsOf({
  decode: { format, encoding, delimiter, quote, headerLine, ...rest },
}: RunFile) {
  return {
    ...rest,
    ...(format === undefined ? {} : { format }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(headerLine === undefined ? {} : { headerLine }),
    ...(quote === undefined ? {} : { quote }),
  };
}
