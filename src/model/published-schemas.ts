/**
 * The JSON Schemas of what the program writes for other programs (docs/machine-output.md), draft 2020-12. They allow
 * further keys, because later versions may add some. Only `signals schema` loads them.
 */
import { z } from 'zod';
import { attemptFailed, batchSettled, batchSplit, input, runEvents, sourceEnded, throttleChanged } from './event.ts';
import { problem, stop } from './outcome.ts';
import { recordType, variant } from './record.ts';
import { resultsLineSchema } from './results-line.ts';
import type { Data } from './row.ts';
import { batchCounts, rowCounts, serviceCountsSchema } from './run-state.ts';
import { checkSummary, errorObjectSchema, summary } from './summary.ts';

const crc = z
  .string()
  .regex(/^[0-9a-f]{8}$/)
  .describe('CRC-32 of the line before this key, in hexadecimal');

// The lines of `--log-format json` and `--log-file`. Each has a sentence for people; the other keys are for programs.
const logHeading = {
  time: z.iso.datetime().describe('ISO 8601, UTC'),
  level: z.enum(['info', 'warning', 'error']),
  message: z.string().describe('The line as a sentence. It may change at any time'),
  run: z.string().optional().describe('The run whose event it is'),
};

function logged<Event extends z.ZodType<string>, Shape extends z.ZodRawShape>(event: Event, shape: Shape) {
  return z.object({ event, ...logHeading, ...shape });
}

const logLine = z.discriminatedUnion('event', [
  logged(z.enum(['run.started', 'check.started']), {
    type: recordType,
    variant: variant.optional(),
    inputs: z.array(input),
  }),
  logged(z.literal('run.resumed'), {}),
  logged(z.literal('progress'), {
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
  }).describe('Every log_interval'),
  z.object({ ...attemptFailed.shape, ...logHeading }).describe('With --verbose'),
  z.object({ ...batchSplit.shape, ...logHeading }).describe('With --verbose'),
  z.object({ ...batchSettled.shape, ...logHeading }).describe('With --verbose'),
  z
    .object({
      ...sourceEnded.pick({ event: true, source: true, bytes: true, rows: true, digest: true }).shape,
      ...logHeading,
    })
    .describe('With --verbose: an input was read to its end'),
  z.object({ ...throttleChanged.shape, ...logHeading }),
  logged(z.enum(['outage.started', 'outage.ended']), {}).describe('Meanwhile one batch probes the service'),
  logged(z.literal('run.stopping'), { stop }).describe('No new request starts; those in flight may finish'),
  z
    .object({ event: z.literal('run.ended'), ...logHeading, ...summary.shape })
    .describe('With the object of summary.json'),
  logged(
    z.literal('check.ended'),
    checkSummary.pick({ state: true, exitCode: true, rows: true, requests: true, bytes: true }).shape,
  ),
  logged(z.enum(['warning', 'error']), problem.omit({ message: true }).shape),
  logged(z.literal('message'), {}).describe('Everything else that the program says'),
]);

/** A line without its time, which the log adds. */
export type LogEntry = Timeless<Data<typeof logLine>>;

type Timeless<T> = T extends unknown ? Omit<T, 'time'> : never;

const schemas = {
  summary: summary.describe('summary.json of a run, and --json of upload, resume and runs show'),
  check: checkSummary.describe('--json of check'),
  error: errorObjectSchema.describe('--json without a summary: nothing was sent, or there is nothing left to send'),
  journal: z
    .union(runEvents().map((event) => z.object({ ...event.shape, crc })))
    .describe('A line of journal.ndjson: an event of the run'),
  results: resultsLineSchema,
  log: logLine.describe('A line of --log-format json and of --log-file: an event of the run'),
} satisfies Record<string, z.ZodType>;

export const schemaNames = Object.keys(schemas);

export function publishedSchema(name: string): object | undefined {
  const found = Object.entries(schemas).find(([each]) => each === name)?.[1];
  if (found === undefined) return undefined;
  const { $schema, ...schema } = z.toJSONSchema(found, { io: 'input' });
  return { $schema, $id: `urn:signals-upload:${name}:1`, title: name, ...schema };
}
