/**
 * The lines of `--log-format json` and `--log-file` (docs/machine-output.md). Each has a sentence for people; the other
 * keys are for programs.
 */
import { z } from 'zod';
import { attemptFailed, batchSettled, batchSplit, input, sourceEnded, throttleChanged } from './event.ts';
import { stop } from './outcome.ts';
import { recordType, variant } from './record.ts';
import type { Data } from './row.ts';
import { batchCounts, rowCounts, serviceCountsSchema } from './run-state.ts';
import { checkSummary, problem, summary } from './summary.ts';

const heading = {
  time: z.iso.datetime().describe('ISO 8601, UTC'),
  level: z.enum(['info', 'warning', 'error']),
  message: z.string().describe('The line as a sentence. It may change at any time'),
  run: z.string().optional().describe('The run whose event it is'),
};

const started = z.object({
  event: z.enum(['run.started', 'check.started']),
  ...heading,
  type: recordType,
  variant: variant.optional(),
  inputs: z.array(input),
});

const resumed = z.object({ event: z.literal('run.resumed'), ...heading });

const progress = z
  .object({
    event: z.literal('progress'),
    ...heading,
    rows: rowCounts,
    batches: batchCounts,
    service: serviceCountsSchema,
    requests: z.int(),
    retries: z.int(),
    bytesRead: z.int().describe('Bytes of the inputs whose rows are accounted for'),
    bytesSent: z.int(),
    share: z.number().optional().describe('Rows done of all rows, from 0 to 1; absent while their number is unknown'),
    rowsPerSecond: z.number().optional().describe('Absent in the first seconds'),
    secondsLeft: z.number().optional().describe('An estimate; absent if there is none'),
  })
  .describe('Every log_interval');

const outage = z
  .object({ event: z.enum(['outage.started', 'outage.ended']), ...heading })
  .describe('The service is unavailable: one batch probes, and the others wait');

const stopping = z
  .object({ event: z.literal('run.stopping'), ...heading, stop })
  .describe('No new request starts; those in flight may finish');

const ended = z.object({
  event: z.literal('run.ended'),
  ...heading,
  ...summary.pick({
    state: true,
    exitCode: true,
    stop: true,
    rows: true,
    service: true,
    batches: true,
    requests: true,
    retries: true,
    bytesSent: true,
    seconds: true,
    folder: true,
    next: true,
    warnings: true,
    errors: true,
  }).shape,
});

const checkEnded = z.object({
  event: z.literal('check.ended'),
  ...heading,
  ...checkSummary.pick({ state: true, exitCode: true, rows: true, requests: true, bytes: true }).shape,
});

const problemShape = { ...heading, ...problem.omit({ message: true }).shape };

export const logLine = z.discriminatedUnion('event', [
  started,
  resumed,
  progress,
  z.object({ ...attemptFailed.shape, ...heading }).describe('With --verbose'),
  z.object({ ...batchSplit.shape, ...heading }).describe('With --verbose'),
  z.object({ ...batchSettled.shape, ...heading }).describe('With --verbose'),
  z
    .object({
      ...sourceEnded.pick({ event: true, source: true, bytes: true, rows: true, digest: true }).shape,
      ...heading,
    })
    .describe('With --verbose: an input was read to its end'),
  z.object({ ...throttleChanged.shape, ...heading }),
  outage,
  stopping,
  ended,
  checkEnded,
  z.object({ event: z.literal('warning'), ...problemShape }),
  z.object({ event: z.literal('error'), ...problemShape }),
  z.object({ event: z.literal('message'), ...heading }).describe('Everything else that the program says'),
]);

export type LogLine = Data<typeof logLine>;

/** A line without its time, which the log adds. */
export type LogEntry = Timeless<LogLine>;

type Timeless<T> = T extends unknown ? Omit<T, 'time'> : never;
